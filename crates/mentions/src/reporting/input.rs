//! Input of a report: loads sums, answers, pages and what other features know of pages. Decides nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use assistants::analysis::{Brands, CompetitorProfile, CompetitorStatus, SourceKind};
use assistants::providers::{Finish, Provider};
use assistants::statistics::{AnswerSums, CompetitorSums};
use serde::Deserialize;
use store::{Conn, DbError};

use super::{MentionReports, window_of};
use crate::connections::lane_of;
use crate::model::{MonitorInterval, Prompt, UtcDay};
use crate::queries::domains::{MonitoredDomain, list_competitors};
use crate::queries::prompts::list_prompts;
use crate::queries::reading::SumFilter;
use crate::queries::reading::sources::{ListPart, SourceUnit, list_sources};
use crate::queries::reading::statistics::{list_competitor_totals, list_prompt_totals};
use crate::queries::reports::input::{self as rows, ReportAnswerRow};
use crate::queries::{reports, sums};
use crate::reading::joins::{CompetitorSites, OwnPages};
use crate::reading::sources::kind_of;
use crate::report::payload::{OwnPageInsight, SentimentExcerpt};
use crate::report::{
    CitedPage, DaySums, OwnPage, ReportAnswer, ReportInput, ReportPrompt, TargetSums, WINDOW_DAYS, date_text,
};
use crate::service::analysing::answer::{RunDetails, text_of};
use ::domains::Domain;

/// Tone below which an answer speaks badly of the brand, in hundredths.
const NEGATIVE: i64 = -15;
/// Quotes of a report, and answers that are looked through for them.
const MAX_EXCERPTS: usize = 10;
const MAX_NEGATIVE: i64 = 50;
const MAX_QUOTE_CHARS: usize = 300;
/// Own pages that are listed.
const MAX_OWN_PAGES: usize = 20;
/// Days within which a crawler is expected.
const CRAWL_DAYS: u32 = 30;
/// Prompts and providers that are asked so rarely that their last answer is older than both windows.
const MAX_LOOK_UPS: usize = 500;

impl MentionReports {
    /// Loads everything that the report of a day is computed from.
    pub(super) async fn load_input(
        &self,
        record: &MonitoredDomain,
        domain: &Domain,
        day: UtcDay,
    ) -> Result<ReportInput, DbError> {
        let mut conn = self.0.db.read().await?;
        let competitors: Vec<CompetitorProfile> = list_competitors(&mut conn, &record.domain)
            .await?
            .into_iter()
            .filter(|competitor| competitor.status != CompetitorStatus::Ignored)
            .collect();
        let prompts = list_prompts(&mut conn, &record.domain).await?;
        let brands = Brands::compile(record.brand.clone(), competitors.clone());
        let mut input = ReportInput {
            domain: domain.host.clone(),
            brand: record.brand.clone(),
            analysis_version: record.analysis_version,
            day,
            days: days(&mut conn, record.number, (day - 2 * WINDOW_DAYS + 1, day)).await?,
            targets: targets(&mut conn, record.number, day, &prompts).await?,
            previous_unbranded: unbranded(&mut conn, record.number, day - WINDOW_DAYS, &prompts).await?,
            answers: answers(&mut conn, record, day, &prompts).await?,
            open_runs: reports::count_open(&mut conn, &record.domain, window_of(day)).await?.unsigned_abs(),
            models: models(&mut conn, record.number, day).await?,
            pages: pages(&mut conn, record.number, day, &brands).await?,
            excerpts: excerpts(&mut conn, record, day, &prompts).await?,
            prompts: prompts_of(&mut conn, record, prompts).await?,
            ..ReportInput::default()
        };
        drop(conn);
        let sites: BTreeSet<String> = input.pages.iter().map(|page| page.site.clone()).collect();
        let sites = CompetitorSites::of(&competitors, &sites.into_iter().collect::<Vec<_>>());
        let urls = competitors.iter().filter_map(|c| Some((c.name.clone(), sites.url(&c.name)?)));
        input.site_urls = urls.collect();
        input.competitors = competitors;
        input.own_pages = self.own_pages(domain, day, &input.pages).await;
        if day >= self.today_number() - 1 {
            input.paused = self.paused().await?;
        }
        Ok(input)
    }

