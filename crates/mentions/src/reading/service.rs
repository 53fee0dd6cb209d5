//! Service of reading: loads prompts and sums of a domain and hands them to the pure files beside it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use assistants::analysis::{Brands, CompetitorProfile, SourceKind};
use assistants::providers::Provider;
use assistants::statistics::AnswerSums;
use crawler::errors::one_line;
use store::{Conn, Db, DbError};

use super::filter::{DayRange, ReadingFilter};
use super::joins::{CompetitorSites, OwnPages};
use super::series::{MOVING_DAYS, TrendEntry, TrendSums};
use super::sources::{Members, SearchItem, SourceContext, SourceItem, search_item};
use super::statistics::{PromptStats, PromptSums, StatsSummary};
use super::suggesting::{self, SuggestionItem, SuggestionSources, VISIT_DAYS, tracked_keys};
use crate::model::{Prompt, UtcDay};
use crate::queries::domains::{MonitoredDomain, find_domain, list_competitors};
use crate::queries::prompts::list_prompts;
use crate::queries::reading::SumFilter;
use crate::queries::reading::sources::{self as source_rows, ListPart, SourceUnit};
use crate::queries::reading::statistics as sum_rows;
use ::domains::{Domain, DomainId};
use analytics::Analytics;
use audit::service::AuditedTopic;
use audit::{AuditReader, ReadError};
use platform::Platform;
use platform::clock::{Clock, Timestamp};

/// Searches and pages that suggestions are made of.
const SUGGESTED_FROM: usize = 200;
/// Days of searches that suggestions are made of.
const SEARCH_DAYS: i64 = 90;

/// Reader of the sums of a domain's answers. Cheap to clone.
#[derive(Clone)]
pub struct MentionReading {
    pub(super) db: Db,
    pub(super) clock: Clock,
    analytics: Analytics,
    audits: AuditReader,
}

/// A monitored domain with its prompts.
pub(super) struct Monitored {
    pub domain: MonitoredDomain,
    pub competitors: Vec<CompetitorProfile>,
    pub prompts: Vec<Prompt>,
}

/// A list and the number of entries that it would have without limit and offset.
#[derive(Debug)]
pub struct ListedPart<T> {
    pub items: Vec<T>,
    pub total: i64,
}

impl Monitored {
    pub fn brands(&self) -> Arc<Brands> {
        Brands::compile(self.domain.brand.clone(), self.competitors.clone())
    }

    pub fn by_number(&self) -> HashMap<i64, &Prompt> {
        self.prompts.iter().map(|prompt| (prompt.number, prompt)).collect()
    }

    /// Returns the numbers of the prompts that a filter leaves; none when it leaves all.
    pub fn numbers(&self, filter: &ReadingFilter) -> Option<Vec<i64>> {
        let left = self.prompts.iter().filter(|prompt| filter.includes(prompt)).map(|prompt| prompt.number);
        filter.is_of_some_prompts().then(|| left.collect())
    }

    pub fn sums<'a>(&self, filter: &ReadingFilter, numbers: Option<&'a [i64]>) -> SumFilter<'a> {
        SumFilter {
            domain: self.domain.number,
            days: filter.days,
            provider: filter.provider_text(),
            prompts: numbers,
        }
    }
}

impl MentionReading {
    pub fn new(platform: &Platform, analytics: &Analytics, audits: &AuditReader) -> MentionReading {
        MentionReading {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            analytics: analytics.clone(),
            audits: audits.clone(),
        }
    }

    pub fn today(&self) -> UtcDay {
        self.clock.now().day_number()
    }

