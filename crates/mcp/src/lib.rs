//! Tools for AI agents by the Model Context Protocol: a catalogue of tools, each of which calls operations of the API, and
//! resources from the documentation. Served at `POST /api/mcp`, and by `glasshouse mcp` on stdin and stdout.
//! Must never do for a caller what the API would refuse, nor present untrusted text outside `untrusted`.
//! See docs/decisions/0546.

mod answer;
mod api;
mod catalogue;
pub mod handlers;
mod operations;
pub mod ports;
mod refusal;
mod remote;
mod resources;
mod schema;
mod server;
mod state;
mod stdio;
mod tools;

pub use api::ToolCaller;
pub use catalogue::{TOOLS, ToolCost, ToolSpec};
pub use remote::{RemoteError, RemoteService};
pub use schema::ToolSchemas;
pub use server::ToolServer;
pub use state::McpState;
pub use stdio::serve_stdio;
pub use tools::{ToolBox, ToolParts};
