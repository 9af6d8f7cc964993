/** The tables. Text is opaque: what a session made is never looked into, and keys are those of `TreeNames`. */
export const tables = `
create table kedge.trees (
  tree text collate "C" primary key,
  made timestamptz not null default clock_timestamp(),
  pruned timestamptz not null default clock_timestamp()
);
-- Where the tree was found to be the one on record: a host, and the folder there.
create table kedge.places (
  tree text collate "C" not null,
  place text collate "C" not null,
  primary key (tree, place)
);
-- A call that is under way, and until when its locks last if it is not heard of, "length" from then on. "owner" is another one while somebody
-- puts right what a dead call left.
create table kedge.units (
  token text collate "C" primary key,
  tree text collate "C" not null,
  owner text collate "C" not null,
  holder text not null,
  until timestamptz not null,
  length interval not null,
  intent text,
  bound boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
-- A file, who holds it, and the numbers of its states. "gen" is another one when the record begins anew.
create table kedge.files (
  tree text collate "C" not null,
  file text collate "C" not null,
  gen bigint not null,
  rev bigint not null default 0,
  first int not null default 0,
  next int not null default 0,
  token text,
  at timestamptz not null default clock_timestamp(),
  primary key (tree, file)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
-- Those who wait for a file, in the order in which they came.
create table kedge.waiting (
  tree text collate "C" not null,
  file text collate "C" not null,
  ticket bigint not null,
  until timestamptz not null,
  primary key (tree, file, ticket)
);
create sequence kedge.numbers;
create table kedge.states (
  tree text collate "C" not null,
  file text collate "C" not null,
  n int not null,
  rev bigint not null,
  state text not null,
  primary key (tree, file, n)
);
create table kedge.ledgers (
  tree text collate "C" not null,
  file text collate "C" not null,
  agent text collate "C" not null,
  since int not null,
  ledger text not null,
  -- Another one whenever the ledger is: who knows it need not be sent the ledger.
  mark text not null,
  label text,
  at timestamptz not null default clock_timestamp(),
  primary key (tree, file, agent)
) with (fillfactor = 70);
-- Written anew with every edit, and of some kilobytes: PostgreSQL's own compression takes longer than everything else then.
do $$ begin
  alter table kedge.ledgers alter column ledger set compression lz4;
exception when feature_not_supported or invalid_parameter_value then
  alter table kedge.ledgers alter column ledger set storage external;
end $$;
create table kedge.records (
  tree text collate "C" not null,
  name text collate "C" not null,
  value text not null,
  mark text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (tree, name)
) with (fillfactor = 70);
-- A text is whole, or told by another one of the same "root": a chain is pruned as a whole.
create table kedge.versions (
  tree text collate "C" not null,
  id text collate "C" not null,
  root text collate "C" not null,
  base text collate "C",
  depth int not null,
  data bytea not null,
  at timestamptz not null default clock_timestamp(),
  primary key (tree, id)
);
alter table kedge.versions alter column data set storage external;
create table kedge.journal (
  seq bigint generated always as identity,
  tree text collate "C" not null,
  file text collate "C" not null,
  agent text collate "C" not null,
  time double precision not null,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default clock_timestamp(),
  entry text not null,
  primary key (tree, seq)
);
create index on kedge.journal (tree, file, seq);
create index on kedge.journal (tree, agent, seq);
create index on kedge.journal (tree, xid);
-- Entries come in the order of their times, or nearly so.
create index on kedge.journal using brin (time) with (pages_per_range = 16, autosummarize = on);
-- The ids that an entry is found by.
create table kedge.named (
  tree text collate "C" not null,
  id text collate "C" not null,
  seq bigint not null,
  primary key (tree, id, seq)
);
`;
