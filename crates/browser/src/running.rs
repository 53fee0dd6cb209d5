//! A browser that runs, with the warm tabs in it and the places that renders have there. Used by the supervisor, the fleet and the pool.
//! Must never keep a tab in a browser that another one has replaced.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::browser::Browser;
use crate::tab::Tab;
use crate::warm_tabs::WarmTabs;

/// A browser and what is in it.
pub(crate) struct RunningBrowser {
    browser: Arc<Browser>,
    pub warm_tabs: WarmTabs,
    /// Renders that have a place in it.
    active: AtomicUsize,
    /// Another browser has taken over: tabs of this one are not kept.
    retired: AtomicBool,
}

impl Deref for RunningBrowser {
    type Target = Arc<Browser>;

    fn deref(&self) -> &Arc<Browser> {
        &self.browser
    }
}

/// A render's place in a browser, until dropped.
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
    /// A browser without tabs.
    pub fn new(browser: Arc<Browser>) -> RunningBrowser {
        RunningBrowser {
            browser,
            warm_tabs: WarmTabs::default(),
            active: AtomicUsize::new(0),
            retired: AtomicBool::new(false),
        }
    }

    /// Takes a place for a render.
    pub fn lease(self: &Arc<Self>) -> Lease {
        self.active.fetch_add(1, Ordering::Relaxed);
        Lease(self.clone())
    }

    /// Renders that have a place in it now.
    pub fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Keeps a clean tab for the next page of its site; over `max` the longest unused ones are closed.
    pub fn keep(&self, tab: Tab, max: usize) {
        if !self.retired.load(Ordering::Relaxed) && !self.is_gone() {
            self.warm_tabs.put(tab, max);
        }
    }

    /// Keeps no tab any more: another browser has taken over.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
        self.warm_tabs.clear();
    }

    /// Kills the whole process group and waits until nothing is left of it.
    pub async fn end(&self) {
        self.browser.end().await;
        self.warm_tabs.clear();
    }
}
