//! Sitemaps generated from stored pages: pages that search engines may list and that the site itself, its own sitemap, an audit
//! or a verified crawler names. An address that only an unverified client requested is not listed. Cached for half a minute.
//! See docs/decisions/0530.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use audit::LinkedPages;
use bytes::Bytes;
use crawler::errors::one_line;
use store::{Db, DbError};
use tokio::sync::Semaphore;
use url::Url;

use super::cache::page_id;
use super::decide::{renderable, stored_page};
use super::listed_facts::{link_name, read_links};
use super::queries;
use analytics::Analytics;
use domains::origin::OriginClient;
use domains::{DomainId, Site};
use platform::Platform;
use platform::clock::{Clock, Timestamp};

/// Maximum number of addresses in one file.
const MOST_IN_FILE: usize = 50_000;
/// Time for which a generated sitemap is served.
const KEPT: Duration = Duration::from_secs(30);
/// Time for which the addresses of a domain's own sitemap are cached, and the time limit for reading that sitemap.
const OWN_KEPT: Duration = Duration::from_secs(600);
const OWN_TIME: Duration = Duration::from_secs(20);
/// Maximum size of cached sitemaps, in bytes, and maximum number of sitemaps that are generated at a time.
const REMEMBERED_BYTES: u64 = 64 << 20;
const AT_ONCE: usize = 4;
/// Number of rows that are read at a time.
const ROWS: i64 = 2_000;
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// A generated sitemap.
#[derive(Debug)]
pub struct ManagedSitemap {
    made_at: Timestamp,
    /// The file at `/sitemap.xml`, followed by its parts if it is an index. Empty: there is no page to list.
    pub files: Vec<Bytes>,
}

/// Link names of the pages that a domain's own sitemap lists.
struct OwnSitemap {
    url: String,
    read_at: Timestamp,
    names: HashSet<u64>,
}

/// Generator and cache of sitemaps. Cheap to clone.
#[derive(Clone)]
pub struct ManagedSitemaps {
    db: Db,
    clock: Clock,
    origins: OriginClient,
    analytics: Analytics,
    linked: LinkedPages,
    made: cache::Cache<DomainId, ManagedSitemap>,
    own: cache::Cache<DomainId, OwnSitemap>,
    making: Arc<Semaphore>,
}

/// A page that a sitemap may list.
struct Listable {
    url: Url,
    changed_at: Timestamp,
}

