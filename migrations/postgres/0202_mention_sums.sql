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
);

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
);

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
);

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
);

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
);

create table mention_pages (
    domain bigint not null,
    -- The first 63 bits of the address's SHA-256.
    page bigint not null,
    url text not null,
    -- Registrable domain.
    site text not null,
    primary key (domain, page)
);

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
);

create table mention_queries (
    domain bigint not null,
    -- The first 63 bits of the text's SHA-256.
    query bigint not null,
    text text not null,
    primary key (domain, query)
);

-- Models that answered, by the providers' own word.
create table mention_models (
    domain bigint not null,
    day bigint not null,
    provider text not null,
    model text not null,
    responses bigint not null,
    primary key (domain, day, provider, model)
);
