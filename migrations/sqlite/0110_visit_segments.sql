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
