//! Chromium behind [`Renderer`]: a URL in, the HTML that a person's browser would show out.
//!
//! Used by the application's render service and the `render` command. Stands alone: it knows no accounts, no database
//! and no HTTP server, and every byte a page fetches passes the guard of the `crawler` crate.

mod browser;
mod cdp;
mod cgroup;
mod console;
mod drawer;
mod egress;
#[cfg(feature = "testing")]
pub mod fake;
mod find;
mod flags;
mod idle;
mod memory;
mod model;
mod page;
mod pool;
mod process;
mod profile;
mod queue;
mod supervisor;
mod tab;
mod visit;

pub use find::find_browser;
pub use model::*;
pub use pool::{BrowserConfig, ChromiumPool};

/// Renders pages. Two implementations: the Chromium pool, and a fake for tests of everything above it.
#[async_trait::async_trait]
pub trait Renderer: Send + Sync {
    /// Renders one page.
    ///
    /// Waits fairly for a free slot. Dropping the future gives the slot back and ends the page.
    async fn render(&self, request: RenderRequest) -> Result<Rendered, RenderError>;

    /// Says how the browser is, without starting a render.
    async fn health(&self) -> BrowserHealth;

    /// Ends every browser and waits until no process is left.
    async fn shutdown(&self);
}
