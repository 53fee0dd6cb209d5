-- When a check moved the domain out of pending. Null: it is pending, or was moved by an earlier version or by the operator.
alter table domains add column connected_at bigint;
