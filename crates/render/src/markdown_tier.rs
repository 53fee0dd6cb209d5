//! Markdown of pages: converted once for each snapshot, and cached while it is requested. Used by the render service.
//! Must never convert a page on a thread that serves requests.
//! See docs/decisions/0037.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use tokio::task::spawn_blocking;

use super::cache::{ENTRY_OVERHEAD_BYTES, etag_of};
use super::decide::TargetPage;
use super::model::RenderedPage;

/// Markdown of a rendered page.
#[derive(Debug)]
pub struct MarkdownPage {
    pub text: Bytes,
    /// Weak etag of the text and of the page's headers.
    pub etag: String,
    /// `Link` with the page's canonical address.
    pub link: HeaderValue,
    /// Estimated number of tokens.
    pub tokens: usize,
}

impl MarkdownPage {
    fn of(target: &TargetPage, rendered: &RenderedPage) -> MarkdownPage {
        let made = markdown::convert(&String::from_utf8_lossy(&rendered.html), &target.url);
        let link = format!("<{}>; rel=\"canonical\"", made.canonical);
        let etag = etag_of(made.text.as_bytes(), Some(&link), &rendered.headers);
        let link = HeaderValue::try_from(link).expect("addresses are ASCII without line breaks");
        MarkdownPage { text: Bytes::from(made.text), etag, link, tokens: made.tokens }
    }
}

/// Cache of the Markdown of pages that agents requested lately.
pub(super) struct MarkdownTier(cache::SharedCache<(&'static str, &'static str), MarkdownPage>);

impl MarkdownTier {
    /// Makes a tier of at most `max_bytes`.
    pub(super) fn new(max_bytes: u64) -> MarkdownTier {
        let weigh = |page: &MarkdownPage| page.text.len() + page.link.len() + ENTRY_OVERHEAD_BYTES;
        MarkdownTier(cache::SharedCache::weighed(max_bytes, weigh))
    }

    /// Returns the Markdown of a page; none when the page has no document, or at shutdown.
    pub(super) async fn of(
        &self,
        target: &TargetPage,
        rendered: &Arc<RenderedPage>,
    ) -> Option<Arc<MarkdownPage>> {
        if rendered.html.is_empty() {
            return None;
        }
        let make = async {
            let (target, rendered) = (target.clone(), rendered.clone());
            spawn_blocking(move || MarkdownPage::of(&target, &rendered)).await.map_err(drop)
        };
        // The address is part of the key: relative links of equal documents differ.
        self.0.try_get_with(&(target.url.as_str(), rendered.etag.as_str()), make).await
    }
}
