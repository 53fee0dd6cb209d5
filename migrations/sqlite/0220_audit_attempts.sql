-- Attempts at a run that began and have not returned: those of processes that died, and the one that is under way.
alter table audit_runs add column open_attempts bigint not null default 0;
-- When the first attempt began; null while the run waits in the queue.
alter table audit_runs add column begun_at bigint;
-- Until when a process says that it works on the run.
alter table audit_runs add column working_until bigint not null default 0;
-- Only runs that were cut off say that they need to go on.
update audit_runs set needs_continuation = false, begun_at = started_at;
