-- What came of renders that were made for processes without browsers, until those have fetched it.

create table remote_renders (
    job_id text primary key,
    -- JSON.
    result text not null,
    -- The document of a page that is not stored.
    object_key text,
    created_at bigint not null
);
create index remote_renders_created on remote_renders (created_at);
