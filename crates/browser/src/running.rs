//! A running browser with its warm tabs and a counter of its renders. Used by the supervisor, the fleet and the pool.
//! Must never keep a tab of a browser that has been replaced.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::browser::Browser;
use crate::tab::Tab;
use crate::warm_tabs::WarmTabs;

/// A browser, its warm tabs and its active renders.
pub(crate) struct RunningBrowser {
    browser: Arc<Browser>,
    pub warm_tabs: WarmTabs,
    /// Leases of renders.
    active: AtomicUsize,
    /// Another browser has replaced this one: its tabs are not kept.
    retired: AtomicBool,
}

impl Deref for RunningBrowser {
    type Target = Arc<Browser>;

    fn deref(&self) -> &Arc<Browser> {
        &self.browser
    }
}

/// Lease of a browser for a render, until dropped.
pub(crate) struct Lease(Arc<RunningBrowser>);

impl Deref for Lease {
    type Target = Arc<RunningBrowser>;

    fn deref(&self) -> &Arc<RunningBrowser> {
        &self.0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::Relaxed);
    }
}

impl RunningBrowser {
    /// Wraps a browser that has no tabs.
    pub fn new(browser: Arc<Browser>) -> RunningBrowser {
        RunningBrowser {
            browser,
            warm_tabs: WarmTabs::default(),
            active: AtomicUsize::new(0),
            retired: AtomicBool::new(false),
        }
    }

    /// Acquires a lease for a render.
    pub fn lease(self: &Arc<Self>) -> Lease {
        self.active.fetch_add(1, Ordering::Relaxed);
        Lease(self.clone())
    }

    /// Returns the number of leases.
    pub fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Keeps a clean tab for the next page of its owner. Closes the least recently used ones over `max`.
    pub fn keep(&self, tab: Tab, max: usize) {
        if !self.retired.load(Ordering::Relaxed) && !self.is_gone() {
            self.warm_tabs.put(tab, max);
        }
    }

    /// Closes the warm tabs and keeps no further ones.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
        self.warm_tabs.clear();
    }

    /// Kills the process group and waits until no process of it is left.
    pub async fn end(&self) {
        self.browser.end().await;
        self.warm_tabs.clear();
    }
}
