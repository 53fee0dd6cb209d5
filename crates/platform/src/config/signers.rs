//! Setting of the operator's own signers: agents whose signed requests (Web Bot Auth) are accepted. Pure.

use std::collections::BTreeSet;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use url::Url;

/// Most of the operator's own signers.
const MOST: usize = 100;
/// Longest id, name and provider, in bytes.
const MAX_BYTES: usize = 64;
/// Purposes that the setting takes.
pub const CRAWLER_PURPOSES: [&str; 11] = [
    "search",
    "llm-training",
    "llm-search",
    "llm-user",
    "preview",
    "seo",
    "monitor",
    "ads",
    "feed",
    "archive",
    "other",
];

/// An agent of the settings whose signatures are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnSigner {
    /// Address of the agent's key directory; its host counts.
    pub directory: Url,
    /// Id of the crawler, stored with each visit.
    pub id: String,
    /// Display name of the crawler.
    pub name: String,
    /// Id of the company that runs the crawler.
    pub provider: String,
    /// One of [`CRAWLER_PURPOSES`].
    pub purpose: String,
}

impl OwnSigner {
    fn problem(&self) -> Option<&'static str> {
        let is_id = |text: &str| {
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            !text.is_empty() && text.len() <= MAX_BYTES && text.bytes().all(is_plain)
        };
        let is_name = |text: &str| {
            !text.trim().is_empty() && text.len() <= MAX_BYTES && !text.contains(char::is_control)
        };
        if self.directory.scheme() != "https" || !self.directory.has_host() {
            Some("directory must be an https:// address")
        } else if !is_id(&self.id) || !is_id(&self.provider) {
            Some("id and provider must be lower-case letters, digits and hyphens, 64 at most")
        } else if !is_name(&self.name) {
            Some("name must be a text of 64 bytes at most")
        } else if !CRAWLER_PURPOSES.contains(&self.purpose.as_str()) {
            Some("purpose must be that of a crawler, such as llm-user")
        } else {
            None
        }
    }
}

/// Reads the operator's own signers.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<OwnSigner>, D::Error> {
    let signers = Vec::<OwnSigner>::deserialize(deserializer)?;
    if signers.len() > MOST {
        return Err(D::Error::custom(format!("at most {MOST} signers")));
    }
    if let Some(problem) = signers.iter().find_map(OwnSigner::problem) {
        return Err(D::Error::custom(problem));
    }
    let ids: BTreeSet<_> = signers.iter().map(|signer| &signer.id).collect();
    if ids.len() < signers.len() {
        return Err(D::Error::custom("two signers have one id"));
    }
    Ok(signers)
}
