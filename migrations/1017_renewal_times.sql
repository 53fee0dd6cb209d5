-- Times of renewal that the certificate authority suggests (RFC 9773).

-- Time at which the authority is asked next for the time of renewal. Zero: at once.
alter table certificates add column ask_at bigint not null default 0;
-- True when `renew_at` is the authority's suggestion.
alter table certificates add column suggested boolean not null default false;
create index certificates_asking on certificates (ask_at);
