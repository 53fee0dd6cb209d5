-- How many renders an account has in the queue is asked before more are queued.
create index job_batches_account on job_batches (account_id) where completed_at is null;
create index jobs_single_pages on jobs (account_id) where kind = 'RefreshPage' and batch_id is null;
