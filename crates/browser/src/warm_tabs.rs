//! Idle tabs that wait for the next page of their owner. Used by the running browser and the pool.
//! Must never hand a tab to another tenant, origin, route or headers than it was opened for.
//! See docs/decisions/0005.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::tab::{Tab, TabOwner};

/// Wait for a tab that is being cleaned. After it, opening a new tab is not slower.
const WAIT_LIMIT: Duration = Duration::from_millis(150);

/// Idle tabs, least recently used first, and tabs that are being cleaned.
#[derive(Default)]
pub(crate) struct WarmTabs {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    tabs: VecDeque<Tab>,
    /// Owners of tabs that are being cleaned.
    cleaning: Vec<TabOwner>,
}

/// Marker of a tab that is being cleaned, until dropped.
pub(crate) struct CleaningTab<'a> {
    warm_tabs: &'a WarmTabs,
    owner: TabOwner,
}

impl Drop for CleaningTab<'_> {
    fn drop(&mut self) {
        let mut state = self.warm_tabs.state();
        if let Some(index) = state.cleaning.iter().position(|owner| *owner == self.owner) {
            state.cleaning.swap_remove(index);
        }
        drop(state);
        self.warm_tabs.changed.notify_waiters();
    }
}

impl WarmTabs {
    /// Takes the most recently used tab of an owner. Waits for a tab that is being cleaned, since opening one takes longer.
    pub async fn take(&self, owner: &TabOwner) -> Option<Tab> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before the check, so that a tab that arrives in between is not missed.
            changed.as_mut().enable();
            {
                let mut state = self.state();
                if let Some(index) = state.tabs.iter().rposition(|tab| tab.owner() == owner) {
                    return state.tabs.remove(index);
                }
                if !state.cleaning.contains(owner) {
                    return None;
                }
            }
            if timeout(WAIT_LIMIT, changed).await.is_err() {
                return None;
            }
        }
    }

    /// Returns true when an owner has an idle tab or one that is being cleaned.
    pub fn has(&self, owner: &TabOwner) -> bool {
        let state = self.state();
        state.cleaning.contains(owner) || state.tabs.iter().any(|tab| tab.owner() == owner)
    }

    /// Marks a tab of an owner as being cleaned.
    pub fn mark_cleaning(&self, owner: TabOwner) -> CleaningTab<'_> {
        self.state().cleaning.push(owner.clone());
        CleaningTab { warm_tabs: self, owner }
    }

    /// Keeps a clean tab. Closes the least recently used ones over `max`.
    pub fn put(&self, tab: Tab, max: usize) {
        let surplus = {
            let tabs = &mut self.state().tabs;
            tabs.push_back(tab);
            let surplus = tabs.len().saturating_sub(max);
            tabs.drain(..surplus).collect::<Vec<_>>()
        };
        self.changed.notify_waiters();
        // Dropped outside the lock, since that sends a command to the browser.
        drop(surplus);
    }

    /// Sends tabs that are idle for `limit` to the blank page, which stops their scripts.
    pub async fn blank_idle(&self, limit: Duration) {
        loop {
            let (mut tab, _cleaning) = {
                let mut state = self.state();
                let is_idle = |tab: &Tab| !tab.is_blank() && tab.idle_for() >= limit;
                let Some(index) = state.tabs.iter().position(is_idle) else { return };
                let Some(tab) = state.tabs.remove(index) else { return };
                state.cleaning.push(tab.owner().clone());
                let cleaning = CleaningTab { warm_tabs: self, owner: tab.owner().clone() };
                (tab, cleaning)
            };
            if tab.blank().await {
                // It has been idle for longer than tabs that were used meanwhile.
                self.state().tabs.push_front(tab);
            }
        }
    }

    /// Closes tabs that are idle for `limit`.
    pub fn close_unused(&self, limit: Duration) {
        let unused = {
            let tabs = &mut self.state().tabs;
            let first_fresh = tabs.iter().position(|tab| tab.idle_for() < limit).unwrap_or(tabs.len());
            tabs.drain(..first_fresh).collect::<Vec<_>>()
        };
        drop(unused);
    }

    /// Closes all tabs.
    pub fn clear(&self) {
        let tabs = std::mem::take(&mut self.state().tabs);
        drop(tabs);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
