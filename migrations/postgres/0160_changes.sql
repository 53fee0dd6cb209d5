-- What changed last, in the order of the transactions' ends: processes follow it to keep what they hold in memory.
-- The number of a change is given at the end of its transaction, one transaction at a time, so that none becomes visible after
-- a higher one. Only the last 10,000 are kept; who is further behind reads everything anew.

create table changes (
    change bigint primary key,
    -- domain, account, key or certificate.
    kind text not null,
    id text not null
);
insert into changes (change, kind, id) values (0, '', '');

create function note_change() returns trigger language plpgsql as $$
declare
    subject text;
    number bigint;
begin
    if tg_op = 'DELETE' then
        subject := to_jsonb(old) ->> tg_argv[1];
    else
        subject := to_jsonb(new) ->> tg_argv[1];
    end if;
    -- Held to the end of the transaction, which is now: the triggers are deferred.
    perform pg_advisory_xact_lock(160);
    insert into changes (change, kind, id)
        select max(change) + 1, tg_argv[0], subject from changes
        returning change into number;
    delete from changes where change <= number - 10000;
    perform pg_notify('glasshouse_changes', '');
    return null;
end
$$;

create constraint trigger domains_changed after insert or update or delete on domains
    deferrable initially deferred for each row execute function note_change('domain', 'id');
create constraint trigger accounts_changed after insert or update of plan, active or delete on accounts
    deferrable initially deferred for each row execute function note_change('account', 'id');
create constraint trigger keys_changed after insert or update of domain, revoked_at or delete on api_keys
    deferrable initially deferred for each row execute function note_change('key', 'hash');
create constraint trigger certificates_changed after insert or update of chain, sealed_key or delete on certificates
    deferrable initially deferred for each row execute function note_change('certificate', 'host');

-- Nobody follows by the time of creation any more.
drop index domains_created;
drop index api_keys_created;
