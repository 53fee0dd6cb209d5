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
    -- Position in the saved profile; those that answers have found come after all of them.
    position bigint not null default 1000,
    created_at bigint not null,
    primary key (domain_id, name_key)
) without rowid;

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
) without rowid;
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
    packed blob not null
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
    week_start bigint not null,
    -- JSON.
    payload text not null,
    content_hash text not null,
    analysis_version bigint not null,
    created_at bigint not null,
    built_at bigint not null
);
create unique index mention_reports_day on mention_reports (domain_id, day, report_type);

-- Sums of analysed answers: whole numbers that are added up, so that statistics read them in place of answers. The columns
-- `domain` and `prompt` are the numbers of `mention_domains` and `mention_prompts`. Fractions are in millionths, tones in
-- hundredths. Rows of deleted prompts are gone, those of the domain as a whole reduced by them.

create table mention_sums (
    domain bigint not null,
    day bigint not null,
    prompt bigint not null,
    provider text not null,
    responses bigint not null,
    mentions bigint not null,
    position_sum bigint not null,
    first_positions bigint not null,
    sentiment_sum bigint not null,
    sentiment_count bigint not null,
    positive bigint not null,
    neutral bigint not null,
    negative bigint not null,
    recommended_yes bigint not null,
    recommended_known bigint not null,
    own_cited bigint not null,
    own_citations bigint not null,
    competitor_citations bigint not null,
    third_party_citations bigint not null,
    absent_overviews bigint not null,
    not_retrieved bigint not null,
    errors bigint not null,
    -- Distinct competitors of each answer, added up.
    distinct_competitors bigint not null,
    -- Answers that name any brand.
    informative bigint not null,
    -- Distances between the competitors of answers that follow each other; apart those to an answer of an earlier day.
    pair_distance_sum bigint not null,
    pair_count bigint not null,
    earlier_distance_sum bigint not null,
    earlier_count bigint not null,
    primary key (domain, day, prompt, provider)
) without rowid;

-- The same of all prompts of a domain together. The two counts of runs include deleted prompts.
create table mention_domain_sums (
    domain bigint not null,
    day bigint not null,
    provider text not null,
    responses bigint not null,
    mentions bigint not null,
    position_sum bigint not null,
    first_positions bigint not null,
    sentiment_sum bigint not null,
    sentiment_count bigint not null,
    positive bigint not null,
    neutral bigint not null,
    negative bigint not null,
    recommended_yes bigint not null,
    recommended_known bigint not null,
    own_cited bigint not null,
    own_citations bigint not null,
    competitor_citations bigint not null,
    third_party_citations bigint not null,
    absent_overviews bigint not null,
    not_retrieved bigint not null,
    errors bigint not null,
    distinct_competitors bigint not null,
    informative bigint not null,
    pair_distance_sum bigint not null,
    pair_count bigint not null,
    earlier_distance_sum bigint not null,
    earlier_count bigint not null,
    ok_runs bigint not null,
    error_runs bigint not null,
    primary key (domain, day, provider)
) without rowid;

create table mention_competitor_sums (
    domain bigint not null,
    day bigint not null,
    prompt bigint not null,
    provider text not null,
    competitor text not null,
    responses bigint not null,
    occurrences bigint not null,
    -- Sum of 1 / log2(1 + rank).
    prominence_sum bigint not null,
    position_sum bigint not null,
    cited bigint not null,
    sentiment_sum bigint not null,
    sentiment_count bigint not null,
    -- Answers that name it before the own brand, or without it.
    ahead_of_own bigint not null,
    primary key (domain, day, prompt, provider, competitor)
) without rowid;

create table mention_domain_competitor_sums (
    domain bigint not null,
    day bigint not null,
    provider text not null,
    competitor text not null,
    responses bigint not null,
    occurrences bigint not null,
    prominence_sum bigint not null,
    position_sum bigint not null,
    cited bigint not null,
    sentiment_sum bigint not null,
    sentiment_count bigint not null,
    ahead_of_own bigint not null,
    primary key (domain, day, provider, competitor)
) without rowid;

