//! Options of the engine, from the stored request of a run and from earlier runs and visits. Used by the work of runs.

use std::collections::HashSet;
use std::time::Duration;

use audit_engine::checks::thresholds::Thresholds;
use audit_engine::checks::{CheckId, CheckNeed, FindingScope};
use audit_engine::engine::{AuditOptions, CrawlMode, IgnoredFinding};

use super::running::WorkError;
use super::runs::AuditRuns;
use crate::model::Run;
use crate::source::USER_AGENT;
use domains::Site;

/// Longest run.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// Pages that sampling never skips because of errors of the run before, or of visits of crawlers.
const MOST_KEPT_PAGES: usize = 50_000;
/// Days in which a crawler's visit keeps a page from being skipped.
const VISIT_DAYS: i64 = 30;

/// Returns how the engine audits a site in a run.
pub(super) async fn options_of(runs: &AuditRuns, run: &Run, site: &Site) -> Result<AuditOptions, WorkError> {
    let (request, settings) = (&run.request, &run.request.auditing);
    let mut options = AuditOptions::follow(request.urls[0].clone());
    options.seeds.clone_from(&request.urls);
    options.mode = request.mode;
    options.max_pages = usize::try_from(request.max_pages).unwrap_or(usize::MAX);
    options.allow_sampling = request.allow_sampling;
    options.max_depth = settings.max_depth.map(|depth| u16::try_from(depth).unwrap_or(u16::MAX));
    options.time_limit = Some(LONGEST);
    options.requests_per_second = settings.requests_per_second;
    options.robots = settings.robots_txt.policy();
    options.sitemap_limits = runs.origins.sitemap_limits();
    options.crawlers_are_served = request.crawlers_are_served;
    options.sister_hosts = sister_hosts(runs, site).await?;
    let agent = settings.user_agent.as_deref().unwrap_or(USER_AGENT);
    options.agent = agent.split(['/', ' ']).next().unwrap_or_default().to_owned();
    options.renders = settings.javascript;
    options.renders_at_once = runs.platform.config.render_concurrency().max(1);
    options.sitemap.clone_from(&request.sitemap);
    options.checks = checks(&settings.enabled_checks, &settings.disabled_checks);
    // Nobody reads the sitemap for a list of addresses.
    let reads_sitemaps = request.mode != CrawlMode::Selected;
    options.checks.retain(|id| reads_sitemaps || id.check().scope != FindingScope::Sitemap);
    options.ignored = settings
        .ignored
        .iter()
        .filter_map(|ignored| {
            let check = CheckId::find(&ignored.issue_id)?;
            Some(IgnoredFinding { check, path_pattern: ignored.path_pattern.clone() })
        })
        .collect();
    // Saved thresholds were checked then; a newer version may be stricter, and then goes without.
    options.thresholds = Thresholds::with(&settings.thresholds).unwrap_or_default();
    options.extractions = settings.extractions.iter().filter_map(|rule| rule.compile().ok()).collect();
    options.searches = settings.searches.iter().filter_map(|rule| rule.compile().ok()).collect();
    options.include.clone_from(&settings.include);
    options.exclude.clone_from(&settings.exclude);
    options.drop_parameters.clone_from(&settings.drop_parameters);
    add_what_is_known(runs, run, &mut options).await?;
    Ok(options)
}

/// Adds the options that follow from earlier runs and visits.
async fn add_what_is_known(runs: &AuditRuns, run: &Run, options: &mut AuditOptions) -> Result<(), WorkError> {
    let asks_for_dates = options.needs(CheckNeed::PreviousRun);
    if asks_for_dates || options.allow_sampling {
        let newest = runs.reader.earlier_runs(&run.domain_id, run.started_at).await?.into_iter().next();
        if let Some(newest) = newest.as_ref().filter(|_| asks_for_dates) {
            options.previous = runs.reader.segments.dates(newest).await?;
        }
        if options.allow_sampling {
            options.never_skipped = kept_pages(runs, run, newest.as_ref()).await?;
        }
    }
    if run.request.new_pages_only {
        options.known_pages = runs.reader.known_pages(&run.domain_id, run.started_at).await?;
    }
    Ok(())
}

/// Returns the paths that sampling never skips: pages with an error in the previous run, and pages that a crawler
/// visited lately.
async fn kept_pages(runs: &AuditRuns, run: &Run, newest: Option<&Run>) -> Result<HashSet<String>, WorkError> {
    let mut kept = HashSet::new();
    let since = run.started_at.as_millis() - VISIT_DAYS * 24 * 3600 * 1000;
    let since = jiff::Timestamp::from_millisecond(since).map(|time| time.strftime("%Y-%m-%d").to_string());
    // Dates are written so that they sort as texts.
    let since = since.unwrap_or_default();
    let visits = runs.reader.visits.last_visits(&run.domain_id, None).await?;
    let visited = visits.into_iter().filter(|(_, visit)| visit.date >= since);
    kept.extend(visited.map(|(path, _)| path).take(MOST_KEPT_PAGES));
    if let Some(newest) = newest {
        let index = runs.reader.segments.index(newest).await?;
        let found = (0..index.len()).filter(|row| index.has_error(*row)).take(MOST_KEPT_PAGES);
        kept.extend(found.map(|row| index.paths[row].clone()));
    }
    Ok(kept)
}

/// Returns the hosts of the account's other domains, whose language versions are checked for links back.
async fn sister_hosts(runs: &AuditRuns, site: &Site) -> Result<HashSet<String>, WorkError> {
    let domains = runs.domains.list(Some(&site.domain.account_id)).await?;
    let others = domains.into_iter().filter(|domain| domain.id != site.domain.id && domain.is_proven());
    Ok(others.flat_map(|domain| Site::new(domain).hosts()).collect())
}

fn checks(enabled: &[String], disabled: &[String]) -> Vec<CheckId> {
    let enabled: HashSet<&str> = enabled.iter().map(String::as_str).collect();
    let disabled: HashSet<&str> = disabled.iter().map(String::as_str).collect();
    let runs = |id: &CheckId| {
        let check = id.check();
        (check.is_default || enabled.contains(check.id)) && !disabled.contains(check.id)
    };
    CheckId::all().filter(runs).collect()
}