impl ManagedSitemaps {
    /// Makes the generator from the services that it reads.
    pub fn new(platform: &Platform, origins: &OriginClient, analytics: &Analytics) -> ManagedSitemaps {
        let weigh = |_: &[u8], made: &ManagedSitemap| 200 + made.files.iter().map(Bytes::len).sum::<usize>();
        ManagedSitemaps {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            origins: origins.clone(),
            analytics: analytics.clone(),
            linked: LinkedPages::new(platform),
            made: cache::Cache::builder(REMEMBERED_BYTES).weigher(weigh).build(),
            own: cache::Cache::new(1_000),
            making: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Returns the sitemap of a site, at most half a minute old.
    pub async fn find(&self, site: &Site) -> Result<Arc<ManagedSitemap>, DbError> {
        let id = &site.domain.id;
        let is_fresh = |made: &Arc<ManagedSitemap>| self.clock.now().since(made.made_at) < KEPT;
        if let Some(made) = self.made.get(id).filter(is_fresh) {
            return Ok(made);
        }
        let _turn = self.making.acquire().await.expect("it is never closed");
        // Another request generated the sitemap while this one waited.
        if let Some(made) = self.made.get(id).filter(is_fresh) {
            return Ok(made);
        }
        let made = Arc::new(ManagedSitemap { made_at: self.clock.now(), files: self.make(site).await? });
        self.made.insert(id, made.clone());
        Ok(made)
    }

    async fn make(&self, site: &Site) -> Result<Vec<Bytes>, DbError> {
        let pages = self.listable(site).await?;
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let links = self.links(&site.domain.id).await?;
        let start = Url::parse(&format!("https://{}/", site.domain.host)).ok();
        let start = start.and_then(|url| name_of(site, &url));
        let named = named_pages(start, self.sources(site, &pages).await, &links);
        let listed: BTreeMap<&Url, Timestamp> = pages
            .iter()
            .filter(|(name, _)| named.contains(name))
            .map(|(_, page)| (&page.url, page.changed_at))
            .collect();
        Ok(files(&site.preferred_name(), &listed.into_iter().collect::<Vec<_>>()))
    }

    /// Lists the pages that search engines may list, by link name. Pages that the site's settings no longer render are left out.
    async fn listable(&self, site: &Site) -> Result<HashMap<u64, Listable>, DbError> {
        let (mut pages, mut after) = (HashMap::new(), String::new());
        loop {
            let mut conn = self.db.read().await?;
            let rows = queries::list_listable(&mut conn, &site.domain.id, &after, ROWS).await?;
            let Some(last) = rows.last() else { return Ok(pages) };
            after.clone_from(&last.key_hash);
            for row in rows {
                let Some(url) = Url::parse(&row.url).ok().filter(|url| url.fragment().is_none()) else {
                    continue;
                };
                let (Some(name), Some(url)) = (link_name(&row.key_hash), renderable(site, &url)) else {
                    continue;
                };
                let changed_at = Timestamp::from_millis(row.text_changed_at);
                pages.insert(name, Listable { url, changed_at });
            }
        }
    }

    async fn links(&self, domain: &DomainId) -> Result<HashMap<u64, Vec<u8>>, DbError> {
        let (mut links, mut after) = (HashMap::new(), String::new());
        loop {
            let rows = queries::list_links(&mut self.db.read().await?, domain, &after, ROWS).await?;
            let Some((last, _)) = rows.last() else { return Ok(links) };
            after.clone_from(last);
            links.extend(rows.into_iter().filter_map(|(hash, packed)| Some((link_name(&hash)?, packed))));
        }
    }

    /// Returns the link names of pages that the site's own sitemap, an audit or a verified crawler names. A source that cannot be
    /// read names none.
    async fn sources(&self, site: &Site, pages: &HashMap<u64, Listable>) -> HashSet<u64> {
        let id = &site.domain.id;
        let mut sources = self.own_sitemap(site).await;
        let visited = self.analytics.verified_paths(id).await;
        let visited = visited.inspect_err(|error| tell(site, error)).unwrap_or_default();
        // Visits are counted without queries, so they name no address with a query.
        let is_visited = |page: &Listable| page.url.query().is_none() && visited.contains(page.url.path());
        sources.extend(pages.iter().filter(|(_, page)| is_visited(page)).map(|(name, _)| *name));
        let linked = self.linked.list(id).await.inspect_err(|error| tell(site, error)).unwrap_or_default();
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok();
        let urls = linked.iter().filter_map(|path| root.as_ref()?.join(path).ok());
        sources.extend(urls.filter_map(|url| name_of(site, &url)));
        sources
    }

    async fn own_sitemap(&self, site: &Site) -> HashSet<u64> {
        let (id, url) = (&site.domain.id, &site.domain.settings.sitemap_url);
        let Ok(address) = Url::parse(url) else { return HashSet::new() };
        let known = self.own.get(id).filter(|own| own.url == *url);
        if let Some(own) = known.as_ref().filter(|own| self.clock.now().since(own.read_at) < OWN_KEPT) {
            return own.names.clone();
        }
        let reading = async {
            let turn = self.origins.sitemap_turn(site).await;
            let read = self.origins.read_sitemap(&turn, site, &address).await.ok()?;
            Some(read.pages.iter().filter_map(|page| name_of(site, &page.url)).collect())
        };
        // A sitemap that cannot be read names the pages that it named before.
        let read: Option<HashSet<u64>> = tokio::time::timeout(OWN_TIME, reading).await.ok().flatten();
        let names = read.or_else(|| known.map(|own| own.names.clone())).unwrap_or_default();
        self.own.insert(id, OwnSitemap { url: url.clone(), read_at: self.clock.now(), names: names.clone() });
        names
    }
}

fn tell(site: &Site, error: &(dyn std::error::Error + 'static)) {
    tracing::warn!(error = %one_line(error), domain = %site.domain.host, "a sitemap is made without some pages");
}

fn name_of(site: &Site, url: &Url) -> Option<u64> {
    link_name(&page_id(&site.domain.id, &stored_page(site, url).key).key_hash)
}

/// Returns the named pages: the start page, the pages of the sources, and the pages that named pages link to. Links of pages
/// that are not named count only while the start page is not stored, since a page that an unverified client requested may link
/// to similar pages.
fn named_pages(start: Option<u64>, sources: HashSet<u64>, links: &HashMap<u64, Vec<u8>>) -> HashSet<u64> {
    let mut named = sources;
    named.extend(start);
    let mut waiting: Vec<u64> = match start.is_some_and(|start| links.contains_key(&start)) {
        true => named.iter().copied().collect(),
        false => links.keys().copied().collect(),
    };
    while let Some(page) = waiting.pop() {
        let targets = links.get(&page).into_iter().flat_map(|packed| read_links(packed));
        waiting.extend(targets.filter(|target| named.insert(*target)));
    }
    named
}

/// Generates the files of a sitemap.
fn files(host: &str, pages: &[(&Url, Timestamp)]) -> Vec<Bytes> {
    let parts: Vec<Bytes> = pages.chunks(MOST_IN_FILE).map(list_of).collect();
    if parts.len() < 2 {
        return parts;
    }
    let mut index =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"{NAMESPACE}\">\n");
    for part in 1..=parts.len() {
        let _ = writeln!(index, "<sitemap><loc>https://{host}/sitemap-{part}.xml</loc></sitemap>");
    }
    index.push_str("</sitemapindex>\n");
    std::iter::once(Bytes::from(index)).chain(parts).collect()
}

fn list_of(pages: &[(&Url, Timestamp)]) -> Bytes {
    let mut list = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"{NAMESPACE}\">\n");
    for (url, changed_at) in pages {
        let url = url.as_str().replace('&', "&amp;").replace('\'', "&apos;");
        let _ = writeln!(list, "<url><loc>{url}</loc><lastmod>{changed_at}</lastmod></url>");
    }
    list.push_str("</urlset>\n");
    Bytes::from(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("an address")
    }

    fn links(pages: &[(u64, &[u64])]) -> HashMap<u64, Vec<u8>> {
        let pack = |targets: &[u64]| targets.iter().flat_map(|target| target.to_be_bytes()).collect();
        pages.iter().map(|(page, targets)| (*page, pack(targets))).collect()
    }

    #[test]
    fn a_page_is_named_by_a_link_of_a_named_page_and_by_none_that_only_a_stranger_asked_for() {
        let site = links(&[(1, &[2]), (2, &[3, 1]), (10, &[11]), (11, &[10, 2])]);
        let named = |start, sources: &[u64]| {
            let mut named: Vec<u64> =
                named_pages(start, sources.iter().copied().collect(), &site).into_iter().collect();
            named.sort_unstable();
            named
        };

        assert_eq!(named(Some(1), &[]), [1, 2, 3]);
        assert_eq!(named(Some(1), &[10]), [1, 2, 3, 10, 11]);
        assert_eq!(named(Some(99), &[]), [1, 2, 3, 10, 11, 99]);
    }

    #[test]
    fn an_address_stands_in_a_sitemap_as_xml_has_it() {
        let page = url("https://shop.example/it's?b=1&c=2");

        let files = files("shop.example", &[(&page, Timestamp::from_millis(0))]);

        let text = String::from_utf8_lossy(&files[0]).into_owned();
        assert_eq!(files.len(), 1);
        assert!(
            text.contains(
                "<loc>https://shop.example/it&apos;s?b=1&amp;c=2</loc><lastmod>1970-01-01T00:00:00"
            ),
            "{text}"
        );
    }

    #[test]
    fn more_than_fifty_thousand_pages_are_an_index_with_parts() {
        let page = url("https://shop.example/a");
        let of = |count| files("www.shop.example", &vec![(&page, Timestamp::from_millis(0)); count]);

        assert_eq!((of(0).len(), of(50_000).len(), of(50_001).len()), (0, 1, 3));
        let index = String::from_utf8_lossy(&of(50_001)[0]).into_owned();
        assert!(
            index.contains("<sitemapindex")
                && index.contains("<loc>https://www.shop.example/sitemap-2.xml</loc>")
        );
        assert!(!index.contains("sitemap-3.xml"));
    }
}
