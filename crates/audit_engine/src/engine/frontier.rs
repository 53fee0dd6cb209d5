//! Addresses still to be requested: each once, in an order that depends on the pages only.

use std::collections::VecDeque;

use crate::site::UrlId;

/// Reason to request an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlPriority {
    /// The caller named it, or a page links or redirects to it.
    Link,
    /// A page refers to it by canonical, hreflang, next or prev.
    Reference,
    /// The sitemap lists it.
    Listed,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    is_linked: bool,
    waits: bool,
    is_taken: bool,
    is_refused: bool,
    is_pending: bool,
    depth: u16,
}

/// Addresses that wait.
#[derive(Debug, Default)]
pub struct Frontier {
    queue: VecDeque<UrlId>,
    references: VecDeque<UrlId>,
    listed: VecDeque<UrlId>,
    states: Vec<State>,
    waiting: usize,
}

impl Frontier {
    /// Returns true when an address was added or refused before.
    pub fn knows(&self, id: UrlId) -> bool {
        self.states.get(id.index()).is_some_and(|state| state.waits || state.is_taken || state.is_refused)
    }

    /// Keeps an address out for good.
    pub fn refuse(&mut self, id: UrlId) {
        self.reach(id).is_refused = true;
    }

    /// Records that a sitemap lists an address, which is not to be requested yet.
    pub fn set_pending(&mut self, id: UrlId) {
        self.reach(id).is_pending = true;
    }

    /// Decides whether an address is only known because a sitemap lists it.
    pub fn is_pending(&self, id: UrlId) -> bool {
        self.states.get(id.index()).is_some_and(|state| state.is_pending) && !self.knows(id)
    }

    fn reach(&mut self, id: UrlId) -> &mut State {
        if self.states.len() <= id.index() {
            self.states.resize(id.index() + 1, State::default());
        }
        &mut self.states[id.index()]
    }

    /// Adds an address with its number of clicks from the start. A waiting address moves forward when a page links to it.
    pub fn push(&mut self, id: UrlId, priority: CrawlPriority, depth: u16) {
        let state = self.reach(id);
        let is_sooner = priority == CrawlPriority::Link && !state.is_linked;
        if state.is_taken || state.is_refused || state.waits && !is_sooner {
            return;
        }
        let is_new = !state.waits;
        let is_linked = state.is_linked || is_sooner;
        *state = State { is_linked, waits: true, depth, is_pending: state.is_pending, ..State::default() };
        self.waiting += usize::from(is_new);
        match priority {
            CrawlPriority::Link => self.queue.push_back(id),
            CrawlPriority::Reference => self.references.push_back(id),
            CrawlPriority::Listed => self.listed.push_back(id),
        }
    }

    /// Takes the next address. What nothing links to comes only when `is_idle` says that no answer is awaited: a page
    /// that links to it may still come.
    pub fn pop(&mut self, is_idle: bool) -> Option<UrlId> {
        loop {
            while let Some(id) = self.queue.pop_front() {
                let state = &mut self.states[id.index()];
                if !state.is_taken {
                    state.is_taken = true;
                    self.waiting -= 1;
                    return Some(id);
                }
            }
            let next = if self.references.is_empty() { &mut self.listed } else { &mut self.references };
            if !is_idle || next.is_empty() {
                return None;
            }
            self.queue = std::mem::take(next);
        }
    }

    /// Returns the fewest clicks by which an address was found.
    pub fn depth(&self, id: UrlId) -> u16 {
        self.states.get(id.index()).map_or(0, |state| state.depth)
    }

    /// Returns the number of waiting addresses.
    pub fn len(&self) -> usize {
        self.waiting
    }
}

/// Returns true when a pattern matches all of a path; `*` matches any characters.
pub fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Interner;

    #[test]
    fn an_address_that_a_page_links_to_goes_first_and_only_once() {
        let mut urls = Interner::default();
        let (listed, linked) = (urls.intern("/listed"), urls.intern("/linked"));
        let mut frontier = Frontier::default();
        frontier.push(listed, CrawlPriority::Listed, 0);
        frontier.push(linked, CrawlPriority::Listed, 0);
        frontier.push(linked, CrawlPriority::Link, 1);

        let order: Vec<UrlId> = std::iter::from_fn(|| frontier.pop(true)).collect();

        assert_eq!(order, [linked, listed]);
        assert_eq!(frontier.len(), 0);
    }

    #[test]
    fn what_nothing_links_to_waits_until_every_answer_is_there() {
        let mut urls = Interner::default();
        let listed = urls.intern("/listed");
        let mut frontier = Frontier::default();
        frontier.push(listed, CrawlPriority::Listed, 0);

        assert_eq!(frontier.pop(false), None);
        assert_eq!(frontier.pop(true), Some(listed));
    }

    #[test]
    fn patterns_match_whole_paths() {
        assert!(matches("/blog/*", "/blog/a/b"));
        assert!(matches("*/print", "/a/print"));
        assert!(!matches("/blog", "/blog/a"));
        assert!(!matches("/a*b*c", "/a-c"));
    }
}
