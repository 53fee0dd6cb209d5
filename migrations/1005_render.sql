-- Snapshots of pages. The HTML is in the object store.

-- One row per page that was rendered or is being rendered.
create table snapshots (
    domain_id text not null references domains (id) on delete cascade,
    -- Hash of page_key.
    key_hash text not null,
    page_key text not null,
    url text not null,
    -- What is stored; null while nothing is.
    object_key text,
    status bigint,
    location text,
    etag text,
    -- Lines of the page's own answer that crawlers act on, and failures of a page that shows nothing; both JSON, null: none.
    headers text,
    problems text,
    html_bytes bigint,
    text_chars bigint,
    render_ms bigint,
    created_at bigint,
    -- Which render made what is stored. A render that was started earlier never replaces a later one's.
    stored_generation bigint not null,
    -- The newest render that was started, and until when its process holds the page.
    generation bigint not null,
    lease_token text,
    lease_until bigint not null,
    -- What went wrong since the snapshot was made, and not before when to try again.
    last_error text,
    last_error_at bigint,
    failures bigint not null,
    retry_at bigint not null,
    -- When a render whose text had shrunk suspiciously was held back.
    suspect_at bigint,
    -- When the page is rendered again without being asked for; null: not at all, because it is gone or not planned yet.
    due_at bigint,
    -- How often it was asked for lately, and the last day on which somebody or a sitemap wanted it (days since 1970).
    asks bigint not null default 0,
    wanted_day bigint not null default 0,
    primary key (domain_id, key_hash)
);
create index snapshots_created on snapshots (domain_id, created_at);
create index snapshots_due on snapshots (domain_id, due_at) where due_at is not null;
create index snapshots_wanted on snapshots (domain_id, wanted_day);
-- Snapshots are counted by state for the overview of a domain and for every domain of a list: from these, without their rows.
create index snapshots_sound on snapshots (domain_id, due_at) where object_key is not null and last_error is null;
create index snapshots_failing on snapshots (domain_id, last_error_at) where object_key is not null and last_error is not null;
create index snapshots_gone on snapshots (domain_id, created_at, due_at)
    where object_key is not null and last_error is null and status in (404, 410);

-- The refresh intervals of a domain by which due_at was last worked out.
create table snapshot_plans (
    domain_id text primary key references domains (id) on delete cascade,
    intervals text not null
);

-- Results of renders that were made for processes without browsers, until those have fetched them.
create table remote_renders (
    job_id text primary key,
    -- JSON.
    result text not null,
    -- The document of a page that is not stored.
    object_key text,
    created_at bigint not null
);
create index remote_renders_created on remote_renders (created_at);