    /// Lists the providers whose lane rests.
    async fn paused(&self) -> Result<BTreeSet<Provider>, DbError> {
        let now = self.0.clock.now();
        let troubles = self.0.jobs.list_lane_troubles().await?;
        let resting: HashSet<String> =
            troubles.into_iter().filter(|lane| lane.rest_until > now).map(|lane| lane.lane).collect();
        let all = Provider::ALL.into_iter();
        Ok(all.filter(|provider| resting.contains(&lane_of(provider.as_str()))).collect())
    }

    /// Joins cited own pages with visits and the latest audit.
    async fn own_pages(&self, domain: &Domain, day: UtcDay, pages: &[CitedPage]) -> Vec<OwnPage> {
        let mut own: Vec<&CitedPage> =
            pages.iter().filter(|page| page.kind == SourceKind::Own && page.citations > 0).collect();
        own.sort_by(|a, b| b.citations.cmp(&a.citations).then_with(|| a.url.cmp(&b.url)));
        own.truncate(MAX_OWN_PAGES);
        if own.is_empty() {
            return Vec::new();
        }
        let urls: Vec<&str> = own.iter().map(|page| page.url.as_str()).collect();
        let place = (&domain.id, domain.host.as_str());
        let known = OwnPages::read(&self.0.analytics, &self.0.audits, place, window_of(day), &urls).await;
        let crawls = self.0.analytics.ai_crawls(&domain.id, CRAWL_DAYS).await;
        let is_crawling_known = crawls.is_ok_and(|crawls| !crawls.is_empty());
        let first_expected = date_text(day - i64::from(CRAWL_DAYS) + 1);
        let mut joined = Vec::new();
        for page in own {
            let found = known.of(&page.url);
            let errors = self.errors_of(domain, &page.url).await;
            joined.push(OwnPage {
                insight: OwnPageInsight {
                    url: page.url.clone(),
                    citations: page.citations,
                    last_crawl_by_ai_bots: found
                        .last_crawl_by_ai_bots
                        .filter(|date| date.as_str() >= first_expected.as_str()),
                    open_issues: found.open_issues,
                    referrals: found.referrals,
                },
                errors,
                is_crawling_known,
            });
        }
        joined
    }

    /// Counts a page as one with errors by the latest audit. None: it is not known.
    async fn errors_of(&self, domain: &Domain, url: &str) -> Option<u64> {
        let url = url::Url::parse(url).ok()?;
        let path = url.path().trim_end_matches('/');
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let spellings = [format!("{path}{query}"), format!("{path}/{query}")];
        let latest = self.0.audits.latest_run(&domain.id).await.ok()??;
        Some(u64::from(spellings.iter().any(|path| latest.has_error(path))))
    }
}

/// Sums of each day and provider with those of competitors.
async fn days(conn: &mut Conn, number: i64, span: (UtcDay, UtcDay)) -> Result<Vec<DaySums>, DbError> {
    let mut days: BTreeMap<(UtcDay, Provider), AnswerSums> = BTreeMap::new();
    for row in sums::list_of_domain(conn, number, span).await? {
        let Ok(provider) = row.provider.parse() else { continue };
        days.insert((row.day, provider), AnswerSums::from(&row.sums.answers));
    }
    for row in rows::list_day_competitors(conn, number, span).await? {
        let Ok(provider) = row.provider.parse() else { continue };
        let sums = days.entry((row.day, provider)).or_default();
        sums.competitors.insert(row.competitor, CompetitorSums::from(&row.sums));
    }
    Ok(days.into_iter().map(|((day, provider), sums)| DaySums { day, provider, sums }).collect())
}

