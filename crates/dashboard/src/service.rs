//! The overview of a site and the list of an account's sites: joins what services of other features say, part by part.
//! Owns what was dismissed and nothing else. A part that cannot be read is named and left out; the others are answered.

use std::collections::HashMap;
use std::fmt::Display;

use crawler::errors::one_line;
use store::{Db, DbError};
use url::Url;

use super::attention::{
    AttentionEntry, AttentionFacts, DISMISSED_FOR, Dismissal, ERROR_DAYS, VISIBILITY_DAYS, WeekOfVisits,
    list_attention, without_dismissed,
};
use super::changes::{CHANGE_DAYS, ChangeSources, SiteChange, list_changes};
use super::overview::{
    HEALTH_POINTS, MOST_ATTENTION, MOST_CITED, OverviewCitedPage, OverviewHealth, OverviewPeople,
    OverviewServed, OverviewSnapshots, OverviewVisibility, OverviewVisits, OverviewWords, SiteOverview,
};
use super::preview_image::PreviewImages;
use super::queries;
use accounts::AccountId;
use accounts::usage::UsageEntry;
use analytics::model::{Day, date_of, start_of};
use analytics::{Analytics, DomainDay, FirstVisit};
use audit::service::PageWords;
use audit::{AuditReader, ReadError, RunSummary};
use domains::{Domain, DomainId, DomainsService, Site};
use mentions::reading::{AccountVisibility, CitedPage, MentionReading};
use platform::Platform;
use platform::clock::{Clock, Timestamp};
use refresh::RefreshService;
use render::RenderService;
use render::snapshot_list::SnapshotCounts;

/// Days in which the last visit of an AI crawler to a cited page is looked for.
const CRAWL_DAYS: u32 = 30;

/// Services that the dashboard joins.
#[derive(Clone)]
pub struct DashboardServices {
    pub domains: DomainsService,
    pub analytics: Analytics,
    pub audits: AuditReader,
    pub mentions: MentionReading,
    pub render: RenderService,
    pub refresh: RefreshService,
}

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct SiteDashboard {
    db: Db,
    clock: Clock,
    demo_domain: Option<String>,
    pub(super) services: DashboardServices,
    pub previews: PreviewImages,
}

/// Names of parts that could not be read.
#[derive(Default)]
struct Unavailable(Vec<&'static str>);

impl Unavailable {
    /// Returns what was read; else logs the error and names the part.
    fn part<T, E: std::error::Error + 'static>(
        &mut self,
        name: &'static str,
        read: Result<T, E>,
    ) -> Option<T> {
        let error = match read {
            Ok(part) => return Some(part),
            Err(error) => error,
        };
        tracing::warn!(part = name, error = one_line(&error), "a part of the overview could not be read");
        if !self.0.contains(&name) {
            self.0.push(name);
        }
        None
    }
}

impl SiteDashboard {
    pub fn new(platform: &Platform, services: DashboardServices) -> SiteDashboard {
        SiteDashboard {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            demo_domain: platform.config.server.demo_domain.clone(),
            services,
            previews: PreviewImages::new(platform),
        }
    }

    /// Decides whether a host is the demo of this installation.
    pub fn is_demo(&self, host: &str) -> bool {
        self.demo_domain.as_deref() == Some(host)
    }

