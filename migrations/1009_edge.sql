-- TLS certificates on demand: what was issued, who orders what, and proofs that the certificate authority looks for.
-- Private keys and the account's credentials are sealed with the installation's secret, which is not in the database.

create table certificates (
    host text primary key,
    chain text not null,
    sealed_key text not null,
    not_before bigint not null,
    not_after bigint not null,
    renew_at bigint not null,
    updated_at bigint not null
);
create index certificates_renewal on certificates (renew_at);

-- One row per name that was ever ordered: how it went, and the lease of the process that orders it now.
create table certificate_orders (
    host text primary key,
    failures bigint not null,
    -- Failures of pending names are counted apart from those of connected ones.
    while_pending boolean not null default false,
    last_error text,
    -- No order before this time.
    not_until bigint not null,
    lease_holder text,
    lease_until bigint not null
);

-- Orders of the last day, for the hourly bounds.
create table certificate_attempts (
    id text primary key,
    host text not null,
    account_id text not null,
    at bigint not null,
    -- Renewals are counted apart from first orders.
    renewal boolean not null default false
);
create index certificate_attempts_at on certificate_attempts (at);
create index certificate_attempts_account on certificate_attempts (account_id, at);

create table acme_challenges (
    token text primary key,
    host text not null,
    key_authorization text not null,
    expires_at bigint not null
);
create index acme_challenges_host on acme_challenges (host);

create table acme_accounts (
    directory_url text primary key,
    sealed_credentials text not null,
    created_at bigint not null
);

-- Secrets that TLS session tickets of a UTC day are sealed with, sealed themselves; deleted when no such ticket is valid any more.
create table ticket_secrets (
    -- UTC day, counted from 1970-01-01.
    day bigint primary key,
    sealed text not null
);
