//! Requests of pictures, scripts, style sheets and links to other hosts, after the crawl. Each address is requested
//! once, and again when it fails. A host that hangs does not stop the others: each host gets one request at a time.
//! See docs/decisions/0402.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use hashbrown::HashMap;
use tokio::time::Instant;
use url::Url;

use super::crawl::Crawl;
use super::probes::{MAX_HOPS, SOME_BYTES};
use crate::checks::CheckNeed;
use crate::checks::thresholds::ThresholdId;
use crate::page::ResourceKind;
use crate::site::{Asset, UrlId};
use crate::source::{AuditFetch, FetchFailure, PageSource, Response};

/// Bytes of a preview picture that contain its size.
const PREVIEW_BYTES: usize = 64 * 1024;
/// Wait before a broken file of another host is requested again. The site's own host is requested again at once.
const PATIENCE: Duration = Duration::from_secs(6);
/// Other hosts that are asked at the same time.
const HOSTS_AT_ONCE: usize = 16;
/// Maximum number of requested addresses of another host: with one request a second, some minutes.
const MAX_OF_HOST: usize = 500;
/// Response time below which the site's own host counts as quick.
const QUICK_MS: u64 = 100;

/// Purpose of a request beside the pages; the most important first. A picture that is a preview too is requested as a
/// picture, of which more is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProbePurpose {
    Image,
    Resource,
    Preview,
    Link,
    /// A further picture or a film, only to know how large it is.
    Extra,
}

/// An address with how many of its bytes are wanted.
type Wanted = (UrlId, usize);

/// Addresses that wait, by host.
struct AssetQueue {
    own: VecDeque<Wanted>,
    /// Other hosts without a running request.
    foreign: VecDeque<VecDeque<Wanted>>,
}

/// The end of a request, with the queue of its host when that is not the site's own.
struct AskedAsset {
    id: UrlId,
    host: Option<VecDeque<Wanted>>,
    asset: Option<Asset>,
}

