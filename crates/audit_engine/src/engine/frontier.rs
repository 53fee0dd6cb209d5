//! What is still to be asked for: each address once, links first, then what pages refer to, then the sitemap.

use std::collections::{HashSet, VecDeque};

use crate::site::UrlId;

/// Why an address is asked for; the first kind goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// The caller named it.
    Seed,
    /// A page links or redirects to it.
    Link,
    /// A page refers to it by canonical, hreflang, next or prev.
    Reference,
    /// The sitemap lists it.
    Listed,
}

/// Addresses that wait.
#[derive(Debug, Default)]
pub struct Frontier {
    queues: [VecDeque<UrlId>; 4],
    linked: HashSet<UrlId>,
    waiting: HashSet<UrlId>,
    taken: HashSet<UrlId>,
}

impl Frontier {
    /// Adds an address. One that waits already moves forward when a page links to it.
    pub fn push(&mut self, id: UrlId, priority: Priority) {
        let is_link = matches!(priority, Priority::Seed | Priority::Link);
        let is_sooner = is_link && self.linked.insert(id);
        if !self.taken.contains(&id) && (self.waiting.insert(id) || is_sooner) {
            self.queues[priority as usize].push_back(id);
        }
    }

    /// Takes the next address.
    pub fn pop(&mut self) -> Option<(UrlId, Priority)> {
        const ORDER: [Priority; 4] = [Priority::Seed, Priority::Link, Priority::Reference, Priority::Listed];
        for priority in ORDER {
            while let Some(id) = self.queues[priority as usize].pop_front() {
                if self.taken.insert(id) {
                    self.waiting.remove(&id);
                    return Some((id, priority));
                }
            }
        }
        None
    }

    /// Addresses that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}

/// Whether a pattern matches all of a path; `*` is any run of characters.
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
        frontier.push(listed, Priority::Listed);
        frontier.push(linked, Priority::Listed);
        frontier.push(linked, Priority::Link);

        let order: Vec<UrlId> = std::iter::from_fn(|| frontier.pop()).map(|(id, _)| id).collect();

        assert_eq!(order, [linked, listed]);
        assert_eq!(frontier.len(), 0);
    }

    #[test]
    fn patterns_match_whole_paths() {
        assert!(matches("/blog/*", "/blog/a/b"));
        assert!(matches("*/print", "/a/print"));
        assert!(!matches("/blog", "/blog/a"));
        assert!(!matches("/a*b*c", "/a-c"));
    }
}
