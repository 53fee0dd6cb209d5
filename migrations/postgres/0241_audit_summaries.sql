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
    select id, account_id, domain_id, started_at, completed_at, health_score, delta_health, cast(json_build_object(
        'errors', coalesce(cast(cast(report as json) #>> '{crawlStats,issuesBySeverity,error}' as bigint), 0),
        'warnings', coalesce(cast(cast(report as json) #>> '{crawlStats,issuesBySeverity,warning}' as bigint), 0),
        'notices', coalesce(cast(cast(report as json) #>> '{crawlStats,issuesBySeverity,notice}' as bigint), 0),
        'newErrors', coalesce(cast(cast(report as json) ->> 'newErrors' as bigint), 0)) as text)
    from audit_runs where completed_at is not null and not forgotten and status in ('success', 'limit_reached', 'partial');
