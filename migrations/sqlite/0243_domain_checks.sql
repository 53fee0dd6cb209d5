-- What the last connection check of a domain found, whoever made it.

create table domain_checks (
    domain_id text primary key references domains (id) on delete cascade,
    checked_at bigint not null,
    -- JSON: where the names lead, the ownership record, the way of the probe, and what is missing.
    findings text not null
);
