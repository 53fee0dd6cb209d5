//! Things of a site that need attention: which there are, in which order, and which of them are hidden. Pure.
//! The overview and the list of sites decide by this one function. See docs/decisions/0450.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use accounts::usage::UsageEntry;
use audit::RunSummary;
use domains::DomainStatus;
use mentions::reading::AccountVisibility;
use platform::clock::Timestamp;
use render::snapshot_list::SnapshotCounts;

/// Days of visits that crawl errors are counted in.
pub const ERROR_DAYS: i64 = 7;
/// Days that visibility is compared over.
pub const VISIBILITY_DAYS: u32 = 7;
/// Time for which a dismissed entry stays hidden.
pub const DISMISSED_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Share of visits with an error from which on the errors need attention.
const ERROR_SHARE: f64 = 0.01;
/// Share of stale snapshots from which on they need attention.
const STALE_SHARE: f64 = 0.01;
/// Share of a limit from which on it is near.
const NEAR_SHARE: f64 = 0.8;

/// Kind of a thing that needs attention, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// Nothing leads to the service yet.
    NotConnected,
    /// The month's allowance is used up.
    LimitReached,
    /// Crawlers were answered with errors in the last seven days.
    CrawlErrors,
    /// The last audit found errors that the one before did not; it was the first and found errors.
    NewAuditErrors,
    /// Crawlers of answer engines may not read the site.
    AiCrawlersBlocked,
    /// The last render of some pages failed.
    SnapshotsFailing,
    /// Assistants name the brand less often than in the week before.
    VisibilityDropped,
    /// Some pages are past their refresh interval.
    SnapshotsStale,
    /// 80 % of the month's allowance are used.
    LimitNear,
}

/// Weight of a thing that needs attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AttentionSeverity {
    Error,
    Warning,
    Notice,
}

/// A thing that needs attention.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct AttentionEntry {
    /// Name of the entry, by which it is dismissed.
    #[schema(examples("snapshots_failing"))]
    pub id: String,
    pub kind: AttentionKind,
    pub severity: AttentionSeverity,
    /// Number of the things meant: visits, findings, crawlers, snapshots, uses, answers.
    #[schema(examples(4))]
    pub count: u64,
    /// Run, crawlers or limit that the entry is about; null: the site as a whole.
    #[schema(required = true, examples("renders_per_month"))]
    pub subject: Option<String>,
    /// Value of the time before: percent of visits or answers; the limit of an allowance.
    #[schema(required = true, examples(52.0))]
    pub before: Option<f64>,
    /// Value of now.
    #[schema(required = true, examples(31.5))]
    pub after: Option<f64>,
    /// Time since which it is so, where that is known.
    #[schema(required = true)]
    pub since: Option<Timestamp>,
    /// Path in the dashboard where something can be done.
    #[schema(examples("/d/shop.example/rendering?state=failing"))]
    pub href: String,
}

/// Visits of the last seven days, and of the seven before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WeekOfVisits {
    pub visits: u64,
    /// Visits answered with a status of 400 and above.
    pub failed: u64,
    pub previous_visits: u64,
    pub previous_failed: u64,
    /// First day of the last seven that had an error, as its beginning.
    pub since: Option<Timestamp>,
}

/// Facts about a site. None: they could not be read, or there are none.
#[derive(Debug, Clone)]
pub struct AttentionFacts<'a> {
    pub host: &'a str,
    pub status: DomainStatus,
    pub created_at: Timestamp,
    pub week: Option<WeekOfVisits>,
    pub audit: Option<&'a RunSummary>,
    pub snapshots: Option<SnapshotCounts>,
    pub visibility: Option<AccountVisibility>,
    /// Limits of the account; none in lists of sites, whose rows they say nothing about.
    pub limits: &'a [UsageEntry],
}

/// A dismissal as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dismissal {
    pub count: u64,
    pub at: Timestamp,
}

