-- Snapshots are counted by state for the overview of a domain and for every domain of a list: from these, without their rows.

create index snapshots_sound on snapshots (domain_id, due_at) where object_key is not null and last_error is null;
create index snapshots_failing on snapshots (domain_id, last_error_at) where object_key is not null and last_error is not null;
create index snapshots_gone on snapshots (domain_id, created_at, due_at)
    where object_key is not null and last_error is null and status in (404, 410);
