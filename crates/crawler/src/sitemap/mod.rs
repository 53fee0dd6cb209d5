//! Sitemaps: one reader for cache refresh, the Domains API and audits. Streams every file, holds what it lists.
//! The answer names pages of the given hosts only, each once. Must never fetch by itself: the caller passes the guarded fetcher.

mod decode;
mod download;
mod lastmod;
mod parse;

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};

use bytes::{Buf, Bytes};
use futures::{Stream, StreamExt, stream};
use tokio::sync::mpsc;
use url::Url;

use crate::url::{cache_key, www_twin};

pub use download::{discover_sitemap, fetch_site};
pub use lastmod::parse_lastmod;
pub use parse::{FileKind, Listed, ParseError, Parsed, parse_sitemap};

/// An index may name indexes; below this depth nothing is read.
const MAX_DEPTH: usize = 3;
/// More files than this are not one site's sitemap.
const MAX_FILES: usize = 2_000;
/// Files of one index that are fetched at the same time. Low: they all come from one origin.
const FILES_AT_ONCE: usize = 4;

/// How much of a sitemap is taken (settings `limits.sitemap_*`).
#[derive(Debug, Clone, Copy)]
pub struct SitemapLimits {
    /// Unpacked bytes of one file.
    pub file_bytes: u64,
    /// Entries of one file.
    pub file_urls: usize,
    /// Pages of one site, over all files.
    pub total_urls: usize,
}

impl Default for SitemapLimits {
    fn default() -> SitemapLimits {
        SitemapLimits { file_bytes: 50 << 20, file_urls: 50_000, total_urls: 1_000_000 }
    }
}

/// A page that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapPage {
    /// Its address, without a fragment.
    pub url: Url,
    /// When it changed, in epoch milliseconds, if the sitemap says so.
    pub lastmod: Option<i64>,
}

/// A file that was read, or should have been.
#[derive(Debug, Clone)]
pub struct SitemapFile {
    /// Its address.
    pub url: Url,
    /// What it turned out to be, and how much it lists; or why it was not read.
    pub outcome: Result<FileSummary, FileProblem>,
}

/// What one file listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSummary {
    /// What it is.
    pub kind: FileKind,
    /// Entries of it.
    pub listed: usize,
    /// Entries that are no usable address.
    pub unusable: usize,
    /// Entries of other hosts.
    pub foreign: usize,
    /// Entries that were listed before.
    pub duplicates: usize,
    /// Dates that are none.
    pub bad_lastmods: usize,
    /// Whether a limit left a part of it out.
    pub is_cut: bool,
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// It could not be fetched.
    #[error("could not be fetched: {0}")]
    Fetch(String),
    /// It is no sitemap.
    #[error("is not a usable sitemap: {0}")]
    Parse(String),
    /// It is on a host that has nothing to do with the site.
    #[error("is on another host")]
    ForeignHost,
    /// It is an index at a depth where no index belongs.
    #[error("is nested too deeply")]
    TooDeep,
}

/// What the sitemaps of a site say.
#[derive(Debug, Clone, Default)]
pub struct Sitemap {
    /// Pages in the order they are listed, each once.
    pub pages: Vec<SitemapPage>,
    /// Files in the order they were read.
    pub files: Vec<SitemapFile>,
    /// Whether a limit left something out.
    pub is_cut: bool,
}

/// Why a site's sitemap cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SitemapError {
    /// It could not be fetched.
    #[error("{url} could not be fetched: {reason}")]
    FetchFailed {
        /// The file.
        url: Url,
        /// What happened.
        reason: String,
    },
    /// It was fetched and is no sitemap.
    #[error("{url} is not a usable sitemap: {reason}")]
    ParseFailed {
        /// The file.
        url: Url,
        /// What is wrong.
        reason: String,
    },
}

impl SitemapError {
    /// The code that clients see.
    pub fn code(&self) -> &'static str {
        match self {
            SitemapError::FetchFailed { .. } => "fetch_failed",
            SitemapError::ParseFailed { .. } => "parse_failed",
        }
    }
}

