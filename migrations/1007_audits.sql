-- SEO audits: a row a run, and its results in compressed parts. There is no reference to domains: a run whose domain was
-- removed is still told from one that never was.

create table audit_runs (
    id text primary key,
    account_id text not null,
    domain_id text not null,
    host text not null,
    started_at bigint not null,
    -- When the first attempt began; null while the run waits in the queue.
    begun_at bigint,
    completed_at bigint,
    status text not null,
    -- A domain has one active run at most, across all processes.
    active boolean not null,
    triggered_by text not null,
    frequency text not null,
    -- What runs are compared by: mode, sampling and sitemap.
    scope_key text not null,
    -- What was asked for, with the settings of that moment: a run that was cut off goes on with them.
    request text not null,
    run_count bigint not null,
    pages_crawled bigint not null,
    -- Addresses that wait, and pictures, scripts and links to other hosts that are still asked for.
    waiting bigint not null,
    probes_waiting bigint not null,
    -- Pages that are counted against the plan already.
    pages_counted bigint not null,
    continuations bigint not null,
    health_score double precision not null,
    issue_count bigint not null,
    delta_issues bigint not null,
    delta_health double precision not null,
    close_reason text not null,
    needs_continuation boolean not null,
    -- Attempts at the run that began and have not returned: those of processes that died, and the one that is under way.
    open_attempts bigint not null default 0,
    -- Until when a process says that it works on the run.
    working_until bigint not null default 0,
    hit_url_limit boolean not null,
    cancel_requested boolean not null,
    error_message text,
    -- Analysis of robots.txt, statistics, sitemap issues and counts by issue, as JSON.
    report text not null,
    updated_at bigint not null,
    archived_at bigint,
    -- Results are deleted with the domain.
    forgotten boolean not null
);
create unique index audit_runs_active on audit_runs (domain_id) where active;
create index audit_runs_domain on audit_runs (domain_id, started_at);

-- Runs with results in a few numbers: lists of sites must not read reports of a megabyte each.
create table audit_summaries (
    run_id text primary key,
    account_id text not null,
    domain_id text not null,
    started_at bigint not null,
    completed_at bigint not null,
    health_score double precision not null,
    delta_health double precision not null,
    -- Numbers of the report, as JSON.
    facts text not null
);
create index audit_summaries_account on audit_summaries (account_id, domain_id, started_at);
create index audit_summaries_domain on audit_summaries (domain_id, started_at);

-- Parts of results and checkpoints of crawls, compressed, until they move to the object store.
create table audit_segments (
    run_id text not null,
    kind text not null,
    part bigint not null,
    data blob not null,
    primary key (run_id, kind, part)
);

-- How a domain is audited. Headers and credentials for its own server are sealed.
create table audit_settings (
    domain_id text primary key references domains (id) on delete cascade,
    settings text not null,
    sealed text,
    updated_at bigint not null
);
