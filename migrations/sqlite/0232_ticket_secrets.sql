-- Secrets that TLS session tickets of a UTC day are sealed with, sealed themselves; deleted when no such ticket is valid any more.
create table ticket_secrets (
    -- UTC day, counted from 1970-01-01.
    day bigint primary key,
    sealed text not null
);
