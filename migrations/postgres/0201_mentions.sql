-- Monitoring of AI assistants: how a domain is monitored, its prompts, and one row for every run. Days are counted since
-- 1970, UTC; money is in billionths of a US dollar (nanos). Rows go with their domain, deleted by a job in parts, so that
-- large tables refer to it by its id only.

create table mention_domains (
    domain_id text primary key,
    account_id text not null,
    -- Stands for the domain in sums. Free again only when nothing of the domain is left.
    number bigint not null,
    -- Number of the next prompt.
    next_prompt bigint not null,
    -- Brand profile, JSON: name, aliases, domains. Derived until somebody saves one.
    brand text not null,
    is_brand_saved boolean not null,
    -- Counts up with every change of the brand profile or the analyser. Kept answers of lower versions are analysed again.
    analysis_version bigint not null,
    -- Counts up with every change of the list of competitors.
    competitors_version bigint not null,
    -- Default personaLocation of new prompts, JSON.
    persona text not null,
    -- Null: no limit.
    budget_nanos bigint,
    webhook_url text,
    -- Secret of the webhook, sealed.
    sealed text,
    -- off, daily or weekly.
    digest text not null,
    -- Answers that are to be analysed again, and those that were. Null: none.
    recompute_total bigint,
    recompute_done bigint,
    created_at bigint not null,
    updated_at bigint not null
);
create unique index mention_domains_number on mention_domains (number);
create index mention_domains_account on mention_domains (account_id);

-- Other brands that answers name: tracked by the user, discovered in answers, ignored by the user, or pending: proposed by
-- too few answers to count.
create table mention_competitors (
    domain_id text not null,
    -- Folded name.
    name_key text not null,
    name text not null,
    -- JSON lists.
    aliases text not null,
    domains text not null,
    status text not null,
    -- Answers that proposed it while it was pending.
    answers bigint not null,
    created_at bigint not null,
    primary key (domain_id, name_key)
);

create table mention_prompts (
    id text primary key,
    account_id text not null,
    domain_id text not null,
    -- Stands for the prompt in its domain's sums.
    number bigint not null,
    -- Counts up when text or personaLocation changes.
    revision bigint not null,
    prompt_text text not null,
    intent text not null,
    active boolean not null,
    -- JSON list.
    providers text not null,
    -- Separated by commas.
    tags text not null,
    -- JSON.
    persona text not null,
    monitor_interval text not null,
    -- Whether the text names the own brand.
    branded boolean not null,
    created_at bigint not null,
    updated_at bigint not null
);
create unique index mention_prompts_number on mention_prompts (domain_id, number);
create index mention_prompts_domain on mention_prompts (domain_id, created_at, id);
create index mention_prompts_account on mention_prompts (account_id, created_at, id);

-- The text that was asked in each revision of a prompt. Stays as long as a run refers to it.
create table mention_questions (
    prompt_id text not null,
    revision bigint not null,
    domain_id text not null,
    prompt_text text not null,
    persona text not null,
    primary key (prompt_id, revision)
);
create index mention_questions_domain on mention_questions (domain_id, prompt_id);

-- State of the schedule of a prompt at one provider.
create table mention_targets (
    prompt_id text not null,
    provider text not null,
    domain_id text not null,
    -- Of the interval `dynamic`: 0 (6 hours) to 5 (4 days).
    level bigint not null,
    -- Calm answers in a row.
    calm bigint not null,
    -- Change scores since the text changed, and their moving average.
    samples bigint not null,
    ewma double precision,
    -- Epoch milliseconds of the next slot. Null: paused.
    next_due bigint,
    last_ok bigint,
    last_attempt bigint,
    -- Runs in a row that ended in an error.
    failures bigint not null,
    -- Reason and number of runs that wait for money at the next slot. Empty: those of the schedule.
    postponed text not null,
    postponed_samples bigint not null,
    primary key (prompt_id, provider)
);
create index mention_targets_due on mention_targets (next_due) where next_due is not null;
create index mention_targets_domain on mention_targets (domain_id);

create table mention_runs (
    id text primary key,
    account_id text not null,
    domain_id text not null,
    prompt_id text not null,
    revision bigint not null,
    provider text not null,
    -- Epoch milliseconds of the slot; its UTC day; position among the answers that were wanted at once.
    slot bigint not null,
    day bigint not null,
    sample bigint not null,
    -- create, changed, activated, scheduled or manual.
    reason text not null,
    -- queued, running, answered, ok or error.
    status text not null,
    -- The job that works on it.
    job_id text not null,
    -- Requests to the provider, and those of them without an answer so far.
    calls bigint not null,
    unanswered bigint not null,
    -- Price of the call that is still to be made.
    expected_nanos bigint not null,
    cost_nanos bigint not null,
    is_cost_estimated boolean not null,
    created_at bigint not null,
    -- Time of the last change of its status.
    changed_at bigint not null,
    is_demo boolean not null,
    error_code text not null,
    error_detail text not null,
    -- Markdown.
    answer text not null,
    retrieval text not null,
    finish text not null,
    served_model text not null,
    location text not null,
    is_query_cut boolean not null,
    mention_position bigint not null,
    list_rank bigint,
    citation_count bigint not null,
    -- Hundredths, -100 to 100.
    sentiment bigint not null,
    recommended boolean,
    analysis_text text not null,
    -- model, builtin or empty.
    analysis_mode text not null,
    analysis_version bigint not null,
    -- JSON lists, as the API shows them.
    competitor_mentions text not null,
    citation_domains text not null,
    -- Everything else that analysis found: sources, searches, spans, brands. JSON.
    details text not null
);
-- Runs of a target in their order. A slot is asked once.
create unique index mention_runs_slot on mention_runs (prompt_id, provider, slot, sample);
create index mention_runs_domain on mention_runs (domain_id, day, id);
create index mention_runs_open on mention_runs (domain_id, changed_at)
    where status in ('queued', 'running', 'answered');
create index mention_runs_open_prompt on mention_runs (prompt_id)
    where status in ('queued', 'running', 'answered');

-- Providers' responses as they came, compressed. Kept for a shorter time than the answers.
create table mention_responses (
    run_id text primary key,
    domain_id text not null,
    day bigint not null,
    packed bytea not null
);
create index mention_responses_day on mention_responses (day);
create index mention_responses_domain on mention_responses (domain_id);

-- One report of a domain, day and kind.
create table mention_reports (
    id text primary key,
    domain_id text not null,
    day bigint not null,
    report_type text not null,
    -- First day of the window.
    week_start bigint,
    -- JSON, and Markdown of legacy reports.
    payload text not null,
    markdown text not null,
    content_hash text not null,
    analysis_version bigint not null,
    created_at bigint not null,
    built_at bigint not null
);
create unique index mention_reports_day on mention_reports (domain_id, day, report_type);
