-- Renewals are counted apart from first orders, and failures of pending names apart from those of connected ones.

alter table certificate_attempts add column renewal boolean not null default false;
alter table certificate_orders add column while_pending boolean not null default false;
