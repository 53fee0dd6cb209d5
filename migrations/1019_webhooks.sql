-- Webhooks, events and their deliveries; conditions that were told; scheduled verifications.

create table webhooks (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    -- Sealed: addresses of chat services are secrets.
    url text not null,
    format text not null,
    -- JSON lists: names of events; names of domains, empty for all. A removed domain stays in the list.
    events text not null,
    domains text not null,
    enabled boolean not null,
    problem text,
    -- Sealed; null: the format has none. The previous one signs too until its end.
    secret text,
    previous_secret text,
    previous_until bigint,
    -- Time of the first failure since the last success.
    failing_since bigint,
    created_at bigint not null
);
create index webhooks_account on webhooks (account_id, created_at);

create table webhook_events (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    type text not null,
    -- Name of the domain; null: an event of the account.
    domain text,
    -- JSON.
    data text not null,
    created_at bigint not null
);
create index webhook_events_created on webhook_events (created_at);
create index webhook_events_account on webhook_events (account_id);

create table webhook_deliveries (
    id text primary key,
    webhook_id text not null references webhooks (id) on delete cascade,
    event_id text not null references webhook_events (id) on delete cascade,
    -- Name of the domain; empty: an event of the account.
    domain text not null,
    -- waiting, delivered or failed.
    state text not null,
    -- True: sent by itself. False: gathered with others into one message.
    is_single boolean not null,
    -- Number of times that it was asked for; a job of an earlier one does nothing.
    round bigint not null,
    -- Attempts of the round, and the time of the first of them.
    tries bigint not null,
    first_try_at bigint,
    -- JSON list of all attempts.
    attempts text not null,
    -- The newest message that it was gathered into.
    message text,
    ended_at bigint,
    created_at bigint not null
);
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at, id);
create index webhook_deliveries_gathered on webhook_deliveries (webhook_id, domain, state, ended_at) where not is_single;
create index webhook_deliveries_message on webhook_deliveries (message) where message is not null;
create index webhook_deliveries_event on webhook_deliveries (event_id);

-- Conditions that hold and were told, so that each is told once until it has ended.
create table webhook_conditions (
    account_id text not null references accounts (id) on delete cascade,
    -- What it is about: id of a domain, name of a limit, crawler of a domain.
    subject text not null,
    kind text not null,
    domain_id text references domains (id) on delete cascade,
    since bigint not null,
    primary key (account_id, subject, kind)
);
create index webhook_conditions_domain on webhook_conditions (domain_id) where domain_id is not null;

-- Verifications by schedule. A domain without a row is verified daily.
create table verifications (
    domain_id text primary key references domains (id) on delete cascade,
    -- off or daily.
    every text not null,
    -- Time from which the next verification is due.
    next_at bigint not null,
    last_at bigint,
    last_ok boolean,
    -- JSON list.
    last_checks text
);

-- Renders of domains whose webhooks ask for it, by minute since 1970, for a day.
create table render_outcomes (
    domain_id text not null references domains (id) on delete cascade,
    minute bigint not null,
    tried bigint not null,
    failed bigint not null,
    -- Renders that succeeded after the last failure of the minute.
    since_failure bigint not null,
    primary key (domain_id, minute)
);
create index render_outcomes_minute on render_outcomes (minute);

-- Visits of a day that only claimed to be a crawler's, as they were counted at a time; for an hour.
create table impostor_counts (
    domain_id text not null references domains (id) on delete cascade,
    at bigint not null,
    visits bigint not null,
    primary key (domain_id, at)
);
