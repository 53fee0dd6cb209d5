//! What is asked for beside pages, once the crawl is over: pictures, scripts, other hosts, the site's twins. Each address is asked for once, and again when it fails. See docs/decisions/0212.

use std::collections::HashSet;
use std::time::Duration;

use url::Url;

use super::crawl::{Crawl, Watch};
use super::in_order::InOrder;
use crate::address::Origin;
use crate::checks::CheckId;
use crate::checks::thresholds::ThresholdId;
use crate::page::{Provenance, scan};
use crate::site::{Asset, UrlId};
use crate::source::{AuditFetch, FetchFailure, PageSource, Response};

/// Redirects that are followed.
const MAX_HOPS: usize = 5;
/// Bytes of a preview picture that tell its size.
const PREVIEW_BYTES: usize = 64 * 1024;
/// Bytes of what only has to be there.
const SOME_BYTES: usize = 1024;
/// What another host has is broken when it still is after this. The site's own host is asked again at once.
const PATIENCE: Duration = Duration::from_secs(6);
/// A link of llms.txt is, when it still is after this.
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// Links of llms.txt that are looked at.
const MAX_LLMS_LINKS: usize = 200;

/// What an address beside the pages is asked for as; what matters most comes first. A picture that is a preview too is
/// asked for as a picture, of which more is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProbePurpose {
    Image,
    Resource,
    Preview,
    Link,
}

impl Crawl<'_> {
    /// Asks all that is asked for beside pages.
    pub async fn probe(&mut self, source: &dyn PageSource, watch: &mut Watch<'_>) {
        if self.pages == 0 || self.must_end(watch).is_some() {
            return;
        }
        self.probe_assets(source, watch).await;
        self.probe_llms_links(source).await;
        self.probe_hosts(source).await;
        self.probe_bots(source).await;
        self.compare_agents(source).await;
    }

    pub(super) fn runs(&self, ids: &[&str]) -> bool {
        ids.iter().filter_map(|id| CheckId::find(id)).any(|check| self.options.checks.contains(&check))
    }

    /// Addresses with how many of their bytes are wanted; those that matter most first.
    fn wanted_assets(&self) -> Vec<(UrlId, usize)> {
        if self.options.max_assets == 0 {
            return Vec::new();
        }
        let kinds = self.wanted_kinds();
        // One more than a picture may have.
        let image_bytes = self.options.thresholds.number(ThresholdId::ImageMaxBytes) as usize + 1;
        let mut wanted = Vec::new();
        for (kind, bytes) in [
            (ProbePurpose::Image, image_bytes),
            (ProbePurpose::Resource, SOME_BYTES),
            (ProbePurpose::Preview, PREVIEW_BYTES),
            (ProbePurpose::Link, SOME_BYTES),
        ] {
            let of_kind = self.site.texts.from(0).zip(&kinds).filter(|(_, other)| **other == Some(kind));
            let mut of_kind: Vec<UrlId> = of_kind.map(|((id, _), _)| id).collect();
            of_kind.sort_by_key(|id| self.site.texts.key(*id));
            let left = self.options.max_assets - wanted.len();
            wanted.extend(of_kind.into_iter().take(left).map(|id| (id, bytes)));
        }
        wanted
    }

    /// What each address beside the site's pages is wanted as, if at all: as what matters most.
    fn wanted_kinds(&self) -> Vec<Option<ProbePurpose>> {
        let previews = self.runs(&["OG_IMAGE_BROKEN", "OG_IMAGE_TOO_SMALL", "OG_IMAGE_TOO_HEAVY"]);
        let images = self.runs(&["IMG_BROKEN", "IMG_TOO_LARGE"]);
        let links = self.runs(&["LINK_BROKEN_EXTERNAL"]);
        let mut kinds = vec![None; self.site.texts.len()];
        let mut want = |id: UrlId, kind: ProbePurpose| {
            let before: &mut Option<ProbePurpose> = &mut kinds[id.index()];
            *before = Some(before.map_or(kind, |before| before.min(kind)));
        };
        for row in self.site.pages() {
            let named = self.site.named(row);
            if row.is_indexable() {
                named.images.iter().filter(|_| images).for_each(|(id, _)| want(*id, ProbePurpose::Image));
                named.resources.iter().for_each(|id| want(*id, ProbePurpose::Resource));
            }
            named.preview_image.iter().filter(|_| previews).for_each(|id| want(*id, ProbePurpose::Preview));
            named.external_links.iter().filter(|_| links).for_each(|link| want(link.to, ProbePurpose::Link));
        }
        kinds
    }

    async fn probe_assets(&mut self, source: &dyn PageSource, watch: &mut Watch<'_>) {
        let wanted = self.wanted_assets();
        self.ask_assets(source, watch, wanted.clone()).await;
        // A machine that knows no names will not learn them in a moment.
        let unknown = self.doubt_names();
        let is_suspect =
            |id: &UrlId| !unknown.contains(id) && self.site.assets.get(id).is_some_and(Asset::is_suspect);
        let is_own = |id: &UrlId| {
            Url::parse(self.site.texts.key(*id)).is_ok_and(|url| self.site.origin.contains(&url))
        };
        let suspects = wanted.into_iter().filter(|(id, _)| is_suspect(id));
        let (own, foreign): (Vec<_>, Vec<_>) = suspects.partition(|(id, _)| is_own(id));
        self.ask_assets(source, watch, own).await;
        if !foreign.is_empty() && self.must_end(watch).is_none() {
            tokio::time::sleep(PATIENCE).await;
            self.ask_assets(source, watch, foreign).await;
        }
    }

    /// Where no foreign name exists at all, it is this machine that knows no names: no link is broken by that. Names below
    /// `.invalid` exist nowhere (RFC 6761).
    ///
    /// Gives back whose names are not known then.
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

    async fn ask_assets(
        &mut self,
        source: &dyn PageSource,
        watch: &mut Watch<'_>,
        wanted: Vec<(UrlId, usize)>,
    ) {
        let mut asked = InOrder::new();
        let mut wanted = wanted.into_iter();
        loop {
            while asked.running() < self.options.concurrency.max(1)
                && let Some((id, bytes)) = wanted.next()
            {
                let Ok(url) = Url::parse(self.site.texts.key(id)) else { continue };
                asked.push(async move { (id, ask(source, url, bytes).await) });
            }
            while let Some((id, asset)) = asked.pop() {
                self.site.assets.extend(asset.map(|asset| (id, asset)));
            }
            if asked.len() == 0 || self.must_end(watch).is_some() {
                return;
            }
            asked.wait().await;
        }
    }

    /// Asks for what llms.txt links on the site and no page does. What may not be asked for is not broken.
    async fn probe_llms_links(&mut self, source: &dyn PageSource) {
        if !self.runs(&["LLMS_TXT_INVALID"]) {
            return;
        }
        let Some(text) = self.site.probes.llms_txt.1.take() else { return };
        for url in llms_links(&text, &self.site.origin).take(MAX_LLMS_LINKS) {
            let key = self.site.origin.key(&url);
            let is_known = self.site.urls.find(&key).is_some_and(|id| self.site.row(id).is_some());
            let is_allowed = self.site.robots.rules.decide(&self.site.agent, &key).is_allowed;
            let is_asked = !is_known && is_allowed;
            self.site.probes.llms_links.push((key, is_asked && is_gone(source, url).await));
        }
        self.site.probes.llms_txt.1 = Some(text);
    }

    async fn probe_hosts(&mut self, source: &dyn PageSource) {
        let root = self.site.origin.root().clone();
        let own = self.site.origin.host().to_owned();
        if let Some(twin) = self.site.origin.twin().map(str::to_owned) {
            let mut url = root.clone();
            if url.set_host(Some(&twin)).is_ok()
                && let Some((end, response)) = follow(source, url, |to| to.host_str() == Some(&twin)).await
                && response.status == 200
                && end.host_str() == Some(&twin)
            {
                let facts = scan(&response.text(), Provenance::Raw);
                let canonical = facts.canonicals.head.iter().flatten().find_map(|href| end.join(href).ok());
                let points_home = canonical.is_some_and(|url| url.host_str() == Some(&own));
                self.site.probes.is_twin_copy = !points_home;
            }
        }
        if root.scheme() == "https" && root.port().is_none() {
            let mut url = root.clone();
            if url.set_scheme("http").is_ok()
                && let Some((end, response)) = follow(source, url, |to| to.scheme() == "http").await
            {
                self.site.probes.is_http_served = response.status == 200 && end.scheme() == "http";
            }
            self.site.probes.certificate_end_ms = source.certificate_end_ms(&own).await;
        }
    }
}

