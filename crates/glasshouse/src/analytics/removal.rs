//! Forgetting the visits of a removed domain. Used by the job that deletes what belonged to it.

use store::{Db, DbError};

use super::queries;
use crate::domains::DomainId;

/// Deletes every visit of a domain, some at a time so that nobody waits long for the writer.
pub async fn forget_domain(db: &Db, domain: &DomainId) -> Result<(), DbError> {
    loop {
        let mut tx = db.write().await?;
        let deleted = queries::delete_some_visits(&mut tx, domain).await?;
        tx.commit().await?;
        if deleted == 0 {
            return Ok(());
        }
    }
}
