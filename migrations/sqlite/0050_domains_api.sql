-- A removed domain gives its name up at once (its host becomes its id) and stays until what belongs to it is deleted.
alter table domains add column removed_at bigint;

-- Requests per minute that all processes count together: one row per limit and key.
create table rate_windows (
    bucket text primary key,
    -- Epoch milliseconds of its first request.
    started_at bigint not null,
    -- Requests so far; one over the limit stands for any number over it.
    used bigint not null
);
create index rate_windows_started on rate_windows (started_at);

-- Names that the operator has locked, kept apart from the records so that removing one does not open its lock.
create table domain_locks (
    host text primary key,
    locked_at bigint not null
);
-- Those that are locked already.
insert into domain_locks (host, locked_at) select distinct host, 0 from domains where suspended;
