//! Sending of deliveries: one attempt, its outcome, and the time of the next. A webhook for programs gets each event by itself;
//! people get at most one message an hour about a domain, the first at once. Memory is bounded: a message lists its oldest events
//! and counts the rest in the database. Must never send to an address that the guard refuses.
//! See docs/decisions/0544.

use std::sync::Arc;
use std::time::Duration;

use platform::Platform;
use platform::clock::Timestamp;
use platform::ids::new_id;
use platform::jobs::{JobError, JobOutcome, JobRun};
use platform::notify::mail::{MailError, MailMessage, Mailer};
use platform::notify::webhook::{
    TRIED_FOR, WebhookAttempt, WebhookError, WebhookMessage, WebhookVerdict, send,
};
use store::DbError;

use accounts::People;
use accounts::people::MemberState;

use crate::events::{EventData, EventMessage, message_body};
use crate::formats::{self, Digest};
use crate::jobs::{SendDelivery, SendGathered, SendWritten};
use crate::model::{DeliveryAttempt, DeliveryState, WebhookFormat, WebhookId, email_of};
use crate::ports::{MessageWriter, WrittenMessage};
use crate::queries::{self, AttemptOutcome, DeliveryRow, WebhookRow};
use crate::service::{Seals, context_of};
use crate::signing;

/// Time between two messages to people about a domain.
const MESSAGE_EVERY: Duration = Duration::from_secs(3600);
/// Events that a message to people lists.
const MOST_LISTED: i64 = 20;
/// Time without a success after which a webhook is switched off.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(5 * 24 * 3600);
/// Longest wait that a job is given; it looks again then.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

/// Sender of deliveries. Cheap to clone.
#[derive(Clone)]
pub struct WebhookSender(Arc<Shared>);

struct Shared {
    platform: Platform,
    people: People,
    mailer: Option<Mailer>,
    seals: Seals,
    writers: Vec<Arc<dyn MessageWriter>>,
}

/// Outcome of an attempt, whatever it was sent by.
struct Attempted {
    attempt: DeliveryAttempt,
    verdict: WebhookVerdict,
    /// Reason why no attempt of any message can succeed.
    problem: Option<&'static str>,
}

impl WebhookSender {
    /// Makes the sender of deliveries and of what these features write.
    pub fn new(platform: &Platform, people: &People, writers: Vec<Arc<dyn MessageWriter>>) -> WebhookSender {
        WebhookSender(Arc::new(Shared {
            platform: platform.clone(),
            people: people.clone(),
            mailer: Mailer::of_settings(&platform.config).ok().flatten(),
            seals: Seals::new(&platform.secrets),
            writers,
        }))
    }

    fn now(&self) -> Timestamp {
        self.0.platform.clock.now()
    }

    /// Deletes some events that are no longer listed. Returns how many.
    pub(crate) async fn delete_some_before(&self, time: Duration, most: i64) -> Result<u64, DbError> {
        let mut tx = self.0.platform.db.write().await?;
        let deleted = queries::delete_some_before(&mut tx, self.now().minus(time), most).await?;
        tx.commit().await?;
        Ok(deleted)
    }

