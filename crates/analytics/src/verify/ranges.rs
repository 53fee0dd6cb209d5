//! Addresses that providers publish for their crawlers. Data: `data/crawler-ranges.json`, compiled in, or a newer file of
//! the same form in the data folder; `node scripts/update-crawler-ranges.mjs` writes both. Pure but for reading that file.
//! Must never mark a crawler as an impostor because of an old list.
//! See docs/decisions/0030.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;

use crate::crawlers::Crawler;
use crate::model::Verified;
use domains::connection::cdn::CdnRanges;
use platform::clock::Timestamp;
use platform::networks;

const COMPILED_IN: &str = include_str!("../../data/crawler-ranges.json");

/// Time for which a list counts as complete: providers add networks every few weeks.
const COMPLETE_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Deserialize)]
struct File {
    feeds: HashMap<String, Feed>,
}

#[derive(Deserialize)]
struct Feed {
    /// Day on which the provider published the list.
    updated: String,
    networks: Vec<String>,
}

/// Networks by the address of the list that publishes them.
#[derive(Debug, Default)]
pub struct RangeTable {
    feeds: HashMap<String, List>,
    /// Networks of CDNs: an address in them is not the crawler's own.
    cdns: CdnRanges,
}

#[derive(Debug)]
struct List {
    networks: Vec<IpNet>,
    /// Time until which the list counts as complete.
    complete_until: Timestamp,
}

/// Reason why a file of ranges cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRanges {
    /// Not of the form of the compiled-in file.
    #[error("is not a file of ranges")]
    Form,
    /// A list is empty, or an entry is no network or far too wide.
    #[error("has an unusable entry in {0}")]
    Entry(String),
}

impl RangeTable {
    /// Loads the table of an installation: a usable file in its data folder, else the compiled-in table.
    pub fn of_installation(data_dir: &Path) -> RangeTable {
        RangeTable {
            cdns: CdnRanges::load(data_dir),
            ..RangeTable::load(&data_dir.join("crawler-ranges.json"))
        }
    }

    /// Loads the file when it is usable, else the compiled-in table.
    fn load(file: &Path) -> RangeTable {
        if let Ok(text) = std::fs::read_to_string(file) {
            match RangeTable::parse(&text) {
                Ok(table) => return table,
                Err(error) => {
                    tracing::warn!(file = %file.display(), "the file of crawler ranges {error}; using our own")
                }
            }
        }
        RangeTable::parse(COMPILED_IN).expect("a test parses the compiled-in file")
    }

    fn parse(text: &str) -> Result<RangeTable, BadRanges> {
        let file: File = serde_json::from_str(text).map_err(|_| BadRanges::Form)?;
        let mut feeds = HashMap::new();
        for (address, feed) in file.feeds {
            let Some(networks) = networks::parse_list(&feed.networks) else {
                return Err(BadRanges::Entry(address));
            };
            let complete_until = start_of(&feed.updated).ok_or(BadRanges::Form)?.plus(COMPLETE_FOR);
            feeds.insert(address, List { networks, complete_until });
        }
        Ok(RangeTable { feeds, cdns: CdnRanges::default() })
    }

    /// Verifies a crawler's claim by its address alone. None where only reverse DNS can tell.
    pub fn verify(&self, crawler: &Crawler, address: IpAddr, now: Timestamp) -> Option<Verified> {
        if crawler.ip_ranges.is_empty() && crawler.reverse_dns.is_empty() {
            return Some(Verified::Unknown);
        }
        match self.contain(&crawler.ip_ranges, address, now) {
            Some(true) => Some(Verified::Yes),
            _ if self.cdns.is_proxy(address) => Some(Verified::Unknown),
            _ if !crawler.reverse_dns.is_empty() => None,
            Some(false) => Some(Verified::No),
            None => Some(Verified::Unknown),
        }
    }

    /// Returns true when there is a list of a crawler's addresses.
    pub fn know(&self, crawler: &Crawler) -> bool {
        crawler.ip_ranges.iter().any(|feed| self.feeds.contains_key(feed))
    }

