//! Work of the tools on the operator's own machine, which the command `glasshouse mcp` does for addresses of any site.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::Value;

pub use crate::operations::Arguments;
use crate::refusal::ToolRefusal;

/// Result of work on this machine.
pub type MachineResult = Result<Value, MachineError>;

/// Failure of work on this machine, as a sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MachineError(pub String);

/// Pages and sites that are not a domain of the account. All requests go through the guard.
pub trait ThisMachine: Send + Sync {
    /// Renders a page: `status`, `location`, `partial`, and `html`.
    fn render(&self, url: String) -> BoxFuture<'_, MachineResult>;

    /// Starts an audit by the arguments of `start_audit` and returns its id.
    fn start_audit(&self, order: &Arguments) -> Result<String, MachineError>;

    /// Returns an audit that this process started: `run`, `issues` as of `list_run_issues`, and `pages` with their ids. Waits up
    /// to `longest` for one that runs. None: there is none of this id.
    fn find_audit(&self, run: &str, longest: Duration) -> BoxFuture<'static, Option<MachineResult>>;

    /// Verifies a page for an imitated crawler: a report as of `verify_domain`.
    fn verify(&self, url: String, crawler: Option<String>) -> BoxFuture<'_, MachineResult>;
}

impl From<MachineError> for ToolRefusal {
    fn from(error: MachineError) -> ToolRefusal {
        ToolRefusal::new(platform::api::ErrorCode::FetchFailed, error.0)
    }
}
