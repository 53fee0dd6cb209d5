-- Visits of crawlers and of people who come from assistants.

-- Visits of days that are not packed yet.
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
) without rowid;

-- Visits of days that are not packed yet, by crawler.
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
) without rowid;

-- How long answers took, in buckets of 2 %.
create table visit_times (
    domain_id text not null references domains (id) on delete cascade,
    day bigint not null,
    served text not null,
    bucket bigint not null,
    visits bigint not null,
    primary key (domain_id, day, served, bucket)
) without rowid;

-- Closed days of crawler visits, packed: one row per domain and day in place of a row per page, crawler, way and status.
create table visit_segments (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Rows by page number, delta varints under zstd.
    packed blob not null,
    -- Page numbers that got a snapshot, and all page numbers, as bitmaps. Visits of impostors are in neither.
    served_pages blob not null,
    pages blob not null,
    primary key (domain_id, day)
);

-- The numbers of a domain's pages: a list begins with the number of its first path. The list of number 0 has no paths; it is
-- the lock of whoever gives numbers.
create table visit_path_lists (
    domain_id text not null references domains (id) on delete cascade,
    first_number bigint not null,
    paths bigint not null,
    packed blob not null,
    primary key (domain_id, first_number)
);

-- Totals of closed days, packed: one row per domain and day in place of hundreds of visit_days and visit_times.
create table visit_totals (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Visits by crawler, check, way and first digit of the status. Kept for ever.
    counts blob not null,
    -- Answers by way and bucket of their time. Null: none were timed, or they are too long ago.
    times blob,
    primary key (domain_id, day)
);

-- First visit of each page, packed: one row for 5,000 pages.
create table visit_first_days (
    domain_id text not null references domains (id) on delete cascade,
    -- The number of the list's first page.
    first_number bigint not null,
    packed blob not null,
    primary key (domain_id, first_number)
) without rowid;

-- The first days of a path, for ever: with a snapshot, and at all. Visits of impostors are none.
create table visit_paths (
    domain_id text not null references domains (id) on delete cascade,
    path text not null,
    first_served_day bigint,
    first_any_day bigint not null,
    primary key (domain_id, path)
) without rowid;

-- People who came from an assistant, by day and page.
create table visit_referrals (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Who runs the assistant.
    assistant text not null,
    path text not null,
    visits bigint not null,
    primary key (domain_id, day, assistant, path)
) without rowid;

-- Batches of visits that were counted already.
create table visit_batches (
    id text primary key,
    applied_at bigint not null
);
create index visit_batches_applied on visit_batches (applied_at);

-- Progress of imports of access logs: a checkpoint is the hash of every line of a log up to one. An empty checkpoint is the lock
-- of a domain's imports.
create table visit_imports (
    domain_id text not null references domains (id) on delete cascade,
    checkpoint text not null,
    applied_at bigint not null,
    -- Name of the batch in a visit store beside the database while the lines are being counted there. Null: they are counted.
    batch text,
    primary key (domain_id, checkpoint)
);

-- Public tokens that open the crawl statistics of one domain. Those that were replaced or switched off stay, so that they
-- can be told from tokens that never were.
create table stats_tokens (
    -- SHA-256 of the token, in hex.
    hash text primary key,
    domain_id text not null references domains (id) on delete cascade,
    last4 text not null,
    created_at bigint not null,
    revoked_at bigint
);
create index stats_tokens_domain on stats_tokens (domain_id);
create unique index stats_tokens_open on stats_tokens (domain_id) where revoked_at is null;
