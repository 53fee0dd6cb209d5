//! Events of a site's last days, as the overview lists them. Pure: puts what services say into one list.

use serde::Serialize;
use utoipa::ToSchema;

use analytics::model::{Day, day_of, start_of};
use analytics::{CrawlerIndex, FirstVisit};
use audit::RunSummary;
use mentions::reading::{MentionEvent, MentionEventKind};
use platform::clock::Timestamp;
use refresh::model::BatchSummary;

/// Days that changes are listed of, today included.
pub const CHANGE_DAYS: u32 = 14;
/// Changes of one list.
pub const MOST_CHANGES: usize = 20;

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SiteChangeKind {
    Connected,
    AuditFinished,
    RefreshFinished,
    CrawlerFirstSeen,
    PagesFirstSeen,
    SnapshotsFailed,
    VisibilityChanged,
    FirstNamed,
    ReportReady,
}

/// Something that happened to a site.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SiteChange {
    /// UTC day, `YYYY-MM-DD`.
    #[schema(examples("2026-11-20"))]
    pub date: String,
    pub kind: SiteChangeKind,
    /// Number of the things meant: findings, pages, snapshots, answers.
    #[schema(required = true, examples(12))]
    pub count: Option<u64>,
    /// Run, batch, report, provider or name of the crawler that the change is about.
    #[schema(required = true, examples("GPTBot"))]
    pub subject: Option<String>,
    /// Health or rate before.
    #[schema(required = true, examples(85.3))]
    pub before: Option<f64>,
    /// Health or rate after.
    #[schema(required = true, examples(87.4))]
    pub after: Option<f64>,
    /// Path in the dashboard.
    #[schema(examples("/d/shop.example/crawlers"))]
    pub href: String,
}

/// Sources of a site's last days, by service.
#[derive(Debug, Default)]
pub struct ChangeSources<'a> {
    pub connected_at: Option<Timestamp>,
    /// Newest runs with results.
    pub runs: &'a [RunSummary],
    /// Newest refreshes.
    pub batches: &'a [BatchSummary],
    pub first_visits: Vec<(Day, FirstVisit)>,
    /// Snapshots whose last render failed, by day.
    pub failures: Vec<(Day, u64)>,
    pub mentions: Vec<MentionEvent>,
}

/// A change with its day, before both are written down.
struct Dated(Day, SiteChange);

fn change(day: Day, kind: SiteChangeKind, href: String) -> Dated {
    let date = start_of(day).day();
    Dated(day, SiteChange { date, kind, count: None, subject: None, before: None, after: None, href })
}

/// Lists the changes since a day, the newest first, at most 20.
pub fn list_changes(host: &str, sources: ChangeSources<'_>, from: Day) -> Vec<SiteChange> {
    let mut changes: Vec<Dated> = Vec::new();
    if let Some(at) = sources.connected_at {
        changes.push(change(day_of(at), SiteChangeKind::Connected, format!("/d/{host}/setup")));
    }
    changes.extend(sources.runs.iter().map(|run| of_run(host, run)));
    changes.extend(sources.batches.iter().filter_map(|batch| of_batch(host, batch)));
    changes.extend(sources.first_visits.into_iter().map(|(day, first)| of_first_visit(host, day, first)));
    changes.extend(sources.failures.into_iter().map(|(day, count)| {
        let href = format!("/d/{host}/rendering?state=failing");
        with(change(day, SiteChangeKind::SnapshotsFailed, href), |change| change.count = Some(count))
    }));
    changes.extend(sources.mentions.into_iter().map(|event| of_mention(host, event)));
    changes.retain(|Dated(day, _)| *day >= from);
    // Stable: of one day in the order of kinds.
    changes.sort_by(|Dated(a, one), Dated(b, other)| b.cmp(a).then_with(|| one.kind.cmp(&other.kind)));
    changes.into_iter().map(|Dated(_, change)| change).take(MOST_CHANGES).collect()
}

