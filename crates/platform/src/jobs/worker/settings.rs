//! Settings of a worker. Made by the code that starts one.

use std::time::Duration;

use super::{LaneLimits, NamedLanes};
use crate::Platform;
use crate::draining::Draining;

/// Settings of a worker. The defaults are those of production; tests use shorter times.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// A worker that has not shown itself for so long is dead.
    pub lease: Duration,
    /// Time between two heartbeats while it has jobs.
    pub beat_every: Duration,
    /// Time between two looks for dead workers and due schedules.
    pub sweep_every: Duration,
    /// Longest time without looking into the queue. Signals make it look at once.
    pub idle_wait: Duration,
    /// Longest time that running jobs may go on when the process is asked to end; each kind has its own limit within it.
    pub drain: Duration,
    /// Drain state of the process: nothing more is claimed once it has begun.
    pub draining: Draining,
    /// Politeness towards origins.
    pub lanes: LaneLimits,
    /// Lanes with limits of their own.
    pub named_lanes: NamedLanes,
    /// Kinds of all processes, whose depths are shown by the one that looks after the queue; none: its own.
    pub kinds: Vec<&'static str>,
    /// Address of PostgreSQL, to hear of work that other processes queue.
    pub notify_url: Option<String>,
}

impl WorkerSettings {
    /// Makes the settings of this process.
    pub fn of(platform: &Platform) -> WorkerSettings {
        let config = &platform.config;
        WorkerSettings {
            // Every kind says how long it needs, nearly all a second; what is paid for may take the whole time of grace.
            draining: platform.draining.clone(),
            drain: Duration::from_secs(config.server.shutdown_grace_s.saturating_sub(1).max(1)),
            // Never more towards one origin than this process can do at all, nor than a server should bear.
            lanes: LaneLimits {
                at_once: config.render_concurrency().clamp(2, 16) + 2,
                ..WorkerSettings::default().lanes
            },
            notify_url: Some(config.database_url()).filter(|url| url.starts_with("postgres")),
            ..WorkerSettings::default()
        }
    }
}

impl Default for WorkerSettings {
    fn default() -> WorkerSettings {
        WorkerSettings {
            lease: Duration::from_secs(30),
            beat_every: Duration::from_secs(5),
            sweep_every: Duration::from_secs(5),
            idle_wait: Duration::from_secs(5),
            drain: Duration::from_secs(15),
            draining: Draining::default(),
            lanes: LaneLimits { at_once: 8, per_second: 50 },
            named_lanes: NamedLanes::new(),
            kinds: Vec::new(),
            notify_url: None,
        }
    }
}
