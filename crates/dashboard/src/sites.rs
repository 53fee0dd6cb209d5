//! The list of an account's sites: one row each, those in need first.
//! Sums of all sites are read in a handful of statements, daily visits for the rows that are shown.
//! See docs/decisions/0450.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::attention::AttentionEntry;
use super::service::SiteDashboard;
use accounts::VisibleAccount;
use analytics::model::Day;
use analytics::stores::VisitError;
use domains::{Domain, DomainId, DomainStatus};

/// Property by which sites are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SiteSort {
    #[default]
    Attention,
    Domain,
    Visits,
    HealthScore,
    VisibilityRate,
    CreatedAt,
}

/// Sites that are asked for, and their order.
#[derive(Debug, Clone, Default)]
pub struct SiteQuestion {
    /// Days of visits and answers, today included.
    pub days: u32,
    /// Text that names must contain, in any case.
    pub search: String,
    /// Connection status that sites must have.
    pub status: Option<DomainStatus>,
    /// Tag that sites must have.
    pub tag: Option<String>,
    pub sort: SiteSort,
    /// Smallest first.
    pub is_ascending: bool,
    pub limit: usize,
    pub offset: usize,
}

/// Sites of one answer.
pub struct SitePage {
    pub rows: Vec<SiteRow>,
    /// Number of sites that match.
    pub total: usize,
    /// Tags of all sites of the account, in natural order.
    pub tags: Vec<String>,
}

/// A site in a list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteRow {
    #[schema(examples("shop.example"))]
    pub domain: String,
    pub status: DomainStatus,
    /// The site is the demo of this installation: its visits and answers are made up.
    pub demo: bool,
    /// Visits of crawlers, those that the origin answered included.
    #[schema(examples(11_303))]
    pub visits: u64,
    /// Visits of as many days before; null: visits were not counted on all of those days.
    #[schema(required = true)]
    pub previous_visits: Option<u64>,
    /// Visits of each day, the last one today.
    pub daily: Vec<u64>,
    /// Health by the last audit with results, 0 to 100; null: there is none.
    #[schema(required = true, examples(87.4))]
    pub health_score: Option<f64>,
    /// Change since the audit before; null: there is none.
    #[schema(required = true, examples(2.1))]
    pub delta_health: Option<f64>,
    /// Percent of the answers that name the brand; null: there are no answers.
    #[schema(required = true, examples(43.6))]
    pub visibility_rate: Option<f64>,
    /// Findings of severity error in the last audit; null: there is none.
    #[schema(required = true, examples(18))]
    pub errors: Option<u64>,
    /// Number of things that need attention.
    pub attention: u64,
    /// The most urgent of them; null: none needs attention.
    #[schema(required = true)]
    pub most_urgent: Option<AttentionEntry>,
    /// Tags of the domain.
    #[schema(example = json!(["customers"]))]
    pub tags: Vec<String>,
}

/// A row that is being made, with what only orders it.
struct Draft {
    row: SiteRow,
    id: DomainId,
    created_at: i64,
}

impl SiteDashboard {
    /// Lists sites of an account, counts all that match, and lists their tags.
    pub async fn list_sites(
        &self,
        visible: &VisibleAccount<'_>,
        question: &SiteQuestion,
    ) -> Result<SitePage, VisitError> {
        let services = &self.services;
        let search = question.search.to_lowercase();
        let account = visible.account;
        let mut domains = services.domains.list_seen(visible).await?;
        let mut tags: Vec<String> = domains.iter().flat_map(|domain| domain.settings.tags.clone()).collect();
        tags.sort_by(|a, b| natural(a, b));
        tags.dedup();
        domains.retain(|domain| {
            domain.host.contains(&search)
                && question.status.is_none_or(|status| domain.status == status)
                && question.tag.as_ref().is_none_or(|tag| domain.settings.tags.contains(tag))
        });
        let (audits, attention, visibility) = tokio::try_join!(
            services.audits.latest_summaries(account),
            self.read_attention(account, &domains),
            services.mentions.account_visibility(account, question.days),
        )?;
        let draft = |domain: Domain| {
            let audit = audits.get(&domain.id);
            let needs = attention.list(&domain, audit);
            let row = SiteRow {
                status: domain.status,
                demo: self.is_demo(&domain.host),
                visits: 0,
                previous_visits: None,
                daily: vec![0; question.days as usize],
                health_score: audit.map(|run| run.health_score),
                delta_health: audit.and_then(|run| run.delta_health),
                visibility_rate: visibility.get(&domain.id).and_then(|visibility| visibility.rate),
                errors: audit.map(|run| run.facts.errors),
                attention: needs.len() as u64,
                most_urgent: needs.into_iter().next(),
                tags: domain.settings.tags,
                domain: domain.host,
            };
            Draft { row, id: domain.id, created_at: domain.created_at.as_millis() }
        };
        let mut drafts: Vec<Draft> = domains.into_iter().map(draft).collect();
        let total = drafts.len();
        // Only an order by visits needs those of sites that are not shown.
        if question.sort == SiteSort::Visits {
            self.add_visits(&mut drafts, question.days).await?;
        }
        drafts.sort_by(|a, b| compare(question, a, b));
        let mut shown: Vec<Draft> = drafts.into_iter().skip(question.offset).take(question.limit).collect();
        if question.sort != SiteSort::Visits {
            self.add_visits(&mut shown, question.days).await?;
        }
        Ok(SitePage { rows: shown.into_iter().map(|draft| draft.row).collect(), total, tags })
    }

