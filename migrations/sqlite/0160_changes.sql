-- What changed last, in the order of the transactions: processes follow it to keep what they hold in memory.
-- SQLite has one writer, so no change becomes visible after one with a higher number. Only the last 10,000 are kept; who is
-- further behind reads everything anew.

create table changes (
    change bigint primary key,
    -- domain, account, key or certificate.
    kind text not null,
    id text not null
);
insert into changes (change, kind, id) values (0, '', '');

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

-- Nobody follows by the time of creation any more.
drop index domains_created;
drop index api_keys_created;
