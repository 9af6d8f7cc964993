/** Whether a tree is the one on record, and the end of what is recorded. */
export const housekeeping = `
-- The last entries of some files, by which a tree is known again.
create function kedge.arrive_1(_tree text, _place text) returns text language plpgsql as $$
declare there boolean;
begin
  perform kedge.check_1();
  insert into kedge.trees (tree) values (_tree) on conflict do nothing;
  select exists (select 1 from kedge.places where tree = _tree and place = _place) into there;
  return '{"known":' || there::text || ',"entries":[' || coalesce((
    select string_agg(entry, ',') from (
      select distinct on (file) file, seq, entry from (
        select file, seq, entry from kedge.journal
          where tree = _tree and file like './%' and entry not like '%"kind":"refusal"%'
          order by seq desc limit 400
      ) recent order by file, seq desc limit 24
    ) newest
  ), '') || ']}';
end $$;

create function kedge.settle_place_1(_tree text, _place text) returns void language sql as $$
  insert into kedge.places (tree, place) values (_tree, _place) on conflict do nothing
$$;

-- True for one of those who ask, if it is long ago.
create function kedge.is_due_1(_tree text, _seconds double precision) returns boolean language plpgsql as $$
begin
  insert into kedge.trees (tree) values (_tree) on conflict do nothing;
  update kedge.trees set pruned = clock_timestamp()
    where tree = _tree and pruned < clock_timestamp() - make_interval(secs => _seconds);
  return found;
end $$;

create function kedge.prune_journal_1(_tree text, _before bigint) returns bigint language plpgsql as $$
declare removed bigint;
begin
  delete from kedge.named where tree = _tree and seq < _before;
  delete from kedge.journal where tree = _tree and seq < _before;
  get diagnostics removed = row_count;
  return removed;
end $$;

create function kedge.prune_1(_tree text, _age double precision, _size bigint, _kept text[]) returns text
language plpgsql as $$
declare
  cut timestamptz := clock_timestamp() - make_interval(secs => _age);
  removed bigint := 0;
  count bigint;
  bytes bigint;
  texts bigint;
begin
  if not pg_try_advisory_xact_lock(5364310, hashtext(_tree)) then
    return '{"removed":0,"bytes":0}';
  end if;
  removed := kedge.prune_journal_1(_tree, coalesce((
    select min(seq) from kedge.journal where tree = _tree and at >= cut
  ), 9223372036854775807));
  delete from kedge.versions v using (
    select root from kedge.versions where tree = _tree group by root having max(at) < cut
  ) old where v.tree = _tree and v.root = old.root;
  get diagnostics count = row_count;
  removed := removed + count;
  delete from kedge.ledgers where tree = _tree and at < cut;
  get diagnostics count = row_count;
  removed := removed + count;
  delete from kedge.records where tree = _tree and at < cut and name <> all(_kept);
  with idle as (
    select file from kedge.files f where tree = _tree and at < cut and token is null
      and not exists (select 1 from kedge.ledgers l where l.tree = _tree and l.file = f.file)
      for update skip locked
  ), states as (
    delete from kedge.states s using idle where s.tree = _tree and s.file = idle.file
  )
  delete from kedge.files f using idle where f.tree = _tree and f.file = idle.file;
  delete from kedge.waiting where tree = _tree and until < clock_timestamp();
  select coalesce(sum(octet_length(data) + 100), 0) into texts from kedge.versions where tree = _tree;
  select coalesce(sum(octet_length(entry) + 200), 0) into bytes from kedge.journal where tree = _tree;
  if texts + bytes > _size then
    -- Texts first, then the journal; of either the oldest. Somewhat below the bound, so that it lasts a while.
    delete from kedge.versions v using (
      select root from (
        select root, max(at) as at, sum(sum(octet_length(data) + 100)) over (order by max(at) desc, root) as upto
        from kedge.versions where tree = _tree group by root
      ) chains where upto > greatest(_size * 0.9 - bytes, 0)
    ) old where v.tree = _tree and v.root = old.root;
    get diagnostics count = row_count;
    removed := removed + count;
    select coalesce(sum(octet_length(data) + 100), 0) into texts from kedge.versions where tree = _tree;
    removed := removed + kedge.prune_journal_1(_tree, coalesce((
      select max(seq) + 1 from (
        select seq, sum(octet_length(entry) + 200) over (order by seq desc) as upto
        from kedge.journal where tree = _tree
      ) entries where upto > greatest(_size * 0.9 - texts, 0)
    ), 0));
    select coalesce(sum(octet_length(entry) + 200), 0) into bytes from kedge.journal where tree = _tree;
  end if;
  return '{"removed":' || removed || ',"bytes":' || texts + bytes || '}';
end $$;

create function kedge.purge_1(_tree text, _kept text[]) returns void language plpgsql as $$
begin
  delete from kedge.journal where tree = _tree;
  delete from kedge.named where tree = _tree;
  delete from kedge.versions where tree = _tree;
  delete from kedge.ledgers where tree = _tree;
  delete from kedge.states where tree = _tree;
  delete from kedge.records where tree = _tree and name <> all(_kept);
  delete from kedge.places where tree = _tree;
  update kedge.files set gen = nextval('kedge.numbers'), rev = 0, first = 0, next = 0 where tree = _tree;
end $$;
`;
