//! Background work of weekly mails: finds the people whose mail is due, and sends each.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::WeeklyMailer;
use accounts::model::PersonId;
use platform::jobs::{Job, JobError, JobOutcome, JobRun, Registry, Schedule};

/// Time between two weekly mails.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Monday at six in the morning, after the Thursday midnight at which the count of slots begins.
const MONDAY_MORNING: Duration = Duration::from_secs((4 * 24 + 6) * 3600);
/// Mails that one process sends at a time.
const AT_ONCE: usize = 2;

/// A job that queues the weekly mails.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FindWeeklyMails {}

impl Job for FindWeeklyMails {
    const KIND: &'static str = "FindWeeklyMails";
    // The next one comes in a week.
    const MAX_ATTEMPTS: u32 = 24;
    type Services = WeeklyMailer;

    async fn run(&self, mailer: &WeeklyMailer, _: &JobRun) -> Result<JobOutcome, JobError> {
        mailer.queue_due().await?;
        Ok(JobOutcome::Done)
    }
}

/// A job that sends a person the mail of a week.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendWeeklyMail {
    pub person: PersonId,
    /// Monday on which the mail is sent, in days since 1970. The mail tells the seven days before.
    pub week: i64,
}

impl Job for SendWeeklyMail {
    const KIND: &'static str = "SendWeeklyMail";
    const MAX_ATTEMPTS: u32 = 12;
    const FIRST_WAIT: Duration = Duration::from_secs(60);
    type Services = WeeklyMailer;

    async fn run(&self, mailer: &WeeklyMailer, _: &JobRun) -> Result<JobOutcome, JobError> {
        mailer.send(self).await?;
        Ok(JobOutcome::Done)
    }
}

impl WeeklyMailer {
    /// Adds the jobs to those that this process can run.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<FindWeeklyMails>(self.clone(), 1).with::<SendWeeklyMail>(self.clone(), AT_ONCE)
    }
}

/// Lists what the worker has to queue again and again.
pub fn schedules() -> Vec<Schedule> {
    let weekly = Schedule::every(WEEK, "weekly mails", || FindWeeklyMails {}.queued_for("service"));
    vec![Schedule { offset: MONDAY_MORNING, ..weekly }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::clock::Timestamp;

    #[test]
    fn mails_are_looked_for_on_monday_morning() {
        let first = i64::try_from(MONDAY_MORNING.as_millis()).expect("a few days");

        let first = Timestamp::from_millis(first);

        assert_eq!(format!("{:?}", first.date().weekday()), "Monday");
        assert_eq!(serde_json::to_value(first).expect("a text"), "1970-01-05T06:00:00.000Z");
    }
}
