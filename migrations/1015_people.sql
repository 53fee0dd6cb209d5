-- People, their memberships in accounts, invitations, links by mail and second factors; keys that expire or only read.

create table people (
    id text primary key,
    email text not null unique,
    password_hash text not null,
    created_at bigint not null,
    -- Sealed secret of the second factor; nothing is asked for until a code of it was right.
    totp_secret text,
    totp_confirmed boolean not null,
    -- The newest link to another password: SHA-256 of its token, and its end.
    reset_hash text unique,
    reset_until bigint
);

create table memberships (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    email text not null,
    -- Null while the invitation is open.
    person_id text references people (id) on delete cascade,
    role text not null,
    -- JSON list of the only domains that the person sees; null: all.
    domains text,
    created_at bigint not null,
    last_seen_at bigint,
    -- The newest invitation: SHA-256 of its token, and its end.
    invitation_hash text unique,
    invitation_until bigint,
    unique (account_id, email)
);
create index memberships_person on memberships (person_id);

create table recovery_codes (
    person_id text not null references people (id) on delete cascade,
    hash text not null,
    primary key (person_id, hash)
);

-- Codes of second factors that were used, by the number of their half minute.
create table used_codes (
    person_id text not null references people (id) on delete cascade,
    step bigint not null,
    primary key (person_id, step)
);

-- Until now an account was one person, its owner.
insert into people (id, email, password_hash, created_at, totp_confirmed)
    select id, email, password_hash, created_at, false from accounts;
insert into memberships (id, account_id, email, person_id, role, created_at)
    select id, id, email, id, 'owner', created_at from accounts;
alter table accounts drop column password_hash;

alter table sessions add column person_id text references people (id) on delete cascade;
update sessions set person_id = account_id;
create index sessions_person on sessions (person_id);

alter table api_keys add column expires_at bigint;
alter table api_keys add column reads_only boolean not null default false;
-- E-mail address of the person who made the key; null: the command.
alter table api_keys add column created_by text;