    /// Tells a site at a glance. `limits` are those of the account.
    pub async fn overview(&self, site: &Site, days: u32, limits: &[UsageEntry]) -> SiteOverview {
        let domain = &site.domain;
        let DashboardServices { analytics, audits, mentions, render, .. } = &self.services;
        let mut unavailable = Unavailable::default();
        let lists = render.snapshot_lists();
        let (visits, people, runs, visibility, snapshots) = tokio::join!(
            analytics.visits_overview(&domain.id, days),
            analytics.people_overview(&domain.id, days),
            audits.recent_summaries(&domain.id, HEALTH_POINTS),
            mentions.domain_visibility(&domain.id, days),
            lists.count(site),
        );
        let visits = unavailable.part("visits", visits);
        if visits.is_none() {
            unavailable.0.push("served");
        }
        let people = unavailable.part("people", people);
        let runs = unavailable.part("health", runs);
        let visibility = unavailable.part("visibility", visibility);
        let snapshots = unavailable.part("snapshots", snapshots);
        let (cited, words, attention, changes) = tokio::join!(
            self.cited_pages(site, days),
            self.start_page_words(domain),
            self.attention(domain, runs.as_deref(), snapshots, limits),
            self.changes(domain, runs.as_deref()),
        );
        SiteOverview {
            domain: domain.host.clone(),
            status: domain.status,
            demo: self.is_demo(&domain.host),
            days,
            served: visits.as_ref().map(OverviewServed::of),
            visits: visits.as_ref().map(OverviewVisits::of),
            people: people.map(|(total, previous)| OverviewPeople { total, previous }),
            health: runs.as_deref().and_then(OverviewHealth::of),
            words: known("words of the start page", words).flatten(),
            visibility: visibility.flatten().map(OverviewVisibility::from),
            snapshots: snapshots.map(OverviewSnapshots::from),
            cited_pages: unavailable.part("citedPages", cited),
            attention: unavailable.part("attention", attention).map(|mut entries| {
                entries.truncate(MOST_ATTENTION);
                entries
            }),
            changes: unavailable.part("changes", changes),
            unavailable: unavailable.0,
        }
    }

    /// Counts the words of the start page in the last audit, without and with JavaScript.
    async fn start_page_words(&self, domain: &Domain) -> Result<Option<OverviewWords>, ReadError> {
        let Some(latest) = self.services.audits.latest_run(&domain.id).await? else { return Ok(None) };
        let words = latest.count_words("/").await?;
        Ok(words.map(|PageWords { raw, rendered }| OverviewWords { raw, rendered }))
    }

    /// Lists what needs attention at one site, and is not dismissed. Parts that cannot be read are left out: the overview names
    /// them where they stand.
    async fn attention(
        &self,
        domain: &Domain,
        runs: Option<&[RunSummary]>,
        snapshots: Option<SnapshotCounts>,
        limits: &[UsageEntry],
    ) -> Result<Vec<AttentionEntry>, DbError> {
        let entries = self.all_attention(domain, runs, snapshots, limits).await;
        let dismissed = self.list_dismissed(&domain.account_id, Some(&domain.id)).await?;
        let none = HashMap::new();
        Ok(without_dismissed(entries, dismissed.get(&domain.id).unwrap_or(&none), self.clock.now()))
    }

    async fn all_attention(
        &self,
        domain: &Domain,
        runs: Option<&[RunSummary]>,
        snapshots: Option<SnapshotCounts>,
        limits: &[UsageEntry],
    ) -> Vec<AttentionEntry> {
        let DashboardServices { analytics, mentions, .. } = &self.services;
        let window = self.error_window();
        let ids = std::slice::from_ref(&domain.id);
        let (week, visibility) = tokio::join!(
            analytics.days_of_domains(ids, window),
            mentions.account_visibility(&domain.account_id, VISIBILITY_DAYS),
        );
        let week = known("visits", week).map(|days| sum_week(&days, window));
        let visibility = known("visibility", visibility);
        list_attention(&AttentionFacts {
            host: &domain.host,
            status: domain.status,
            created_at: domain.created_at,
            week,
            audit: runs.and_then(<[RunSummary]>::first),
            snapshots,
            visibility: visibility.and_then(|of_account| of_account.get(&domain.id).copied()),
            limits,
        })
    }

    /// Returns the days of visits in which errors are counted, with those before.
    fn error_window(&self) -> (Day, Day) {
        let today = self.services.analytics.today();
        (today - 2 * ERROR_DAYS + 1, today)
    }

