-- Files at the root of a site, IndexNow, missing pages, and what a managed sitemap is made from.

-- Files that the owner of a domain has set. A domain without a row has the files of a new one.
create table root_files (
    domain_id text primary key references domains (id) on delete cascade,
    -- JSON list.
    files text not null
);

-- Submissions of a domain to IndexNow. Its switch is one of the domain's settings.
create table indexnow (
    domain_id text primary key references domains (id) on delete cascade,
    -- Pages that were submitted so far.
    submitted bigint not null,
    -- Status of the last answer; null: there was none.
    last_status bigint,
    last_submitted_at bigint,
    problem text,
    -- Attempts that failed in a row, and the time before which nothing is submitted.
    failures bigint not null,
    next_at bigint not null
);
create table indexnow_pages (
    domain_id text not null references domains (id) on delete cascade,
    url text not null,
    changed_at bigint not null,
    primary key (domain_id, url)
);
create index indexnow_pages_changed on indexnow_pages (domain_id, changed_at);

-- Texts that a domain shows at an address that cannot exist, as JSON; null where they are of no use, and then why.
create table impossible_pages (
    domain_id text primary key references domains (id) on delete cascade,
    asked_at bigint not null,
    texts text,
    problem text
);

-- Of snapshots: hash of the visible text, when it last changed, and whether search engines may list the page under its own address.
-- Null: stored before they were noted.
alter table snapshots add column text_hash text;
alter table snapshots add column text_changed_at bigint;
alter table snapshots add column listable boolean;

-- Pages of the same domain that a stored page links to: eight bytes of the hash of each one's key.
create table snapshot_links (
    domain_id text not null,
    key_hash text not null,
    links blob not null,
    primary key (domain_id, key_hash),
    foreign key (domain_id, key_hash) references snapshots (domain_id, key_hash) on delete cascade
);
