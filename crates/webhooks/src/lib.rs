//! Webhooks: events of accounts and domains, and their deliveries to customers' servers and to people. An event is emitted in the
//! transaction of what happened, by every feature to the right; a job sends each delivery.
//! See docs/decisions/0544.

mod conditions;
mod document;
mod emitting;
pub mod events;
mod formats;
pub mod handlers;
mod jobs;
mod limits;
pub mod model;
pub mod ports;
mod queries;
mod sending;
mod service;
mod signing;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use conditions::Condition;
pub use document::add_events;
pub use emitting::{Events, Listeners, NewEvent};
pub use events::EventData;
pub use jobs::{SendWritten, schedules};
pub use limits::LimitWatch;
pub use model::{WebhookFormat, WebhookId};
pub use sending::WebhookSender;
pub use service::{NewWebhook, Webhooks};
pub use signing::sign_standard;
pub use state::WebhooksState;
