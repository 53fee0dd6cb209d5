-- The condition is written so that statements that look lane by lane can use no other index: before statistics are taken, PostgreSQL
-- has all indexes of waiting jobs for equally short. See docs/decisions/0302.
drop index jobs_lane_ready;
create index jobs_lane_ready on jobs (lane, kind, priority, turn) where coalesce(state = 'waiting' and run_at = 0, false);