/// What a llms.txt links on the site: `[name](address)`, each once.
fn llms_links<'t>(text: &'t str, origin: &'t Origin) -> impl Iterator<Item = Url> + 't {
    let mut seen = HashSet::new();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '\n']).next());
    targets
        .filter_map(|target| origin.root().join(target).ok())
        .filter(move |url| origin.contains(url) && seen.insert(origin.key(url)))
}

/// Follows redirects as long as `stays` holds of where they lead.
async fn follow(source: &dyn PageSource, url: Url, stays: impl Fn(&Url) -> bool) -> Option<(Url, Response)> {
    let mut at = url;
    for _ in 0..=MAX_HOPS {
        let response = source.probe(AuditFetch::of(at.clone())).await?.ok()?;
        match response.redirect_target(&at) {
            Some(to) if stays(&to) => at = to,
            _ => return Some((at, response)),
        }
    }
    None
}

/// Whether an address does not answer, or with an error, at both of two tries.
async fn is_gone(source: &dyn PageSource, url: Url) -> bool {
    for wait in [RETRY_WAIT, Duration::ZERO] {
        match ask(source, url.clone(), SOME_BYTES).await {
            Some(asset) if asset.is_suspect() => tokio::time::sleep(wait).await,
            _ => return false,
        }
    }
    true
}

async fn ask(source: &dyn PageSource, url: Url, max_bytes: usize) -> Option<Asset> {
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
    }
}
