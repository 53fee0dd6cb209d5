//! Markdown of pages: converted once for each snapshot, and cached while it is requested. Used by the render service.
//! Must never convert a page on a thread that serves requests, nor more pages at once than there are processors.
//! See docs/decisions/0037.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use bytes::Bytes;
use http::HeaderValue;
use tokio::sync::Semaphore;
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
pub(super) struct MarkdownTier {
    pages: cache::SharedCache<(&'static str, &'static str), MarkdownPage>,
    /// One permit for each processor: a conversion needs several times the memory of its page.
    conversions: Arc<Semaphore>,
}

impl MarkdownTier {
    /// Makes a tier of at most `max_bytes`.
    pub(super) fn new(max_bytes: u64) -> MarkdownTier {
        let weigh = |page: &MarkdownPage| page.text.len() + page.link.len() + ENTRY_OVERHEAD_BYTES;
        let processors = available_parallelism().map_or(1, NonZero::get);
        MarkdownTier {
            pages: cache::SharedCache::weighed(max_bytes, weigh),
            conversions: Arc::new(Semaphore::new(processors)),
        }
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
            let permit = self.conversions.clone().acquire_owned().await.map_err(drop)?;
            let (target, rendered) = (target.clone(), rendered.clone());
            let convert = move || {
                // A conversion goes on when the client that caused it is gone, and keeps its permit.
                let _permit = permit;
                MarkdownPage::of(&target, &rendered)
            };
            spawn_blocking(convert).await.map_err(drop)
        };
        // The address is part of the key: relative links of equal documents differ.
        self.pages.try_get_with(&(target.url.as_str(), rendered.etag.as_str()), make).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;
    use url::Url;

    use super::*;
    use platform::clock::Timestamp;

    #[tokio::test]
    async fn a_page_is_converted_once_another_conversion_has_ended() {
        let tier = MarkdownTier::new(1_000_000);
        let url = Url::parse("https://shop.example/").expect("an address");
        let target =
            TargetPage { key: "shop.example/".into(), url, refresh_interval: Duration::from_secs(60) };
        let page = Arc::new(RenderedPage {
            status: 200,
            location: None,
            html: Bytes::from_static(b"<p>felt"),
            etag: "W/\"1\"".into(),
            headers: http::HeaderMap::new(),
            problems: Vec::new(),
            partial: false,
            created_at: Timestamp::from_millis(0),
        });
        let processors = u32::try_from(tier.conversions.available_permits()).expect("few processors");
        let others = tier.conversions.clone().acquire_many_owned(processors).await.expect("never closed");

        let waiting = timeout(Duration::from_millis(50), tier.of(&target, &page)).await;
        drop(others);
        let converted = tier.of(&target, &page).await.expect("the page has a document");

        assert!(waiting.is_err());
        assert_eq!(converted.text, "felt\n");
    }
}
