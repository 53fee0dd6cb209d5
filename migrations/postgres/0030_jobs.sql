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
create index job_batches_domain on job_batches (domain_id, created_at);

-- A job that ended well is deleted. One that gave up stays, with its error, until an operator retries or cancels it.
create table jobs (
    id text primary key,
    kind text not null,
    account_id text not null,
    domain_id text references domains (id) on delete cascade,
    batch_id text references job_batches (id) on delete cascade,
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
    worker_id text,
    error text,
    created_at bigint not null,
    started_at bigint,
    ended_at bigint
);
create index jobs_waiting on jobs (priority, turn) where state = 'waiting';
create index jobs_running on jobs (worker_id) where state = 'running';
create unique index jobs_unique on jobs (kind, unique_key) where unique_key is not null and state <> 'dead';
create index jobs_batch on jobs (batch_id) where batch_id is not null;
create index jobs_domain on jobs (domain_id) where domain_id is not null;

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

-- Lanes that are being spared.
create table job_lanes (
    lane text primary key,
    failures bigint not null,
    rest_until bigint not null
);

-- What runs again and again. One job per slot, whoever looks first.
create table job_schedules (
    kind text not null,
    key text not null,
    next_at bigint not null,
    primary key (kind, key)
);