    async fn changes(
        &self,
        domain: &Domain,
        runs: Option<&[RunSummary]>,
    ) -> Result<Vec<SiteChange>, DbError> {
        let DashboardServices { domains, analytics, mentions, render, refresh, .. } = &self.services;
        let (from, to) = analytics.window(CHANGE_DAYS);
        let lists = render.snapshot_lists();
        let (connected_at, first_visits, failures, events, batches) = tokio::join!(
            domains.find_connected_at(&domain.id),
            analytics.first_visits(&domain.id, (from, to)),
            lists.count_failures(&domain.id, from),
            mentions.events(&domain.id, CHANGE_DAYS),
            refresh.list_batches(&domain.id),
        );
        let first_visits: Vec<(Day, FirstVisit)> = known("first visits", first_visits).unwrap_or_default();
        let batches = batches?;
        let sources = ChangeSources {
            connected_at: connected_at?,
            runs: runs.unwrap_or_default(),
            batches: &batches,
            first_visits,
            failures: failures?,
            mentions: events?,
        };
        Ok(list_changes(&domain.host, sources, from))
    }

    async fn cited_pages(&self, site: &Site, days: u32) -> Result<Vec<OverviewCitedPage>, DbError> {
        let DashboardServices { analytics, audits, mentions, render, .. } = &self.services;
        let cited: Vec<CitedPage> = mentions.cited_pages(&site.domain, days, MOST_CITED).await?;
        if cited.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<String> = cited.iter().map(|page| page.path.clone()).collect();
        let urls: Vec<Url> = paths
            .iter()
            .filter_map(|path| Url::parse(&format!("https://{}{path}", site.domain.host)).ok())
            .collect();
        let (crawls, audited, stored) = tokio::join!(
            analytics.ai_crawls(&site.domain.id, CRAWL_DAYS),
            audits.latest_run(&site.domain.id),
            render.stored_pages().stored_at(site, &urls),
        );
        let issues = known("issues", audited).flatten().map(|audited| audited.count_issues(&paths));
        let crawls = known("AI crawls", crawls);
        let (stored, now) = (stored?, self.clock.now());
        let ages: HashMap<&Url, u64> =
            urls.iter().zip(stored).filter_map(|(url, at)| Some((url, now.since(at?).as_secs()))).collect();
        let page = |page: CitedPage| {
            let without_query = page.path.split('?').next().unwrap_or_default();
            let last = crawls.as_ref().and_then(|crawls| crawls.get(without_query));
            let url = Url::parse(&format!("https://{}{}", site.domain.host, page.path)).ok();
            OverviewCitedPage {
                last_crawler_visit: last.map(|crawls| date_of(crawls.last)),
                snapshot_age_seconds: url.and_then(|url| ages.get(&url).copied()),
                issue_count: issues.as_ref().and_then(|issues| issues.get(&page.path).copied()),
                path: page.path,
                citations: page.citations,
                providers: page.providers,
            }
        };
        Ok(cited.into_iter().map(page).collect())
    }

    /// Hides an entry of attention of a domain. One that is not there at the moment stays as it is.
    pub async fn dismiss(&self, site: &Site, limits: &[UsageEntry], id: &str) -> Result<(), DbError> {
        let domain = &site.domain;
        let runs = self.services.audits.recent_summaries(&domain.id, 1).await?;
        let snapshots = self.services.render.snapshot_lists().count(site).await?;
        let entries = self.all_attention(domain, Some(&runs), Some(snapshots), limits).await;
        let Some(entry) = entries.into_iter().find(|entry| entry.id == id) else { return Ok(()) };
        let now = self.clock.now();
        let count = i64::try_from(entry.count).unwrap_or(i64::MAX);
        let mut tx = self.db.write().await?;
        queries::delete_expired(&mut tx, &domain.id, now.minus(DISMISSED_FOR)).await?;
        queries::put_dismissed(&mut tx, &domain.id, (id, count), now).await?;
        tx.commit().await
    }

