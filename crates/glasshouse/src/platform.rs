//! What every feature is built from: settings, clock, database, object store, network, browser, and the life of the process.
//! Knows no feature; `app` makes it and hands it to the services.

use std::sync::Arc;

use browser::Renderer;
use crawler::Network;
use store::{Blobs, Db};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::config::Config;
use crate::draining::Draining;
use crate::secret::Secrets;

/// The ground that services stand on. Cheap to clone.
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
