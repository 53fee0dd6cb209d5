-- Processes follow which domains were added since they last looked.
create index domains_created on domains (created_at);
