-- Domains of accounts. Everything that is made for a domain belongs to its id, never to the bare host name.

create table domains (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    -- Lower case, A-labels.
    host text not null,
    -- pending, connected or via api; kept while the domain is suspended, so that resuming finds it.
    status text not null,
    suspended boolean not null,
    -- JSON: the settings of the specification, and how pages are rendered.
    settings text not null,
    rendering text not null,
    -- Counts up with every change: caches compare it.
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (account_id, host)
);
create index domains_host on domains (host);
-- A name is served for one account at most; pending claims block nobody.
create unique index domains_served on domains (host) where status <> 'pending';
