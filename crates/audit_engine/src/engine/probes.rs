//! Requests beside pages, after the crawl: files that llms.txt names, the site's twins, and the site's responses to
//! crawlers. Pictures, scripts and links to other hosts are requested in `assets`. See docs/decisions/0161.

use std::collections::HashSet;
use std::time::Duration;

use url::Url;

use super::crawl::Crawl;
use crate::address::Origin;
use crate::checks::CheckNeed;
use crate::page::{Provenance, scan};
use crate::source::{AuditFetch, PageSource, Response};

/// Redirects that are followed.
pub(super) const MAX_HOPS: usize = 5;
/// Bytes of what only has to be there.
pub(super) const SOME_BYTES: usize = 1024;
/// A link of llms.txt is broken, when it still is after this.
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// Links of llms.txt that are requested.
const MAX_LLMS_LINKS: usize = 200;

impl Crawl<'_> {
    /// Makes all requests beside pages.
    pub async fn probe(&mut self, source: &dyn PageSource) {
        if self.pages == 0 || self.close_reason.is_early() {
            return;
        }
        self.probe_targets(source).await;
        self.probe_assets(source).await;
        self.probe_llms_links(source).await;
        self.probe_hosts(source).await;
        self.probe_bots(source).await;
        self.compare_agents(source).await;
    }

    /// Requests the links of llms.txt on the site that no page has. A link that may not be requested is not broken.
    async fn probe_llms_links(&mut self, source: &dyn PageSource) {
        if !self.options.needs(CheckNeed::LlmsLinks) {
            return;
        }
        let Some(text) = self.site.probes.llms_txt.text.take() else { return };
        for url in llms_links(&text, &self.site.origin).take(MAX_LLMS_LINKS) {
            let key = self.site.origin.key(&url);
            let is_known = self.site.urls.find(&key).is_some_and(|id| self.site.row(id).is_some());
            let is_asked = !is_known && self.site.allows(&key);
            self.site.probes.llms_links.push((key, is_asked && is_gone(source, url).await));
        }
        self.site.probes.llms_txt.text = Some(text);
    }

    async fn probe_hosts(&mut self, source: &dyn PageSource) {
        let root = self.site.origin.root().clone();
        let own = self.site.origin.host().to_owned();
        if !self.site.allows("/") {
            return;
        }
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

/// Returns the links of a llms.txt to the site: `[name](address)`, each once.
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

/// Returns true when an address gives no response or an error at both of two tries.
async fn is_gone(source: &dyn PageSource, url: Url) -> bool {
    for wait in [RETRY_WAIT, Duration::ZERO] {
        match super::assets::ask(source, url.clone(), SOME_BYTES).await {
            Some(asset) if asset.is_suspect() => tokio::time::sleep(wait).await,
            _ => return false,
        }
    }
    true
}
