//! Scores of pages and runs. Monotone: with fewer findings, or the same with less evidence, no score is lower.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::checks::{CheckId, FindingScope};
use crate::page::Page;
use crate::page::view::CheckedRows;
use crate::site::{CrawledSite, NamedRow, Row, SharedContent};

/// Most that the findings of the site, its robots.txt and its sitemaps take from a run's score.
const SITE_CAP: f64 = 15.0;

/// Points that a category of findings takes from a page's health.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Penalty {
    #[schema(examples("description"))]
    pub category: Cow<'static, str>,
    /// Points that the page lost, at most `cap`.
    #[schema(examples(3.0))]
    pub points: f64,
    /// Most points that the category takes.
    #[schema(examples(10.0))]
    pub cap: f64,
}

/// Returns what a finding takes from a page's health before its category's cap: its weight, up to twice that when many
/// elements share it, and everything when it leaves nothing of the page's worth. Two decimals.
pub fn finding_points(id: CheckId, count: u32) -> f64 {
    let check = id.check();
    if check.scope != FindingScope::Page {
        return 0.0;
    }
    if check.is_fatal {
        return 100.0;
    }
    (check.weight * multiple(count) * 100.0).round() / 100.0
}

fn multiple(count: u32) -> f64 {
    (1.0 + 0.25 * f64::from(count.max(1)).log2()).min(2.0)
}

/// Returns the points that findings take from a page's health, by category, from each finding and its number of elements.
pub fn page_penalties(findings: &[(CheckId, u32)]) -> Vec<Penalty> {
    let mut penalties: Vec<Penalty> = Vec::new();
    for (id, count) in findings {
        let (check, category) = (id.check(), id.category());
        if check.is_fatal {
            return vec![Penalty { category: category.name.into(), points: 100.0, cap: 100.0 }];
        }
        if check.scope != FindingScope::Page {
            continue;
        }
        let points = check.weight * multiple(*count);
        match penalties.iter_mut().find(|penalty| penalty.category == category.name) {
            Some(penalty) => penalty.points += points,
            None => penalties.push(Penalty { category: category.name.into(), points, cap: category.cap }),
        }
    }
    for penalty in &mut penalties {
        penalty.points = penalty.points.min(penalty.cap);
    }
    // In the order of their names, so that the sum does not depend on the order of findings.
    penalties.sort_by(|one, other| one.category.cmp(&other.category));
    penalties
}

/// Returns a page's health, 0 to 100 with one decimal, from what its findings take.
pub fn health_after(penalties: &[Penalty]) -> f64 {
    round(penalties.iter().fold(100.0, |health, penalty| health - penalty.points).max(0.0))
}

/// Returns a page's health from its findings and the number of elements of each.
pub fn page_health(findings: &[(CheckId, u32)]) -> f64 {
    health_after(&page_penalties(findings))
}

/// One scored page of a run.
#[derive(Debug, Clone, Copy)]
pub struct Scored {
    pub health: f64,
    /// Pages that link to it.
    pub inlinks: u32,
    /// True for a finding of severity error.
    pub has_error: bool,
    /// Number of pages that it represents; 1 without sampling.
    pub stands_for: f64,
}

/// Numbers that a run's health is made of: (0.7 × pages + 0.3 × without errors − site) × factor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthParts {
    /// Mean health of the pages, weighted by links.
    pub pages: f64,
    /// Share of the pages without errors, weighted by links, in percent.
    pub without_errors: f64,
    /// Points that findings about the site as a whole take, at most 15.
    pub site: f64,
    /// 1; less when the whole site is closed to search engines.
    pub factor: f64,
}

impl HealthParts {
    /// Returns the health, 0 to 100 with one decimal.
    pub fn health(self) -> f64 {
        round(((0.7 * self.pages + 0.3 * self.without_errors - self.site) * self.factor).max(0.0))
    }
}

/// Computes a run's health: the pages' mean health and the share of pages without errors, less the findings about the
/// whole site.
pub fn run_health(pages: &[Scored], site_findings: &[CheckId], start_is_ok: bool) -> f64 {
    health_parts(pages, site_findings, start_is_ok).map_or(0.0, HealthParts::health)
}

/// Returns the numbers that a run's health is made of. None: there are no pages.
pub fn health_parts(pages: &[Scored], site_findings: &[CheckId], start_is_ok: bool) -> Option<HealthParts> {
    let weight =
        |page: &Scored| page.stands_for * (1.0 + f64::from(page.inlinks).ln_1p() / 4.0).clamp(1.0, 3.0);
    let total: f64 = pages.iter().map(weight).sum();
    if total == 0.0 {
        return None;
    }
    let mean = pages.iter().map(|page| weight(page) * page.health).sum::<f64>() / total;
    let clean = 100.0 * pages.iter().filter(|page| !page.has_error).map(weight).sum::<f64>() / total;
    let site: f64 = site_findings.iter().map(|id| id.check().weight).sum::<f64>().min(SITE_CAP);
    let of_start = if start_is_ok { 1.0 } else { 0.5 };
    let factor = site_findings.iter().map(|id| id.check().run_factor).fold(of_start, f64::min);
    Some(HealthParts { pages: mean, without_errors: clean, site, factor })
}

/// Points for a preview picture with an absolute address.
const IMAGE_POINTS: f64 = 8.0;

/// Expected form of a result or a shared link, as far as the page alone decides.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Preview {
    points: f32,
    has_title: bool,
    has_description: bool,
    is_noindex: bool,
    has_image: bool,
    /// Points for the size that the page says its picture has.
    said_size: u8,
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
        let pixels = |name: &str| raw.first_meta(name).parse().unwrap_or_default();
        let said_size = size_points((pixels("og:image:width"), pixels("og:image:height")));
        let image = crate::checks::is_absolute_address(raw.first_meta("og:image"));
        add(!raw.first_meta("og:title").is_empty(), 6.0);
        add(!raw.first_meta("og:description").is_empty(), 5.0);
        add(image, IMAGE_POINTS);
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
            has_image: image,
            said_size,
        }
    }

    /// Points that depend on the page alone.
    pub fn points(&self) -> f64 {
        f64::from(self.points)
    }

    /// Computes the score of a row, 0 to 100, once the joins know whether its title and description are unique, and
    /// the size of its preview picture.
    pub fn score(&self, site: &CrawledSite, row: &NamedRow) -> f64 {
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
        let picture = row.named.preview_image.and_then(|id| site.assets.get(&id));
        points += match picture {
            _ if !self.has_image => 0.0,
            Some(picture) if picture.status == 200 && picture.is_image => {
                f64::from(picture.size.map_or(self.said_size, size_points))
            }
            // Nobody who was refused says that it is not there for others.
            Some(picture) if picture.is_error() => -IMAGE_POINTS,
            _ => f64::from(self.said_size),
        };
        if self.is_noindex { points.min(50.0) } else { points.min(100.0) }
    }
}

/// Points for the size of a preview picture, by its width and height in pixels.
fn size_points((width, height): (u32, u32)) -> u8 {
    match () {
        () if width >= 1200 && height >= 630 => 6,
        () if width >= 600 && height >= 315 => 4,
        () => 0,
    }
}

/// Returns true for a row that counts in a run's score: pages, and addresses that should be pages.
pub fn is_scored(row: &Row) -> bool {
    let is_missing = row.is_broken() && row.redirect.is_none();
    row.rows.is_some_and(|rows| rows >= CheckedRows::Html) || is_missing
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
