//! Verifications by schedule: a domain that is served is verified once a day, and webhooks get an event when the result changes.
//! Used by the jobs and by the handlers of the schedule.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domains::{Domain, DomainId, DomainStatus, DomainsService, Site};
use platform::Platform;
use platform::clock::Timestamp;
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, Jobs};
use render::RenderService;
use store::DbError;
use webhooks::events::{FailedCheck, VerifyFailing, VerifyRecovered};
use webhooks::{Events, NewEvent};

use super::jobs::VerifyBySchedule;
use super::model::{
    DEFAULT_CRAWLER, ImitatedCrawler, LastVerification, SiteCheckResult, SiteReport, VerificationSchedule,
    VerificationView, VerifyError,
};
use super::probes::SiteVerifier;
use super::queries;
use super::target::target_of;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Domains that one look queues.
const SOME: usize = 500;

/// Verifications by schedule. Cheap to clone.
#[derive(Clone)]
pub struct ScheduledVerification(Arc<Parts>);

struct Parts {
    platform: Platform,
    domains: DomainsService,
    render: RenderService,
    jobs: Jobs,
    events: Events,
    verifier: SiteVerifier,
}

impl ScheduledVerification {
    /// Makes the service. Starts nothing.
    pub fn new(
        platform: &Platform,
        domains: &DomainsService,
        render: &RenderService,
        jobs: &Jobs,
        verifier: &SiteVerifier,
    ) -> ScheduledVerification {
        ScheduledVerification(Arc::new(Parts {
            platform: platform.clone(),
            domains: domains.clone(),
            render: render.clone(),
            jobs: jobs.clone(),
            events: Events::new(&platform.clock, jobs),
            verifier: verifier.clone(),
        }))
    }

    fn now(&self) -> Timestamp {
        self.0.platform.clock.now()
    }

    /// Returns how often a domain is verified, and the last result.
    pub async fn view(&self, domain: &Domain) -> Result<VerificationView, DbError> {
        let row = queries::find(&mut self.0.platform.db.read().await?, &domain.id).await?;
        let Some(row) = row else { return Ok(VerificationView::default()) };
        let last = row.last_at.zip(row.last_ok).map(|(at, ok)| LastVerification {
            at: Timestamp::from_millis(at),
            ok,
            checks: serde_json::from_str(row.last_checks.as_deref().unwrap_or("[]")).unwrap_or_default(),
        });
        Ok(VerificationView { every: VerificationSchedule::stored(&row.every), last_result: last })
    }

    /// Sets how often a domain is verified. One that is switched on is due at once.
    pub async fn set(&self, domain: &Domain, every: VerificationSchedule) -> Result<(), DbError> {
        let mut tx = self.0.platform.db.write().await?;
        queries::put_schedule(&mut tx, &domain.id, every, self.now()).await?;
        tx.commit_durably().await
    }

    /// Queues the verifications that are due.
    pub(super) async fn queue_due(&self) -> Result<(), DbError> {
        let now = self.now();
        let known: HashMap<String, Option<i64>> =
            queries::list_due_times(&mut self.0.platform.db.read().await?).await?.into_iter().collect();
        let is_due = |domain: &Domain| match known.get(domain.id.as_str()) {
            None => true,
            Some(next) => next.is_some_and(|next| next <= now.as_millis()),
        };
        let domains = self.0.domains.list(None).await?;
        let due: Vec<Domain> =
            domains.into_iter().filter(|domain| is_served(domain) && is_due(domain)).take(SOME).collect();
        if due.is_empty() {
            return Ok(());
        }
        let mut tx = self.0.platform.db.write().await?;
        let mut jobs = Vec::new();
        for domain in &due {
            queries::plan(&mut tx, &domain.id, now.plus(DAY)).await?;
            let job = VerifyBySchedule { domain: domain.id.clone() }.queued_for(domain.account_id.as_str());
            let job = job.domain(domain.id.as_str()).unique(domain.id.as_str());
            jobs.push(job.priority(JobPriority::Background));
        }
        self.0.jobs.enqueue(&mut tx, jobs).await?;
        tx.commit().await?;
        self.0.jobs.wake();
        Ok(())
    }

    /// Verifies a domain, records the result, and tells webhooks when it has changed.
    pub(super) async fn verify(&self, id: &DomainId) -> Result<JobOutcome, JobError> {
        let Some(domain) = self.0.domains.find_by_id(id).await?.filter(is_served) else {
            return Ok(JobOutcome::Done);
        };
        let checks = match self.checks_of(&domain).await {
            Ok(checks) => checks,
            Err(ScheduledError::AskedTooOften(wait)) => return Ok(JobOutcome::Later(wait)),
            Err(ScheduledError::Store(error)) => return Err(error.into()),
        };
        let ok = checks.iter().all(|check| check.ok);
        let now = self.now();
        let text = serde_json::to_string(&checks).expect("checks are plain data");
        let mut tx = self.0.platform.db.write().await?;
        let before = queries::find(&mut tx, id).await?.and_then(|row| row.last_ok);
        queries::put_result(&mut tx, id, (now, ok), &text).await?;
        let data = match (before, ok) {
            (Some(true) | None, false) => Some(VerifyFailing { checks: failed(checks) }.into()),
            (Some(false), true) => Some(VerifyRecovered {}.into()),
            _ => None,
        };
        if let Some(data) = data {
            let event = NewEvent { account: &domain.account_id, domain: Some(&domain.host), data };
            self.0.events.emit(&mut tx, event).await?;
        }
        tx.commit().await?;
        self.0.events.wake();
        Ok(JobOutcome::Done)
    }

    async fn checks_of(&self, domain: &Domain) -> Result<Vec<SiteCheckResult>, ScheduledError> {
        let crawler = ImitatedCrawler::named(DEFAULT_CRAWLER).expect("the default crawler is in the list");
        let url_bytes = self.0.platform.config.limits.url_bytes;
        let target = target_of(domain, "/", crawler, url_bytes).expect("the root of a domain is an address");
        match self.0.verifier.verify(&target).await {
            Ok(report) => Ok(self.explained(domain, report, &target.url).await?.checks),
            Err(VerifyError::AskedTooOften { resets_in }) => Err(ScheduledError::AskedTooOften(resets_in)),
            Err(VerifyError::NothingAnswered { reason, .. }) => Ok(vec![SiteCheckResult {
                id: "answers",
                ok: false,
                detail: format!("Nothing answered: {reason}."),
                remedy: None,
            }]),
        }
    }

    async fn explained(
        &self,
        domain: &Domain,
        mut report: SiteReport,
        url: &url::Url,
    ) -> Result<SiteReport, DbError> {
        let site = Site::new(domain.clone());
        report.explain_empty_page(&self.0.render.stored_pages().problems(&site, url).await?);
        Ok(report)
    }
}

/// Reason why there is no result.
enum ScheduledError {
    AskedTooOften(Duration),
    Store(DbError),
}

impl From<DbError> for ScheduledError {
    fn from(error: DbError) -> ScheduledError {
        ScheduledError::Store(error)
    }
}

fn is_served(domain: &Domain) -> bool {
    matches!(domain.status, DomainStatus::Connected | DomainStatus::ViaApi)
}

fn failed(checks: Vec<SiteCheckResult>) -> Vec<FailedCheck> {
    let failed = checks.into_iter().filter(|check| !check.ok);
    failed
        .map(|check| FailedCheck { id: check.id.to_owned(), detail: check.detail, remedy: check.remedy })
        .collect()
}
