-- Work that outlives a request. Times are epoch milliseconds; ids and states are text; payloads are JSON.

-- A group of jobs whose progress somebody watches. Its jobs are counted here in the transaction that deletes them.
create table job_batches (
    id text primary key,
    kind text not null,
    account_id text not null,
    domain_id text references domains (id) on delete cascade,
    total bigint not null,
    done bigint not null,
    failed bigint not null,
    -- While open, jobs are still being added: the batch is not complete even when all of them are over.
    is_open boolean not null,
    -- How many entries of its list have become jobs.
    fed bigint not null,
    -- Where the list came from, and what went wrong with it.
    source text,
    error text,
    created_at bigint not null,
    started_at bigint,
    completed_at bigint
);
-- How many renders an account has in the queue is asked before more are queued; see also jobs_single_pages.
create index job_batches_account on job_batches (account_id) where completed_at is null;
create index job_batches_completed on job_batches (completed_at) where completed_at is not null;
create index job_batches_domain on job_batches (domain_id, created_at);
create index job_batches_incomplete on job_batches (domain_id, id) where completed_at is null;

-- A job that ended well is deleted. One that gave up stays, with its error, until an operator retries or cancels it.
create table jobs (
    id text primary key,
    kind text not null,
    account_id text not null,
    domain_id text references domains (id) on delete cascade,
    batch_id text references job_batches (id) on delete cascade,
    -- The open batch whose jobs this job queues.
    feeds text references job_batches (id) on delete cascade,
    -- What must not be queued twice; free again when the job is over.
    unique_key text,
    -- What bears only so much at a time, such as a customer's server.
    lane text,
    -- Lower first; within a priority by turn, which is what makes shares fair.
    priority bigint not null,
    turn bigint not null,
    -- waiting, running or dead.
    state text not null,
    payload text not null,
    attempts bigint not null,
    max_attempts bigint not null,
    -- Not before; 0: at once, whatever the clock says.
    run_at bigint not null,
    -- Asked for again while it was running: it runs once more instead of being over.
    again boolean not null,
    -- An operator wants it to stop.
    cancelled boolean not null default false,
    -- Whether something has to be done when it gives up, and whether that was done.
    tells_death boolean not null default false,
    death_told boolean not null default false,
    -- Where a long job goes on after it was cut off, and what it shows meanwhile. JSON.
    checkpoint text,
    progress text,
    worker_id text,
    error text,
    created_at bigint not null,
    started_at bigint,
    ended_at bigint
);
-- A claim looks at the head of the queue, and where lanes that rest or are full have filled that, at the head of each lane.
create index jobs_ready on jobs (priority, turn, kind, lane) where state = 'waiting' and run_at = 0;
-- sqlite:
create index jobs_lane_ready on jobs (lane, kind, priority, turn) where state = 'waiting' and run_at = 0;
-- postgres:
-- The condition is written so that statements that look lane by lane can use no other index: before statistics are taken,
-- PostgreSQL estimates all indexes of waiting jobs to be equally short. See docs/decisions/0052.
create index jobs_lane_ready on jobs (lane, kind, priority, turn) where coalesce(state = 'waiting' and run_at = 0, false);
-- end
create index jobs_put_off on jobs (run_at) where state = 'waiting' and run_at > 0;
create index jobs_lane on jobs (lane, kind) where state = 'waiting' and lane is not null;
create index jobs_running on jobs (worker_id) where state = 'running';
create unique index jobs_unique on jobs (kind, unique_key) where unique_key is not null and state <> 'dead';
create index jobs_batch on jobs (batch_id) where batch_id is not null;
create index jobs_feeds on jobs (feeds) where feeds is not null;
create index jobs_domain on jobs (domain_id) where domain_id is not null;
create index jobs_depth on jobs (kind, state, created_at);
create index jobs_dead on jobs (account_id, ended_at) where state = 'dead';
create index jobs_dead_since on jobs (ended_at) where state = 'dead';
create index jobs_untold on jobs (kind) where state = 'dead' and tells_death and not death_told;
create index jobs_single_pages on jobs (account_id) where kind = 'RefreshPage' and batch_id is null;

-- The last turn that was given to an account, and the turn of the newest job that was begun, per priority.
create table job_shares (
    priority bigint not null,
    account_id text not null,
    last_turn bigint not null,
    primary key (priority, account_id)
);
create table job_turns (
    priority bigint primary key,
    turn bigint not null
);

-- Processes that run jobs. A beat that stands still means that its process is gone.
create table job_workers (
    id text primary key,
    beat bigint not null,
    started_at bigint not null
);

-- What one process does for all. A number that stands still means that its process is gone.
create table job_chores (
    name text primary key,
    worker_id text not null,
    beat bigint not null
);

-- Lanes that are being spared.
create table job_lanes (
    lane text primary key,
    failures bigint not null,
    rest_until bigint not null,
    -- Tells one rest of a lane from the next, and since when the lane has not worked.
    rest_id text not null,
    troubled_since bigint not null
);

-- How far the rate of a lane with a rate of its own (an AI provider) is used up, over all processes: GCRA, one number.
create table job_lane_rates (
    lane text primary key,
    -- Epoch milliseconds at which the rate allows the next job.
    next_at bigint not null
);

-- What runs again and again. One job per slot, whoever looks first.
create table job_schedules (
    kind text not null,
    key text not null,
    next_at bigint not null,
    primary key (kind, key)
);

-- Jobs that somebody wants again and again. Whoever moves next_at queues the job, in one transaction.
create table job_recurrences (
    -- Who wants it: a domain, a prompt. One per owner and kind.
    owner text not null,
    kind text not null,
    account_id text not null,
    domain_id text references domains (id) on delete cascade,
    -- When; JSON.
    recurrence text not null,
    next_at bigint not null,
    -- What is queued then.
    payload text not null,
    max_attempts bigint not null,
    unique_key text,
    lane text,
    priority bigint not null,
    tells_death boolean not null,
    primary key (owner, kind)
);
create index job_recurrences_due on job_recurrences (next_at);
create index job_recurrences_domain on job_recurrences (domain_id) where domain_id is not null;