/// Lists what needs attention, the most urgent first.
pub fn list_attention(facts: &AttentionFacts<'_>) -> Vec<AttentionEntry> {
    let mut entries: Vec<AttentionEntry> = [
        not_connected(facts),
        crawl_errors(facts),
        new_audit_errors(facts),
        ai_crawlers_blocked(facts),
        snapshots_failing(facts),
        snapshots_stale(facts),
        visibility_dropped(facts),
    ]
    .into_iter()
    .flatten()
    .chain(facts.limits.iter().filter_map(limit))
    .collect();
    entries.sort_by(|a, b| (a.severity, a.kind, &a.id).cmp(&(b.severity, b.kind, &b.id)));
    entries
}

/// Leaves out what is hidden: for 30 days, or until there is more of it.
pub fn without_dismissed(
    mut entries: Vec<AttentionEntry>,
    dismissed: &HashMap<String, Dismissal>,
    now: Timestamp,
) -> Vec<AttentionEntry> {
    let is_hidden = |entry: &AttentionEntry| {
        dismissed
            .get(&entry.id)
            .is_some_and(|Dismissal { count, at }| entry.count <= *count && now.since(*at) < DISMISSED_FOR)
    };
    entries.retain(|entry| !is_hidden(entry));
    entries
}

/// Decides whether a text has the form of an entry's name: a kind, with or without a subject.
pub fn is_attention_id(text: &str) -> bool {
    const KINDS: [&str; 9] = [
        "not_connected",
        "limit_reached",
        "crawl_errors",
        "new_audit_errors",
        "ai_crawlers_blocked",
        "snapshots_failing",
        "visibility_dropped",
        "snapshots_stale",
        "limit_near",
    ];
    let (kind, subject) = text.split_once(':').unwrap_or((text, "-"));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    KINDS.contains(&kind) && !subject.is_empty() && text.len() <= 100 && subject.bytes().all(is_plain)
}

fn entry(
    kind: AttentionKind,
    id: &str,
    severity: AttentionSeverity,
    count: u64,
    href: String,
) -> AttentionEntry {
    let (subject, before, after, since) = (None, None, None, None);
    AttentionEntry { id: id.to_owned(), kind, severity, count, subject, before, after, since, href }
}

fn not_connected(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    (facts.status == DomainStatus::Pending).then(|| AttentionEntry {
        since: Some(facts.created_at),
        ..entry(
            AttentionKind::NotConnected,
            "not_connected",
            AttentionSeverity::Error,
            1,
            format!("/d/{}/setup", facts.host),
        )
    })
}

fn crawl_errors(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    let week = facts.week?;
    let share = |failed: u64, visits: u64| (visits > 0).then(|| failed as f64 / visits as f64);
    let now = share(week.failed, week.visits).filter(|share| *share >= ERROR_SHARE)?;
    let before = share(week.previous_failed, week.previous_visits);
    let severity =
        if now >= 5.0 * ERROR_SHARE { AttentionSeverity::Error } else { AttentionSeverity::Warning };
    Some(AttentionEntry {
        before: before.map(percent),
        after: Some(percent(now)),
        since: week.since,
        ..entry(
            AttentionKind::CrawlErrors,
            "crawl_errors",
            severity,
            week.failed,
            format!("/d/{}/crawlers/errors", facts.host),
        )
    })
}

fn new_audit_errors(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    let run = facts.audit?;
    // All errors of a first audit are new.
    let errors = if run.delta_health.is_none() { run.facts.errors } else { run.facts.new_errors };
    if errors == 0 {
        return None;
    }
    let id = format!("new_audit_errors:{}", run.id);
    Some(AttentionEntry {
        subject: Some(run.id.to_string()),
        since: Some(run.completed_at),
        ..entry(
            AttentionKind::NewAuditErrors,
            &id,
            AttentionSeverity::Error,
            errors,
            format!("/d/{}/audits/{}/issues", facts.host, run.id),
        )
    })
}