    /// Sends one delivery, if it still waits.
    pub(crate) async fn send_single(&self, job: &SendDelivery) -> Result<JobOutcome, JobError> {
        let mut conn = self.0.platform.db.read().await?;
        let Some(row) = queries::find_delivery(&mut conn, &job.delivery).await? else {
            return Ok(JobOutcome::Done);
        };
        let webhook = queries::find_webhook(&mut conn, &WebhookId::from(row.webhook_id.as_str())).await?;
        drop(conn);
        let Some(webhook) = webhook else { return Ok(JobOutcome::Done) };
        if DeliveryState::stored(&row.state) != DeliveryState::Waiting || row.round != job.round {
            return Ok(JobOutcome::Done);
        }
        // Somebody asked for it: a test, or a delivery that is sent again.
        let is_asked_for = row.round > 0 || row.name == crate::events::TEST_EVENT;
        if !webhook.webhook.enabled && !is_asked_for {
            let mut tx = self.0.platform.db.write().await?;
            queries::fail(&mut tx, &job.delivery, self.now()).await?;
            tx.commit().await?;
            return Ok(JobOutcome::Done);
        }
        let number = u32::try_from(row.tries + 1).unwrap_or(u32::MAX);
        let attempted = match webhook.webhook.format {
            WebhookFormat::Standard => self.send_standard(&webhook, &row, number).await,
            _ => {
                let sentence = EventData::read(&row.name, &row.data).map(|data| data.sentence());
                let digest = Digest {
                    domain: row.domain.as_deref().unwrap_or_default(),
                    sentences: vec![sentence.unwrap_or_else(|| row.name.clone())],
                    more: 0,
                    public_url: &self.0.platform.config.public_url(),
                };
                self.send_to_people(&webhook, &digest, (&row.id, number)).await?
            }
        };
        let now = self.now();
        let is_late = row.first_try_at.is_some_and(|at| now.since(Timestamp::from_millis(at)) >= TRIED_FOR);
        let (state, next) = match attempted.verdict {
            WebhookVerdict::Taken => (DeliveryState::Delivered, JobOutcome::Done),
            WebhookVerdict::Again(wait) if !is_late && attempted.problem.is_none() => {
                (DeliveryState::Waiting, JobOutcome::Later(wait.min(LONGEST_WAIT)))
            }
            WebhookVerdict::Again(_) | WebhookVerdict::Gone => (DeliveryState::Failed, JobOutcome::Done),
        };
        let mut tx = self.0.platform.db.write().await?;
        let outcome = outcome_of(&attempted, state, now);
        queries::record_attempt(&mut tx, (&job.delivery, job.round), &outcome).await?;
        record_at_webhook(&mut tx, &webhook, &attempted, now).await?;
        tx.commit().await?;
        Ok(next)
    }

    /// Sends what has gathered for a webhook about a domain, once it is time.
    pub(crate) async fn send_gathered(&self, job: &SendGathered) -> Result<JobOutcome, JobError> {
        let db = &self.0.platform.db;
        let (now, target) = (self.now(), (&job.webhook, job.domain.as_str()));
        let mut tx = db.write().await?;
        let Some(webhook) = queries::find_webhook(&mut tx, &job.webhook).await? else {
            return Ok(JobOutcome::Done);
        };
        if !webhook.webhook.enabled {
            queries::fail_gathered(&mut tx, target, now).await?;
            tx.commit().await?;
            return Ok(JobOutcome::Done);
        }
        let last = queries::find_last_message(&mut tx, target.0, target.1).await?;
        if let Some(next) = last.map(|last| last.plus(MESSAGE_EVERY)).filter(|next| *next > now) {
            return Ok(JobOutcome::Later(next.since(now)));
        }
        let message = new_id();
        let count = queries::gather(&mut tx, target, &message).await?;
        let listed = queries::list_gathered(&mut tx, &message, MOST_LISTED).await?;
        tx.commit().await?;
        let Some((_, _, tries)) = listed.first() else { return Ok(JobOutcome::Done) };
        let number = u32::try_from(*tries + 1).unwrap_or(u32::MAX);
        let sentence = |name: &str, data: &str| match EventData::read(name, data) {
            Some(data) => data.sentence(),
            None => name.to_owned(),
        };
        let digest = Digest {
            domain: &job.domain,
            sentences: listed.iter().map(|(name, data, _)| sentence(name, data)).collect(),
            more: count.saturating_sub(listed.len() as u64),
            public_url: &self.0.platform.config.public_url(),
        };
        let attempted = self.send_to_people(&webhook, &digest, (&message, number)).await?;
        let now = self.now();
        let (state, next) = match attempted.verdict {
            WebhookVerdict::Taken => (DeliveryState::Delivered, JobOutcome::Done),
            // The next run of the job sees whether something still waits.
            WebhookVerdict::Again(wait) if attempted.problem.is_none() => {
                (DeliveryState::Waiting, JobOutcome::Later(wait.min(LONGEST_WAIT)))
            }
            WebhookVerdict::Again(_) | WebhookVerdict::Gone => (DeliveryState::Failed, JobOutcome::Done),
        };
        let mut tx = db.write().await?;
        let outcome = outcome_of(&attempted, state, now);
        queries::record_gathered(&mut tx, &message, &outcome, now.minus(TRIED_FOR)).await?;
        record_at_webhook(&mut tx, &webhook, &attempted, now).await?;
        tx.commit().await?;
        Ok(next)
    }

