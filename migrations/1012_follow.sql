-- The last changes, in the order in which their transactions end: processes follow them to keep what they hold in memory. No change
-- becomes visible after one with a higher number. Only the last 10,000 are kept; a process that is further behind reads everything
-- anew.

create table changes (
    change bigint primary key,
    -- domain, account, key or certificate.
    kind text not null,
    id text not null
);
insert into changes (change, kind, id) values (0, '', '');

-- sqlite:
-- There is one writer, so numbers are in order.
create trigger changes_kept after insert on changes begin
    delete from changes where change <= new.change - 10000;
end;

create trigger domains_added after insert on domains begin
    insert into changes (change, kind, id) select max(change) + 1, 'domain', new.id from changes;
end;
create trigger domains_changed after update on domains begin
    insert into changes (change, kind, id) select max(change) + 1, 'domain', new.id from changes;
end;
create trigger domains_deleted after delete on domains begin
    insert into changes (change, kind, id) select max(change) + 1, 'domain', old.id from changes;
end;

create trigger accounts_added after insert on accounts begin
    insert into changes (change, kind, id) select max(change) + 1, 'account', new.id from changes;
end;
create trigger accounts_changed after update of plan, active on accounts begin
    insert into changes (change, kind, id) select max(change) + 1, 'account', new.id from changes;
end;
create trigger accounts_deleted after delete on accounts begin
    insert into changes (change, kind, id) select max(change) + 1, 'account', old.id from changes;
end;

create trigger api_keys_added after insert on api_keys begin
    insert into changes (change, kind, id) select max(change) + 1, 'key', new.hash from changes;
end;
create trigger api_keys_changed after update of domain, revoked_at on api_keys begin
    insert into changes (change, kind, id) select max(change) + 1, 'key', new.hash from changes;
end;
create trigger api_keys_deleted after delete on api_keys begin
    insert into changes (change, kind, id) select max(change) + 1, 'key', old.hash from changes;
end;

create trigger certificates_added after insert on certificates begin
    insert into changes (change, kind, id) select max(change) + 1, 'certificate', new.host from changes;
end;
create trigger certificates_changed after update of chain, sealed_key on certificates begin
    insert into changes (change, kind, id) select max(change) + 1, 'certificate', new.host from changes;
end;
create trigger certificates_deleted after delete on certificates begin
    insert into changes (change, kind, id) select max(change) + 1, 'certificate', old.host from changes;
end;

-- postgres:
-- A change gets its number at the end of its transaction, one transaction at a time.
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
-- end