    /// Computes the statistics of the prompts that a filter leaves, the oldest first, and of all of them together.
    pub async fn prompt_stats(
        &self,
        domain: &DomainId,
        filter: &ReadingFilter,
    ) -> Result<(Vec<PromptStats>, StatsSummary), DbError> {
        let range = DayRange::of(filter.days);
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, domain).await? else {
            let none = StatsSummary::of(&AnswerSums::default(), &CompetitorSites::default(), range);
            return Ok((Vec::new(), none));
        };
        let numbers = monitored.numbers(filter);
        let sums = monitored.sums(filter, numbers.as_deref());
        let totals = sum_rows::list_prompt_totals(&mut conn, &sums).await?;
        let competitors = sum_rows::list_competitor_totals(&mut conn, &sums).await?;
        let last_runs = last_runs(&mut conn, domain, filter.provider_text()).await?;
        let sums = PromptSums::collect(&totals, competitors);
        let sites = competitor_sites(&mut conn, &monitored, sums.cited_competitors()).await?;
        let wanted = || monitored.prompts.iter().filter(|prompt| filter.includes(prompt));
        let prompts = wanted()
            .map(|prompt| {
                let last_run = last_runs.get(prompt.id.as_str()).copied();
                PromptStats::of(prompt, sums.of(prompt), &sites, last_run, &range)
            })
            .collect();
        Ok((prompts, StatsSummary::of(&sums.total(wanted()), &sites, range)))
    }

    /// Writes an entry for every day of the filter.
    pub async fn trend(&self, domain: &DomainId, filter: &ReadingFilter) -> Result<Vec<TrendEntry>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, domain).await? else {
            return Ok(TrendSums::default().entries(filter.days));
        };
        let (from, to) = filter.days;
        let numbers = monitored.numbers(filter);
        let mut sums = monitored.sums(filter, numbers.as_deref());
        sums.days = (from - MOVING_DAYS + 1, to);
        let mut days = TrendSums::default();
        for row in sum_rows::list_day_totals(&mut conn, &sums).await? {
            if let Ok(provider) = row.provider.parse::<Provider>() {
                days.add(row.day, provider, &AnswerSums::from(&row.sums));
            }
        }
        for row in sum_rows::list_day_voices(&mut conn, &sums).await? {
            days.add_voices(row.day, u64::try_from(row.voices).unwrap_or_default());
        }
        Ok(days.entries(filter.days))
    }

    /// Lists the sites or pages that answers cite, those of most answers first.
    pub async fn sources(
        &self,
        domain: &Domain,
        filter: &ReadingFilter,
        unit: SourceUnit,
        part: ListPart,
    ) -> Result<ListedPart<SourceItem>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, &domain.id).await? else {
            return Ok(ListedPart { items: Vec::new(), total: 0 });
        };
        let numbers = monitored.numbers(filter);
        let sums = monitored.sums(filter, numbers.as_deref());
        let count = source_rows::count_sources(&mut conn, &sums, unit).await?;
        let rows = source_rows::list_sources(&mut conn, &sums, unit, part).await?;
        let names: Vec<String> = rows
            .iter()
            .map(|row| if unit == SourceUnit::Site { row.site.clone() } else { row.url.clone() })
            .collect();
        let members = source_rows::list_source_members(&mut conn, &sums, unit, &names).await?;
        // Visits and audits are read over connections of their own.
        drop(conn);
        let (brands, prompts, members) =
            (monitored.brands(), monitored.by_number(), Members::collect(&members));
        let context = SourceContext { unit, brands: &brands, count, members: &members, prompts: &prompts };
        let mut items: Vec<SourceItem> = rows.into_iter().map(|row| context.item(row)).collect();
        if unit == SourceUnit::Page {
            self.join_own_pages(domain, filter.days, &mut items).await;
        }
        Ok(ListedPart { items, total: count.total })
    }

    /// Adds visits and issues to own pages.
    async fn join_own_pages(&self, domain: &Domain, days: (UtcDay, UtcDay), items: &mut [SourceItem]) {
        let is_own = |item: &SourceItem| item.kind == SourceKind::Own;
        let urls: Vec<&str> =
            items.iter().filter(|item| is_own(item)).filter_map(|item| item.url.as_deref()).collect();
        if urls.is_empty() {
            return;
        }
        let place = (&domain.id, domain.host.as_str());
        let pages = OwnPages::read(&self.analytics, &self.audits, place, days, &urls).await;
        for item in items.iter_mut().filter(|item| is_own(item)) {
            item.own = item.url.as_deref().map(|url| pages.of(url));
        }
    }

    /// Lists the texts that assistants searched for, those of most answers first.
    pub async fn searches(
        &self,
        domain: &DomainId,
        filter: &ReadingFilter,
        part: ListPart,
    ) -> Result<ListedPart<SearchItem>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(monitored) = load(&mut conn, domain).await? else {
            return Ok(ListedPart { items: Vec::new(), total: 0 });
        };
        let numbers = monitored.numbers(filter);
        let sums = monitored.sums(filter, numbers.as_deref());
        let total = source_rows::count_searches(&mut conn, &sums).await?;
        let rows = source_rows::list_searches(&mut conn, &sums, part).await?;
        let searches: Vec<i64> = rows.iter().map(|row| row.query).collect();
        let members = source_rows::list_search_members(&mut conn, &sums, &searches).await?;
        let (prompts, tracked) = (monitored.by_number(), tracked_keys(&monitored.prompts));
        let members = Members::collect(&members);
        let items = rows.into_iter().map(|row| search_item(row, &members, &prompts, &tracked)).collect();
        Ok(ListedPart { items, total })
    }

    async fn audited_topics(&self, domain: &Domain) -> Result<Vec<AuditedTopic>, ReadError> {
        match self.audits.latest_run(&domain.id).await? {
            Some(latest) => latest.list_topics(SUGGESTED_FROM).await,
            None => Ok(Vec::new()),
        }
    }

    /// Lists prompts that could be monitored, none of which is.
    pub async fn suggestions(&self, domain: &Domain) -> Result<Vec<SuggestionItem>, DbError> {
        let mut conn = self.db.read().await?;
        let monitored = load(&mut conn, &domain.id).await?;
        let mut sources = SuggestionSources::default();
        let mut prompts = Vec::new();
        if let Some(monitored) = monitored {
            let today = self.today();
            let filter = ReadingFilter { days: (today - SEARCH_DAYS + 1, today), ..ReadingFilter::default() };
            let part = ListPart { limit: SUGGESTED_FROM as i64, offset: 0 };
            let sums = monitored.sums(&filter, None);
            sources.searches = source_rows::list_searches(&mut conn, &sums, part).await?;
            sources.brand = monitored.domain.brand;
            sources.competitors = monitored.competitors;
            prompts = monitored.prompts;
        } else {
            sources.brand = assistants::analysis::BrandProfile::derive(&domain.host, None);
        }
        drop(conn);
        sources.topics = self.audited_topics(domain).await.unwrap_or_else(|error| {
            tracing::warn!(error = one_line(&error), "prompts are suggested without audited pages");
            Vec::new()
        });
        let window = self.analytics.window(VISIT_DAYS);
        let crawls = self.analytics.ai_crawls(&domain.id, VISIT_DAYS).await;
        let people = self.analytics.people_of_top_pages(&domain.id, window).await;
        match crawls.and_then(|crawls| Ok((crawls, people?))) {
            Ok((crawls, people)) => (sources.crawls, sources.people) = (crawls, people),
            Err(error) => tracing::warn!(error = one_line(&error), "prompts are suggested without visits"),
        }
        Ok(sources.suggestions(&prompts))
    }

    /// Lists those search terms that are not monitored.
    pub async fn suggestions_of_terms(
        &self,
        domain: &DomainId,
        terms: &[String],
    ) -> Result<Vec<SuggestionItem>, DbError> {
        let prompts = list_prompts(&mut self.db.read().await?, domain).await?;
        Ok(suggesting::of_terms(terms, &prompts))
    }
}