fn ai_crawlers_blocked(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    let run = facts.audit.filter(|run| !run.facts.blocked_crawlers.is_empty())?;
    Some(AttentionEntry {
        subject: Some(run.facts.blocked_crawlers.join(", ")),
        since: Some(run.completed_at),
        ..entry(
            AttentionKind::AiCrawlersBlocked,
            "ai_crawlers_blocked",
            AttentionSeverity::Warning,
            run.facts.blocked_crawlers.len() as u64,
            format!("/d/{}/audits/{}/ai-access", facts.host, run.id),
        )
    })
}

fn snapshots_failing(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    let failing = facts.snapshots?.failing;
    let href = format!("/d/{}/rendering?state=failing", facts.host);
    let kind = AttentionKind::SnapshotsFailing;
    (failing > 0).then(|| entry(kind, "snapshots_failing", AttentionSeverity::Warning, failing, href))
}

fn snapshots_stale(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    let counts = facts.snapshots?;
    let is_much = counts.stale > 0 && counts.stale as f64 >= STALE_SHARE * counts.total() as f64;
    let href = format!("/d/{}/rendering?state=stale", facts.host);
    let kind = AttentionKind::SnapshotsStale;
    is_much.then(|| entry(kind, "snapshots_stale", AttentionSeverity::Notice, counts.stale, href))
}

fn visibility_dropped(facts: &AttentionFacts<'_>) -> Option<AttentionEntry> {
    let visibility = facts.visibility.filter(|visibility| visibility.is_significant)?;
    let (before, after) = visibility.previous_rate.zip(visibility.rate)?;
    (after < before).then(|| AttentionEntry {
        before: Some(before),
        after: Some(after),
        ..entry(
            AttentionKind::VisibilityDropped,
            "visibility_dropped",
            AttentionSeverity::Warning,
            visibility.answers,
            format!("/d/{}/mentions", facts.host),
        )
    })
}

