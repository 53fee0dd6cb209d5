-- What is counted per UTC day over all processes: one row per budget, which begins anew with the day.
create table daily_budgets (
    bucket text primary key,
    -- UTC day, counted from 1970-01-01.
    day bigint not null,
    used bigint not null
);
create index daily_budgets_day on daily_budgets (day);
