-- Domains of accounts. Everything that is made for a domain belongs to its id, never to the bare host name.

create table domains (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    -- Lower case, A-labels.
    host text not null,
    -- Registrable domain of the host. Claims of a site compete.
    site text not null,
    -- pending, connected or via api; kept while the domain is suspended, so that resuming finds it.
    status text not null,
    -- Time of the check that moved the domain out of pending. Null: no check did.
    connected_at bigint,
    suspended boolean not null,
    -- JSON: the settings of the specification, and how pages are rendered.
    settings text not null,
    rendering text not null,
    -- Counts up with every change: caches compare it.
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- A removed domain gives its name up at once (its host becomes its id) and stays until what belongs to it is deleted.
    removed_at bigint,
    unique (account_id, host)
);
create index domains_host on domains (host);
-- A name is served for one account at most; pending claims block nobody.
create unique index domains_served on domains (host) where status <> 'pending';
create index domains_site on domains (site);

-- Names that accounts gave up, kept for 30 days: until then DNS records of a name may still lead here without being a proof of
-- anybody's claim.
create table former_domains (
    host text not null,
    site text not null,
    account_id text not null,
    removed_at bigint not null,
    primary key (host, account_id)
);
create index former_domains_removed on former_domains (removed_at);
create index former_domains_site on former_domains (site);

-- Names that the operator has locked, kept apart from the records so that removing one does not open its lock.
create table domain_locks (
    host text primary key,
    locked_at bigint not null
);

-- Result of the last connection check of a domain.
create table domain_checks (
    domain_id text primary key references domains (id) on delete cascade,
    checked_at bigint not null,
    -- JSON: where the names lead, the ownership record, the way of the probe, and what is missing.
    findings text not null
);
