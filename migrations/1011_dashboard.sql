-- Entries of Needs attention that somebody has hidden.

create table dashboard_dismissed (
    domain_id text not null references domains (id) on delete cascade,
    entry text not null,
    -- The entry's count then: a greater one shows the entry again.
    count bigint not null,
    dismissed_at bigint not null,
    primary key (domain_id, entry)
);
