//! Crawlers that site owners ask about.

use std::sync::LazyLock;

/// One crawler.
pub struct Bot {
    /// Product token in robots.txt.
    pub name: &'static str,
    /// Operator of the crawler.
    pub vendor: &'static str,
    /// Purpose.
    pub class: &'static str,
    /// User agent; "" when it has no user agent of its own, or requests pages only when a person asks.
    pub user_agent: &'static str,
}

/// Name, vendor, class and user agent, a line each. As of 2026-11-20.
pub static BOTS: LazyLock<Vec<Bot>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        Bot { name: cell(), vendor: cell(), class: cell(), user_agent: cell() }
    };
    include_str!("../../data/bots.tsv").lines().map(line).collect()
});

/// User agent of a person's browser.
pub const BROWSER: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
/// User agent of Google's crawler.
pub const GOOGLEBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36";
