-- Windows of a minute, an hour and a UTC day that all processes count together are rows of one table.
-- Counts of the windows that are open begin anew.

drop table rate_windows;
drop table daily_budgets;

create table shared_windows (
    name text primary key,
    -- End of the window in epoch milliseconds. The next event after it begins a new window.
    ends_at bigint not null,
    used bigint not null
);
create index shared_windows_ends on shared_windows (ends_at);
