-- The site of a name: its registrable domain. Claims of a site compete. Empty: from before there was this column; such a row is
-- found by its host.
alter table domains add column site text not null default '';
create index domains_site on domains (site);
alter table former_domains add column site text not null default '';
create index former_domains_site on former_domains (site);