fn filter(number: i64, days: (UtcDay, UtcDay)) -> SumFilter<'static> {
    SumFilter { domain: number, days, provider: "", prompts: None }
}

async fn targets(
    conn: &mut Conn,
    number: i64,
    day: UtcDay,
    prompts: &[Prompt],
) -> Result<Vec<TargetSums>, DbError> {
    let ids: HashMap<i64, &Prompt> = prompts.iter().map(|prompt| (prompt.number, prompt)).collect();
    let mut targets: BTreeMap<(i64, String), AnswerSums> = BTreeMap::new();
    for row in list_prompt_totals(conn, &filter(number, window_of(day))).await? {
        let sums = AnswerSums::from(&row.sums);
        targets.insert((row.prompt, row.provider), sums);
    }
    for row in rows::list_target_competitors(conn, number, window_of(day)).await? {
        if let Some(sums) = targets.get_mut(&(row.prompt, row.provider)) {
            sums.competitors.insert(row.competitor, CompetitorSums::from(&row.sums));
        }
    }
    let known = targets.into_iter().filter_map(|((prompt, provider), sums)| {
        let prompt = ids.get(&prompt)?.id.to_string();
        Some(TargetSums { prompt, provider: provider.parse().ok()?, sums })
    });
    Ok(known.collect())
}

/// Sums up the window that ends on a day over the prompts that do not name the own brand.
async fn unbranded(
    conn: &mut Conn,
    number: i64,
    day: UtcDay,
    prompts: &[Prompt],
) -> Result<AnswerSums, DbError> {
    let wanted: HashSet<i64> =
        prompts.iter().filter(|prompt| !prompt.is_branded).map(|prompt| prompt.number).collect();
    let filter = filter(number, window_of(day));
    let mut total = AnswerSums::default();
    for row in list_prompt_totals(conn, &filter).await? {
        if wanted.contains(&row.prompt) {
            total.merge(&AnswerSums::from(&row.sums));
        }
    }
    for row in list_competitor_totals(conn, &filter).await? {
        if wanted.contains(&row.prompt) {
            let competitors = BTreeMap::from([(row.competitor, CompetitorSums::from(&row.sums))]);
            total.merge(&AnswerSums { competitors, ..AnswerSums::default() });
        }
    }
    Ok(total)
}

/// Answers of both windows, and the last one before of each prompt and provider that has only one answer in them.
async fn answers(
    conn: &mut Conn,
    record: &MonitoredDomain,
    day: UtcDay,
    prompts: &[Prompt],
) -> Result<Vec<ReportAnswer>, DbError> {
    let ids: HashSet<&str> = prompts.iter().map(|prompt| prompt.id.as_str()).collect();
    let span = (day - 2 * WINDOW_DAYS + 1, day);
    let found = rows::list_answers(conn, &record.domain, span).await?;
    let mut answers: Vec<ReportAnswer> =
        found.into_iter().filter(|row| ids.contains(row.prompt_id.as_str())).filter_map(answer_of).collect();
    let first_day = day - WINDOW_DAYS + 1;
    let mut oldest: BTreeMap<(String, Provider), (UtcDay, i64)> = BTreeMap::new();
    for answer in &answers {
        let place = (answer.day, answer.order.0);
        let entry = oldest.entry((answer.prompt.clone(), answer.provider)).or_insert(place);
        *entry = place.min(*entry);
    }
    let rare = oldest.into_iter().filter(|(_, (oldest, _))| *oldest >= first_day).take(MAX_LOOK_UPS);
    for ((prompt, provider), (_, slot)) in rare {
        let before = rows::find_answer_before(conn, (&prompt, provider.as_str()), slot).await?;
        answers.extend(before.and_then(answer_of));
    }
    Ok(answers)
}

