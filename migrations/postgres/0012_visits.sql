-- Crawler visits per UTC day, and which batches of them were counted already.

create table visits_daily (
    domain_id text not null references domains (id) on delete cascade,
    -- YYYY-MM-DD, UTC.
    day text not null,
    path text not null,
    -- Id of the crawler in the data files.
    crawler text not null,
    -- yes, no or unknown: whether the claim was checked by address.
    verified text not null,
    -- cache or render.
    served text not null,
    visits bigint not null,
    total_ms bigint not null,
    primary key (domain_id, day, path, crawler, verified, served)
);

create table visit_batches (
    id text primary key,
    applied_at bigint not null
);
create index visit_batches_applied on visit_batches (applied_at);
