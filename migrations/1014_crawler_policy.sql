-- Crawler policies.

-- Requests of crawlers that a policy refused, or that it would have refused, by day. Kept for ever, like totals of visits.
create table policy_refusals (
    domain_id text not null references domains (id) on delete cascade,
    -- Days since 1970, UTC.
    day bigint not null,
    -- Id of the crawler in the data files; unverified: clients that are not who they claim to be.
    crawler text not null,
    -- block, pay or limit.
    action text not null,
    -- False: the policy only logs.
    enforced boolean not null,
    requests bigint not null,
    primary key (domain_id, day, crawler, action, enforced)
) without rowid;
