//! Interface of webhooks to features whose settings name an address of their own: `webhookUrl` and `digest` of auditing and of
//! monitoring. A message is written when it is sent, so that the settings of that time hold. `app` passes the features in.

use futures::future::BoxFuture;
use serde_json::Value;
use store::DbError;

/// Message that a feature has written.
#[derive(Debug, Clone)]
pub enum WrittenMessage {
    /// JSON for a customer's server, signed with the secret of the settings.
    Signed { url: String, secret: String, body: String },
    /// E-mail to a person.
    Mail { to: String, subject: String, text: String, html: String, id: String },
}

/// Feature that writes messages to addresses of its own settings.
pub trait MessageWriter: Send + Sync {
    /// Returns the name in jobs. Must never change while messages may be queued.
    fn name(&self) -> &'static str;

    /// Writes a message from the data of its job. None: its subject is gone, or the settings want it no longer.
    fn write<'a>(&'a self, message: &'a Value) -> BoxFuture<'a, Result<Option<WrittenMessage>, DbError>>;
}
