//! The sitemaps of an audited site: files to read, and all their entries. Uses the reader of refreshes and settings
//! (`crawler::sitemap`) with the audit's own source.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use crawler::robots::LineKind;
use crawler::sitemap::{
    EntryOutcome, FileKind, FileProblem, FileSummary, OpenedFile, SitemapCollector, UnopenedFile,
    WalkedEntry, WalkedFile, usable, walk_sitemaps,
};
use futures::stream;
use url::Url;

use super::CrawlMode;
use super::crawl::Crawl;
use super::opening::{at, fetch_file};
use crate::address::{Origin, Target};
use crate::page::addresses::join;
use crate::site::{AuditedSitemap, CrawledSite, Interner, SitemapEntry, UrlId};
use crate::source::PageSource;

/// Bytes of language versions that are kept: those of 50,000 pages in five languages.
const MAX_ALTERNATE_BYTES: usize = 16 << 20;
const USUAL_SITEMAPS: &[&str] = &["/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml"];
/// Bytes that the protocol allows of one file (sitemaps.org).
const PROTOCOL_BYTES: u64 = 50 << 20;
const PROTOCOL_ENTRIES: usize = 50_000;

/// Language versions that sitemaps declare, within the memory bound.
#[derive(Default)]
pub(super) struct Alternates {
    /// Lines of a language, a tab and an address, by page.
    lines: HashMap<UrlId, String>,
    bytes: usize,
}

impl Alternates {
    /// Keeps those of one page.
    fn keep(&mut self, id: UrlId, sitemap: &Url, alternates: &[(String, String)]) {
        for (lang, href) in alternates {
            let Some(url) = join(sitemap, href).filter(|_| !lang.contains(['\t', '\n'])) else { continue };
            let line = format!("{lang}\t{url}\n");
            self.bytes += line.len();
            if self.bytes > MAX_ALTERNATE_BYTES {
                return;
            }
            self.lines.entry(id).or_default().push_str(&line);
        }
    }

    /// Returns the entries of one page.
    pub fn of(&self, id: UrlId) -> Vec<(String, Url)> {
        let lines = self.lines.get(&id).map_or("", String::as_str).lines();
        let pairs = lines.filter_map(|line| line.split_once('\t'));
        pairs.filter_map(|(lang, url)| Some((lang.to_owned(), Url::parse(url).ok()?))).collect()
    }
}

impl Crawl<'_> {
    /// Reads the sitemaps of the site.
    pub(super) async fn read_sitemaps(&mut self, source: &dyn PageSource) {
        let (starts, lines) = self.sitemap_files(source).await;
        let mut limits = self.options.sitemap_limits;
        // A source hands over whole files.
        limits.files_at_once = 1;
        // One byte more, so that the reader sees that there is more.
        let max_bytes = usize::try_from(limits.file_bytes).unwrap_or(usize::MAX).saturating_add(1);
        let made = &Mutex::new(HashSet::new());
        let open = |url: Url| async move {
            let (fetched, _) = fetch_file(source, url.clone(), max_bytes).await;
            let (end, response) = fetched.ok_or_else(|| unopened(0))?;
            if response.is_made {
                made.lock().unwrap_or_else(PoisonError::into_inner).insert(url);
            }
            let url = end;
            if response.status != 200 {
                return Err(unopened(response.status));
            }
            let body = stream::iter([Ok::<Bytes, std::io::Error>(response.body)]);
            Ok(OpenedFile { url, body })
        };
        let collector = AuditCollector {
            origin: self.site.origin.clone(),
            urls: std::mem::take(&mut self.site.urls),
            alternates: Alternates::default(),
            lines,
            entries: Vec::new(),
            files: Vec::new(),
            listed: 0,
            most: limits.total_urls,
            is_cut: false,
        };
        let collected = walk_sitemaps(open, starts, limits, collector).await;
        let collected = collected.expect("a thread that reads sitemaps fails by a fault of the program only");
        self.site.urls = collected.urls;
        self.alternates = collected.alternates;
        self.site.sitemaps = collected.files;
        self.made_sitemaps = std::mem::take(&mut *made.lock().unwrap_or_else(PoisonError::into_inner));
        self.site.sitemaps_are_cut = collected.is_cut;
    }

    /// Returns the files to read first, and the lines of robots.txt that name some of them. In sitemap mode the
    /// audit's own sitemap replaces all others; in follow mode it is one of them.
    async fn sitemap_files(&mut self, source: &dyn PageSource) -> (Vec<Url>, HashMap<Url, usize>) {
        let root = self.site.origin.root().clone();
        let named = self.site.robots.file.lines().iter().filter_map(|line| match &line.kind {
            LineKind::Known("sitemap", value) => Some((root.join(value).ok()?, line.number)),
            _ => None,
        });
        let named: Vec<(Url, usize)> = named.collect();
        let own = self.options.sitemap.clone();
        let is_only_own = self.options.mode == CrawlMode::Sitemap && own.is_some();
        let mut starts: Vec<Url> = own.into_iter().collect();
        if !is_only_own {
            starts.extend(named.iter().map(|(url, _)| url.clone()));
        }
        if starts.is_empty() {
            starts.extend(self.find_usual_sitemap(source).await);
        }
        let mut seen = std::collections::HashSet::new();
        starts.retain(|url| seen.insert(url.clone()));
        // Of several lines that name one file the first counts.
        (starts, named.into_iter().rev().collect())
    }

    async fn find_usual_sitemap(&mut self, source: &dyn PageSource) -> Option<Url> {
        for path in USUAL_SITEMAPS {
            if !self.site.allows(path) {
                self.site.probes.may_have_sitemap = true;
                continue;
            }
            let url = at(self.site.origin.root(), path);
            let (fetched, _) = fetch_file(source, url.clone(), 1024).await;
            match fetched.filter(|(_, response)| response.status == 200) {
                Some((_, response)) if response.sniffs_as_html() => {
                    self.site.probes.html_sitemap.get_or_insert(url.into());
                }
                Some(_) => return Some(url),
                None => {}
            }
        }
        None
    }
}