    async fn add_visits(&self, drafts: &mut [Draft], days: u32) -> Result<(), VisitError> {
        let (from, to): (Day, Day) = self.services.analytics.window(days);
        let ids: Vec<DomainId> = drafts.iter().map(|draft| draft.id.clone()).collect();
        let first = from - i64::from(days);
        let analytics = &self.services.analytics;
        let (found, counted) = tokio::try_join!(
            analytics.days_of_domains(&ids, (first, to)),
            analytics.counted_since(&ids, first)
        )?;
        let mut rows: HashMap<&DomainId, &mut SiteRow> =
            drafts.iter_mut().map(|Draft { id, row, .. }| (&*id, row)).collect();
        for id in &counted {
            if let Some(row) = rows.get_mut(id) {
                row.previous_visits = Some(0);
            }
        }
        for day in found {
            let Some(row) = rows.get_mut(&day.domain) else { continue };
            match usize::try_from(day.day - from) {
                Ok(at) => {
                    row.visits += day.visits;
                    if let Some(count) = row.daily.get_mut(at) {
                        *count += day.visits;
                    }
                }
                Err(_) => row.previous_visits = row.previous_visits.map(|visits| visits + day.visits),
            }
        }
        Ok(())
    }
}

/// Compares two rows as asked. Those without a value come last either way; equal ones by name.
fn compare(question: &SiteQuestion, a: &Draft, b: &Draft) -> Ordering {
    let directed = |order: Ordering| if question.is_ascending { order } else { order.reverse() };
    let optional = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => directed(a.total_cmp(&b)),
        (a, b) => b.is_some().cmp(&a.is_some()),
    };
    let order = match question.sort {
        SiteSort::Attention => directed(a.row.attention.cmp(&b.row.attention)),
        SiteSort::Domain => directed(natural(&a.row.domain, &b.row.domain)),
        SiteSort::Visits => directed(a.row.visits.cmp(&b.row.visits)),
        SiteSort::HealthScore => optional(a.row.health_score, b.row.health_score),
        SiteSort::VisibilityRate => optional(a.row.visibility_rate, b.row.visibility_rate),
        SiteSort::CreatedAt => directed(a.created_at.cmp(&b.created_at)),
    };
    order.then_with(|| natural(&a.row.domain, &b.row.domain))
}

/// Compares two names as people order them: numbers in them by their value, `shop2` before `shop10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    while !rest_a.is_empty() && !rest_b.is_empty() {
        let (part_a, part_b) = (first_part(rest_a), first_part(rest_b));
        let (number_a, number_b) = (part_a.trim_start_matches('0'), part_b.trim_start_matches('0'));
        let are_numbers = [part_a, part_b].iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        let order = match are_numbers {
            true => number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b)),
            false => part_a.cmp(part_b),
        };
        if order != Ordering::Equal {
            return order;
        }
        (rest_a, rest_b) = (&rest_a[part_a.len()..], &rest_b[part_b.len()..]);
    }
    rest_a.len().cmp(&rest_b.len()).then_with(|| a.cmp(b))
}

/// Returns the digits that a text begins with, else its first character.
fn first_part(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let end = if digits > 0 { digits } else { text.chars().next().map_or(0, char::len_utf8) };
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_by_their_value() {
        let mut names =
            ["shop10.example", "shop2.example", "a.example", "shop02.example", "shop.example", "10.example"];

        names.sort_by(|a, b| natural(a, b));

        let wanted =
            ["10.example", "a.example", "shop.example", "shop02.example", "shop2.example", "shop10.example"];
        assert_eq!(names, wanted);
    }
}