/// The hosts whose pages are taken: the domain and its `www.` or apex twin.
#[derive(Debug, Clone)]
pub struct SiteHosts(Vec<String>);

impl SiteHosts {
    /// The hosts of a domain, in A-label form.
    pub fn of(domain: &str) -> SiteHosts {
        let twin = www_twin(domain);
        SiteHosts(std::iter::once(domain.to_owned()).chain(twin).collect())
    }

    /// Whether a host is one of them.
    pub fn contains(&self, host: &str) -> bool {
        self.0.iter().any(|own| own == host)
    }
}

/// Reads a sitemap and every file that it refers to.
///
/// `open` fetches a file: its answer is the body of a 2xx, and any error of it is `fetch_failed`. The first file must be
/// usable; of the files of an index the unusable ones are only noted, unless not one of them is usable.
/// Dropping the future stops everything.
pub async fn read_site<F, B, E>(
    open: impl Fn(Url) -> F,
    start: &Url,
    hosts: &SiteHosts,
    limits: SitemapLimits,
) -> Result<Sitemap, SitemapError>
where
    F: Future<Output = Result<B, E>>,
    B: Stream<Item = io::Result<Bytes>>,
    E: fmt::Display,
{
    let mut walk =
        Walk { hosts, limits, site: Sitemap::default(), known: HashSet::new(), hasher: RandomState::new() };
    let mut visited = HashSet::from([start.clone()]);
    let mut next = vec![start.clone()];
    for depth in 0..=MAX_DEPTH {
        let level = std::mem::take(&mut next);
        let open = &open;
        let files = stream::iter(level).map(|url| async move {
            let content = read_file(open(url.clone()), limits).await;
            (url, content)
        });
        let mut files = std::pin::pin!(files.buffered(FILES_AT_ONCE));
        while let Some((url, outcome)) = files.next().await {
            let is_full = walk.site.pages.len() >= limits.total_urls;
            let children = walk.take(&url, outcome, depth);
            for child in children {
                if visited.len() >= MAX_FILES {
                    walk.site.is_cut = true;
                } else if visited.insert(child.clone()) {
                    next.push(child);
                }
            }
            if is_full {
                walk.site.is_cut = true;
                return Ok(walk.site);
            }
        }
    }
    walk.end()
}

/// What a file says, before the site's rules are applied to it.
struct FileContent {
    parsed: Parsed,
    listed: Vec<Listed>,
}

struct Walk<'w> {
    hosts: &'w SiteHosts,
    limits: SitemapLimits,
    site: Sitemap,
    /// Hashes of the pages' cache keys: 8 bytes for a page. That two of a million pages share one, and the second is
    /// lost, happens once in some thirty million sites.
    known: HashSet<u64>,
    hasher: RandomState,
}

