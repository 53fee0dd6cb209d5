-- Crawler visits: counters of days, pages of days, first days of pages, and times. A row is kept once, in the key.

create table visit_days (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Id of the crawler in the data files.
    crawler text not null,
    -- yes, no or unknown: whether the claim was checked by address or signature.
    verified text not null,
    -- cache, render or origin.
    served text not null,
    -- First digit of the status.
    status_class bigint not null,
    visits bigint not null,
    primary key (domain_id, day, crawler, verified, served, status_class)
);

create table visit_open (
    domain_id text not null references domains (id) on delete cascade,
    day bigint not null,
    path text not null,
    crawler text not null,
    verified text not null,
    served text not null,
    status bigint not null,
    visits bigint not null,
    primary key (domain_id, day, path, crawler, verified, served, status)
);

-- The first days of a path, for ever: with a snapshot, and at all. Visits of impostors are none.
create table visit_paths (
    domain_id text not null references domains (id) on delete cascade,
    path text not null,
    first_served_day bigint,
    first_any_day bigint not null,
    primary key (domain_id, path)
);
create index visit_paths_served on visit_paths (domain_id, first_served_day);
create index visit_paths_any on visit_paths (domain_id, first_any_day);

-- How long answers took, in buckets of 2 %.
create table visit_times (
    domain_id text not null references domains (id) on delete cascade,
    day bigint not null,
    served text not null,
    bucket bigint not null,
    visits bigint not null,
    primary key (domain_id, day, served, bucket)
);

insert into visit_open
select domain_id, (day::date - date '1970-01-01')::bigint, path, crawler, verified, served, 200, visits
from visits_daily;

insert into visit_days
select domain_id, day, crawler, verified, served, 2, sum(visits) from visit_open
group by domain_id, day, crawler, verified, served;

insert into visit_paths
select domain_id, path, min(day), min(day) from visit_open where verified <> 'no' group by domain_id, path;

drop table visits_daily;
