//! Competitors that answers have found, kept in the transaction that ends the runs.

use std::collections::{BTreeMap, HashMap};

use assistants::analysis::{CompetitorProfile, CompetitorStatus};
use store::{DbError, Tx};

use super::entries::Ending;
use crate::clock::Timestamp;
use crate::domains::DomainId;
use crate::mentions::queries::domains;
use crate::mentions::service::analysing::answer::AnalysedAnswer;

/// Most competitors of a domain, discovered ones included.
const MOST_COMPETITORS: usize = 200;
/// Most pending names that a domain keeps.
const MOST_PENDING: i64 = 2_000;

/// Keeps the competitors that answers have found, and the names that count when another answer has them too.
pub async fn keep_new_names(
    tx: &mut Tx,
    analysed: &[(&Ending, &AnalysedAnswer)],
    now: Timestamp,
) -> Result<(), DbError> {
    let mut discovered: BTreeMap<(&DomainId, &str), Option<&str>> = BTreeMap::new();
    let mut pending: BTreeMap<(&DomainId, &str), ()> = BTreeMap::new();
    for (ending, answer) in analysed {
        let domain = &ending.task.domain;
        discovered.extend(
            answer.discovered.iter().map(|brand| ((domain, brand.name.as_str()), brand.domain.as_deref())),
        );
        pending.extend(answer.pending.iter().map(|name| ((domain, name.as_str()), ())));
    }
    let mut room: HashMap<&DomainId, usize> = HashMap::new();
    for ((domain, name), host) in discovered {
        let left = match room.get(domain) {
            Some(left) => *left,
            None => MOST_COMPETITORS.saturating_sub(domains::list_competitors(tx, domain).await?.len()),
        };
        if left > 0 {
            let competitor = CompetitorProfile {
                name: name.to_owned(),
                aliases: Vec::new(),
                domains: host.into_iter().map(str::to_owned).collect(),
                status: CompetitorStatus::Discovered,
            };
            if domains::insert_competitor(tx, domain, (&competitor, domains::FOUND_POSITION), now).await? {
                domains::note_competitors_changed(tx, domain).await?;
                room.insert(domain, left - 1);
                continue;
            }
        }
        room.insert(domain, left);
    }
    let mut trimmed: Option<&DomainId> = None;
    for (domain, name) in pending.into_keys() {
        domains::propose_competitor(tx, domain, name, now).await?;
        if trimmed != Some(domain) {
            domains::trim_pending(tx, domain, MOST_PENDING).await?;
            trimmed = Some(domain);
        }
    }
    Ok(())
}