    /// Sends a message that a feature writes, unless its settings want it no longer.
    pub(crate) async fn send_written(&self, job: &SendWritten, run: &JobRun) -> Result<JobOutcome, JobError> {
        let Some(writer) = self.0.writers.iter().find(|writer| writer.name() == job.writer) else {
            return Err(JobError::give_up("another version of the program writes the message"));
        };
        let now = self.now();
        let attempted = match writer.write(&job.message).await? {
            None => return Ok(JobOutcome::Done),
            Some(WrittenMessage::Signed { url, secret, body }) => {
                let headers = signing::service_headers(&[secret], now, &body).into();
                let message = WebhookMessage { url, content_type: "application/json", headers, body };
                self.post(message, run.attempt).await
            }
            Some(WrittenMessage::Mail { to, subject, text, html, id }) => {
                let (to, subject, text, html, id) = (&*to, &*subject, &*text, &*html, &*id);
                self.mail_to(MailMessage { to, subject, text, html, id, unsubscribe: None }, run.attempt)
                    .await
            }
        };
        let reason = attempted.attempt.error.unwrap_or_default();
        match attempted.verdict {
            WebhookVerdict::Taken => Ok(JobOutcome::Done),
            WebhookVerdict::Again(wait) if now.since(run.queued_at) < TRIED_FOR => {
                Err(JobError::retry_after(reason, wait))
            }
            WebhookVerdict::Again(_) | WebhookVerdict::Gone => Err(JobError::give_up(reason)),
        }
    }

    async fn send_standard(&self, row: &WebhookRow, delivery: &DeliveryRow, number: u32) -> Attempted {
        let now = self.now();
        let body = message_body(&EventMessage {
            id: &delivery.event_id,
            name: &delivery.name,
            at: Timestamp::from_millis(delivery.event_created_at),
            domain: delivery.domain.as_deref(),
            data: &delivery.data,
        });
        let secrets = self.0.seals.secrets_of(row, now);
        let Some(url) = self.url_of(row) else { return unreadable(now) };
        let headers = signing::headers(&secrets, &delivery.event_id, now, &body);
        let message = WebhookMessage { url, content_type: "application/json", headers, body };
        self.post(message, number).await
    }

    async fn send_to_people(
        &self,
        row: &WebhookRow,
        digest: &Digest<'_>,
        (id, number): (&str, u32),
    ) -> Result<Attempted, DbError> {
        let now = self.now();
        let Some(url) = self.url_of(row) else { return Ok(unreadable(now)) };
        match formats::message(row.webhook.format, &url, digest) {
            Some(message) => Ok(self.post(message, number).await),
            None => self.mail(row, &url, digest, (id, number)).await,
        }
    }

    async fn post(&self, message: WebhookMessage, number: u32) -> Attempted {
        let at = self.now();
        let attempt = send(&self.0.platform, message).await;
        attempted(&attempt, at, number)
    }

    /// Mails a digest, while the address is that of a person of the account.
    async fn mail(
        &self,
        row: &WebhookRow,
        url: &str,
        digest: &Digest<'_>,
        (id, number): (&str, u32),
    ) -> Result<Attempted, DbError> {
        let to = email_of(url).unwrap_or_default();
        let members = self.0.people.members.list(&row.account).await?;
        let is_known = members.iter().any(|member| member.state == MemberState::Active && member.email == to);
        if !is_known {
            return Ok(unmailable(self.now()));
        }
        let mail = formats::mail(digest);
        let message = MailMessage {
            to,
            subject: &mail.subject,
            text: &mail.text,
            html: &mail.html,
            id: &format!("event-{id}"),
            unsubscribe: None,
        };
        Ok(self.mail_to(message, number).await)
    }

