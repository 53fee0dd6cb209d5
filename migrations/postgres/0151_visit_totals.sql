-- What closed days of crawler visits add up to, packed: one row per domain and day in place of hundreds of `visit_days` and
-- `visit_times`, which keep those of open days. What is in them of days that are over is packed by the job that closes days.

create table visit_totals (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Visits by crawler, check, way and first digit of the status. Kept for ever.
    counts bytea not null,
    -- Answers by way and bucket of their time. Null: none were timed, or they are too long ago.
    times bytea,
    primary key (domain_id, day)
);