impl Walk<'_> {
    /// Takes over what a file lists; answers the files that it refers to.
    fn take(&mut self, url: &Url, outcome: Result<FileContent, FileProblem>, depth: usize) -> Vec<Url> {
        let mut children = Vec::new();
        let outcome = match outcome {
            Ok(content) if content.parsed.kind == FileKind::Index && depth == MAX_DEPTH => {
                Err(FileProblem::TooDeep)
            }
            Ok(content) => Ok(self.take_content(url, content, &mut children)),
            Err(problem) => Err(problem),
        };
        self.site.files.push(SitemapFile { url: url.clone(), outcome });
        children
    }

    fn take_content(&mut self, file: &Url, content: FileContent, children: &mut Vec<Url>) -> FileSummary {
        let FileContent { parsed, listed } = content;
        let mut summary = FileSummary {
            kind: parsed.kind,
            listed: listed.len(),
            unusable: 0,
            foreign: 0,
            duplicates: 0,
            bad_lastmods: parsed.bad_lastmods,
            is_cut: parsed.is_cut,
        };
        for entry in listed {
            let Some(url) = usable(&entry.loc) else {
                summary.unusable += 1;
                continue;
            };
            let host = url.host_str().unwrap_or_default();
            if parsed.kind == FileKind::Index {
                // A sitemap may live on a host of its own; then so may the files beside it.
                if self.hosts.contains(host) || file.host_str() == Some(host) {
                    children.push(url);
                } else {
                    summary.foreign += 1;
                    self.site.files.push(SitemapFile { url, outcome: Err(FileProblem::ForeignHost) });
                }
            } else if !self.hosts.contains(host) {
                summary.foreign += 1;
            } else if !self.known.insert(self.hasher.hash_one(cache_key(&url))) {
                summary.duplicates += 1;
            } else if self.site.pages.len() < self.limits.total_urls {
                self.site.pages.push(SitemapPage { url, lastmod: entry.lastmod });
            } else {
                summary.is_cut = true;
            }
        }
        self.site.is_cut |= summary.is_cut;
        summary
    }

    /// The site, unless its first file is unusable or, being an index, none of its files is usable.
    fn end(self) -> Result<Sitemap, SitemapError> {
        let has_list =
            |file: &SitemapFile| file.outcome.as_ref().is_ok_and(|file| file.kind != FileKind::Index);
        if self.site.files.iter().any(has_list) {
            return Ok(self.site);
        }
        let failed = self.site.files.iter().find_map(|file| match &file.outcome {
            Err(FileProblem::Fetch(reason)) => {
                Some(SitemapError::FetchFailed { url: file.url.clone(), reason: reason.clone() })
            }
            Err(FileProblem::Parse(reason)) => {
                Some(SitemapError::ParseFailed { url: file.url.clone(), reason: reason.clone() })
            }
            _ => None,
        });
        failed.map_or(Ok(self.site), Err)
    }
}

/// Fetches and parses one file, the parser running beside the download on a thread where it may block.
async fn read_file<B, E>(
    opened: impl Future<Output = Result<B, E>>,
    limits: SitemapLimits,
) -> Result<FileContent, FileProblem>
where
    B: Stream<Item = io::Result<Bytes>>,
    E: fmt::Display,
{
    let body = opened.await.map_err(|error| FileProblem::Fetch(error.to_string()))?;
    let (pieces, received) = mpsc::channel::<Bytes>(8);
    let parsing = tokio::task::spawn_blocking(move || {
        let mut listed = Vec::new();
        let parsed = parse_sitemap(
            Pieces { received, piece: Bytes::new() },
            limits.file_bytes,
            limits.file_urls,
            |entry| {
                listed.push(entry);
            },
        );
        parsed.map(|parsed| FileContent { parsed, listed })
    });

    let mut body = std::pin::pin!(body);
    let mut broken_off = None;
    while let Some(piece) = body.next().await {
        match piece {
            // The parser has enough: a limit, or an error that it is about to report.
            Ok(piece) => {
                if pieces.send(piece).await.is_err() {
                    break;
                }
            }
            Err(error) => {
                broken_off = Some(FileProblem::Fetch(error.to_string()));
                break;
            }
        }
    }
    drop(pieces);
    let parsed = parsing.await.map_err(|_| FileProblem::Parse("the reader failed".to_owned()))?;
    match broken_off {
        Some(problem) => Err(problem),
        None => parsed.map_err(|error| FileProblem::Parse(error.to_string())),
    }
}

/// A download as the parser reads it. Ends when the download does, or when nobody waits for it any more.
struct Pieces {
    received: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.received.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let count = to.len().min(self.piece.len());
        self.piece.copy_to_slice(&mut to[..count]);
        Ok(count)
    }
}

