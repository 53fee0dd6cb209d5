-- Limits that all processes share.

-- Requests per minute that all processes count together: one row per limit and key.
create table rate_windows (
    bucket text primary key,
    -- Epoch milliseconds of its first request.
    started_at bigint not null,
    -- Requests so far; one over the limit stands for any number over it.
    used bigint not null
);
create index rate_windows_started on rate_windows (started_at);

-- What is counted per UTC day over all processes: one row per budget, which begins anew with the day.
create table daily_budgets (
    bucket text primary key,
    -- UTC day, counted from 1970-01-01.
    day bigint not null,
    used bigint not null
);
create index daily_budgets_day on daily_budgets (day);
