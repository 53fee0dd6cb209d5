//! Settings of the browsers. Used by the pool and by those who create one.
//! Must never exceed the resources of the machine by default.

use std::path::PathBuf;

use crawler::Network;

use crate::system;

/// Maximum number of pages in one browser. One scheduler draws the frames of all of them in turn.
pub(crate) const SLOTS_PER_BROWSER: usize = 8;
/// Memory of a browser without pages, and of each page in it.
const BROWSER_BYTES: u64 = 512 << 20;
const SLOT_BYTES: u64 = 256 << 20;
/// Maximum memory of a page.
const PAGE_BYTES: u64 = 768 << 20;

/// Settings of the browsers.
#[derive(Debug, Clone)]
pub struct BrowserConfig {
    /// Binary of the browser; `None`: the installed one is located.
    pub binary: Option<PathBuf>,
    /// Maximum number of concurrent pages. The current number follows the load of the machine.
    pub concurrency: usize,
    /// Concurrent pages that a busy processor does not reduce. Short memory does.
    pub concurrency_floor: usize,
    /// Refusal to run a browser that cannot be confined to its own network namespace.
    pub strict_egress: bool,
    /// Network for every byte that a page fetches.
    pub network: Network,
    /// Memory of all browsers together.
    pub memory_limit_bytes: u64,
    /// Folder of the browsers' profiles; emptied at shutdown and, after a crash, at the next start.
    pub profile_dir: PathBuf,
}

impl BrowserConfig {
    /// Makes the default settings.
    pub fn new(network: Network, profile_dir: impl Into<PathBuf>) -> BrowserConfig {
        BrowserConfig {
            binary: None,
            concurrency: system::max_concurrency(),
            // One page per core that only computes, and one more while another waits.
            concurrency_floor: system::cores() + 1,
            strict_egress: false,
            network,
            memory_limit_bytes: system::memory_budget(),
            profile_dir: profile_dir.into(),
        }
    }
}

impl BrowserConfig {
    /// Returns the number of browsers for the maximum number of pages.
    pub(crate) fn max_browsers(&self) -> usize {
        self.concurrency.max(1).div_ceil(SLOTS_PER_BROWSER)
    }

    /// Returns the maximum number of pages in one browser.
    fn slots_per_browser(&self) -> usize {
        self.concurrency.clamp(1, SLOTS_PER_BROWSER)
    }

    /// Returns the memory limit of a browser: the need of its pages, at most its share of the total.
    pub(crate) fn browser_memory_bytes(&self) -> u64 {
        let wanted = BROWSER_BYTES + SLOT_BYTES * self.slots_per_browser() as u64;
        wanted.min(self.memory_limit_bytes / self.max_browsers() as u64)
    }

    /// Returns the memory limit of a page: half of its browser's.
    pub(crate) fn page_memory_bytes(&self) -> u64 {
        (self.browser_memory_bytes() / 2).min(PAGE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(concurrency: usize, memory_limit_bytes: u64) -> BrowserConfig {
        let network = Network::new(crawler::NetworkConfig::default()).unwrap();
        BrowserConfig { concurrency, memory_limit_bytes, ..BrowserConfig::new(network, "/nowhere") }
    }

    #[test]
    fn eight_pages_share_a_browser_and_the_ninth_gets_another() {
        let browsers = [1, 8, 9, 32].map(|pages| config(pages, u64::MAX).max_browsers());

        assert_eq!(browsers, [1, 1, 2, 4]);
    }

    #[test]
    fn a_browsers_memory_follows_its_slots_and_never_exceeds_its_share() {
        let gibibyte = 1 << 30;

        assert_eq!(config(2, u64::MAX).browser_memory_bytes(), gibibyte);
        assert_eq!(config(32, u64::MAX).browser_memory_bytes(), 5 * gibibyte / 2);
        assert_eq!(config(32, 4 * gibibyte).browser_memory_bytes(), gibibyte);
        assert_eq!(config(2, 700 << 20).page_memory_bytes(), 350 << 20);
    }
}
