-- One row per page that was rendered or is being rendered. The HTML is in the object store.

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
    primary key (domain_id, key_hash)
);
create index snapshots_created on snapshots (domain_id, created_at);
