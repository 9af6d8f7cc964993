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

-- What is recorded of a file, for an agent: the states that the caller does not know yet, and the ledger, unless it knows that.
-- "known" is what it knows: gen, rev and first of the states, and the mark of the ledger.
create function kedge.load_1(_tree text, _file text, _agent text, _known text) returns text language plpgsql stable as $$
declare
  known text[] := string_to_array(_known, ' ');
  known_rev bigint := known[2]::bigint;
  f record;
  l record;
  r record;
  since int;
  start int;
  own text := 'null';
begin
  select gen, rev, first, next into f from kedge.files where tree = _tree and file = _file;
  if not found or f.next = f.first and f.rev = 0 then
    return '{"gen":"0","rev":"0","since":0,"from":0,"next":0,"states":[],"mark":"","ledger":null}';
  end if;
  select ledgers.since, mark, case when mark = known[4] then '"known"' else ledger end as ledger into l
    from kedge.ledgers where tree = _tree and file = _file and agent = _agent;
  if found then
    own := l.ledger;
  end if;
  since := greatest(f.first, least(coalesce(l.since, f.next - 16), f.next - 1));
  start := since;
  if f.gen = known[1]::bigint and known[3]::int <= since then
    start := f.next;
    if f.rev > known_rev then
      for r in select n, rev from kedge.states where tree = _tree and file = _file order by n desc loop
        exit when r.rev <= known_rev;
        start := r.n;
      end loop;
    end if;
  end if;
  return '{"gen":"' || f.gen || '","rev":"' || f.rev || '","since":' || since || ',"from":' || start || ',"next":' || f.next
    || ',"states":[' || case when start < f.next then coalesce((
      select string_agg(state, ',' order by n) from kedge.states where tree = _tree and file = _file and n >= start
    ), '') else '' end || '],"mark":"' || coalesce(l.mark, '') || '","ledger":' || own || '}';
end $$;

create function kedge.loaded_1(_tree text, _agent text, _files text[], _known text[], _records text[])
returns text language plpgsql stable as $$
declare
  files text := '';
  records text := '';
  wanted text;
  found_one text;
begin
  for at in 1 .. cardinality(_files) loop
    files := files || case when at > 1 then ',' else '' end || kedge.load_1(_tree, _files[at], _agent, _known[at]);
  end loop;
  foreach wanted in array _records loop
    select '{"value":' || value || ',"mark":"' || mark || '"}' into found_one
      from kedge.records where tree = _tree and name = wanted;
    records := records || case when records = '' then '' else ',' end || coalesce(found_one, 'null');
  end loop;
  return '"files":[' || files || '],"records":[' || records || ']';
end $$;

create function kedge.look_1(_tree text, _agent text, _file text, _known text) returns text language plpgsql stable as $$
begin
  perform kedge.check_1();
  return '{' || kedge.loaded_1(_tree, _agent, array[_file], array[_known], '{}') || '}';
end $$;

-- Takes the files, all or none, and loads what is recorded of them. With an intent, which is then on the disk, the call may
-- begin to write; without one the intent follows, and takes this along to the disk.
create function kedge.begin_1(_tree text, _token text, _agent text, _holder text, _lease int, _ticket bigint, _dead text[],
  _intent text, _files text[], _known text[], _records text[])
returns text language plpgsql as $$
declare
  lease interval := make_interval(secs => _lease::double precision / 1000);
  mine bigint := _ticket;
  setting text := set_config('synchronous_commit', 'off', true);
  patience text := set_config('lock_timeout', '5s', true);
  moment timestamptz;
  locked record;
  tokens text[] := '{}';
  blocker record;
  busy record;
  count int := 0;
  claimed text := '';
  ahead int;
begin
  perform kedge.check_1();
  if cardinality(_files) > 0 then
    loop
      for locked in
        select token from kedge.files where tree = _tree and file = any(_files) order by file for update
      loop
        count := count + 1;
        if locked.token is not null then
          tokens := tokens || locked.token;
        end if;
      end loop;
      exit when count >= cardinality(_files);
      -- The first time that somebody asks for one of them.
      insert into kedge.files (tree, file, gen)
        select _tree, file, nextval('kedge.numbers') from unnest(_files) as asked(file) order by file on conflict do nothing;
      count := 0;
      tokens := '{}';
    end loop;
    moment := clock_timestamp();
    if tokens <> '{}' then
      for blocker in select u.* from kedge.units u where u.token <> _token and u.token = any(tokens) loop
        if blocker.owner = _token or blocker.token = any(_dead)
          or blocker.until < moment and (not blocker.bound or blocker.until < moment - interval '1 hour') then
          continue;
        end if;
        busy := blocker;
      end loop;
    end if;
    select count(*) into ahead from kedge.waiting
      where tree = _tree and file = any(_files) and until > moment and (mine is null or ticket < mine);
    -- A record "is not null" only where none of its fields is.
    if not (busy is null) or ahead > 0 then
      mine := coalesce(mine, nextval('kedge.numbers'));
      -- No lease ends later than this but where the clock was set back. Who lives renews it.
      update kedge.units set until = moment + length where token = any(tokens) and until > moment + length;
      insert into kedge.waiting select _tree, file, mine, moment + interval '1 second' from unnest(_files) as asked(file)
        on conflict (tree, file, ticket) do update set until = excluded.until;
      return '{"ticket":"' || mine || '","ahead":' || ahead || ',"token":' ||
        case when busy is null then 'null,"holder":null,"bound":false}' else to_json(busy.token)::text || ',"holder":' ||
        busy.holder || ',"bound":' || (busy.bound and busy.until < moment)::text || '}' end;
    end if;
    if tokens <> '{}' then
      -- What the dead were about to write has to be put right first, and by one alone.
      for blocker in
        update kedge.units set owner = _token, until = moment + lease where token <> _token and token = any(tokens)
          returning token, intent
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
    end if;
    update kedge.files set token = _token where tree = _tree and file = any(_files);
    if mine is not null then
      delete from kedge.waiting where tree = _tree and file = any(_files) and (ticket = mine or until < moment);
    end if;
    if _intent is not null then
      setting := set_config('synchronous_commit', 'on', true);
    end if;
    insert into kedge.units (token, tree, owner, holder, until, length, intent)
      values (_token, _tree, _token, _holder, moment + lease, lease, _intent)
      on conflict (token) do update set until = excluded.until, intent = excluded.intent, bound = false;
  end if;
  return '{' || kedge.loaded_1(_tree, _agent, _files, _known, _records) || '}';
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
