//! Scores of pages and runs. Monotone: with fewer findings, or the same with less evidence, no score is lower.

use std::collections::HashMap;

use crate::checks::{CheckId, FindingScope, Severity};
use crate::page::Page;
use crate::page::view::CheckedRows;
use crate::site::{CrawledSite, Row, SharedContent};

/// Findings that leave nothing of a page's worth.
const CRITICAL: &[&str] = &[
    "HTTP_4XX",
    "HTTP_5XX",
    "HTTP_TIMEOUT",
    "HTTP_NO_RESPONSE",
    "REDIRECT_LOOP",
    "SPA_SOFT_404",
    "SOFT_404",
];
/// Most that the findings of the site, its robots.txt and its sitemaps take from a run's score.
const SITE_CAP: f64 = 15.0;

/// A page's health, 0 to 100 with one decimal, from its findings and how many elements each rests on.
///
/// Each category takes at most its cap; a finding takes its weight, up to twice that when many elements share it.
pub fn page_health(findings: &[(CheckId, u32)]) -> f64 {
    if findings.iter().any(|(id, _)| CRITICAL.contains(&id.check().id)) {
        return 0.0;
    }
    let mut penalties: HashMap<&str, (f64, f64)> = HashMap::new();
    for (id, count) in findings.iter().filter(|(id, _)| id.check().scope == FindingScope::Page) {
        let category = id.category();
        let multiple = (1.0 + 0.25 * f64::from((*count).max(1)).log2()).min(2.0);
        penalties.entry(category.name).or_insert((0.0, category.cap)).0 += id.check().weight * multiple;
    }
    // In the order of their names, so that the sum does not depend on the map's.
    let mut penalties: Vec<_> = penalties.into_iter().collect();
    penalties.sort_by_key(|(name, _)| *name);
    round(penalties.iter().fold(100.0, |health, (_, (penalty, cap))| health - penalty.min(*cap)).max(0.0))
}

/// One scored page of a run.
#[derive(Debug, Clone, Copy)]
pub struct Scored {
    pub health: f64,
    /// Pages that link to it.
    pub inlinks: u32,
    /// It has a finding of severity error.
    pub has_error: bool,
    /// Pages that it stands for; 1 without sampling.
    pub stands_for: f64,
}

/// A run's health: the pages' mean health and the share of pages without errors, less what the whole site lacks.
pub fn run_health(pages: &[Scored], site_findings: &[CheckId], start_is_ok: bool) -> f64 {
    let weight =
        |page: &Scored| page.stands_for * (1.0 + f64::from(page.inlinks).ln_1p() / 4.0).clamp(1.0, 3.0);
    let total: f64 = pages.iter().map(weight).sum();
    if total == 0.0 {
        return 0.0;
    }
    let mean = pages.iter().map(|page| weight(page) * page.health).sum::<f64>() / total;
    let clean = 100.0 * pages.iter().filter(|page| !page.has_error).map(weight).sum::<f64>() / total;
    let site: f64 = site_findings.iter().map(|id| id.check().weight).sum::<f64>().min(SITE_CAP);
    let has = |wanted: &[&str]| site_findings.iter().any(|id| wanted.contains(&id.check().id));
    let critical = if has(&["ROBOTS_BLOCKS_ALL", "NOINDEX_HOMEPAGE"]) || !start_is_ok {
        0.5
    } else if has(&["NOINDEX_MOST_PAGES", "SPA_CATCH_ALL_200"]) {
        0.7
    } else {
        1.0
    };
    round(((0.7 * mean + 0.3 * clean - site) * critical).max(0.0))
}

/// What a result or a shared link will look like, as far as the page alone decides.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Preview {
    points: f32,
    has_title: bool,
    has_description: bool,
    is_noindex: bool,
}

