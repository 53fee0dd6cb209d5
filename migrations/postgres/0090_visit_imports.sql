-- How far access logs were imported: a checkpoint is the hash of every line of a log up to one. An empty checkpoint is the
-- lock of a domain's imports.

create table visit_imports (
    domain_id text not null references domains (id) on delete cascade,
    checkpoint text not null,
    applied_at bigint not null,
    primary key (domain_id, checkpoint)
);