fn unopened(status: u16) -> UnopenedFile {
    UnopenedFile { status, reason: format!("answered {status}") }
}

/// Collector of every entry of every file.
struct AuditCollector {
    origin: Origin,
    urls: Interner,
    alternates: Alternates,
    lines: HashMap<Url, usize>,
    /// Entries of the file that is being taken over.
    entries: Vec<SitemapEntry>,
    files: Vec<AuditedSitemap>,
    listed: usize,
    most: usize,
    is_cut: bool,
}

impl AuditCollector {
    /// Decides whether an address is neither on the origin of the file nor on that of the site.
    fn is_elsewhere(&self, file: &WalkedFile, url: &Url) -> bool {
        url.origin() != file.end.origin() && url.origin() != self.origin.root().origin()
    }

    fn entry(&mut self, file: &WalkedFile, url: &Url, entry: WalkedEntry<'_>) -> Option<SitemapEntry> {
        let (id, written) = match self.origin.target(url) {
            Target::Internal(key) => {
                let root = self.origin.root().as_str().trim_end_matches('/');
                let is_as_usual = url.as_str().strip_prefix(root) == Some(key.as_str());
                (Some(self.urls.admit(&key)?), (!is_as_usual).then(|| url.as_str().into()))
            }
            Target::External(url) => (None, Some(url.as_str().into())),
        };
        if let (Some(id), Some(extra)) = (id, entry.extra) {
            self.alternates.keep(id, &file.end, &extra.alternates);
        }
        Some(SitemapEntry {
            written,
            id,
            is_elsewhere: self.is_elsewhere(file, url),
            lastmod: entry.lastmod,
            has_bad_lastmod: entry.extra.is_some_and(|extra| extra.has_bad_lastmod),
            is_important: entry.extra.is_some_and(|extra| extra.is_important),
        })
    }
}

impl SitemapCollector for AuditCollector {
    const WANTS_EXTRAS: bool = true;

    fn admits_file(&self, index: &WalkedFile, file: &Url) -> bool {
        let is_beside = [&index.url, &index.end].iter().any(|url| url.host_str() == file.host_str());
        is_beside || self.origin.contains(file)
    }

    fn take(&mut self, file: &WalkedFile, entry: WalkedEntry<'_>) -> EntryOutcome {
        let Some(url) = usable(entry.loc, &file.end) else { return EntryOutcome::Unusable };
        if self.is_full() {
            return EntryOutcome::LeftOut;
        }
        let Some(taken) = self.entry(file, &url, entry) else { return EntryOutcome::LeftOut };
        self.listed += 1;
        self.entries.push(taken);
        EntryOutcome::Taken
    }

    fn note(&mut self, file: WalkedFile, outcome: Result<FileSummary, FileProblem>) {
        if outcome == Err(FileProblem::ForeignHost) {
            // It stands in the index as a page of another host stands in a list.
            let entry = SitemapEntry { written: Some(file.url.as_str().into()), ..SitemapEntry::default() };
            return self.entries.push(SitemapEntry { is_elsewhere: true, ..entry });
        }
        let summary = outcome.ok();
        let kind = summary.map(|summary| match summary.kind {
            FileKind::Index => "index",
            FileKind::Text => "text",
            FileKind::Urlset | FileKind::Rss | FileKind::Atom => "urlset",
        });
        let mut entries = std::mem::take(&mut self.entries);
        entries.shrink_to_fit();
        let is_cut = summary.is_some_and(|summary| summary.is_cut);
        self.is_cut |= is_cut;
        self.files.push(AuditedSitemap {
            robots_line: self.lines.get(&file.url).copied(),
            url: file.url,
            status: file.status,
            kind,
            is_child: file.depth > 0,
            entries,
            listed: summary.map_or(0, |summary| summary.listed),
            is_cut,
            is_too_large: summary.is_some_and(|summary| summary.bytes >= PROTOCOL_BYTES && summary.is_cut),
            has_too_many: summary.is_some_and(|summary| {
                summary.listed > PROTOCOL_ENTRIES
                    || summary.has_more_entries && summary.listed >= PROTOCOL_ENTRIES
            }),
        });
    }

    fn record_cut(&mut self) {
        self.is_cut = true;
    }

    fn is_full(&self) -> bool {
        self.listed >= self.most
    }

    // Bounded by the number of entries.
    fn bytes(&self) -> usize {
        0
    }
}

impl CrawledSite {
    /// Decides whether every sitemap was read, and to its end.
    pub fn has_whole_sitemaps(&self) -> bool {
        !self.sitemaps_are_cut && self.sitemaps.iter().all(|file| file.status == 200 && file.kind.is_some())
    }
}