/// An absolute http or https address without credentials; its fragment is dropped.
fn usable(loc: &str) -> Option<Url> {
    let mut url = Url::parse(loc).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if !is_web || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;

    use super::*;

    /// A web of files, and a note of what was fetched.
    #[derive(Default)]
    struct Web {
        files: HashMap<String, Vec<u8>>,
        fetched: Mutex<Vec<String>>,
    }

    impl Web {
        fn with(files: &[(&str, &str)]) -> Web {
            let files = files
                .iter()
                .map(|(url, body)| (format!("https://{url}"), body.as_bytes().to_vec()))
                .collect();
            Web { files, ..Web::default() }
        }

        async fn read(&self, limits: SitemapLimits) -> Result<Sitemap, SitemapError> {
            let open = async |url: Url| {
                self.fetched.lock().unwrap().push(url.to_string());
                let body = self.files.get(url.as_str()).cloned().ok_or("answered 404")?;
                // Small pieces, so that every boundary falls somewhere awkward.
                let pieces: Vec<_> = body.chunks(7).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
                Ok::<_, &str>(stream::iter(pieces))
            };
            let start = Url::parse("https://shop.example/sitemap.xml").unwrap();
            read_site(open, &start, &SiteHosts::of("shop.example"), limits).await
        }

        async fn pages(&self) -> Vec<String> {
            let site = self.read(SitemapLimits::default()).await.unwrap();
            site.pages.into_iter().map(|page| page.url.to_string()).collect()
        }
    }

    fn urlset(locs: &[&str]) -> String {
        let url = |loc: &&str| format!("<url><loc>{loc}</loc></url>");
        format!("<urlset>{}</urlset>", locs.iter().map(url).collect::<String>())
    }

    fn index(locs: &[&str]) -> String {
        let entry = |loc: &&str| format!("<sitemap><loc>https://{loc}</loc></sitemap>");
        format!("<sitemapindex>{}</sitemapindex>", locs.iter().map(entry).collect::<String>())
    }

    #[tokio::test]
    async fn pages_of_the_domain_and_its_twin_are_taken_once_and_foreign_ones_never() {
        let web = Web::with(&[(
            "shop.example/sitemap.xml",
            &urlset(&[
                "https://shop.example/a#top",
                "https://www.shop.example/b",
                "http://www.shop.example/a",
                "https://shop.example/a?utm_source=x",
                "https://evil.example/c",
                "https://shop.example.evil.example/c",
                "https://user:secret@shop.example/c",
                "ftp://shop.example/c",
                "/relative",
            ]),
        )]);

        let site = web.read(SitemapLimits::default()).await.unwrap();

        let pages: Vec<_> = site.pages.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(pages, ["https://shop.example/a", "https://www.shop.example/b"]);
        let summary = site.files[0].outcome.clone().unwrap();
        assert_eq!((summary.listed, summary.foreign, summary.unusable, summary.duplicates), (9, 2, 3, 2));
    }

    #[tokio::test]
    async fn an_index_is_followed_in_order_and_cycles_are_cut() {
        let web = Web::with(&[
            (
                "shop.example/sitemap.xml",
                &index(&["shop.example/1.xml", "shop.example/2.xml", "shop.example/sitemap.xml"]),
            ),
            ("shop.example/1.xml", &index(&["shop.example/3.xml", "shop.example/sitemap.xml"])),
            ("shop.example/2.xml", &urlset(&["https://shop.example/second"])),
            ("shop.example/3.xml", &urlset(&["https://shop.example/third"])),
        ]);

        let pages = web.pages().await;

        assert_eq!(pages, ["https://shop.example/second", "https://shop.example/third"]);
        assert_eq!(web.fetched.lock().unwrap().len(), 4);
    }

    #[tokio::test]
    async fn indexes_below_the_third_level_are_not_followed() {
        let name = |n: usize| format!("shop.example/{n}.xml");
        let mut files =
            vec![("shop.example/sitemap.xml".to_owned(), index(&[&name(1), "shop.example/ok.xml"]))];
        files.extend((1..10).map(|n| (name(n), index(&[&name(n + 1)]))));
        files.push(("shop.example/ok.xml".to_owned(), urlset(&["https://shop.example/"])));
        let files: Vec<_> = files.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
        let web = Web::with(&files);

        let site = web.read(SitemapLimits::default()).await.unwrap();

        let deepest = site.files.last().unwrap();
        assert_eq!(
            (deepest.url.path(), deepest.outcome.as_ref().unwrap_err()),
            ("/3.xml", &FileProblem::TooDeep)
        );
        assert_eq!(site.pages.len(), 1);
    }

    #[tokio::test]
    async fn an_index_does_not_lead_to_foreign_hosts() {
        let web = Web::with(&[
            ("shop.example/sitemap.xml", &index(&["evil.example/1.xml", "www.shop.example/2.xml"])),
            ("www.shop.example/2.xml", &urlset(&["https://shop.example/"])),
        ]);

        web.pages().await;

        assert_eq!(
            *web.fetched.lock().unwrap(),
            ["https://shop.example/sitemap.xml", "https://www.shop.example/2.xml"]
        );
    }

    #[tokio::test]
    async fn an_unusable_file_of_an_index_is_noted_and_the_others_are_taken() {
        let web = Web::with(&[
            (
                "shop.example/sitemap.xml",
                &index(&["shop.example/gone.xml", "shop.example/bad.xml", "shop.example/ok.xml"]),
            ),
            ("shop.example/bad.xml", "<html></html>"),
            ("shop.example/ok.xml", &urlset(&["https://shop.example/"])),
        ]);

        let site = web.read(SitemapLimits::default()).await.unwrap();

        assert_eq!(site.pages.len(), 1);
        assert!(matches!(site.files[1].outcome, Err(FileProblem::Fetch(_))));
        assert!(matches!(site.files[2].outcome, Err(FileProblem::Parse(_))));
    }

    #[tokio::test]
    async fn what_is_wrong_with_an_unusable_sitemap_has_its_code() {
        let missing = Web::default().read(SitemapLimits::default()).await.unwrap_err();
        let broken =
            Web::with(&[("shop.example/sitemap.xml", "<urlset><url>")]).read(SitemapLimits::default()).await;
        let hollow = Web::with(&[("shop.example/sitemap.xml", &index(&["shop.example/gone.xml"]))])
            .read(SitemapLimits::default())
            .await;

        assert_eq!(missing.code(), "fetch_failed");
        assert_eq!(broken.unwrap_err().code(), "parse_failed");
        assert_eq!(hollow.unwrap_err().code(), "fetch_failed");
    }

    #[tokio::test]
    async fn a_sitemap_without_pages_is_usable_and_empty() {
        let web = Web::with(&[("shop.example/sitemap.xml", "<urlset></urlset>")]);

        assert_eq!(web.pages().await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn the_total_limit_leaves_the_rest_out_and_stops_fetching() {
        let many: Vec<String> = (0..10).map(|n| format!("https://shop.example/{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let names: Vec<String> = (0..50).map(|n| format!("shop.example/{n}.xml")).collect();
        let lists: Vec<(String, String)> = names
            .iter()
            .map(|name| {
                let own: Vec<String> = many.iter().map(|page| format!("{page}?of={name}")).collect();
                (name.clone(), urlset(&own.iter().map(String::as_str).collect::<Vec<_>>()))
            })
            .collect();
        let root = index(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut files: Vec<_> = lists.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
        files.push(("shop.example/sitemap.xml", &root));
        let web = Web::with(&files);

        let site = web.read(SitemapLimits { total_urls: 25, ..SitemapLimits::default() }).await.unwrap();

        assert!(site.is_cut);
        assert_eq!(site.pages.len(), 25);
        assert!(web.fetched.lock().unwrap().len() < 12);
    }

    #[tokio::test]
    async fn a_download_that_breaks_off_is_a_failed_fetch_even_when_it_looks_complete() {
        let open = async |_: Url| {
            let whole = Bytes::from(urlset(&["https://shop.example/"]));
            Ok::<_, &str>(stream::iter([Ok(whole), Err(io::Error::from(io::ErrorKind::ConnectionReset))]))
        };
        let start = Url::parse("https://shop.example/sitemap.xml").unwrap();

        let result = read_site(open, &start, &SiteHosts::of("shop.example"), SitemapLimits::default()).await;

        assert_eq!(result.unwrap_err().code(), "fetch_failed");
    }
}
