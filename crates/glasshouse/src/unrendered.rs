//! The renderer of a process that does not render: commands, and nodes without the role `render`.
//! Answers every render with a clear refusal; never starts a browser.

use browser::{BrowserHealth, RenderError, RenderRequest, Rendered, Renderer};

/// Renders nothing.
#[derive(Debug)]
pub struct Unrendered;

const WHY: &str = "this process does not render (server.roles has no \"render\")";

#[async_trait::async_trait]
impl Renderer for Unrendered {
    async fn render(&self, _: RenderRequest) -> Result<Rendered, RenderError> {
        Err(RenderError::NoBrowser(WHY.to_owned()))
    }

    /// Usable, because nothing is missing: a node without browsers is ready for what it is there for.
    async fn health(&self) -> BrowserHealth {
        BrowserHealth {
            usable: true,
            version: None,
            confined: true,
            sandboxed: true,
            frames_on_demand: false,
            cgroup: false,
            problem: Some(WHY.to_owned()),
            active: 0,
            waiting: 0,
        }
    }

    async fn shutdown(&self) {}
}