    /// Decides whether an address is in one of the lists. None when that is unknown: a list is missing, or too old to be
    /// complete.
    fn contain(&self, feeds: &[String], address: IpAddr, now: Timestamp) -> Option<bool> {
        let address = address.to_canonical();
        let known: Vec<&List> = feeds.iter().filter_map(|feed| self.feeds.get(feed)).collect();
        if known.iter().any(|list| list.networks.iter().any(|network| network.contains(&address))) {
            return Some(true);
        }
        let all_complete = known.len() == feeds.len() && known.iter().all(|list| now < list.complete_until);
        all_complete.then_some(false)
    }
}

fn start_of(day: &str) -> Option<Timestamp> {
    let day: jiff::civil::Date = day.parse().ok()?;
    let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(Timestamp::from_millis(midnight.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlerIndex;

    const FEED: &str = "https://crawler.example/ips.json";

    fn table(entries: &str) -> Result<RangeTable, BadRanges> {
        RangeTable::parse(&format!(
            r#"{{"feeds": {{"{FEED}": {{"updated": "2026-11-01", "networks": {entries}}}}}}}"#
        ))
    }

    fn day(text: &str) -> Timestamp {
        start_of(text).unwrap()
    }

    #[test]
    fn the_compiled_in_file_knows_crawlers() {
        let table = RangeTable::parse(COMPILED_IN).unwrap();
        let google =
            ["https://developers.google.com/static/crawling/ipranges/common-crawlers.json".to_owned()];

        for address in ["66.249.66.1", "::ffff:66.249.66.1", "2001:4860:4801:10::1"] {
            assert_eq!(
                table.contain(&google, address.parse().unwrap(), day("2030-01-01")),
                Some(true),
                "{address}"
            );
        }
    }

    #[test]
    fn an_address_that_is_not_listed_is_a_strangers_only_while_the_list_is_new() {
        let table = table(r#"["192.0.2.0/24"]"#).unwrap();
        let (feed, stranger) = ([FEED.to_owned()], "198.51.100.1".parse().unwrap());

        assert_eq!(table.contain(&feed, stranger, day("2026-11-20")), Some(false));
        assert_eq!(table.contain(&feed, stranger, day("2026-12-20")), None);
        assert_eq!(table.contain(&["https://other.example/".to_owned()], stranger, day("2026-11-20")), None);
    }

    #[test]
    fn an_address_of_a_cdn_is_nobodys_own_unless_the_crawlers_provider_publishes_it() {
        let folder = tempfile::tempdir().unwrap();
        let table = RangeTable::of_installation(folder.path());
        let verified = |agent: &str, address: &str| {
            let crawler = CrawlerIndex::shared().identify(agent).unwrap();
            table.verify(crawler, address.parse().unwrap(), day("2026-11-25"))
        };

        // Cloudflare, Fastly, CloudFront, Sucuri.
        for address in ["172.71.10.20", "2606:4700::6810:84e5", "151.101.1.140", "13.32.0.1", "192.88.134.7"]
        {
            for agent in ["Googlebot/2.1", "GPTBot/1.2", "bingbot/2.0"] {
                assert_eq!(verified(agent, address), Some(Verified::Unknown), "{agent} {address}");
            }
        }
        assert_eq!(verified("Googlebot/2.1", "66.249.66.1"), Some(Verified::Yes));
        assert_eq!(verified("Googlebot/2.1", "9.9.9.9"), None);
    }

    #[test]
    fn a_list_that_would_let_everybody_in_is_refused() {
        for entries in
            [r#"["0.0.0.0/0"]"#, r#"["1.0.0.0/7"]"#, r#"["::/0"]"#, r#"["2000::/16"]"#, "[]", r#"["x"]"#]
        {
            assert_eq!(table(entries).unwrap_err(), BadRanges::Entry(FEED.to_owned()), "{entries}");
        }
        assert_eq!(RangeTable::parse("<html>").unwrap_err(), BadRanges::Form);
        assert!(table(r#"["192.0.2.0/24", "2001:db8::/32", "192.0.2.7"]"#).is_ok());
    }

    #[test]
    fn a_damaged_file_in_the_data_folder_leaves_ours_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crawler-ranges.json");
        std::fs::write(&file, "{").unwrap();

        assert!(!RangeTable::load(&file).feeds.is_empty());
    }
}
