//! Parts that every feature is built from: settings, clock, database, object store, network, browser, life of the process.
//! Knows no feature; `app` makes it and hands it to the services.

pub mod api;
pub mod clock;
pub mod config;
pub mod draining;
pub mod follow;
pub mod ids;
pub mod jobs;
pub mod limits;
pub mod listen;
pub mod networks;
pub mod notify;
pub mod plans;
pub mod secret;
pub mod telemetry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::sync::Arc;

use browser::Renderer;
use crawler::Network;
use store::{Blobs, Db, Migrator};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::clock::Clock;
use self::config::Config;
use self::draining::Draining;
use self::secret::Secrets;

/// The schema, written once for both engines; see `store`'s `migrate`. Numbers below 1001 are of versions that were never released.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// Parts that every service is made from. Cheap to clone.
#[derive(Clone)]
pub struct Platform {
    /// Settings.
    pub config: Arc<Config>,
    /// Time of day.
    pub clock: Clock,
    /// Database.
    pub db: Db,
    /// Snapshots and archives.
    pub blobs: Blobs,
    /// The guarded way out to the internet.
    pub network: Network,
    /// Keys of this installation, for sealing and for proofs.
    pub secrets: Arc<Secrets>,
    /// Browsers.
    pub renderer: Arc<dyn Renderer>,
    /// Background tasks. Shutdown waits for all of them: a task must end soon after `shutdown` fires.
    pub tasks: TaskTracker,
    /// Drain state of the process: no new work begins, while requests are still taken.
    pub draining: Draining,
    /// Fires when requests have been answered and background work is to end.
    pub shutdown: CancellationToken,
}
