//! Address ranges of proxies that hide a domain's own records. Data: `data/cdn-ranges.json`, compiled in, or a newer file of
//! the same form in the data folder; `node scripts/update-cdn-ranges.mjs` writes both. Used by connection checks and by the
//! verification of crawlers. Pure except for reading that file.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use ipnet::IpNet;
use serde::Deserialize;

use platform::networks::{self, is_public};

const COMPILED_IN: &str = include_str!("../../data/cdn-ranges.json");
/// Name of the file in the data folder.
const FILE: &str = "cdn-ranges.json";

#[derive(Deserialize)]
struct File {
    providers: BTreeMap<String, Provider>,
}

#[derive(Deserialize)]
struct Provider {
    networks: Vec<String>,
}

/// Networks by provider.
#[derive(Debug, Default)]
pub struct CdnRanges(BTreeMap<String, Vec<IpNet>>);

/// Reason why a file of ranges cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCdnRanges {
    /// The file does not have the form of the compiled-in file.
    #[error("is not a file of ranges")]
    Form,
    /// A list is empty, or an entry is not a network or is far too wide.
    #[error("has an unusable entry for {0}")]
    Entry(String),
}

impl CdnRanges {
    /// Loads the file in the data folder when it is usable, else the compiled-in table.
    pub fn load(data_dir: &Path) -> CdnRanges {
        let file = data_dir.join(FILE);
        if let Ok(text) = std::fs::read_to_string(&file) {
            match CdnRanges::parse(&text) {
                Ok(ranges) => return ranges,
                Err(error) => {
                    tracing::warn!(file = %file.display(), "the file of CDN ranges {error}; using our own")
                }
            }
        }
        CdnRanges::compiled_in()
    }

    fn compiled_in() -> CdnRanges {
        CdnRanges::parse(COMPILED_IN).expect("a test parses the compiled-in file")
    }

    fn parse(text: &str) -> Result<CdnRanges, BadCdnRanges> {
        let file: File = serde_json::from_str(text).map_err(|_| BadCdnRanges::Form)?;
        let mut providers = BTreeMap::new();
        for (name, provider) in file.providers {
            let Some(networks) = networks::parse_list(&provider.networks) else {
                return Err(BadCdnRanges::Entry(name));
            };
            providers.insert(name, networks);
        }
        Ok(CdnRanges(providers))
    }

    /// Finds the provider that an address belongs to.
    pub fn provider_of(&self, address: IpAddr) -> Option<&str> {
        let address = address.to_canonical();
        let has = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
        self.0.iter().find(|(_, networks)| has(networks)).map(|(name, _)| name.as_str())
    }

    /// Returns true for an address of a private network or a CDN: a proxy's address does not identify the client behind it.
    pub fn is_proxy(&self, address: IpAddr) -> bool {
        !is_public(address) || self.provider_of(address).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiled_in_table_knows_the_large_providers() {
        let ranges = CdnRanges::compiled_in();
        let cases = [
            ("104.16.132.229", Some("cloudflare")),
            ("2606:4700::6810:84e5", Some("cloudflare")),
            ("::ffff:172.67.1.1", Some("cloudflare")),
            ("151.101.1.140", Some("fastly")),
            ("2a04:4e42::140", Some("fastly")),
            ("13.32.0.1", Some("cloudfront")),
            ("2600:9000:2000::1", Some("cloudfront")),
            ("93.184.216.34", None),
            ("127.0.0.1", None),
            ("192.0.2.1", None),
        ];

        for (address, provider) in cases {
            assert_eq!(ranges.provider_of(address.parse().unwrap()), provider, "{address}");
        }
    }

    #[test]
    fn a_list_that_would_hold_everybody_is_refused() {
        let table = |entries: &str| {
            CdnRanges::parse(&format!(r#"{{"providers": {{"cdn": {{"networks": {entries}}}}}}}"#)).map(drop)
        };

        for entries in [r#"["0.0.0.0/0"]"#, r#"["::/0"]"#, r#"["2000::/16"]"#, "[]", r#"["x"]"#] {
            assert_eq!(table(entries), Err(BadCdnRanges::Entry("cdn".to_owned())), "{entries}");
        }
        assert_eq!(CdnRanges::parse("<html>").map(drop), Err(BadCdnRanges::Form));
        assert_eq!(table(r#"["192.0.2.0/24", "2001:db8::/32", "192.0.2.7"]"#), Ok(()));
    }

    #[test]
    fn a_damaged_file_in_the_data_folder_leaves_ours_in_use() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{").unwrap();

        let ranges = CdnRanges::load(folder.path());

        assert_eq!(ranges.provider_of("104.16.132.229".parse().unwrap()), Some("cloudflare"));
    }
}