-- Pages that answers cite or that were found for them; `page` stands for the address.
create table mention_source_sums (
    domain bigint not null,
    day bigint not null,
    prompt bigint not null,
    provider text not null,
    page bigint not null,
    -- Answers that cite the page, and those of them that name a brand and not the own one.
    citations bigint not null,
    gap_citations bigint not null,
    -- The same of the page's site: an answer counts at the first page of each site that it cites.
    site_answers bigint not null,
    site_gap_answers bigint not null,
    -- Answers for which it was found and not cited.
    retrieved bigint not null,
    primary key (domain, day, prompt, provider, page)
) without rowid;

create table mention_pages (
    domain bigint not null,
    -- The first 63 bits of the address's SHA-256.
    page bigint not null,
    url text not null,
    -- Registrable domain.
    site text not null,
    primary key (domain, page)
) without rowid;

-- Searches that assistants ran; `query` stands for the text.
create table mention_query_sums (
    domain bigint not null,
    day bigint not null,
    prompt bigint not null,
    provider text not null,
    query bigint not null,
    answers bigint not null,
    named_in bigint not null,
    primary key (domain, day, prompt, provider, query)
) without rowid;

create table mention_queries (
    domain bigint not null,
    -- The first 63 bits of the text's SHA-256.
    query bigint not null,
    text text not null,
    primary key (domain, query)
) without rowid;

-- Models that answered, by the providers' own word.
create table mention_models (
    domain bigint not null,
    day bigint not null,
    provider text not null,
    model text not null,
    responses bigint not null,
    primary key (domain, day, provider, model)
) without rowid;

-- Money of AI monitoring, in billionths of a US dollar. The ledger has a row for every request that may cost something; it
-- survives the run, the prompt and the domain.

create table mention_ledger (
    id text primary key,
    account_id text not null,
    domain_id text not null,
    prompt_id text not null,
    run_id text not null,
    -- 1 for the first request of the run.
    call bigint not null,
    -- answer or analysis.
    purpose text not null,
    provider text not null,
    model text not null,
    -- Day of the reservation, whose budgets it counts in.
    day bigint not null,
    reserved_nanos bigint not null,
    settled_nanos bigint not null,
    is_estimated boolean not null,
    -- open or settled.
    state text not null,
    opened_at bigint not null,
    settled_at bigint
);
create index mention_ledger_domain on mention_ledger (domain_id, day);
create index mention_ledger_run on mention_ledger (run_id);
create index mention_ledger_open on mention_ledger (opened_at) where state = 'open';

-- What every budget has spent and reserved in a UTC day (`2026-11-25`) or month (`2026-11`), whether it has a limit or not.
create table mention_budgets (
    -- installation, account, domain or provider.
    scope text not null,
    -- Id of the account, domain or provider; empty for the installation.
    scope_key text not null,
    period text not null,
    reserved_nanos bigint not null,
    spent_nanos bigint not null,
    estimated_nanos bigint not null,
    primary key (scope, scope_key, period)
);
create index mention_budgets_period on mention_budgets (period);

-- Parameters that a model refused, left out of requests for a day.
create table mention_quirks (
    provider text not null,
    -- Base address and model.
    model text not null,
    -- JSON list.
    quirks text not null,
    learnt_at bigint not null,
    primary key (provider, model)
);

-- State of each provider, over all processes.
create table mention_providers (
    provider text primary key,
    -- Failed requests in a row, and those of them that refused the key.
    failures bigint not null,
    auth_failures bigint not null,
    -- Openings of the breaker in a row.
    openings bigint not null,
    -- End of the breaker's last opening; 0: it never opened.
    open_until bigint not null,
    -- Last failure since a success.
    error_code text not null,
    error_detail text not null,
    served_model text not null,
    changed_at bigint not null
);

-- Domains whose answers changed since their reports were built, with the first of the days that changed.
create table mention_reports_due (
    domain_id text primary key,
    from_day bigint not null,
    changed_at bigint not null
) without rowid;

-- Changes of reports that were told to a webhook or in a digest, so that none is told twice, and the day of the last digest.

create table mention_told (
    domain_id text not null,
    -- webhook or digest.
    channel text not null,
    -- Hash of kind, prompt, provider, day and new value.
    change_key text not null,
    -- Day of the change.
    day bigint not null,
    primary key (domain_id, channel, change_key)
) without rowid;
create index mention_told_day on mention_told (day);

create table mention_digests (
    domain_id text primary key,
    -- Last day of the report that the last digest was about.
    day bigint not null
) without rowid;
