-- When each page was visited first, packed: one row for 5,000 pages in place of a row each. `visit_paths` keeps what was there
-- before until the job that closes days has packed it.

create table visit_first_days (
    domain_id text not null references domains (id) on delete cascade,
    -- The number of the list's first page.
    first_number bigint not null,
    packed bytea not null,
    primary key (domain_id, first_number)
);

drop index visit_paths_served;
