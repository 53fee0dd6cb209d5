-- How far the rate of a lane with a rate of its own (an AI provider) is used up, over all processes: GCRA, one number.
create table job_lane_rates (
    lane text primary key,
    -- Epoch milliseconds at which the rate allows the next job.
    next_at bigint not null
);
