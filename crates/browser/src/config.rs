//! How browsers are run: what an operator decides. Used by the pool and by whoever starts one.
//! Must never decide for a machine larger than the one it runs on.

use std::path::PathBuf;

use crawler::Network;

use crate::system;

/// Pages at once in one browser: more than that wait for each other's frames, which one scheduler draws in turn.
pub(crate) const SLOTS_PER_BROWSER: usize = 8;
/// Memory of a browser without pages, and of each page besides.
const BROWSER_BYTES: u64 = 512 << 20;
const SLOT_BYTES: u64 = 256 << 20;
/// Memory that one page may use at most.
const PAGE_BYTES: u64 = 768 << 20;

/// How browsers are run.
#[derive(Debug, Clone)]
pub struct BrowserConfig {
    /// The browser's binary; none: found on this machine.
    pub binary: Option<PathBuf>,
    /// Pages at once, at most; how many there are follows the load of the machine.
    pub concurrency: usize,
    /// Pages at once that are taken even by a machine that is busy, unless its memory is short.
    pub concurrency_floor: usize,
    /// Renders that may wait for a slot; more are refused.
    pub max_waiting: usize,
    /// Refuse to run a browser that cannot be confined to a network namespace of its own.
    pub strict_egress: bool,
    /// The way out for every byte a page fetches.
    pub network: Network,
    /// Memory of all browsers together.
    pub memory_limit_bytes: u64,
    /// Folder for the browsers' profiles; emptied at the end and, after a crash, at the next start.
    pub profile_dir: PathBuf,
}

impl BrowserConfig {
    /// Defaults for everything that has one.
    pub fn new(network: Network, profile_dir: impl Into<PathBuf>) -> BrowserConfig {
        BrowserConfig {
            binary: None,
            concurrency: system::max_concurrency(),
            // Pages that only compute keep each core busy; one more computes while another waits.
            concurrency_floor: system::cores() + 1,
            max_waiting: 1_000,
            strict_egress: false,
            network,
            memory_limit_bytes: system::memory_budget(),
            profile_dir: profile_dir.into(),
        }
    }
}

impl BrowserConfig {
    /// Browsers that the ceiling of pages needs.
    pub(crate) fn max_browsers(&self) -> usize {
        self.concurrency.max(1).div_ceil(SLOTS_PER_BROWSER)
    }

    /// Pages at once in one browser, at most.
    fn slots_per_browser(&self) -> usize {
        self.concurrency.clamp(1, SLOTS_PER_BROWSER)
    }

    /// Memory of one browser: what its pages need, and no more than its share.
    pub(crate) fn browser_memory_bytes(&self) -> u64 {
        let wanted = BROWSER_BYTES + SLOT_BYTES * self.slots_per_browser() as u64;
        wanted.min(self.memory_limit_bytes / self.max_browsers() as u64)
    }

    /// Memory of one page: half of its browser's.
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
