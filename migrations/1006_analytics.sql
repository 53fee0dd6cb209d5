-- Visits of crawlers and of people who come from assistants.

-- Visits are plain rows: counts by domain, day, path and kind, and totals by day. Domains, days, paths and kinds have numbers, since
-- each stands in many rows. Numbers are given under the lock that is the row of visit_batches without a name.

create table visit_domains (
    number integer primary key,
    domain_id text not null unique references domains (id) on delete cascade
);

-- Everything that visits of a page have in common that are counted together.
create table visit_kinds (
    number integer primary key,
    -- Id of the crawler in the data files.
    crawler text not null,
    -- yes, no or unknown: result of the check of its address or signature.
    verified text not null,
    -- cache, render or origin.
    served text not null,
    -- Status of the answer.
    status integer not null,
    unique (crawler, verified, served, status)
);

create table visit_paths (
    number integer primary key,
    domain integer not null references visit_domains (number) on delete cascade,
    path text not null,
    -- Days of the first visit ever, with a snapshot and at all, since 1970, UTC. Visits of impostors are none.
    first_served_day integer,
    first_any_day integer,
    unique (domain, path)
);

-- Days whose visits are kept by page.
create table visit_days (
    number integer primary key,
    domain integer not null references visit_domains (number) on delete cascade,
    -- Days since 1970, UTC.
    day integer not null,
    -- Answers by way and time, in buckets of 2 %, as a JSON object: "cache 7" for the seventh bucket.
    times text not null,
    unique (domain, day)
);

create table visits (
    day integer not null references visit_days (number) on delete cascade,
    path integer not null,
    kind integer not null,
    visits integer not null,
    primary key (day, path, kind)
) without rowid;

-- Visits of days by kind, as a JSON object. Kept for ever.
create table visit_totals (
    domain integer not null references visit_domains (number) on delete cascade,
    day integer not null,
    counts text not null,
    primary key (domain, day)
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

-- Files of the spool that were applied in part or whole, and the number of their parts that were.
create table visit_batches (
    id text primary key,
    parts integer not null,
    applied_at bigint not null
);
create index visit_batches_applied on visit_batches (applied_at);

-- Counts of log lines that count as imported and are on their way to ClickHouse, as JSON.
create table visit_pending_imports (
    id text primary key,
    domain_id text not null references domains (id) on delete cascade,
    counts text not null
);

-- Progress of imports of access logs: a checkpoint is the hash of every line of a log up to one. An empty checkpoint is the lock
-- of a domain's imports.
create table visit_imports (
    domain_id text not null references domains (id) on delete cascade,
    checkpoint text not null,
    applied_at bigint not null,
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