impl Preview {
    /// Counts the points of a page that do not depend on others.
    pub fn of(page: &Page) -> Preview {
        let (facts, thresholds) = (page.facts, page.input.thresholds);
        let title = facts.title().filter(|title| !title.is_empty());
        let description = facts.description().filter(|text| !text.is_empty());
        let mut points = 0.0;
        let mut add = |holds: bool, worth: f64| points += if holds { worth } else { 0.0 };
        add(title.is_some(), 12.0);
        add(title.is_some_and(|title| crate::checks::title_has_good_length(title, thresholds)), 6.0);
        add(title.is_some_and(|title| crate::checks::title_fits(title, thresholds)), 4.0);
        add(title.is_some_and(|title| !crate::checks::title_is_placeholder(title)), 2.0);
        add(description.is_some(), 8.0);
        add(
            description.is_some_and(|text| crate::checks::description_has_good_length(text, thresholds)),
            6.0,
        );
        // Preview bots run no scripts: what only a script writes is not there for them.
        let raw = page.input.raw;
        let is_large =
            |name: &str, least: u32| raw.first_meta(name).parse::<u32>().is_ok_and(|pixels| pixels >= least);
        let image = crate::checks::is_absolute_address(raw.first_meta("og:image"));
        add(!raw.first_meta("og:title").is_empty(), 6.0);
        add(!raw.first_meta("og:description").is_empty(), 5.0);
        add(image, 8.0);
        add(image && is_large("og:image:width", 600) && is_large("og:image:height", 315), 4.0);
        add(image && is_large("og:image:width", 1200) && is_large("og:image:height", 630), 2.0);
        add(!raw.first_meta("og:url").is_empty() && !crate::checks::has_other_social_url(page), 3.0);
        add(!raw.first_meta("og:type").is_empty(), 2.0);
        add(!raw.first_meta("og:site_name").is_empty(), 1.0);
        add(crate::checks::has_valid_card(page), 5.0);
        add(page.other_canonical().is_none(), 5.0);
        add(!page.is_noindex(), 5.0);
        add(!page.directives.nosnippet(), 2.0);
        add(facts.has_icon, 2.0);
        add(!page.structured.objects.is_empty() && page.structured.broken.is_empty(), 4.0);
        Preview {
            points: points as f32,
            has_title: title.is_some(),
            has_description: description.is_some(),
            is_noindex: page.is_noindex(),
        }
    }

    /// The score of a row, 0 to 100, once it is known whether its title and description are its own.
    pub fn score(&self, site: &CrawledSite, row: &Row) -> f64 {
        if row.status != 200 || !row.is_page() {
            return 0.0;
        }
        let is_own = |shared: SharedContent| {
            let mut evidence = crate::checks::Evidence::default();
            site.shared(shared, row, &mut evidence);
            evidence.count == 0
        };
        let mut points = f64::from(self.points);
        points += if self.has_title && is_own(SharedContent::Title) { 4.0 } else { 0.0 };
        points += if self.has_description && is_own(SharedContent::Description) { 4.0 } else { 0.0 };
        if self.is_noindex { points.min(50.0) } else { points.min(100.0) }
    }
}

/// Whether a row counts in a run's score: pages, and addresses that should be pages.
pub fn is_scored(row: &Row) -> bool {
    let is_missing = row.is_broken() && row.redirect.is_none();
    row.rows.is_some_and(|rows| rows >= CheckedRows::Html) || is_missing
}

/// Whether a check's findings are errors.
pub fn is_error(id: CheckId) -> bool {
    id.check().severity == Severity::Error
}

fn round(score: f64) -> f64 {
    (score * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn findings() -> impl Strategy<Value = Vec<(CheckId, u32)>> {
        let ids: Vec<CheckId> = CheckId::all().filter(|id| id.check().scope == FindingScope::Page).collect();
        let subset = prop::sample::subsequence(ids.clone(), 0..ids.len());
        subset.prop_flat_map(|ids| {
            let length = ids.len();
            (Just(ids), prop::collection::vec(0_u32..5000, length))
                .prop_map(|(ids, counts)| ids.into_iter().zip(counts).collect())
        })
    }

    #[test]
    fn a_page_without_findings_is_healthy_and_an_error_page_is_not() {
        assert_eq!(page_health(&[]), 100.0);
        assert_eq!(page_health(&[(CheckId::find("HTTP_4XX").unwrap(), 1)]), 0.0);
        assert_eq!(page_health(&[(CheckId::find("META_DESC_MISSING").unwrap(), 0)]), 97.0);
    }

    proptest! {
        #[test]
        fn fixing_a_finding_or_a_part_of_it_never_lowers_a_page(findings in findings(), at in any::<prop::sample::Index>()) {
            prop_assume!(!findings.is_empty());
            let before = page_health(&findings);
            let at = at.index(findings.len());
            let mut smaller = findings.clone();
            smaller[at].1 /= 2;
            let mut fewer = findings;
            fewer.remove(at);

            prop_assert!(page_health(&smaller) >= before);
            prop_assert!(page_health(&fewer) >= before);
        }

        #[test]
        fn a_better_page_never_lowers_a_run(pages in prop::collection::vec((0.0..100.0_f64, 0_u32..500, any::<bool>()), 1..20), better in 0.0..50.0_f64) {
            let scored: Vec<Scored> = pages.iter().map(|(health, inlinks, has_error)| Scored { health: *health, inlinks: *inlinks, has_error: *has_error, stands_for: 1.0 }).collect();
            let mut improved = scored.clone();
            improved[0].health = (improved[0].health + better).min(100.0);
            improved[0].has_error = false;

            prop_assert!(run_health(&improved, &[], true) >= run_health(&scored, &[], true));
        }
    }
}
