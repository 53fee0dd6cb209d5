-- Accounts, their API keys and sessions, and what they have used per UTC month.

create table accounts (
    id text primary key,
    email text not null unique,
    password_hash text not null,
    plan text not null,
    active boolean not null,
    created_at bigint not null
);

create table api_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    -- The one domain that the key is restricted to; null: the whole account.
    domain text,
    hash text not null unique,
    last4 text not null,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
);
create index api_keys_account on api_keys (account_id, created_at);

create table sessions (
    id_hash text primary key,
    account_id text not null references accounts (id) on delete cascade,
    csrf_token text not null,
    created_at bigint not null,
    last_seen_at bigint not null
);
create index sessions_account on sessions (account_id);
create index sessions_seen on sessions (last_seen_at);

create table usage (
    account_id text not null references accounts (id) on delete cascade,
    -- YYYY-MM, UTC.
    month text not null,
    metric text not null,
    used bigint not null,
    primary key (account_id, month, metric)
);
