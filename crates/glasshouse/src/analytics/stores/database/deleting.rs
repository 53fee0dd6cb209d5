//! Deleting what is too old, and what is kept of a domain that is gone. Some at a time, so that nobody waits long for the writer.

use std::time::Duration;

use super::DatabaseStore;
use crate::analytics::model::Day;
use crate::analytics::queries;
use crate::analytics::segments::paths::PathRoom;
use crate::analytics::stores::VisitError;
use crate::domains::DomainId;

/// How long the name of a part is remembered whose file was not removed: for longer than a process is away that has it still.
const BATCHES_FOR: Duration = Duration::from_secs(90 * 24 * 3600);

impl DatabaseStore {
    /// Deletes what is kept by page of days before this one, and the names of parts that nobody has any more.
    pub(super) async fn delete_all_before(&self, day: Day) -> Result<(), VisitError> {
        // When pages were visited first is kept as long as there is room, and so far it may stand in the rows.
        self.close_days_before(day).await?;
        let domains =
            queries::segments::list_domains_with_old_visits(&mut self.db.read().await?, day).await?;
        for domain in domains {
            loop {
                let mut tx = self.db.write().await?;
                let deleted = queries::segments::delete_some_before(&mut tx, &domain, day).await?;
                tx.commit().await?;
                if deleted == 0 {
                    break;
                }
            }
        }
        self.give_up_expired_paths(PathRoom::OF_DOMAIN).await?;
        let long_ago = self.clock.now().minus(BATCHES_FOR);
        loop {
            let mut tx = self.db.write().await?;
            let deleted = queries::forget_batches_before(&mut tx, long_ago).await?;
            tx.commit().await?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }

    /// Deletes everything of a domain.
    pub(super) async fn delete_domain(&self, domain: &DomainId) -> Result<(), VisitError> {
        loop {
            let mut tx = self.db.write().await?;
            let deleted = queries::delete_some(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                // Should the domain have visits again, its pages get other numbers.
                self.tables.remove(domain);
                return Ok(());
            }
        }
    }
}
