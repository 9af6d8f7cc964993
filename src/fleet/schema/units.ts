/**
 * The round trips of a call. Each is one function: what it decides and what it writes happens at once. Files are locked in
 * the order of their keys, so that no two calls wait for each other. Rows are put together as text: the database looks
 * into no record.
 */
export const units = `
create function kedge.check_1() returns void language plpgsql stable as $$
declare now_at int;
begin
  select greatest(version, next) into now_at from kedge.meta;
  if now_at > 1 then
    raise exception using errcode = 'KG001', message = now_at::text;
  end if;
end $$;

-- What is recorded of a file, for an agent: the states that the caller does not know yet.
create function kedge.load_1(_tree text, _file text, _agent text, _gen bigint, _rev bigint, _first int)
returns text language plpgsql stable as $$
declare
  f kedge.files;
  l kedge.ledgers;
  r record;
  wanted int;
  start int;
begin
  select * into f from kedge.files where tree = _tree and file = _file;
  if not found or f.next = f.first and f.rev = 0 then
    return '{"gen":"0","rev":"0","first":0,"from":0,"next":0,"states":[],"ledger":null}';
  end if;
  select * into l from kedge.ledgers where tree = _tree and file = _file and agent = _agent;
  wanted := greatest(f.first, least(coalesce(l.since, f.next - 16), f.next - 1));
  if f.gen = _gen and _first <= wanted then
    start := f.next;
    if f.rev > _rev then
      for r in select n, rev from kedge.states where tree = _tree and file = _file order by n desc loop
        exit when r.rev <= _rev;
        start := r.n;
      end loop;
    end if;
  else
    start := wanted;
    wanted := -1;
  end if;
  return '{"gen":"' || f.gen || '","rev":"' || f.rev || '","first":' || case when wanted < 0 then start else _first end
    || ',"from":' || start || ',"next":' || f.next || ',"states":[' || coalesce((
      select string_agg(state, ',' order by n) from kedge.states where tree = _tree and file = _file and n >= start
    ), '') || '],"ledger":' || coalesce(l.ledger, 'null') || '}';
end $$;

create function kedge.record_1(_tree text, _name text) returns text language sql stable as $$
  select '{"value":' || value || ',"mark":"' || mark || '"}' from kedge.records where tree = _tree and name = _name
$$;

create function kedge.loaded_1(_tree text, _agent text, _files text[], _known text[], _records text[])
returns text language sql stable as $$
  select '"files":[' || coalesce((
    select string_agg(kedge.load_1(_tree, file, _agent, split_part(known, ' ', 1)::bigint,
      split_part(known, ' ', 2)::bigint, split_part(known, ' ', 3)::int), ',' order by number)
    from unnest(_files, _known) with ordinality as asked(file, known, number)
  ), '') || '],"records":[' || coalesce((
    select string_agg(coalesce(kedge.record_1(_tree, name), 'null'), ',' order by number)
    from unnest(_records) with ordinality as asked(name, number)
  ), '') || ']'
$$;

create function kedge.look_1(_tree text, _agent text, _file text, _known text) returns text language plpgsql stable as $$
begin
  perform kedge.check_1();
  return '{' || kedge.loaded_1(_tree, _agent, array[_file], array[_known], '{}') || '}';
end $$;

-- Takes the files, all or none, and loads what is recorded of them.
create function kedge.begin_1(_tree text, _token text, _ask text, _files text[], _known text[], _records text[])
returns text language plpgsql as $$
declare
  ask json := _ask::json;
  lease interval := make_interval(secs => (ask->>'lease')::double precision / 1000);
  mine bigint := (ask->>'ticket')::bigint;
  moment timestamptz;
  blocker record;
  busy record;
  claimed text := '';
  ahead int;
begin
  -- The intent, which follows, waits for the disk; it takes this along.
  perform set_config('synchronous_commit', 'off', true);
  perform set_config('lock_timeout', '5s', true);
  perform kedge.check_1();
  if cardinality(_files) > 0 then
    insert into kedge.files (tree, file, gen)
      select _tree, file, nextval('kedge.numbers') from unnest(_files) as asked(file)
      where not exists (select 1 from kedge.files f where f.tree = _tree and f.file = asked.file)
      order by file on conflict do nothing;
    perform 1 from kedge.files where tree = _tree and file = any(_files) order by file for update;
    moment := clock_timestamp();
    for blocker in
      select u.* from kedge.units u where u.token <> _token and u.token in (
        select token from kedge.files where tree = _tree and file = any(_files)
      )
    loop
      if blocker.owner = _token or blocker.token in (select json_array_elements_text(ask->'dead'))
        or blocker.until < moment and (not blocker.bound or blocker.until < moment - interval '1 hour') then
        continue;
      end if;
      busy := blocker;
    end loop;
    select count(*) into ahead from kedge.waiting
      where tree = _tree and file = any(_files) and until > moment and (mine is null or ticket < mine);
    -- A record "is not null" only where none of its fields is.
    if not (busy is null) or ahead > 0 then
      mine := coalesce(mine, nextval('kedge.numbers'));
      insert into kedge.waiting select _tree, file, mine, moment + interval '1 second' from unnest(_files) as asked(file)
        on conflict (tree, file, ticket) do update set until = excluded.until;
      return '{"ticket":"' || mine || '","ahead":' || ahead || ',"token":' ||
        case when busy is null then 'null,"holder":null,"bound":false}' else to_json(busy.token)::text || ',"holder":' ||
        busy.holder || ',"bound":' || (busy.bound and busy.until < moment)::text || '}' end;
    end if;
    -- What the dead were about to write has to be put right first, and by one alone.
    for blocker in
      update kedge.units set owner = _token, until = moment + lease where token <> _token and token in (
        select token from kedge.files where tree = _tree and file = any(_files)
      ) returning token, intent
    loop
      if blocker.intent is null then
        delete from kedge.units where token = blocker.token;
      else
        claimed := claimed || ',{"token":' || to_json(blocker.token)::text || ',"intent":' || blocker.intent || '}';
      end if;
    end loop;
    if claimed <> '' then
      return '{"claimed":[' || substr(claimed, 2) || ']}';
    end if;
    update kedge.files set token = _token where tree = _tree and file = any(_files);
    if mine is not null then
      delete from kedge.waiting where tree = _tree and file = any(_files) and (ticket = mine or until < moment);
    end if;
    insert into kedge.units (token, tree, owner, holder, until)
      values (_token, _tree, _token, ask->>'holder', moment + lease)
      on conflict (token) do update set until = excluded.until, intent = null, bound = false;
  end if;
  return '{' || kedge.loaded_1(_tree, ask->>'agent', _files, _known, _records) || '}';
end $$;

-- True: it is written down what is about to be written, and the files are still held.
create function kedge.intend_1(_token text, _intent text, _bound boolean, _lease int)
returns boolean language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'on', true);
  perform kedge.check_1();
  update kedge.units set intent = _intent, bound = _bound,
    until = clock_timestamp() + make_interval(secs => _lease::double precision / 1000)
    where token = _token and owner = _token;
  return found;
end $$;

-- The tokens that are still held.
create function kedge.renew_1(_tokens text[], _lease int) returns setof text language sql as $$
  update kedge.units set until = clock_timestamp() + make_interval(secs => _lease::double precision / 1000)
    where token = any(_tokens) and owner = token returning token
$$;

create function kedge.release_1(_tree text, _token text, _files text[]) returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  delete from kedge.units where token = _token and owner = _token;
  if found then
    update kedge.files set token = null where tree = _tree and file = any(_files) and token = _token;
  end if;
end $$;

-- Somebody who claimed what a dead call left has put it right.
create function kedge.settle_1(_token text, _owner text) returns void language sql as $$
  delete from kedge.units where token = _token and owner = _owner
$$;
`;