fn answer_of(row: ReportAnswerRow) -> Option<ReportAnswer> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let named: Vec<Named> = serde_json::from_str(&row.competitor_mentions).unwrap_or_default();
    Some(ReportAnswer {
        provider: row.provider.parse().ok()?,
        prompt: row.prompt_id,
        day: row.day,
        order: (row.slot, row.sample),
        revision: row.revision,
        served_model: row.served_model,
        position: u32::try_from(row.mention_position).unwrap_or_default(),
        is_absent: row.finish == text_of(&Finish::AbsentOverview),
        competitors: named.into_iter().map(|named| named.name).collect(),
        sites: serde_json::from_str(&row.citation_domains).unwrap_or_default(),
    })
}

async fn models(
    conn: &mut Conn,
    number: i64,
    day: UtcDay,
) -> Result<BTreeMap<Provider, BTreeSet<String>>, DbError> {
    let mut models: BTreeMap<Provider, BTreeSet<String>> = BTreeMap::new();
    for (provider, model) in rows::list_models(conn, number, window_of(day)).await? {
        if let Ok(provider) = provider.parse() {
            models.entry(provider).or_default().insert(model);
        }
    }
    Ok(models)
}

async fn pages(
    conn: &mut Conn,
    number: i64,
    day: UtcDay,
    brands: &Brands,
) -> Result<Vec<CitedPage>, DbError> {
    let all = ListPart { limit: i64::MAX, offset: 0 };
    let rows = list_sources(conn, &filter(number, window_of(day)), SourceUnit::Page, all).await?;
    let cited = rows.into_iter().filter(|row| row.citations > 0);
    Ok(cited
        .map(|row| CitedPage {
            kind: kind_of(brands, &row.url, &row.site),
            url: row.url,
            site: row.site,
            citations: row.citations.unsigned_abs(),
            gap_citations: row.gap_answers.unsigned_abs(),
        })
        .collect())
}

async fn excerpts(
    conn: &mut Conn,
    record: &MonitoredDomain,
    day: UtcDay,
    prompts: &[Prompt],
) -> Result<Vec<SentimentExcerpt>, DbError> {
    let ids: HashSet<&str> = prompts.iter().map(|prompt| prompt.id.as_str()).collect();
    let found = rows::list_negative(conn, &record.domain, window_of(day), NEGATIVE, MAX_NEGATIVE).await?;
    let quoted = found.into_iter().filter(|row| ids.contains(row.prompt_id.as_str())).filter_map(|row| {
        let details: RunDetails = serde_json::from_str(&row.details).unwrap_or_default();
        let quote: String = details.quote?.chars().take(MAX_QUOTE_CHARS).collect();
        Some(SentimentExcerpt { run_id: row.id, provider: row.provider, quote })
    });
    Ok(quoted.take(MAX_EXCERPTS).collect())
}

async fn prompts_of(
    conn: &mut Conn,
    record: &MonitoredDomain,
    prompts: Vec<Prompt>,
) -> Result<Vec<ReportPrompt>, DbError> {
    let mut levels: HashMap<String, (Option<u8>, Option<f64>)> = HashMap::new();
    for row in rows::list_levels(conn, &record.domain).await? {
        let (level, ewma) = levels.entry(row.prompt_id).or_default();
        let own = u8::try_from(row.level).ok();
        *level = (*level).min(own).or(*level).or(own);
        *ewma = match (*ewma, row.ewma) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
    let read = |prompt: Prompt| {
        let found = levels.get(prompt.id.as_str()).copied().unwrap_or_default();
        let is_dynamic = prompt.interval == MonitorInterval::Dynamic;
        ReportPrompt {
            id: prompt.id.to_string(),
            text: prompt.text,
            intent: prompt.intent.as_str().to_owned(),
            tags: prompt.tags,
            is_branded: prompt.is_branded,
            level: found.0.filter(|_| is_dynamic),
            change_ewma: found.1.filter(|_| is_dynamic),
        }
    };
    Ok(prompts.into_iter().map(read).collect())
}
