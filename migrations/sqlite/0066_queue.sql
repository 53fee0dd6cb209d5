-- What a claim looks at is one short index: work that may run now. What is put off has an index of its own.
drop index jobs_waiting;
create index jobs_ready on jobs (priority, turn) where state = 'waiting' and run_at = 0;
create index jobs_put_off on jobs (run_at) where state = 'waiting' and run_at > 0;
create index jobs_lane on jobs (lane, kind) where state = 'waiting' and lane is not null;
create index jobs_depth on jobs (kind, state, created_at);
create index jobs_dead on jobs (account_id, ended_at) where state = 'dead';
create index jobs_dead_since on jobs (ended_at) where state = 'dead';

-- The open batch whose jobs this job queues.
alter table jobs add column feeds text references job_batches (id) on delete cascade;
create index jobs_feeds on jobs (feeds) where feeds is not null;
-- Whether something has to be done when it gives up, and whether that was done.
alter table jobs add column tells_death boolean not null default false;
alter table jobs add column death_told boolean not null default false;
create index jobs_untold on jobs (kind) where state = 'dead' and tells_death and not death_told;
-- An operator wants it to stop.
alter table jobs add column cancelled boolean not null default false;
-- Where a long job goes on after it was cut off, and what it shows meanwhile. JSON.
alter table jobs add column checkpoint text;
alter table jobs add column progress text;

create index job_batches_incomplete on job_batches (domain_id, id) where completed_at is null;
create index job_batches_completed on job_batches (completed_at) where completed_at is not null;

-- Tells one rest of a lane from the next, and since when the lane has not worked.
alter table job_lanes add column rest_id text not null default '';
alter table job_lanes add column troubled_since bigint not null default 0;

-- What one process does for all. A number that stands still means that its process is gone.
create table job_chores (
    name text primary key,
    worker_id text not null,
    beat bigint not null
);
