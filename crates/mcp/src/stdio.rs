//! The protocol on stdin and stdout. Must never write anything else there.

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use crate::ToolServer;

/// Serves one client until stdin ends.
pub async fn serve_stdio(server: ToolServer) -> std::io::Result<()> {
    let running = match server.serve(stdio()).await {
        Ok(running) => running,
        // The client ended before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(std::io::Error::other(error)),
    };
    running.waiting().await.map_err(std::io::Error::other)?;
    Ok(())
}
