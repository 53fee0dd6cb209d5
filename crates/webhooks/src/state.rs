//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use accounts::People;
use accounts::callers::Callers;
use accounts::ports::AccountHoldings;
use axum::extract::FromRef;

use crate::Webhooks;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct WebhooksState {
    pub callers: Callers,
    pub people: People,
    pub holdings: Arc<dyn AccountHoldings>,
    pub webhooks: Webhooks,
}
