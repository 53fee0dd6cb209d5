-- A domain has one public token that opens it. Of those that were made at the same moment only the newest stays.
update stats_tokens set revoked_at = created_at
where revoked_at is null and hash <> (
    select newest.hash from stats_tokens newest
    where newest.domain_id = stats_tokens.domain_id and newest.revoked_at is null
    order by newest.created_at desc, newest.hash desc limit 1
);
create unique index stats_tokens_open on stats_tokens (domain_id) where revoked_at is null;
