-- Domains whose answers changed since their reports were built, with the first of the days that changed.
create table mention_reports_due (
    domain_id text primary key,
    from_day bigint not null,
    changed_at bigint not null
) without rowid;