    async fn mail_to(&self, message: MailMessage<'_>, number: u32) -> Attempted {
        let at = self.now();
        let Some(mailer) = &self.0.mailer else { return unmailable(at) };
        let since = std::time::Instant::now();
        let error = mailer.send(message).await.err();
        let verdict = match &error {
            None => WebhookVerdict::Taken,
            Some(MailError::BadRecipient(_) | MailError::BadMessage(_)) => WebhookVerdict::Gone,
            Some(_) => WebhookVerdict::again(number),
        };
        let problem = matches!(verdict, WebhookVerdict::Gone).then_some("The address cannot be written to.");
        let text = error.map(|error| error.to_string());
        Attempted { attempt: attempt_of(at, None, since.elapsed(), text), verdict, problem }
    }

    fn url_of(&self, row: &WebhookRow) -> Option<String> {
        self.0.seals.open(&row.webhook.url, &context_of(&row.webhook.id))
    }
}

fn attempted(attempt: &WebhookAttempt, at: Timestamp, number: u32) -> Attempted {
    let verdict = attempt.verdict(number);
    let problem = match (&attempt.error, verdict) {
        (Some(WebhookError::BadAddress(_)), _) => Some("The address cannot be asked."),
        (_, WebhookVerdict::Gone) => Some("The receiver answered 410: it wants no more messages."),
        _ => None,
    };
    let error = attempt.error.as_ref().map(|error| error.to_string());
    Attempted { attempt: attempt_of(at, attempt.status, attempt.duration, error), verdict, problem }
}

/// Makes the outcome for an address or a secret that was sealed with another secret of the installation.
fn unreadable(now: Timestamp) -> Attempted {
    Attempted {
        attempt: attempt_of(now, None, Duration::ZERO, Some("the address cannot be read".into())),
        verdict: WebhookVerdict::Gone,
        problem: Some("The address cannot be read with the installation's present secret; set it again."),
    }
}

/// Makes the outcome for an address that gets no mail.
fn unmailable(now: Timestamp) -> Attempted {
    let error = "no mail can be sent to the address".to_owned();
    Attempted {
        attempt: attempt_of(now, None, Duration::ZERO, Some(error)),
        verdict: WebhookVerdict::Gone,
        problem: Some("Mail is not set up, or the address is no longer that of a person of the account."),
    }
}

fn attempt_of(
    at: Timestamp,
    status: Option<u16>,
    duration: Duration,
    error: Option<String>,
) -> DeliveryAttempt {
    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    DeliveryAttempt { at, status, duration_ms, error }
}

fn outcome_of(attempted: &Attempted, state: DeliveryState, now: Timestamp) -> AttemptOutcome {
    let attempt = serde_json::to_string(&attempted.attempt).expect("attempts are plain data");
    AttemptOutcome { state, attempt, now }
}

/// Notes at the webhook that a message was taken or not, and switches off one that takes none.
async fn record_at_webhook(
    tx: &mut store::Tx,
    row: &WebhookRow,
    attempted: &Attempted,
    now: Timestamp,
) -> Result<(), DbError> {
    let id = &row.webhook.id;
    if attempted.verdict == WebhookVerdict::Taken {
        return queries::record_success(tx, id).await;
    }
    let since = queries::record_failure(tx, id, now).await?;
    let is_given_up = now.since(since) >= GIVEN_UP_AFTER;
    let given_up = is_given_up.then_some("No message was taken for five days.");
    match attempted.problem.or(given_up) {
        Some(problem) if row.webhook.enabled => queries::switch_off(tx, id, problem).await,
        _ => Ok(()),
    }
}
