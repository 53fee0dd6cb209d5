-- Runs with results in a few numbers: lists of sites must not read reports of a megabyte each. What an earlier version wrote
-- has no crawlers that may not read the site: the next run tells them.
create table audit_summaries (
    run_id text primary key,
    account_id text not null,
    domain_id text not null,
    started_at bigint not null,
    completed_at bigint not null,
    health_score double precision not null,
    delta_health double precision not null,
    -- Numbers of the report, as JSON.
    facts text not null
);
create index audit_summaries_account on audit_summaries (account_id, domain_id, started_at);
create index audit_summaries_domain on audit_summaries (domain_id, started_at);
insert into audit_summaries
    select id, account_id, domain_id, started_at, completed_at, health_score, delta_health, json_object(
        'errors', coalesce(json_extract(report, '$.crawlStats.issuesBySeverity.error'), 0),
        'warnings', coalesce(json_extract(report, '$.crawlStats.issuesBySeverity.warning'), 0),
        'notices', coalesce(json_extract(report, '$.crawlStats.issuesBySeverity.notice'), 0),
        'newErrors', coalesce(json_extract(report, '$.newErrors'), 0))
    from audit_runs where completed_at is not null and not forgotten and status in ('success', 'limit_reached', 'partial');
