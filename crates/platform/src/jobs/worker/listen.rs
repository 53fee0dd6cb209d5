//! Hears of work that other processes queue: PostgreSQL's notifications. Used by the worker. What it misses costs time only.

use std::time::Duration;

use sqlx_postgres::PgListener;

use crate::jobs::queries;
use crate::jobs::queue::Jobs;

/// Wakes the worker when another process has queued something. Never returns.
pub(super) async fn listen(url: Option<String>, jobs: Jobs) {
    let Some(url) = url else { return std::future::pending().await };
    loop {
        if let Err(error) = listen_once(&url, &jobs).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "not listening for jobs at the moment");
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

async fn listen_once(url: &str, jobs: &Jobs) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(queries::CHANNEL).await?;
    loop {
        // Whatever was announced before we listened has no signal any more.
        jobs.wake();
        listener.recv().await?;
    }
}
