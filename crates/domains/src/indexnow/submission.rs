//! Job that submits a domain's changed pages, and the meaning of each response. Requests pass the network guard, follow no
//! redirect and read 1 KiB of a response.

use std::time::Duration;

use crawler::retry_after::parse_retry_after;
use http::header::RETRY_AFTER;
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;

use super::queries::{self, IndexNowRow};
use super::{IndexNow, key_location, key_of};
use crate::model::DomainId;
use platform::clock::Timestamp;
use platform::jobs::{Job, JobError, JobOutcome, JobRun};
use platform::notify::webhook;

/// Maximum number of pages of one request.
const MOST_PAGES: i64 = 10_000;
/// Number of bytes that are read of a response.
const ANSWER_BYTES: usize = 1024;
/// Number of characters of a response that a problem quotes.
const SHOWN_CHARS: usize = 200;
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

/// Job that submits the changed pages of a domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SubmitPages {
    pub domain: DomainId,
}

/// Meaning of a response.
enum SubmissionAnswer {
    /// The pages were accepted, with this status.
    Taken(u16),
    /// The submission is retried, after this time if the server has named one.
    Wait { status: Option<u16>, after: Option<Duration> },
    /// A retry would be refused again: 403 and 422.
    Refused { status: u16, text: String },
}

impl Job for SubmitPages {
    const KIND: &'static str = "SubmitPages";
    type Services = IndexNow;

    async fn run(&self, services: &IndexNow, _: &JobRun) -> Result<JobOutcome, JobError> {
        services.submit(&self.domain).await
    }
}

impl IndexNow {
    /// Submits the pending pages when the next submission is due.
    async fn submit(&self, id: &DomainId) -> Result<JobOutcome, JobError> {
        let Some(domain) = self.domains.find_by_id(id).await? else { return Ok(JobOutcome::Done) };
        let mut conn = self.platform.db.read().await?;
        let mut state = queries::find_state(&mut conn, id).await?.unwrap_or_default();
        let mut pages = queries::list_pages(&mut conn, id, MOST_PAGES).await?;
        drop(conn);
        if !domain.settings.index_now || pages.is_empty() {
            return Ok(JobOutcome::Done);
        }
        let now = self.platform.clock.now();
        let next = Timestamp::from_millis(state.next_at);
        if next > now {
            return Ok(JobOutcome::Later(next.since(now)));
        }
        // One request covers one host. A site without a preferred host may have pages of both names.
        let host = host_of(&pages[0].0);
        pages.retain(|(url, _)| host_of(url) == host);
        let answer = self.post(id, host.as_deref().unwrap_or(&domain.host), &pages).await;
        let interval = Duration::from_secs(self.platform.config.indexnow.interval_s.max(1));
        let now = self.platform.clock.now();
        let wait = take_over(&mut state, &answer, (pages.len(), interval), now);
        if let SubmissionAnswer::Refused { .. } = answer {
            let stopped = self.domains.change_settings(id, |settings| settings.index_now = false).await;
            stopped.map_err(|error| JobError::retry(error.to_string()))?;
        }
        let mut tx = self.platform.db.write().await?;
        if let SubmissionAnswer::Taken(_) = answer {
            for page in &pages {
                queries::delete_page(&mut tx, id, page).await?;
            }
        }
        queries::put_state(&mut tx, id, &state).await?;
        let is_more = state.problem.is_none() && queries::count_pages(&mut tx, id).await? > 0;
        tx.commit().await?;
        Ok(if is_more { JobOutcome::Later(wait) } else { JobOutcome::Done })
    }

    async fn post(&self, id: &DomainId, host: &str, pages: &[(String, i64)]) -> SubmissionAnswer {
        let key = key_of(id);
        let urls: Vec<&str> = pages.iter().map(|(url, _)| url.as_str()).collect();
        let body =
            json!({ "host": host, "key": key, "keyLocation": key_location(host, &key), "urlList": urls });
        let endpoint = self.platform.config.indexnow.endpoint.as_str();
        let response = match webhook::post_json(&self.platform, endpoint, &[], body.to_string()).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(%error, domain = %id, "IndexNow gave no answer");
                return SubmissionAnswer::Wait { status: None, after: None };
            }
        };
        let status = response.status().as_u16();
        match status {
            200..=299 => SubmissionAnswer::Taken(status),
            403 | 422 => SubmissionAnswer::Refused { status, text: first_bytes(response.into_body()).await },
            _ => {
                let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                let now = self.platform.clock.now().as_millis();
                SubmissionAnswer::Wait {
                    status: Some(status),
                    after: after.and_then(|value| parse_retry_after(value, now)),
                }
            }
        }
    }
}

/// Applies a response to the state and returns the time until the next request.
fn take_over(
    state: &mut IndexNowRow,
    answer: &SubmissionAnswer,
    (pages, interval): (usize, Duration),
    now: Timestamp,
) -> Duration {
    let wait = match answer {
        SubmissionAnswer::Taken(status) => {
            state.submitted += i64::try_from(pages).unwrap_or(i64::MAX);
            state.last_status = Some(i64::from(*status));
            state.last_submitted_at = Some(now.as_millis());
            (state.problem, state.failures) = (None, 0);
            interval
        }
        SubmissionAnswer::Wait { status, after } => {
            state.last_status = status.map(i64::from).or(state.last_status);
            let doublings = u32::try_from(state.failures).unwrap_or(0).min(20);
            state.failures += 1;
            after.unwrap_or_else(|| interval.saturating_mul(1 << doublings)).max(interval).min(LONGEST_WAIT)
        }
        SubmissionAnswer::Refused { status, text } => {
            state.last_status = Some(i64::from(*status));
            let why = match status {
                403 => "it does not find the key at its address",
                _ => "it does not take these addresses with this key",
            };
            let said = if text.is_empty() { String::new() } else { format!(" It says: {text}") };
            state.problem = Some(format!("IndexNow answered {status}: {why}.{said}"));
            interval
        }
    };
    state.next_at = now.plus(wait).as_millis();
    wait
}

fn host_of(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(str::to_owned)
}

/// Reads the beginning of a response as one line of text.
async fn first_bytes(mut body: hyper::body::Incoming) -> String {
    let mut bytes = Vec::new();
    let reading = async {
        while bytes.len() < ANSWER_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            bytes.extend(frame.into_data().unwrap_or_default());
        }
    };
    // After the timeout the received part is used: only the status matters.
    let _ = tokio::time::timeout(Duration::from_secs(5), reading).await;
    bytes.truncate(ANSWER_BYTES);
    let text = String::from_utf8_lossy(&bytes);
    let line: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    line.join(" ").chars().take(SHOWN_CHARS).collect()
}
