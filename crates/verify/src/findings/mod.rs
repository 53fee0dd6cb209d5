//! Catalogue of the checks of a site: id, title, why it matters, remedies by platform, and the rule. The report, the
//! documentation and the tests read it. Pure.

mod addresses;
mod clients;
mod indexing;
mod likeness;
mod requests;
mod snapshot;

use super::answer::{Observations, SiteAnswer, SiteProbeReply};
use super::model::{SiteCheckResult, SiteReport};
use super::platform::SitePlatform;

/// Characters of a detail; the rest is cut off.
const MAX_DETAIL_CHARS: usize = 1_000;
/// First words of the detail of a check that could not judge.
pub(super) const NOT_JUDGED: &str = "Not judged";

/// Check of a site, with all that is said about it.
pub struct SiteCheck {
    pub id: &'static str,
    /// State of a site on which nothing is found.
    pub title: &'static str,
    /// Consequence of a finding.
    pub why: &'static str,
    /// Repair, whatever the platform.
    pub remedy: &'static str,
    /// Repairs on platforms that need another one.
    pub remedy_on: &'static [(SitePlatform, &'static str)],
    /// Rule.
    pub judge: fn(&Observations) -> Judgement,
}

/// Outcome of a rule, with what was seen in one or two sentences.
#[derive(Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing was found, or nothing could be judged.
    Fine(String),
    /// The site is misconfigured.
    Found(String),
    /// The site is misconfigured in a way that the usual remedy of the check does not repair.
    FoundOther { detail: String, remedy: &'static str },
}

/// Every check, in the order of reports.
pub static SITE_CHECKS: &[&[SiteCheck]] = &[
    snapshot::CHECKS,
    likeness::CHECKS,
    indexing::CHECKS,
    clients::CHECKS,
    addresses::CHECKS,
    requests::CHECKS,
];

/// Judges what a site answered.
pub(super) fn judge(seen: &Observations) -> SiteReport {
    let answers = seen.crawlers.iter().chain(&seen.people).filter_map(|asked| asked.as_ref().ok());
    let platform = SitePlatform::recognise(answers.map(|answer| &answer.headers));
    let checks: Vec<SiteCheckResult> =
        SITE_CHECKS.iter().copied().flatten().map(|check| check.result(seen, platform)).collect();
    SiteReport {
        ok: checks.iter().all(|check| check.ok),
        url: seen.url.to_string(),
        crawler: seen.crawler.name.clone(),
        platform: platform.map(SitePlatform::name),
        checks,
    }
}

impl SiteCheck {
    fn result(&self, seen: &Observations, platform: Option<SitePlatform>) -> SiteCheckResult {
        let (detail, remedy) = match (self.judge)(seen) {
            Judgement::Fine(detail) => (detail, None),
            Judgement::Found(detail) => (detail, Some(self.remedy_for(platform))),
            Judgement::FoundOther { detail, remedy } => (detail, Some(remedy)),
        };
        // Addresses and headers of the site are of any length.
        let detail = detail.chars().take(MAX_DETAIL_CHARS).collect();
        SiteCheckResult { id: self.id, ok: remedy.is_none(), detail, remedy: remedy.map(str::to_owned) }
    }

    /// Returns the repair on a platform.
    pub fn remedy_for(&self, platform: Option<SitePlatform>) -> &'static str {
        let own = self.remedy_on.iter().find(|(on, _)| Some(*on) == platform);
        own.map_or(self.remedy, |(_, remedy)| remedy)
    }
}

fn fine(detail: impl Into<String>) -> Judgement {
    Judgement::Fine(detail.into())
}

fn found(detail: impl Into<String>) -> Judgement {
    Judgement::Found(detail.into())
}

fn found_other(detail: impl Into<String>, remedy: &'static str) -> Judgement {
    Judgement::FoundOther { detail: detail.into(), remedy }
}

/// Returns the answers among some.
fn answered(asked: &[SiteProbeReply]) -> impl Iterator<Item = &SiteAnswer> {
    asked.iter().filter_map(|asked| asked.as_ref().ok())
}

/// Returns the last answer of the two.
fn last(asked: &[SiteProbeReply; 2]) -> Option<&SiteAnswer> {
    asked.iter().rev().find_map(|asked| asked.as_ref().ok())
}

/// Returns true when the answer is no page that could be judged, since another check is about it.
fn is_refused(answer: &SiteAnswer) -> bool {
    answer.is_challenge() || answer.is_looping || matches!(answer.status, 401 | 403 | 406 | 421 | 429 | 508)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;

    #[test]
    fn ids_are_unique_and_the_page_of_the_documentation_has_each() {
        let page = include_str!("../../../../docs/verify.md");
        let mut seen = HashSet::new();

        for check in SITE_CHECKS.iter().copied().flatten() {
            assert!(seen.insert(check.id), "{} is there twice", check.id);
            assert!(page.contains(&format!("`{}`", check.id)), "docs/verify.md lacks {}", check.id);
            for text in [check.title, check.why, check.remedy] {
                assert!(text.ends_with('.'), "{text}");
            }
        }
    }

    #[test]
    fn the_page_of_the_documentation_says_which_platforms_have_remedies_of_their_own() {
        let page = include_str!("../../../../docs/verify.md");
        let table = page.split_once("| platform | remedy of its own for |").unwrap().1;
        let mut documented = BTreeSet::new();
        for row in table.lines().filter_map(|row| row.strip_prefix("| ")).filter(|row| row.contains('`')) {
            let (platforms, ids) = row.split_once(" | ").unwrap();
            let ids: Vec<&str> = ids.split('`').skip(1).step_by(2).collect();
            documented.extend(platforms.split(", ").flat_map(|name| ids.iter().map(move |id| (name, *id))));
        }

        let checks = SITE_CHECKS.iter().copied().flatten();
        let own: BTreeSet<_> = checks
            .flat_map(|check| check.remedy_on.iter().map(move |(platform, _)| (platform.name(), check.id)))
            .collect();

        assert_eq!(documented, own);
    }
}
