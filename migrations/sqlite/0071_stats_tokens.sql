-- Public tokens that open the crawl statistics of one domain. Those that were replaced or switched off stay, so that they
-- can be told from tokens that never were.

create table stats_tokens (
    -- SHA-256 of the token, in hex.
    hash text primary key,
    domain_id text not null references domains (id) on delete cascade,
    last4 text not null,
    created_at bigint not null,
    revoked_at bigint
);
create index stats_tokens_domain on stats_tokens (domain_id);
