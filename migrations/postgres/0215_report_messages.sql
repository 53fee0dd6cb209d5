-- Changes of reports that were told to a webhook or in a digest, so that none is told twice, and the day of the last digest.

create table mention_told (
    domain_id text not null,
    -- webhook or digest.
    channel text not null,
    -- Hash of kind, prompt, provider, day and new value.
    change_key text not null,
    -- Day of the change.
    day bigint not null,
    primary key (domain_id, channel, change_key)
);
create index mention_told_day on mention_told (day);

create table mention_digests (
    domain_id text primary key,
    -- Last day of the report that the last digest was about.
    day bigint not null
);
