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
