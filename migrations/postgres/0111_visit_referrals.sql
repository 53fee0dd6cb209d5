-- People who came from an assistant, by day and page.

create table visit_referrals (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Who runs the assistant.
    assistant text not null,
    path text not null,
    visits bigint not null,
    primary key (domain_id, day, assistant, path)
);
