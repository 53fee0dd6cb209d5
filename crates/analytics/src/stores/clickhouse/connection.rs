//! ClickHouse as a store of visits: the client, the bounds of one query, the tables at first use.

use std::time::Duration;

use ::clickhouse::Client;
use ::clickhouse::query::Query;
use ::clickhouse::{RowOwned, RowRead};
use store::Db;
use tokio::sync::{Mutex, OnceCell};

use super::circuit_breaker::CircuitBreaker;
use super::client::{self, answer};
use super::rows::stored_window;
use super::tables;
use crate::bounds::{MAX_PATHS, PageBounds};
use crate::model::Day;
use crate::stores::{DatabaseStore, VisitError};
use domains::DomainId;
use platform::clock::Clock;
use platform::config::ClickHouseUrl;

/// Timeout of one query of a report.
const PATIENCE: Duration = Duration::from_secs(10);

/// Store of visits in ClickHouse.
pub struct ClickHouseStore {
    pub(super) client: Client,
    pub(super) breaker: CircuitBreaker,
    pub(super) db: Db,
    pub(super) clock: Clock,
    /// Store of the visits from before the setting was changed.
    pub(super) database: DatabaseStore,
    pub(super) bounds: Mutex<PageBounds>,
    /// Number of paths at which a domain gets no new ones.
    pub(super) max_paths: u64,
    pub(super) tables: OnceCell<()>,
}

impl ClickHouseStore {
    /// Makes the store. Connects at first use, since a service whose visit store is unavailable must serve pages.
    pub fn new(url: ClickHouseUrl, db: &Db, clock: &Clock) -> ClickHouseStore {
        ClickHouseStore {
            client: client::connect(&url),
            breaker: CircuitBreaker::default(),
            db: db.clone(),
            clock: clock.clone(),
            database: DatabaseStore::new(db, clock),
            bounds: Mutex::new(PageBounds::default()),
            max_paths: MAX_PATHS,
            tables: OnceCell::new(),
        }
    }

    /// Sets other bounds of pages of a day and of paths.
    #[cfg(test)]
    pub(crate) fn bounded(mut self, max_pages: usize, max_paths: u64) -> ClickHouseStore {
        self.bounds = Mutex::new(PageBounds::new(max_pages, max_paths));
        self.max_paths = max_paths;
        self
    }

    /// Returns the client, after the tables were created.
    pub(super) async fn client(&self) -> Result<&Client, VisitError> {
        self.tables.get_or_try_init(|| tables::create(&self.client)).await?;
        Ok(&self.client)
    }

    /// Reads the rows of a report. Fails at once while the server does not answer.
    pub(super) async fn report<T: RowOwned + RowRead>(&self, query: Query) -> Result<Vec<T>, VisitError> {
        if !self.breaker.may_ask() {
            return Err(VisitError::Silent);
        }
        self.ask_for(PATIENCE, query).await
    }

    pub(super) async fn ask_for<T: RowOwned + RowRead>(
        &self,
        patience: Duration,
        query: Query,
    ) -> Result<Vec<T>, VisitError> {
        let asked = async {
            self.client().await?;
            answer(query.fetch_all()).await
        };
        let answer = tokio::time::timeout(patience, asked).await.unwrap_or(Err(VisitError::Silent));
        match &answer {
            Err(VisitError::Silent) => self.breaker.gave_no_answer(),
            Err(VisitError::Unreachable(error)) if client::is_not_connected(error) => {
                self.breaker.gave_no_answer();
            }
            // A connection that breaks says nothing about the next one.
            Err(VisitError::Unreachable(_) | VisitError::Database(_) | VisitError::Busy) => {}
            Ok(_) | Err(VisitError::Refused(_)) => self.breaker.answered(),
        }
        answer
    }

    /// Makes a statement and binds domain, first and last day of a window to its first three parameters.
    pub(super) fn of_window(&self, sql: &str, domain: &DomainId, window: (Day, Day)) -> Query {
        let (from, to) = stored_window(window);
        self.client.query(sql).bind(domain.as_str()).bind(from).bind(to)
    }
}