fn with(Dated(day, mut change): Dated, set: impl FnOnce(&mut SiteChange)) -> Dated {
    set(&mut change);
    Dated(day, change)
}

fn of_run(host: &str, run: &RunSummary) -> Dated {
    let href = format!("/d/{host}/audits/{}", run.id);
    with(change(day_of(run.completed_at), SiteChangeKind::AuditFinished, href), |change| {
        change.count = Some(run.facts.errors + run.facts.warnings + run.facts.notices);
        change.subject = Some(run.id.to_string());
        change.before = run.delta_health.map(|delta| one_decimal(run.health_score - delta));
        change.after = Some(run.health_score);
    })
}

fn of_batch(host: &str, batch: &BatchSummary) -> Option<Dated> {
    let href = format!("/d/{host}/rendering/batches/{}", batch.batch_group_id);
    let dated = change(day_of(batch.completed_at?), SiteChangeKind::RefreshFinished, href);
    Some(with(dated, |change| {
        change.count = Some(batch.done);
        change.subject = Some(batch.batch_group_id.clone());
    }))
}

fn of_first_visit(host: &str, day: Day, first: FirstVisit) -> Dated {
    match first {
        FirstVisit::Crawler(id) => {
            let name = CrawlerIndex::shared().find(&id).map(|crawler| crawler.name.clone());
            with(change(day, SiteChangeKind::CrawlerFirstSeen, format!("/d/{host}/crawlers")), |change| {
                change.subject = Some(name.unwrap_or(id));
            })
        }
        FirstVisit::Pages(count) => {
            let href = format!("/d/{host}/crawlers/pages?only=new");
            with(change(day, SiteChangeKind::PagesFirstSeen, href), |change| change.count = Some(count))
        }
    }
}

fn of_mention(host: &str, event: MentionEvent) -> Dated {
    let (kind, href) = match (event.kind, &event.subject) {
        (MentionEventKind::VisibilityChanged, _) => {
            (SiteChangeKind::VisibilityChanged, format!("/d/{host}/mentions"))
        }
        (MentionEventKind::FirstNamed, _) => {
            (SiteChangeKind::FirstNamed, format!("/d/{host}/mentions/answers"))
        }
        (MentionEventKind::ReportReady, Some(report)) => {
            (SiteChangeKind::ReportReady, format!("/d/{host}/mentions/reports/{report}"))
        }
        (MentionEventKind::ReportReady, None) => {
            (SiteChangeKind::ReportReady, format!("/d/{host}/mentions/reports"))
        }
    };
    with(change(event.day, kind, href), |change| {
        change.count = event.count;
        change.subject = event.subject;
        change.before = event.before;
        change.after = event.after;
    })
}

fn one_decimal(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_newest_first_and_none_from_before_the_window() {
        let sources = ChangeSources {
            connected_at: Some(start_of(99)),
            first_visits: vec![(101, FirstVisit::Pages(3)), (100, FirstVisit::Crawler("gptbot".to_owned()))],
            failures: vec![(101, 2)],
            ..ChangeSources::default()
        };

        let changes = list_changes("shop.example", sources, 100);

        let kinds: Vec<SiteChangeKind> = changes.iter().map(|change| change.kind).collect();
        assert_eq!(
            kinds,
            [
                SiteChangeKind::PagesFirstSeen,
                SiteChangeKind::SnapshotsFailed,
                SiteChangeKind::CrawlerFirstSeen
            ]
        );
        assert_eq!(changes[2].subject.as_deref(), Some("GPTBot"));
    }

    #[test]
    fn twenty_changes_are_the_most() {
        let failures = (0..30).map(|day| (day, 1)).collect();

        let changes = list_changes("shop.example", ChangeSources { failures, ..ChangeSources::default() }, 0);

        assert_eq!(changes.len(), 20);
        assert_eq!(changes[0].date, "1970-01-30");
    }
}
