-- Who gave up which name, kept for 30 days: until then its DNS records may still lead here without being anybody's proof.

create table former_domains (
    host text not null,
    account_id text not null,
    removed_at bigint not null,
    primary key (host, account_id)
);
create index former_domains_removed on former_domains (removed_at);
