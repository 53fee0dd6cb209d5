//! Agents whose signatures are accepted (Web Bot Auth): those of a data file, and the operator's own. The data file is compiled in
//! (`data/signers.json`), or is one of the same form in the data folder; `node scripts/update-signers.mjs` writes both.
//! Used by the check of signatures. Pure but for reading that file.

use std::path::Path;

use platform::config::OwnSigner;
use serde::Deserialize;
use url::{Position, Url};

use crate::crawlers::{Class, Crawler, CrawlerIndex};

const COMPILED_IN: &str = include_str!("../../data/signers.json");
/// Name of the file in the data folder.
const FILE: &str = "signers.json";

/// Crawlers that sign, by the host of their key directory, with the port where it is not 443.
#[derive(Debug)]
pub struct Signers(Vec<(String, &'static Crawler)>);

#[derive(Deserialize)]
struct File {
    signers: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    host: String,
    crawler: String,
}

impl Signers {
    /// Reads the file of the data folder when there is one, else the one compiled in, and adds the operator's own signers. Of two
    /// rows for a host, the operator's own counts.
    pub fn of_installation(data_dir: &Path, own: &[OwnSigner]) -> Signers {
        let index = CrawlerIndex::shared();
        let mut agents: Vec<_> = own.iter().map(|own| (host_of(&own.directory), added(index, own))).collect();
        for row in rows(data_dir) {
            match index.find(&row.crawler) {
                Some(crawler) => agents.push((row.host, crawler)),
                None => {
                    tracing::warn!(host = row.host, crawler = row.crawler, "a signer is no known crawler")
                }
            }
        }
        Signers(agents)
    }

    /// Finds the crawler that a `Signature-Agent` names, and the host of its key directory.
    pub fn find(&self, signature_agent: &str) -> Option<(&str, &'static Crawler)> {
        let url = Url::parse(signature_agent).ok().filter(|url| url.scheme() == "https")?;
        let host = host_of(&url);
        self.0.iter().find(|(of, _)| *of == host).map(|(host, crawler)| (host.as_str(), *crawler))
    }

    /// Returns the number of hosts.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

fn rows(data_dir: &Path) -> Vec<Row> {
    let newer = std::fs::read_to_string(data_dir.join(FILE)).ok();
    let newer = newer.and_then(|text| {
        let read = serde_json::from_str::<File>(&text);
        read.inspect_err(
            |error| tracing::warn!(%error, "{FILE} cannot be read, the compiled-in list is used"),
        )
        .ok()
    });
    let compiled_in = || serde_json::from_str(COMPILED_IN).expect("a compiled-in file that a test reads");
    newer.unwrap_or_else(compiled_in).signers
}

/// Returns the crawler of one of the operator's own signers, which becomes a known crawler unless its id is one.
fn added(index: &'static CrawlerIndex, own: &OwnSigner) -> &'static Crawler {
    let class = Class::ALL.into_iter().find(|class| class.as_str() == own.purpose).unwrap_or(Class::Other);
    let crawler = || index.add(Crawler::signing(&own.id, &own.provider, &own.name, class));
    index.find(&own.id).unwrap_or_else(crawler)
}

fn host_of(url: &Url) -> String {
    url[Position::BeforeHost..Position::AfterPort].to_owned()
}

#[cfg(test)]
mod tests {
    use platform::config::CRAWLER_PURPOSES;

    use super::*;

    fn compiled_in() -> Signers {
        Signers::of_installation(Path::new("/nonexistent"), &[])
    }

    #[test]
    fn an_agent_is_found_by_its_host_over_https_alone() {
        let signers = compiled_in();
        let id_of = |agent| signers.find(agent).map(|(_, agent)| agent.id.as_str());

        assert_eq!(id_of("https://chatgpt.com"), Some("chatgpt-agent"));
        assert_eq!(id_of("https://agent.bot.goog/"), Some("google-agent-mariner"));
        for other in
            ["http://chatgpt.com", "https://chatgpt.com:8443", "https://www.chatgpt.com", "chatgpt.com"]
        {
            assert_eq!(id_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_in_the_data_folder_replaces_the_list_and_a_damaged_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| std::fs::write(folder.path().join(FILE), text).unwrap();
        let has = |host| Signers::of_installation(folder.path(), &[]).find(host).is_some();

        write(
            r#"{"signers":[{"host":"agents.example","crawler":"gptbot"},{"host":"b.example","crawler":"none"}]}"#,
        );
        assert_eq!(
            (has("https://agents.example"), has("https://b.example"), has("https://chatgpt.com")),
            (true, false, false)
        );
        write("{");
        assert_eq!((has("https://agents.example"), has("https://chatgpt.com")), (false, true));
    }

    #[test]
    fn the_settings_know_the_purposes_of_crawlers() {
        assert_eq!(CRAWLER_PURPOSES, Class::ALL.map(Class::as_str));
    }
}
