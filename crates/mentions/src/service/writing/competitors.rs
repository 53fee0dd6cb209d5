//! Competitors that an answer has found, kept in the transaction that ends the run.

use std::collections::{BTreeMap, BTreeSet};

use assistants::analysis::{CompetitorProfile, CompetitorStatus};
use store::{DbError, Tx};

use crate::queries::domains;
use crate::service::analysing::answer::AnalysedAnswer;
use ::domains::DomainId;
use platform::clock::Timestamp;

/// Maximum number of competitors of a domain, discovered ones included.
const MOST_COMPETITORS: usize = 200;
/// Maximum number of pending names that a domain keeps.
const MOST_PENDING: i64 = 2_000;

/// Keeps the competitors that an answer has found, and the names that count when another answer has them too.
pub async fn keep_new_names(
    tx: &mut Tx,
    domain: &DomainId,
    answer: &AnalysedAnswer,
    now: Timestamp,
) -> Result<(), DbError> {
    let discovered: BTreeMap<&str, Option<&str>> =
        answer.discovered.iter().map(|brand| (brand.name.as_str(), brand.domain.as_deref())).collect();
    if !discovered.is_empty() {
        let known = domains::list_competitors(tx, domain).await?.len();
        let mut left = MOST_COMPETITORS.saturating_sub(known);
        for (name, host) in discovered {
            if left == 0 {
                break;
            }
            let competitor = CompetitorProfile {
                name: name.to_owned(),
                aliases: Vec::new(),
                domains: host.into_iter().map(str::to_owned).collect(),
                status: CompetitorStatus::Discovered,
            };
            if domains::insert_competitor(tx, domain, (&competitor, domains::FOUND_POSITION), now).await? {
                domains::record_competitors_changed(tx, domain).await?;
                left -= 1;
            }
        }
    }
    let pending: BTreeSet<&str> = answer.pending.iter().map(String::as_str).collect();
    for name in &pending {
        domains::propose_competitor(tx, domain, name, now).await?;
    }
    if !pending.is_empty() {
        domains::trim_pending(tx, domain, MOST_PENDING).await?;
    }
    Ok(())
}
