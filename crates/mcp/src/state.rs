//! State of this feature's router.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::ToolServer;
use accounts::callers::Callers;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct McpState {
    pub callers: Callers,
    pub tools: ToolServer,
    pub config: Arc<Config>,
}