/// Returns an entry for a monthly limit that is nearly used up: to have as many domains or prompts as the plan allows
/// is no trouble.
fn limit(usage: &UsageEntry) -> Option<AttentionEntry> {
    let (used, most) = usage.used.zip(usage.limit.most())?;
    if !usage.name.ends_with("_per_month") || (used as f64) < NEAR_SHARE * most as f64 {
        return None;
    }
    let (kind, word, severity) = match used >= most {
        true => (AttentionKind::LimitReached, "limit_reached", AttentionSeverity::Error),
        false => (AttentionKind::LimitNear, "limit_near", AttentionSeverity::Warning),
    };
    Some(AttentionEntry {
        subject: Some(usage.name.to_owned()),
        before: Some(most as f64),
        after: Some(used as f64),
        ..entry(kind, &format!("{word}:{}", usage.name), severity, used, "/account/usage".to_owned())
    })
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::ReportFacts;
    use audit::model::RunId;
    use domains::DomainId;
    use platform::plans::PlanLimit;

    const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

    fn nothing() -> AttentionFacts<'static> {
        AttentionFacts {
            host: "shop.example",
            status: DomainStatus::Connected,
            created_at: NOW,
            week: None,
            audit: None,
            snapshots: None,
            visibility: None,
            limits: &[],
        }
    }

    fn ids(facts: &AttentionFacts<'_>) -> Vec<String> {
        list_attention(facts).into_iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn a_site_of_which_nothing_is_known_needs_nobody_unless_it_is_pending() {
        assert_eq!(ids(&nothing()), Vec::<String>::new());
        assert_eq!(ids(&AttentionFacts { status: DomainStatus::Pending, ..nothing() }), ["not_connected"]);
    }

    #[test]
    fn errors_of_a_hundredth_of_the_visits_need_somebody() {
        let week = |visits, failed| WeekOfVisits { visits, failed, ..WeekOfVisits::default() };
        let of = |week| list_attention(&AttentionFacts { week: Some(week), ..nothing() });

        assert_eq!(of(week(0, 0)), []);
        assert_eq!(of(week(1000, 9)), []);
        assert_eq!(of(week(1000, 10))[0].severity, AttentionSeverity::Warning);
        let many = of(week(1000, 50));
        assert_eq!(
            (many[0].severity, many[0].count, many[0].after),
            (AttentionSeverity::Error, 50, Some(5.0))
        );
    }

    #[test]
    fn a_visibility_that_fell_significantly_needs_somebody() {
        let visibility = |rate, previous, is_significant| AccountVisibility {
            answers: 40,
            rate: Some(rate),
            previous_rate: Some(previous),
            is_significant,
        };
        let of = |visibility| ids(&AttentionFacts { visibility: Some(visibility), ..nothing() });

        assert_eq!(of(visibility(20.0, 60.0, true)), ["visibility_dropped"]);
        assert_eq!(of(visibility(20.0, 60.0, false)), Vec::<String>::new());
        assert_eq!(of(visibility(60.0, 20.0, true)), Vec::<String>::new());
    }

    #[test]
    fn the_errors_of_a_first_audit_need_somebody_and_later_only_new_ones() {
        let run = |delta_health, errors, new_errors| RunSummary {
            id: RunId::from("run-1".to_owned()),
            domain: DomainId::from("shop".to_owned()),
            completed_at: NOW,
            health_score: 41.0,
            delta_health,
            facts: ReportFacts { errors, new_errors, ..ReportFacts::default() },
        };
        let counts = |run: RunSummary| {
            let entries = list_attention(&AttentionFacts { audit: Some(&run), ..nothing() });
            entries.into_iter().map(|entry| (entry.id, entry.count)).collect::<Vec<_>>()
        };

        assert_eq!(counts(run(None, 6, 0)), [("new_audit_errors:run-1".to_owned(), 6)]);
        assert_eq!(counts(run(None, 0, 0)), []);
        assert_eq!(counts(run(Some(0.0), 6, 0)), []);
        assert_eq!(counts(run(Some(-1.0), 6, 2)), [("new_audit_errors:run-1".to_owned(), 2)]);
    }

    #[test]
    fn limits_of_a_month_are_near_from_four_fifths_on() {
        let usage = |name, used, limit| UsageEntry { name, used: Some(used), limit: PlanLimit::of(limit) };
        let limits = [
            usage("renders_per_month", 80, 100),
            usage("audits_per_month", 7, 7),
            usage("audited_pages_per_month", 79, 100),
            usage("domains", 1, 1),
        ];

        let found = ids(&AttentionFacts { limits: &limits, ..nothing() });

        assert_eq!(found, ["limit_reached:audits_per_month", "limit_near:renders_per_month"]);
    }

    #[test]
    fn a_dismissed_entry_comes_back_after_thirty_days_or_when_there_is_more_of_it() {
        let failing = |failing| {
            let counts = SnapshotCounts { failing, ..SnapshotCounts::default() };
            list_attention(&AttentionFacts { snapshots: Some(counts), ..nothing() })
        };
        let dismissed = HashMap::from([("snapshots_failing".to_owned(), Dismissal { count: 4, at: NOW })]);
        let left = |count, now| without_dismissed(failing(count), &dismissed, now).len();

        assert_eq!(left(4, NOW), 0);
        assert_eq!(left(5, NOW), 1);
        assert_eq!(left(3, NOW.plus(DISMISSED_FOR)), 1);
    }

    #[test]
    fn the_name_of_an_entry_begins_with_its_kind() {
        for id in ["snapshots_stale", "limit_near:renders_per_month", "new_audit_errors:0198-a"] {
            assert!(is_attention_id(id), "{id}");
        }
        for id in ["", "other", "limit_near:", "limit_near:a b", "snapshots_stale:\u{0}"] {
            assert!(!is_attention_id(id), "{id}");
        }
    }
}
