-- The few numbers of a report that lists of sites show, as JSON. Null: the run did not end yet, or an earlier version ended it.
alter table audit_runs add column summary text;
