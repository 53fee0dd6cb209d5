//! Which pages crawlers ask for most: what cache refresh renders again first.

use std::collections::HashMap;

use store::{Db, DbError};

use super::queries;
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Visits by path since a day, of the `most` paths that were asked for most often.
pub async fn visits_by_path(
    db: &Db,
    domain: &DomainId,
    since: Timestamp,
    most: i64,
) -> Result<HashMap<String, u64>, DbError> {
    let rows = queries::list_most_visited(&mut db.read().await?, domain, &since.day(), most).await?;
    Ok(rows.into_iter().map(|(path, visits)| (path, visits.unsigned_abs())).collect())
}
