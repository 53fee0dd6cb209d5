//! Brands of each domain, compiled and kept in memory for some seconds. Used by everything that analyses answers.
//! The writer refuses answers that were analysed with an old version, and the caller reads the brands again.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use assistants::analysis::Brands;
use cache::Cache;
use store::{Db, DbError};

use crate::queries::domains::{self, MonitoredDomain};
use ::domains::DomainId;

/// Domains whose brands are in memory.
const MOST_DOMAINS: u64 = 1_000;
/// New competitors of other processes are seen after so long.
const KEPT_FOR: Duration = Duration::from_secs(5);

/// Brands of a domain.
#[derive(Debug)]
pub struct DomainBrands {
    pub record: MonitoredDomain,
    pub brands: Arc<Brands>,
    /// Keys of names that answers have proposed and that do not count yet.
    pub pending: HashSet<String>,
}

/// Brands of all domains. Cheap to clone.
#[derive(Debug, Clone)]
pub struct BrandCache {
    db: Db,
    books: Arc<Cache<DomainId, DomainBrands>>,
}

impl BrandCache {
    pub fn new(db: &Db) -> BrandCache {
        let books = Cache::builder(MOST_DOMAINS).time_to_live(KEPT_FOR).build();
        BrandCache { db: db.clone(), books: Arc::new(books) }
    }

    /// Returns the brands of a domain. None: nothing of the domain is monitored.
    pub async fn find(&self, domain: &DomainId) -> Result<Option<Arc<DomainBrands>>, DbError> {
        match self.books.get(domain) {
            Some(book) => Ok(Some(book)),
            None => self.read(domain).await,
        }
    }

    /// Reads the brands of a domain again.
    pub async fn read(&self, domain: &DomainId) -> Result<Option<Arc<DomainBrands>>, DbError> {
        let mut conn = self.db.read().await?;
        let Some(record) = domains::find_domain(&mut conn, domain).await? else { return Ok(None) };
        let competitors = domains::list_competitors(&mut conn, domain).await?;
        let pending = domains::list_pending(&mut conn, domain).await?.into_iter().collect();
        drop(conn);
        let book = Arc::new(DomainBrands {
            brands: Brands::compile(record.brand.clone(), competitors),
            record,
            pending,
        });
        self.books.insert(domain, book.clone());
        Ok(Some(book))
    }

    /// Forgets the brands of a domain, because they changed.
    pub fn forget(&self, domain: &DomainId) {
        self.books.remove(domain);
    }
}
