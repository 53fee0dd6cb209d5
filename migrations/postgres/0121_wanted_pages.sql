-- When a page is rendered again without being asked for; null: not at all, because it is gone or not planned yet.
alter table snapshots add column due_at bigint;
create index snapshots_due on snapshots (domain_id, due_at) where due_at is not null;
-- How often it was asked for lately, and the last day on which somebody or a sitemap wanted it (days since 1970).
alter table snapshots add column asks bigint not null default 0;
alter table snapshots add column wanted_day bigint not null default 0;
update snapshots set wanted_day = coalesce(created_at, 0) / 86400000;
create index snapshots_wanted on snapshots (domain_id, wanted_day);

-- The refresh intervals of a domain by which due_at was last worked out.
create table snapshot_plans (
    domain_id text primary key references domains (id) on delete cascade,
    intervals text not null
);
