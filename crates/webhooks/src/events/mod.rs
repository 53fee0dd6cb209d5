//! Events: name, data and the sentence that people read of each. Pure. The API document lists them under `webhooks`.
//! A name and a field never change their meaning: receivers depend on both.

mod data;

use platform::clock::Timestamp;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

pub use data::*;

/// Declares the events: type of the data, name, and meaning.
macro_rules! events {
    ($($data:ident = $name:literal: $meaning:literal;)*) => {
        /// Data of an event.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventData {
            $(#[doc = $meaning] $data($data),)*
        }

        $(impl From<$data> for EventData {
            fn from(data: $data) -> EventData {
                EventData::$data(data)
            }
        })*

        impl EventData {
            /// Returns the name of the event.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(EventData::$data(_) => $name,)*
                }
            }

            /// Returns the data as JSON.
            pub fn to_json(&self) -> String {
                match self {
                    $(EventData::$data(data) => serde_json::to_string(data),)*
                }
                .expect("events are plain data")
            }

            /// Reads the stored data of an event. None: another version of the program wrote it.
            pub fn read(name: &str, data: &str) -> Option<EventData> {
                match name {
                    $($name => serde_json::from_str(data).ok().map(EventData::$data),)*
                    _ => None,
                }
            }

            /// Returns the sentence that people read.
            pub fn sentence(&self) -> String {
                match self {
                    $(EventData::$data(data) => data.sentence(),)*
                }
            }
        }

        /// Descriptions of all events, [`TEST_EVENT`] among them.
        pub fn descriptions() -> Vec<EventDescription> {
            vec![$(EventDescription::of::<$data>($name, $meaning)),*]
        }

        /// Names of all events.
        pub const EVENT_NAMES: &[&str] = &[$($name),*];
    };
}

/// Name of the event of `POST /api/webhooks/:id/test`, which no webhook has in its list.
pub const TEST_EVENT: &str = "webhook.test";

events! {
    DomainConnected = "domain.connected": "A domain was connected: crawlers get its pages from here.";
    DomainSuspended = "domain.suspended": "The operator has suspended a domain.";
    RenderFailing = "render.failing": "At least half of a domain's renders of the last 60 minutes failed, of ten or more.";
    RenderRecovered = "render.recovered": "The last ten renders of a domain succeeded, after `render.failing`.";
    BatchFinished = "batch.finished": "A refresh of several pages is over.";
    AuditCompleted = "audit.completed": "An audit is over, however it ended.";
    AuditNewErrors = "audit.new_errors": "An audit found errors on pages where the audit before did not find them.";
    ReportReady = "report.ready": "The first report of AI mentions of a day is ready.";
    VisibilityChanged = "visibility.changed": "Changes of visibility were confirmed.";
    CertificateExpiring = "certificate.expiring": "A certificate has a fifth of its life left.";
    LimitNear = "limit.near": "The use of a limit of the plan has reached 80 %.";
    LimitReached = "limit.reached": "A limit of the plan is used up.";
    VerifyFailing = "verify.failing": "A verification by schedule found something wrong, and the one before did not, or there was none.";
    VerifyRecovered = "verify.recovered": "A verification by schedule found nothing wrong, after `verify.failing`.";
    CrawlerNew = "crawler.new": "A documented, verified crawler visited a domain for the first time.";
    CrawlerGone = "crawler.gone": "One of the five most frequent crawlers is silent: for a day at least, and four times its usual gap.";
    CrawlerErrors = "crawler.errors": "Visits of a day that were answered with an error: a twentieth, ten at least, and twice the mean of the seven days before.";
    CrawlerImpostors = "crawler.impostors": "A hundred visits of an hour that only claimed to be a crawler's.";
    WebhookTest = "webhook.test": "A test, sent by request to one webhook whatever its events are.";
}

/// Name, meaning and schema of an event.
pub struct EventDescription {
    pub name: &'static str,
    pub meaning: &'static str,
    /// Name of the schema of the data.
    pub data: String,
    /// Schemas of the data and of what is in it.
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

impl EventDescription {
    fn of<T: ToSchema>(name: &'static str, meaning: &'static str) -> EventDescription {
        let data = format!("{}Event", T::name());
        let mut schemas = vec![(data.clone(), T::schema())];
        T::schemas(&mut schemas);
        EventDescription { name, meaning, data, schemas }
    }
}

/// Names that a webhook may list.
pub fn listable_names() -> impl Iterator<Item = &'static str> {
    EVENT_NAMES.iter().copied().filter(|name| *name != TEST_EVENT)
}

/// Writes the message of a `standard` webhook, as JSON.
pub fn message_body(event: &EventMessage<'_>) -> String {
    let data: Value = serde_json::from_str(event.data).unwrap_or(Value::Null);
    serde_json::json!({
        "type": event.name, "id": event.id, "timestamp": event.at, "domain": event.domain, "data": data,
    })
    .to_string()
}

/// Stored event, as a message tells it.
pub struct EventMessage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub at: Timestamp,
    pub domain: Option<&'a str>,
    /// Stored data, as JSON.
    pub data: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_reads_back_as_it_was_written() {
        let event = EventData::from(LimitNear { name: "domains".into(), used: 4, limit: 5 });

        assert_eq!(EventData::read(event.name(), &event.to_json()), Some(event));
    }

    #[test]
    fn a_test_is_no_event_that_a_webhook_lists() {
        let names: Vec<_> = listable_names().collect();

        assert_eq!(names.len(), 18);
        assert!(!names.contains(&TEST_EVENT));
    }
}
