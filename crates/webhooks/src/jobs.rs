//! Background work of webhooks. Each job says what to do; the sender knows how.

use std::time::Duration;

use platform::jobs::{Job, JobError, JobOutcome, JobRun, NewJob, Registry, Schedule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::LimitWatch;
use crate::model::{DeliveryId, WebhookId};
use crate::sending::WebhookSender;

/// Deliveries that one process sends at a time.
const AT_ONCE: usize = 64;
/// Time for which deliveries are listed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Events that one transaction deletes.
const SOME: i64 = 1_000;

/// A job that sends one delivery.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendDelivery {
    pub delivery: DeliveryId,
    /// Number of times that the delivery was asked for again.
    pub round: i64,
}

impl Job for SendDelivery {
    const KIND: &'static str = "SendDelivery";
    // Attempts that failed at the receiver do not count: these are failures of our own database.
    const MAX_ATTEMPTS: u32 = 100;
    const LONGEST_WAIT: Duration = Duration::from_secs(600);
    type Services = WebhookSender;

    async fn run(&self, sender: &WebhookSender, _: &JobRun) -> Result<JobOutcome, JobError> {
        sender.send_single(self).await
    }
}

/// A job that sends what has gathered for a webhook about a domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendGathered {
    pub webhook: WebhookId,
    /// Name of the domain; empty: the account.
    pub domain: String,
}

impl Job for SendGathered {
    const KIND: &'static str = "SendGathered";
    const MAX_ATTEMPTS: u32 = 100;
    const LONGEST_WAIT: Duration = Duration::from_secs(600);
    type Services = WebhookSender;

    async fn run(&self, sender: &WebhookSender, _: &JobRun) -> Result<JobOutcome, JobError> {
        sender.send_gathered(self).await
    }
}

/// A job that sends a message that a feature writes, to an address of the feature's settings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendWritten {
    /// Name of the writer.
    pub writer: String,
    /// Data that the writer needs.
    pub message: Value,
}

impl SendWritten {
    /// Makes the job of a message about a domain. The messages of a writer about a domain are a lane.
    pub fn job(writer: &str, account: &str, domain: &str, message: impl Serialize) -> NewJob {
        let message = serde_json::to_value(message).expect("messages are plain data");
        let job = SendWritten { writer: writer.to_owned(), message };
        job.queued_for(account).domain(domain).lane(format!("{writer}:{domain}"))
    }
}

impl Job for SendWritten {
    const KIND: &'static str = "SendWritten";
    // More than the waits allow within the time for which a message is tried.
    const MAX_ATTEMPTS: u32 = 1_000;
    type Services = WebhookSender;

    async fn run(&self, sender: &WebhookSender, run: &JobRun) -> Result<JobOutcome, JobError> {
        sender.send_written(self, run).await
    }
}

/// A job that deletes old events with their deliveries.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TidyDeliveries {}

impl Job for TidyDeliveries {
    const KIND: &'static str = "TidyDeliveries";
    // The next one comes in an hour.
    const MAX_ATTEMPTS: u32 = 3;
    type Services = WebhookSender;

    async fn run(&self, sender: &WebhookSender, run: &JobRun) -> Result<JobOutcome, JobError> {
        while !run.is_stopping() && sender.delete_some_before(KEPT, SOME).await? > 0 {}
        Ok(JobOutcome::Done)
    }
}

/// A job that looks at the limits of plans.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WatchLimits {}

impl Job for WatchLimits {
    const KIND: &'static str = "WatchLimits";
    // The next one comes in a minute.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = LimitWatch;

    async fn run(&self, limits: &LimitWatch, _: &JobRun) -> Result<JobOutcome, JobError> {
        limits.look().await?;
        Ok(JobOutcome::Done)
    }
}

impl WebhookSender {
    /// Adds the jobs of deliveries to those that this process can run.
    pub fn register(&self, registry: Registry) -> Registry {
        registry
            .with::<SendDelivery>(self.clone(), AT_ONCE)
            .with::<SendGathered>(self.clone(), AT_ONCE)
            .with::<SendWritten>(self.clone(), AT_ONCE)
            .with::<TidyDeliveries>(self.clone(), 1)
    }
}

impl LimitWatch {
    /// Adds the job that looks at limits to those that this process can run.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<WatchLimits>(self.clone(), 1)
    }
}

/// Lists what the worker has to queue again and again.
pub fn schedules() -> Vec<Schedule> {
    vec![
        Schedule::every(Duration::from_secs(3600), "old deliveries", || {
            TidyDeliveries {}.queued_for("service")
        }),
        Schedule::every(Duration::from_secs(60), "limits of plans", || WatchLimits {}.queued_for("service")),
    ]
}