/// Loads a monitored domain. None: it has no prompts and never had.
pub(super) async fn load(conn: &mut Conn, domain: &DomainId) -> Result<Option<Monitored>, DbError> {
    let Some(monitored) = find_domain(conn, domain).await? else { return Ok(None) };
    let competitors = list_competitors(conn, domain).await?;
    let prompts = list_prompts(conn, domain).await?;
    Ok(Some(Monitored { domain: monitored, competitors, prompts }))
}

/// Lists the times of the prompts' last runs, by the prompts' ids.
async fn last_runs(
    conn: &mut Conn,
    domain: &DomainId,
    provider: &str,
) -> Result<HashMap<String, Timestamp>, DbError> {
    let mut last: HashMap<String, Timestamp> = HashMap::new();
    for row in sum_rows::list_last_runs(conn, domain, provider).await? {
        let at = Timestamp::from_millis(row.created_at);
        let known = last.entry(row.prompt_id).or_insert(at);
        *known = at.max(*known);
    }
    Ok(last)
}

/// Finds the competitors' sites; cited sites are looked through only for a competitor that has no domain.
async fn competitor_sites<'a>(
    conn: &mut Conn,
    monitored: &Monitored,
    cited: impl Iterator<Item = &'a str>,
) -> Result<CompetitorSites, DbError> {
    let cited: HashSet<&str> = cited.collect();
    let sites = match CompetitorSites::need_cited_sites(&monitored.competitors, cited) {
        true => sum_rows::list_sites(conn, monitored.domain.number).await?,
        false => Vec::new(),
    };
    Ok(CompetitorSites::of(&monitored.competitors, &sites))
}
