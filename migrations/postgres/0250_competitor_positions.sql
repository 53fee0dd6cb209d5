-- Place of a competitor in the saved profile; those that answers have found come after all of them.
alter table mention_competitors add column position bigint not null default 1000;
