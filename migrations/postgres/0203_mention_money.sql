-- Money of AI monitoring, in billionths of a US dollar. The ledger has a row for every request that may cost something; it
-- survives the run, the prompt and the domain.

create table mention_ledger (
    id text primary key,
    account_id text not null,
    domain_id text not null,
    prompt_id text not null,
    run_id text not null,
    -- 1 for the first request of the run.
    call bigint not null,
    -- answer or analysis.
    purpose text not null,
    provider text not null,
    model text not null,
    -- Day of the reservation, whose budgets it counts in.
    day bigint not null,
    reserved_nanos bigint not null,
    settled_nanos bigint not null,
    is_estimated boolean not null,
    -- open or settled.
    state text not null,
    opened_at bigint not null,
    settled_at bigint
);
create index mention_ledger_domain on mention_ledger (domain_id, day);
create index mention_ledger_run on mention_ledger (run_id);
create index mention_ledger_open on mention_ledger (opened_at) where state = 'open';

-- What every budget has spent and reserved in a UTC day (`2026-11-25`) or month (`2026-11`), whether it has a limit or not.
create table mention_budgets (
    -- installation, account, domain or provider.
    scope text not null,
    -- Id of the account, domain or provider; empty for the installation.
    scope_key text not null,
    period text not null,
    reserved_nanos bigint not null,
    spent_nanos bigint not null,
    estimated_nanos bigint not null,
    primary key (scope, scope_key, period)
);
create index mention_budgets_period on mention_budgets (period);

-- Parameters that a model refused, left out of requests for a day.
create table mention_quirks (
    provider text not null,
    -- Base address and model.
    model text not null,
    -- JSON list.
    quirks text not null,
    learnt_at bigint not null,
    primary key (provider, model)
);

-- State of each provider, over all processes.
create table mention_providers (
    provider text primary key,
    -- Failed requests in a row, and those of them that refused the key.
    failures bigint not null,
    auth_failures bigint not null,
    -- Openings of the breaker in a row.
    openings bigint not null,
    -- End of the breaker's last opening; 0: it never opened.
    open_until bigint not null,
    -- Last failure since a success.
    error_code text not null,
    error_detail text not null,
    served_model text not null,
    changed_at bigint not null
);
