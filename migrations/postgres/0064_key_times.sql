-- Processes follow which keys were made since they last looked.
create index api_keys_created on api_keys (created_at);