impl Crawl<'_> {
    /// Asks for all of them.
    pub(super) async fn probe_assets(&mut self, source: &dyn PageSource) {
        let wanted = self.wanted_assets();
        let deadline = Instant::now() + self.options.foreign_time;
        self.ask_assets(source, wanted.clone(), deadline).await;
        // Hosts whose names this machine cannot resolve are not requested again: that would take just as long and fail.
        let unknown = self.doubt_names();
        let is_suspect =
            |id: &UrlId| !unknown.contains(id) && self.site.assets.get(id).is_some_and(Asset::is_suspect);
        let suspects = wanted.into_iter().filter(|(id, _)| is_suspect(id));
        let (own, foreign): (Vec<_>, Vec<_>) = suspects.partition(|(id, _)| self.is_own_text(*id));
        self.ask_assets(source, own, deadline).await;
        if !foreign.is_empty() {
            // A single failure does not prove that the file is broken: without time for a second request it stays unknown.
            foreign.iter().for_each(|(id, _)| _ = self.site.assets.remove(id));
            tokio::time::sleep_until((Instant::now() + PATIENCE).min(deadline)).await;
            self.ask_assets(source, foreign, deadline).await;
        }
    }

    fn is_own_text(&self, id: UrlId) -> bool {
        Url::parse(self.site.texts.key(id)).is_ok_and(|url| self.site.origin.contains(&url))
    }

    /// Returns the addresses to request, the most important first.
    fn wanted_assets(&mut self) -> Vec<Wanted> {
        if self.options.max_assets == 0 {
            return Vec::new();
        }
        let kinds = self.wanted_kinds();
        // One more than a picture may have.
        let image_bytes = self.options.thresholds.number(ThresholdId::ImageMaxBytes) as usize + 1;
        let mut wanted = Vec::new();
        let mut of_hosts: HashMap<String, usize> = HashMap::new();
        for (kind, bytes) in [
            (ProbePurpose::Image, image_bytes),
            (ProbePurpose::Resource, SOME_BYTES),
            (ProbePurpose::Preview, PREVIEW_BYTES),
            (ProbePurpose::Link, SOME_BYTES),
            (ProbePurpose::Extra, SOME_BYTES),
        ] {
            let of_kind = self.site.texts.from(0).zip(&kinds).filter(|(_, other)| **other == Some(kind));
            let mut of_kind: Vec<UrlId> = of_kind.map(|((id, _), _)| id).collect();
            of_kind.sort_by_key(|id| self.site.texts.key(*id));
            for id in of_kind {
                let Ok(url) = Url::parse(self.site.texts.key(id)) else { continue };
                let is_own = self.site.origin.contains(&url);
                if is_own && !self.site.allows(&self.site.origin.key(&url)) {
                    continue;
                }
                let host = of_hosts.entry(url.host_str().unwrap_or_default().to_owned()).or_default();
                if wanted.len() >= self.options.max_assets || !is_own && *host >= MAX_OF_HOST {
                    self.left_out_probes += 1;
                    continue;
                }
                *host += 1;
                wanted.push((id, bytes));
            }
        }
        wanted
    }

    /// Returns the purpose that matters most of each address beside the site's pages, if it is wanted at all.
    fn wanted_kinds(&self) -> Vec<Option<ProbePurpose>> {
        let previews = self.options.needs(CheckNeed::PreviewImages);
        let images = self.options.needs(CheckNeed::Images);
        let links = self.options.needs(CheckNeed::ExternalLinks);
        let mut kinds = vec![None; self.site.texts.len()];
        let mut want = |id: UrlId, kind: ProbePurpose| {
            let before: &mut Option<ProbePurpose> = &mut kinds[id.index()];
            *before = Some(before.map_or(kind, |before| before.min(kind)));
        };
        for row in self.site.pages() {
            let named = self.site.named(row);
            if row.is_indexable() {
                named.images.iter().filter(|_| images).for_each(|(id, _)| want(*id, ProbePurpose::Image));
            }
            for (id, kind) in &named.resources {
                let is_needed = matches!(kind, ResourceKind::Script | ResourceKind::Stylesheet);
                want(*id, if is_needed { ProbePurpose::Resource } else { ProbePurpose::Extra });
            }
            named.preview_image.iter().filter(|_| previews).for_each(|id| want(*id, ProbePurpose::Preview));
            named.external_links.iter().filter(|_| links).for_each(|link| want(link.to, ProbePurpose::Link));
        }
        kinds
    }

    /// Resets the failures of unknown names when no foreign name exists at all: then this machine cannot resolve
    /// names, and no link is broken. Names below `.invalid` exist nowhere (RFC 6761).
    ///
    /// Returns the addresses whose names are unknown in that case.
    fn doubt_names(&mut self) -> HashSet<UrlId> {
        let is_name = |url: &Url| url.domain().is_some() && !self.site.origin.contains(url);
        let url_of = |id: &UrlId| Url::parse(self.site.texts.key(*id)).ok().filter(is_name);
        let has_answered = |id: &UrlId, asset: &Asset| asset.status != 0 && url_of(id).is_some();
        let knows_names = self.site.assets.iter().any(|(id, asset)| has_answered(id, asset));
        if knows_names {
            return HashSet::new();
        }
        let is_invalid = |url: &Url| url.domain().is_some_and(|name| name.ends_with(".invalid"));
        let silent = self.site.assets.iter().filter(|(id, asset)| asset.status == 0 && url_of(id).is_some());
        let unknown: HashSet<UrlId> = silent.map(|(id, _)| *id).collect();
        let is_doubtful = |id: &&UrlId| !url_of(id).as_ref().is_some_and(is_invalid);
        let doubtful = unknown.iter().filter(is_doubtful);
        for id in doubtful.copied().collect::<Vec<_>>() {
            self.site.assets.insert(id, Asset::default());
        }
        unknown
    }

    /// Asks for assets, for those of other hosts until a deadline.
    async fn ask_assets(&mut self, source: &dyn PageSource, wanted: Vec<Wanted>, deadline: Instant) {
        let mut left = wanted.len();
        let mut queue = self.by_host(wanted);
        let mut asked: FuturesUnordered<BoxFuture<'_, AskedAsset>> = FuturesUnordered::new();
        let (mut own, mut hosts) = (0, 0);
        loop {
            if Instant::now() >= deadline {
                queue.foreign.clear();
                if own == 0 && queue.own.is_empty() {
                    // Answers of other hosts that are still awaited are not known either.
                    self.left_out_probes += left;
                    self.probes_left.store(0, Ordering::Relaxed);
                    return;
                }
            }
            self.probes_left.store(left, Ordering::Relaxed);
            while own < self.pace.limit()
                && let Some(next) = queue.own.pop_front()
            {
                own += 1;
                asked.push(self.ask_asset(source, next, None));
            }
            while hosts < HOSTS_AT_ONCE
                && let Some(mut host) = queue.foreign.pop_front()
                && let Some(next) = host.pop_front()
            {
                hosts += 1;
                asked.push(self.ask_asset(source, next, Some(host)));
            }
            let next = tokio::select! {
                next = asked.next() => next,
                () = tokio::time::sleep_until(deadline), if hosts > 0 && Instant::now() < deadline => continue,
            };
            let Some(AskedAsset { id, host, asset }) = next else { return };
            left -= 1;
            match host {
                None => {
                    own -= 1;
                    let answer = asset.as_ref();
                    let is_trouble = answer.is_some_and(|asset| matches!(asset.status, 429 | 503));
                    let is_quick = answer.is_some_and(|asset| asset.status != 0 && asset.ttfb_ms < QUICK_MS);
                    self.pace.learn_of(is_trouble, is_quick);
                }
                Some(host) => {
                    hosts -= 1;
                    queue.foreign.extend(Some(host).filter(|host| !host.is_empty()));
                }
            }
            self.site.assets.extend(asset.map(|asset| (id, asset)));
        }
    }

    fn by_host(&self, wanted: Vec<Wanted>) -> AssetQueue {
        let (mut own, mut numbers) = (VecDeque::new(), HashMap::new());
        let mut foreign: VecDeque<VecDeque<Wanted>> = VecDeque::new();
        for next in wanted {
            let Ok(url) = Url::parse(self.site.texts.key(next.0)) else { continue };
            if self.site.origin.contains(&url) {
                own.push_back(next);
                continue;
            }
            let host = url.host_str().unwrap_or_default().to_owned();
            let number = *numbers.entry(host).or_insert(foreign.len());
            if number == foreign.len() {
                foreign.push_back(VecDeque::new());
            }
            foreign[number].push_back(next);
        }
        AssetQueue { own, foreign }
    }

    fn ask_asset<'s>(
        &self,
        source: &'s dyn PageSource,
        (id, bytes): Wanted,
        host: Option<VecDeque<Wanted>>,
    ) -> BoxFuture<'s, AskedAsset> {
        let url = Url::parse(self.site.texts.key(id)).expect("only addresses that parse were queued");
        Box::pin(async move { AskedAsset { id, host, asset: ask(source, url, bytes).await } })
    }
}

/// Asks for an address, redirects followed. None: such questions are not asked.
pub(super) async fn ask(source: &dyn PageSource, url: Url, max_bytes: usize) -> Option<Asset> {
    let mut at = url;
    for _ in 0..=MAX_HOPS {
        let request = AuditFetch { max_bytes, ..AuditFetch::of(at.clone()) };
        let response = match source.probe(request).await? {
            Ok(response) => response,
            Err(FetchFailure::NoSuchHost(_)) => return Some(Asset { has_no_host: true, ..Asset::default() }),
            Err(_) => return Some(Asset::default()),
        };
        match response.redirect_target(&at) {
            Some(to) => at = to,
            None => return Some(asset(&response)),
        }
    }
    Some(Asset::default())
}

fn asset(response: &Response) -> Asset {
    let length = response.header("content-length").trim().parse().ok();
    Asset {
        status: response.status,
        bytes: length.unwrap_or(response.body.len() as u64),
        is_image: response.media_type().starts_with("image/"),
        size: super::picture::size(&response.body),
        has_no_host: false,
        ttfb_ms: response.ttfb_ms,
    }
}
