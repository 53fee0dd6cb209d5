//! Catalogue of the checks of a site: id, title, why it matters, remedies by platform, and the rule. The report, the
//! documentation and the tests read it. Pure.

mod addresses;
mod clients;
mod requests;

use super::answer::{Observations, SiteAnswer, SiteProbeReply};
use super::model::{SiteCheckResult, SiteReport};
use super::platform::SitePlatform;

/// Characters of a detail; the rest is cut off.
const MAX_DETAIL_CHARS: usize = 1_000;

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
}

/// Every check, in the order of reports.
pub static SITE_CHECKS: &[&[SiteCheck]] = &[clients::CHECKS, addresses::CHECKS, requests::CHECKS];

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
        let (ok, detail) = match (self.judge)(seen) {
            Judgement::Fine(detail) => (true, detail),
            Judgement::Found(detail) => (false, detail),
        };
        // Addresses and headers of the site are of any length.
        let detail = detail.chars().take(MAX_DETAIL_CHARS).collect();
        let remedy = (!ok).then(|| self.remedy_for(platform).to_owned());
        SiteCheckResult { id: self.id, ok, detail, remedy }
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
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_the_page_of_the_documentation_has_each() {
        let page = include_str!("../../../../../docs/verify.md");
        let mut seen = HashSet::new();

        for check in SITE_CHECKS.iter().copied().flatten() {
            assert!(seen.insert(check.id), "{} is there twice", check.id);
            assert!(page.contains(&format!("`{}`", check.id)), "docs/verify.md lacks {}", check.id);
            for text in [check.title, check.why, check.remedy] {
                assert!(text.ends_with('.'), "{text}");
            }
        }
    }
}
