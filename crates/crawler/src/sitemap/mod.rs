//! Sitemaps: one reader for cache refresh, the Domains API and audits. Streams every file and packs its entries.
//! Returns pages of the given hosts only, each once. Must never fetch by itself: the caller passes the guarded fetcher.

mod decode;
mod download;
mod file;
mod lastmod;
mod memory;
mod pages;
mod parse;
mod walk;

use url::Url;

use crate::url::www_twin;

pub use download::{discover_sitemap, fetch_site};
pub use file::EntryExtra;
pub use lastmod::parse_lastmod;
pub use pages::{PageList, Pages};
pub use parse::{FileKind, Listed, ParseError, Parsed, parse_sitemap};
pub use walk::{
    EntryOutcome, OpenedFile, SitemapCollector, UnopenedFile, WalkedEntry, WalkedFile, read_site, usable,
    walk_sitemaps,
};

/// Limits of reading a sitemap (settings `limits.sitemap_*`).
#[derive(Debug, Clone, Copy)]
pub struct SitemapLimits {
    /// Unpacked bytes of one file.
    pub file_bytes: u64,
    /// Entries of one file.
    pub file_urls: usize,
    /// Pages of one site, over all files.
    pub total_urls: usize,
    /// Maximum memory of the reader, including its result, in bytes.
    pub memory_bytes: usize,
    /// Files of one index that are fetched at the same time. Few: they all come from one origin, and wait in memory.
    pub files_at_once: usize,
}

impl Default for SitemapLimits {
    fn default() -> SitemapLimits {
        SitemapLimits {
            file_bytes: 50 << 20,
            file_urls: 50_000,
            total_urls: 1_000_000,
            memory_bytes: 64 << 20,
            files_at_once: 3,
        }
    }
}

/// A page that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapPage {
    /// Address without a fragment.
    pub url: Url,
    /// Date of the last change, in epoch milliseconds, if the sitemap has one.
    pub lastmod: Option<i64>,
}

/// A file of a site's sitemap, read or not.
#[derive(Debug, Clone)]
pub struct SitemapFile {
    /// Address of the file.
    pub url: Url,
    /// Summary of the file, or the reason why it was not read.
    pub outcome: Result<FileSummary, FileProblem>,
}

/// Numbers of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSummary {
    pub kind: FileKind,
    /// Entries of the file.
    pub listed: usize,
    /// Entries that are not usable addresses.
    pub unusable: usize,
    /// Entries of other hosts.
    pub foreign: usize,
    /// Entries that were listed before.
    pub duplicates: usize,
    /// Dates that cannot be read.
    pub bad_lastmods: usize,
    /// Unpacked bytes that were read.
    pub bytes: u64,
    /// True if the limit of entries of a file was reached.
    pub has_more_entries: bool,
    /// True if a limit left a part of the file out.
    pub is_cut: bool,
}

/// Reason why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// The file could not be fetched.
    #[error("could not be fetched: {0}")]
    Fetch(String),
    /// The file is not a sitemap.
    #[error("is not a usable sitemap: {0}")]
    Parse(String),
    /// The file is on a host that has nothing to do with the site.
    #[error("is on another host")]
    ForeignHost,
    /// The file is an index at a depth where no index belongs.
    #[error("is nested too deeply")]
    TooDeep,
}

/// Result of reading the sitemaps of a site.
#[derive(Debug, Clone, Default)]
pub struct Sitemap {
    /// Pages in the order they are listed, each once.
    pub pages: PageList,
    /// Files in the order they were read.
    pub files: Vec<SitemapFile>,
    /// True if a limit left something out.
    pub is_cut: bool,
}

/// Reason why a site's sitemap cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SitemapError {
    /// The file could not be fetched.
    #[error("{url} could not be fetched: {reason}")]
    FetchFailed {
        /// The file.
        url: Url,
        /// Error of the fetch.
        reason: String,
    },
    /// The file was fetched and is not a sitemap.
    #[error("{url} is not a usable sitemap: {reason}")]
    ParseFailed {
        /// The file.
        url: Url,
        /// Error of the parser.
        reason: String,
    },
}

impl SitemapError {
    /// Returns the code that clients see.
    pub fn code(&self) -> &'static str {
        match self {
            SitemapError::FetchFailed { .. } => "fetch_failed",
            SitemapError::ParseFailed { .. } => "parse_failed",
        }
    }
}

/// The hosts whose pages are taken: the domain and its `www.` or apex twin, and the server behind them.
#[derive(Debug, Clone)]
pub struct SiteHosts {
    /// The domain first.
    own: Vec<String>,
    /// Host and port of the domain's own server when it is asked directly.
    origin: Option<(String, Option<u16>)>,
}

impl SiteHosts {
    /// Returns the hosts of a domain, in A-label form.
    pub fn of(domain: &str) -> SiteHosts {
        let twin = www_twin(domain);
        SiteHosts { own: std::iter::once(domain.to_owned()).chain(twin).collect(), origin: None }
    }

    /// Adds an origin host: many servers write the requested host, which is this one, into their pages' addresses.
    pub fn with_origin(self, host: &str, port: Option<u16>) -> SiteHosts {
        SiteHosts { origin: Some((host.to_owned(), port)), ..self }
    }

    /// Returns true for a host of the domain.
    pub fn contains(&self, host: &str) -> bool {
        self.own.iter().any(|own| own == host)
    }

    /// Converts a page's address to one on the domain. Returns `None` for another site's.
    fn page(&self, mut url: Url) -> Option<Url> {
        if self.contains(url.host_str()?) {
            return Some(url);
        }
        let (host, port) = self.origin.as_ref()?;
        if url.host_str() != Some(host) || url.port() != *port {
            return None;
        }
        url.set_host(Some(self.own.first()?)).ok()?;
        url.set_port(None).ok()?;
        // What the world sees of a site is encrypted, however its own server is reached.
        url.set_scheme("https").ok()?;
        Some(url)
    }
}
