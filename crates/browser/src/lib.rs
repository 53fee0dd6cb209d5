//! Chromium behind [`Renderer`]: takes an address, returns the HTML that a visitor's browser would show.
//!
//! Used by the application's render service and the `render` command. Must never depend on accounts, a database or an HTTP
//! server. Every byte that a page fetches passes the guard of the `crawler` crate.

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
mod running;
mod supervisor;
mod system;
mod tab;
mod version;
mod viewer;
mod visit;
mod warm_tabs;

use futures::future::BoxFuture;

pub use capacity::{RenderCapacity, RenderLoad};
pub use config::BrowserConfig;
pub use locate::locate_browser;
pub use model::*;
pub use pool::ChromiumPool;
pub use problems::describe_problems;
pub use process::{Reaped, reap_orphans};
pub use system::max_concurrency;
pub use viewer::model::*;

fn milliseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Renderer of pages. Implemented by the Chromium pool, and by a fake for tests of other crates.
pub trait Renderer: Send + Sync {
    /// Renders one page without waiting for others: callers keep to [`Renderer::capacity`]. Dropping the future closes the page.
    fn render(&self, request: RenderRequest) -> BoxFuture<'_, Result<Rendered, RenderError>>;

    /// Returns the number of pages that callers may render concurrently. It follows the load of the machine, if it is called
    /// four times a second with the load of the callers' renders.
    fn capacity(&self, load: &RenderLoad) -> RenderCapacity;

    /// Views a page with its pictures and fonts, in a browser that does not render.
    fn view(&self, request: ViewRequest) -> BoxFuture<'_, PageView>;

    /// Returns the state of the browser without starting a render.
    fn health(&self) -> BoxFuture<'_, BrowserHealth>;

    /// Ends all browsers and waits until no process of them is left.
    fn shutdown(&self) -> BoxFuture<'_, ()>;
}
