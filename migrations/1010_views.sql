-- Looks at pages: as a person sees them, as a crawler gets them, and without Glasshouse. What they show is in the object store.

create table views (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    domain_id text not null references domains (id) on delete cascade,
    -- Path and query.
    path text not null,
    url text not null,
    width bigint not null,
    -- running, done or failed.
    state text not null,
    error text,
    -- UTC month whose allowance it was counted in, YYYY-MM.
    month text not null,
    created_at bigint not null,
    expires_at bigint not null
);

create index views_by_domain on views (domain_id, created_at);
create index views_by_account on views (account_id, state, created_at);
create index views_by_expiry on views (expires_at);