    /// Shows an entry of attention again.
    pub async fn restore(&self, domain: &DomainId, id: &str) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::delete_dismissed(&mut tx, domain, id).await?;
        tx.commit().await
    }

    /// Lists what is dismissed of an account's domains, or of one of them.
    pub(super) async fn list_dismissed(
        &self,
        account: &AccountId,
        domain: Option<&DomainId>,
    ) -> Result<HashMap<DomainId, HashMap<String, Dismissal>>, DbError> {
        let since = self.clock.now().minus(DISMISSED_FOR);
        let rows = queries::list_dismissed(&mut self.db.read().await?, account, domain, since).await?;
        let mut dismissed: HashMap<DomainId, HashMap<String, Dismissal>> = HashMap::new();
        for row in rows {
            let at = Timestamp::from_millis(row.dismissed_at);
            let dismissal = Dismissal { count: row.count.unsigned_abs(), at };
            dismissed.entry(DomainId::from(row.domain_id)).or_default().insert(row.entry, dismissal);
        }
        Ok(dismissed)
    }

    /// Reads the facts that decide, for each of some domains of an account, which things need attention. Visits and visibility that cannot
    /// be read are left out.
    pub(super) async fn read_attention(
        &self,
        account: &AccountId,
        domains: &[Domain],
    ) -> Result<AccountAttention, DbError> {
        let DashboardServices { analytics, mentions, render, .. } = &self.services;
        let ids: Vec<DomainId> = domains.iter().map(|domain| domain.id.clone()).collect();
        let window = self.error_window();
        let lists = render.snapshot_lists();
        let (weeks, visibility, snapshots, dismissed) = tokio::join!(
            analytics.days_of_domains(&ids, window),
            mentions.account_visibility(account, VISIBILITY_DAYS),
            lists.count_planned(&ids),
            self.list_dismissed(account, None),
        );
        let mut days: HashMap<DomainId, Vec<DomainDay>> = HashMap::new();
        for day in known("visits", weeks).unwrap_or_default() {
            days.entry(day.domain.clone()).or_default().push(day);
        }
        Ok(AccountAttention {
            weeks: days.into_iter().map(|(domain, days)| (domain, sum_week(&days, window))).collect(),
            visibility: known("visibility", visibility).unwrap_or_default(),
            snapshots: snapshots?,
            dismissed: dismissed?,
            now: self.clock.now(),
        })
    }
}

/// Facts about the domains of an account, without their audits, that decide which things need attention.
pub(super) struct AccountAttention {
    weeks: HashMap<DomainId, WeekOfVisits>,
    visibility: HashMap<DomainId, AccountVisibility>,
    snapshots: HashMap<DomainId, SnapshotCounts>,
    dismissed: HashMap<DomainId, HashMap<String, Dismissal>>,
    now: Timestamp,
}

impl AccountAttention {
    /// Lists the things of a domain that need attention, the most urgent first. Limits of the account are not among them.
    pub(super) fn list(&self, domain: &Domain, audit: Option<&RunSummary>) -> Vec<AttentionEntry> {
        let entries = list_attention(&AttentionFacts {
            host: &domain.host,
            status: domain.status,
            created_at: domain.created_at,
            week: self.weeks.get(&domain.id).copied(),
            audit,
            snapshots: self.snapshots.get(&domain.id).copied(),
            visibility: self.visibility.get(&domain.id).copied(),
            limits: &[],
        });
        let none = HashMap::new();
        without_dismissed(entries, self.dismissed.get(&domain.id).unwrap_or(&none), self.now)
    }
}

/// Returns what was read; else logs the error.
fn known<T, E: std::error::Error + 'static>(name: impl Display, read: Result<T, E>) -> Option<T> {
    read.inspect_err(|error| {
        tracing::warn!(part = %name, error = one_line(error), "the dashboard goes on without a part");
    })
    .ok()
}

/// Sums up the last seven days of a window of fourteen, and the seven before.
fn sum_week(days: &[DomainDay], (_, today): (Day, Day)) -> WeekOfVisits {
    let first = today - ERROR_DAYS + 1;
    let mut week = WeekOfVisits::default();
    for day in days {
        if day.day >= first {
            week.visits += day.visits;
            week.failed += day.failed;
            if day.failed > 0 {
                let at = start_of(day.day);
                week.since = Some(week.since.map_or(at, |since| since.min(at)));
            }
        } else {
            week.previous_visits += day.visits;
            week.previous_failed += day.failed;
        }
    }
    week
}
