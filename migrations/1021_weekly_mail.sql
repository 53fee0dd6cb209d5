-- Weekly mails of people about their domains.

alter table people add column weekly_mail boolean not null default false;
-- Monday of the newest week that was mailed, in days since 1970; of a person who has just switched the mail on, of the current week.
alter table people add column weekly_mail_week bigint;
