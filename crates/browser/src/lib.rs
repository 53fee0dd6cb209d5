//! Chromium behind [`Renderer`]: a URL in, the HTML that a person's browser would show out.
//!
//! Used by the application's render service and the `render` command. Stands alone: it knows no accounts, no database
//! and no HTTP server, and every byte a page fetches passes the guard of the `crawler` crate.

mod attempts;
mod browser;
mod capacity;
mod cdp;
mod cgroup;
mod config;
mod confinement;
mod console;
mod egress;
mod environment;
#[cfg(feature = "testing")]
pub mod fake;
mod flags;
mod fleet;
mod frame_scheduler;
mod locate;
mod memory;
mod model;
mod page;
mod pool;
mod problems;
mod process;
mod profile;
mod queue;
mod running;
mod supervisor;
mod system;
mod tab;
mod version;
mod viewer;
mod visit;
mod warm_tabs;

use futures::future::BoxFuture;

pub use config::BrowserConfig;
pub use locate::locate_browser;
pub use model::*;
pub use pool::ChromiumPool;
pub use problems::describe_problems;
pub use process::{Reaped, reap_orphans};
pub use system::max_concurrency;
pub use viewer::model::*;

/// Renders pages. Two implementations: the Chromium pool, and a fake for tests of everything above it.
pub trait Renderer: Send + Sync {
    /// Renders one page.
    ///
    /// Waits fairly for a free slot. Dropping the future gives the slot back and ends the page.
    fn render(&self, request: RenderRequest) -> BoxFuture<'_, Result<Rendered, RenderError>>;

    /// Looks at a page with its pictures and fonts, in a browser apart from those that render.
    fn view(&self, request: ViewRequest) -> BoxFuture<'_, PageView>;

    /// Says how the browser is, without starting a render.
    fn health(&self) -> BoxFuture<'_, BrowserHealth>;

    /// Ends every browser and waits until no process is left.
    fn shutdown(&self) -> BoxFuture<'_, ()>;
}
