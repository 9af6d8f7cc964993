/** The end of a call: everything is written down at once. */
export const outcomes = `
-- Returns the texts that are to be sent whole: what tells them is not here, or has been told by too many others.
create function kedge.keep_1(_tree text, _versions jsonb) returns text language plpgsql as $$
declare
  v jsonb;
  day_ago timestamptz := clock_timestamp() - interval '1 day';
  missing text := '';
begin
  for v in select jsonb_array_elements(_versions) loop
    if v->>'base' is null then
      insert into kedge.versions (tree, id, root, depth, data)
        values (_tree, v->>'id', v->>'id', 0, decode(v->>'data', 'base64'))
        on conflict (tree, id) do update set at = clock_timestamp() where versions.at < day_ago;
      continue;
    end if;
    insert into kedge.versions (tree, id, root, base, depth, data)
      select _tree, v->>'id', b.root, b.id, b.depth + 1, decode(v->>'data', 'base64')
      from kedge.versions b where b.tree = _tree and b.id = v->>'base' and b.depth < 64
      on conflict (tree, id) do update set at = clock_timestamp() where versions.at < day_ago;
    if not found and not exists (select 1 from kedge.versions where tree = _tree and id = v->>'id') then
      missing := missing || ',' || (v->'id')::text;
    end if;
  end loop;
  return '[' || substr(missing, 2) || ']';
end $$;

-- Entries that were written before, by a call whose answer was lost, are not written again.
create function kedge.append_1(_tree text, _entries jsonb, _again boolean) returns void language plpgsql as $$
declare
  e jsonb;
  number bigint;
begin
  for e in select jsonb_array_elements(_entries) loop
    if _again then
      continue when exists (select 1 from kedge.named where tree = _tree and id = e->'ids'->>0);
    end if;
    insert into kedge.journal (tree, file, agent, time, entry)
      values (_tree, e->>'file', e->>'agent', (e->>'time')::double precision, e->>'entry') returning seq into number;
    insert into kedge.named (tree, id, seq)
      select _tree, id, number from jsonb_array_elements_text(e->'ids') as names(id) on conflict do nothing;
  end loop;
end $$;

create function kedge.forget_1(_tree text, _file text) returns void language plpgsql as $$
begin
  delete from kedge.states where tree = _tree and file = _file;
  delete from kedge.ledgers where tree = _tree and file = _file;
  update kedge.files set gen = nextval('kedge.numbers'), rev = 0, first = 0, next = 0
    where tree = _tree and file = _file;
end $$;

create function kedge.copy_1(_tree text, _from text, _to text) returns void language plpgsql as $$
begin
  perform kedge.forget_1(_tree, _to);
  insert into kedge.states select tree, _to, n, 1, state from kedge.states where tree = _tree and file = _from;
  insert into kedge.ledgers (tree, file, agent, since, ledger, mark, label)
    select tree, _to, agent, since, ledger, mark, label from kedge.ledgers where tree = _tree and file = _from;
  update kedge.files t set rev = 1, first = f.first, next = f.next from kedge.files f
    where t.tree = _tree and t.file = _to and f.tree = _tree and f.file = _from and (f.rev > 0);
end $$;

-- Returns the new gen and rev.
create function kedge.set_states_1(_tree text, _file text, _from int, _states jsonb) returns text language plpgsql as $$
declare
  f record;
  fresh bigint;
  count int := jsonb_array_length(_states);
begin
  select gen, rev, first, next into f from kedge.files where tree = _tree and file = _file;
  fresh := f.rev + 1;
  if f.rev = 0 or _from > f.next or _from < f.first then
    delete from kedge.states where tree = _tree and file = _file;
    f.first := _from;
    f.gen := nextval('kedge.numbers');
  elsif _from < f.next then
    delete from kedge.states where tree = _tree and file = _file and n >= _from;
  end if;
  insert into kedge.states (tree, file, n, rev, state)
    select _tree, _file, _from + number - 1, fresh, state
    from jsonb_array_elements_text(_states) with ordinality as given(state, number);
  -- Now and then, and many at once.
  if _from + count - f.first > 20000 then
    f.first := _from + count - 10000;
    delete from kedge.states where tree = _tree and file = _file and n < f.first;
  end if;
  -- They are let go of as well: a call that ends holds nothing.
  update kedge.files
    set gen = f.gen, rev = fresh, first = f.first, next = _from + count, token = null, at = clock_timestamp()
    where tree = _tree and file = _file;
  return f.gen || ' ' || fresh;
end $$;

-- Returns the gen and rev of each file that got states, by its name.
create function kedge.set_files_1(_tree text, _agent text, _files jsonb, _ledgers text[], _mark text)
returns text language plpgsql as $$
declare
  f jsonb;
  revs text := '';
  number int := 0;
begin
  -- A record that is moved goes before the place that it leaves.
  for f in select jsonb_array_elements(_files) loop
    if f->>'like' is not null then perform kedge.copy_1(_tree, f->>'like', f->>'file'); end if;
  end loop;
  for f in select jsonb_array_elements(_files) loop
    number := number + 1;
    if f->>'gone' is not null then perform kedge.forget_1(_tree, f->>'file'); end if;
    if f->>'from' is not null then
      revs := revs || ',' || (f->'file')::text || ':"'
        || kedge.set_states_1(_tree, f->>'file', (f->>'from')::int, f->'states') || '"';
    end if;
    if f->>'since' is not null then
      insert into kedge.ledgers (tree, file, agent, since, ledger, mark, label)
        values (_tree, f->>'file', _agent, (f->>'since')::int, _ledgers[number], _mark || '.' || number, f->>'label')
        on conflict (tree, file, agent) do update
        set since = excluded.since, ledger = excluded.ledger, mark = excluded.mark, at = clock_timestamp();
      if f->>'from' is null then
        update kedge.files set rev = 1 where tree = _tree and file = f->>'file' and rev = 0;
      end if;
    end if;
  end loop;
  return '{' || substr(revs, 2) || '}';
end $$;

create function kedge.put_1(_tree text, _name text, _value text, _mark text) returns void language plpgsql as $$
begin
  insert into kedge.records (tree, name, value, mark) values (_tree, _name, _value, _mark)
    on conflict (tree, name) do update set value = excluded.value, mark = excluded.mark, at = clock_timestamp();
end $$;

-- True: the record is now what was given.
create function kedge.put_if_1(_tree text, _name text, _value text, _mark text, _was text)
returns boolean language plpgsql as $$
begin
  perform kedge.check_1();
  if _was is null then
    insert into kedge.records (tree, name, value, mark) values (_tree, _name, _value, _mark) on conflict do nothing;
  else
    update kedge.records set value = _value, mark = _mark, at = clock_timestamp()
      where tree = _tree and name = _name and mark = _was;
  end if;
  return found or exists (select 1 from kedge.records where tree = _tree and name = _name and mark = _mark);
end $$;

-- "held": the files were still held. Otherwise somebody has gone on from them, and only what cannot contradict it is kept.
-- "mark": begins the marks of the ledgers.
create function kedge.finish_1(_tree text, _token text, _files text[], _outcome text, _ledgers text[], _mark text,
  _again boolean)
returns text language plpgsql as $$
declare
  o jsonb := _outcome::jsonb;
  r jsonb;
  held boolean := true;
  missing text;
  revs text := '{}';
  setting text := set_config('synchronous_commit', 'on', true);
  patience text := set_config('lock_timeout', '5s', true);
begin
  if cardinality(_files) > 0 then
    perform 1 from kedge.files where tree = _tree and file = any(_files) order by file for update;
    delete from kedge.units where token = _token and owner = _token;
    held := found;
  end if;
  missing := kedge.keep_1(_tree, o->'versions');
  -- A batch may have been taken back by whoever has its files now.
  if held or not (o->>'batch')::boolean then
    perform kedge.append_1(_tree, o->'entries', _again or not held);
  end if;
  if held then
    revs := kedge.set_files_1(_tree, o->>'agent', o->'files', _ledgers, _mark);
    for r in select jsonb_array_elements(o->'records') loop
      perform kedge.put_1(_tree, r->>'name', r->>'value', r->>'mark');
    end loop;
    if cardinality(_files) > 0 then
      update kedge.files set token = null where tree = _tree and file = any(_files) and token = _token;
    end if;
  end if;
  return '{"held":' || held::text || ',"missing":' || missing || ',"revs":' || revs || '}';
end $$;
`;
