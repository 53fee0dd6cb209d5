//! Pages that other audited pages link to, for the sitemaps that `render` makes. Reads runs and their parts only.

use store::Db;

use super::queries;
use super::segments::{ReadError, Segments};
use domains::DomainId;
use platform::Platform;
use platform::clock::Clock;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct LinkedPages {
    db: Db,
    clock: Clock,
    segments: Segments,
}

impl LinkedPages {
    /// Opens the runs of this installation.
    pub fn new(platform: &Platform) -> LinkedPages {
        LinkedPages {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            segments: Segments::new(&platform.db, &platform.blobs),
        }
    }

    /// Lists the pages of a domain's latest run with results that others of its pages link to, as paths with queries.
    pub async fn list(&self, domain: &DomainId) -> Result<Vec<String>, ReadError> {
        let now = self.clock.now();
        let runs = queries::list_with_results(&mut self.db.read().await?, domain, now, 1).await?;
        let Some(run) = runs.first() else { return Ok(Vec::new()) };
        let index = self.segments.index(run).await?;
        let is_linked = |(row, _): &(usize, &String)| index.inlinks.get(*row).is_some_and(|count| *count > 0);
        Ok(index.paths.iter().enumerate().filter(is_linked).map(|(_, path)| path.clone()).collect())
    }
}
