-- A claim looks at the head of the queue, and where lanes that rest or are full have filled that, at the head of each lane.
drop index jobs_ready;
create index jobs_ready on jobs (priority, turn, kind, lane) where state = 'waiting' and run_at = 0;
create index jobs_lane_ready on jobs (lane, kind, priority, turn) where state = 'waiting' and run_at = 0;
