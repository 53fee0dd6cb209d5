//! A renderer without a browser for tests of other crates, which set the response of each address and count its renders.
//! Compiled only with the feature `testing`. Must never be reachable from a running service.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use http::HeaderMap;
use tokio::sync::Notify;
use url::Url;

use crate::{
    BrowserHealth, PagePicture, PageView, RenderCapacity, RenderError, RenderLoad, RenderRequest, Rendered,
    Renderer, Settled, Timings, ViewRequest, ViewSource, ViewedPage,
};

/// First bytes of a WebP picture.
const PIXEL: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L\r\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0";

/// A programmable [`Renderer`]. An address that was not programmed answers 200 with a small page that names the address.
///
/// Addresses are given as a whole URL (`https://shop.example/a?b=1`), as path and query (`/a?b=1`) or as a path (`/a`); the
/// most exact one that was programmed wins.
#[derive(Default)]
pub struct FakeRenderer {
    state: Mutex<State>,
    released: Notify,
}

#[derive(Default)]
struct State {
    answers: HashMap<String, Result<Rendered, RenderError>>,
    delays: HashMap<String, Duration>,
    hanging: HashSet<String>,
    requests: Vec<RenderRequest>,
    views: Vec<ViewRequest>,
    active: usize,
    problem: Option<String>,
    lack: Option<String>,
}

impl FakeRenderer {
    /// Makes a renderer that answers every address with a page.
    pub fn new() -> FakeRenderer {
        FakeRenderer::default()
    }

    /// Programs `address` to answer 200 with `html`.
    pub fn answers_html(&self, address: &str, html: &str) {
        self.answers_status(address, 200, html);
    }

    /// Programs `address` to answer `status` with `html`.
    pub fn answers_status(&self, address: &str, status: u16, html: &str) {
        self.answers(address, Ok(Rendered { status, html: html.to_owned(), ..page_at(&blank()) }));
    }

    /// Programs `address` to answer 200 with `html`, cut off at the time limit.
    pub fn answers_partial(&self, address: &str, html: &str) {
        let page =
            Rendered { html: html.to_owned(), partial: true, settled: Settled::Timeout, ..page_at(&blank()) };
        self.answers(address, Ok(page));
    }

    /// Programs `address` to answer with a changed page. Its `final_url` is the requested address.
    pub fn answers_page(&self, address: &str, change: impl FnOnce(&mut Rendered)) {
        let mut page = page_at(&blank());
        change(&mut page);
        self.answers(address, Ok(page));
    }

    /// Programs `address` to redirect to the absolute address `location`.
    pub fn redirects(&self, address: &str, status: u16, location: &str) {
        let page = Rendered {
            status,
            location: Some(location.to_owned()),
            html: String::new(),
            settled: Settled::Redirect,
            ..page_at(&blank())
        };
        self.answers(address, Ok(page));
    }

    /// Programs `address` to fail with `error`.
    pub fn fails(&self, address: &str, error: RenderError) {
        self.answers(address, Err(error));
    }

    /// Programs `address` to answer `answer`. Its `final_url` is replaced by the requested address.
    pub fn answers(&self, address: &str, answer: Result<Rendered, RenderError>) {
        self.state().answers.insert(address.to_owned(), answer);
    }

    /// Programs `address` to take at least `delay` of the runtime's clock.
    pub fn delays(&self, address: &str, delay: Duration) {
        self.state().delays.insert(address.to_owned(), delay);
    }

    /// Programs renders of `address` not to end before [`FakeRenderer::release`].
    pub fn hangs(&self, address: &str) {
        self.state().hanging.insert(address.to_owned());
    }

    /// Ends the hanging renders of `address`. Later ones do not hang.
    pub fn release(&self, address: &str) {
        self.state().hanging.remove(address);
        self.released.notify_waiters();
    }

    /// Returns the number of renders of `address` that were started.
    pub fn renders(&self, address: &str) -> usize {
        self.state()
            .requests
            .iter()
            .filter(|request| names_of(&request.url).iter().any(|n| n == address))
            .count()
    }

    /// Lists the renders that were started, in order.
    pub fn requests(&self) -> Vec<RenderRequest> {
        self.state().requests.clone()
    }

    /// Lists the views that were started, in order.
    pub fn views(&self) -> Vec<ViewRequest> {
        self.state().views.clone()
    }

    /// Makes every render fail with [`RenderError::NoBrowser`] and `health` report the problem.
    pub fn becomes_unusable(&self, problem: &str) {
        self.state().problem = Some(problem.to_owned());
    }

    /// Reverts [`FakeRenderer::becomes_unusable`].
    pub fn becomes_usable(&self) {
        self.state().problem = None;
    }

    /// Makes `health` report a missing confinement. Renders go on.
    pub fn lacks(&self, what: &str) {
        self.state().lack = Some(what.to_owned());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait_for_release(&self, names: &[String]) {
        loop {
            let released = self.released.notified();
            tokio::pin!(released);
            // Registered before the check, so that a release in between is not missed.
            released.as_mut().enable();
            if !names.iter().any(|name| self.state().hanging.contains(name)) {
                return;
            }
            released.await;
        }
    }
}

impl Renderer for FakeRenderer {
    fn render(&self, mut request: RenderRequest) -> BoxFuture<'_, Result<Rendered, RenderError>> {
        Box::pin(async move {
            let _slot = request.slot.take();
            let url = request.url.clone();
            let names = names_of(&url);
            let delay = {
                let mut state = self.state();
                state.requests.push(request);
                state.active += 1;
                names.iter().find_map(|name| state.delays.get(name).copied())
            };
            let _active = Active(self);

            if let Some(delay) = delay {
                tokio::time::sleep(delay).await;
            }
            self.wait_for_release(&names).await;

            let state = self.state();
            if let Some(problem) = &state.problem {
                return Err(RenderError::NoBrowser(problem.clone()));
            }
            match names.iter().find_map(|name| state.answers.get(name)) {
                Some(Ok(page)) => Ok(Rendered { final_url: url, ..page.clone() }),
                Some(Err(error)) => Err(error.clone()),
                None => Ok(page_at(&url)),
            }
        })
    }

    fn capacity(&self, _: &RenderLoad) -> RenderCapacity {
        RenderCapacity { all: usize::MAX, background: usize::MAX }
    }

    /// Views the programmed answer or the given document: its markup is the text, and the picture is one pixel.
    fn view(&self, request: ViewRequest) -> BoxFuture<'_, PageView> {
        Box::pin(async move {
            let url = request.page.url.clone();
            let names = names_of(&url);
            self.state().views.push(request.clone());
            self.wait_for_release(&names).await;
            let state = self.state();
            if let Some(problem) = &state.problem {
                return PageView::failed(RenderError::NoBrowser(problem.clone()));
            }
            let programmed = names.iter().find_map(|name| state.answers.get(name));
            let page = match (&request.source, programmed) {
                (ViewSource::Document { html, .. }, _) => {
                    Ok(Rendered { html: String::from_utf8_lossy(html).into_owned(), ..page_at(&url) })
                }
                (ViewSource::Live, Some(answer)) => answer.clone(),
                (ViewSource::Live, None) => Ok(page_at(&url)),
            };
            let page = match page {
                Ok(page) => page,
                Err(error) => return PageView::failed(error),
            };
            let picture = PagePicture { webp: PIXEL.into(), width: request.width, height: 1, cut: false };
            let viewed = ViewedPage {
                status: page.status,
                final_url: url,
                partial: page.partial,
                timings: page.timings,
                words: page.html.split_whitespace().count(),
                text: page.html.clone(),
                picture: Some(picture),
            };
            let Rendered { console, blocked, failed, .. } = page;
            PageView { page: Ok(viewed), requests: Vec::new(), console, blocked, failed }
        })
    }

    fn health(&self) -> BoxFuture<'_, BrowserHealth> {
        Box::pin(async move {
            let state = self.state();
            BrowserHealth {
                usable: state.problem.is_none(),
                version: Some("fake/1.0".to_owned()),
                confined: true,
                sandboxed: true,
                frames_on_demand: true,
                cgroup: true,
                problem: state.problem.clone().or_else(|| state.lack.clone()),
                active: state.active,
            }
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// Counter of a running render, until it ends or its future is dropped.
struct Active<'a>(&'a FakeRenderer);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.state().active -= 1;
    }
}

/// Returns the names by which an address can be programmed, most exact first.
fn names_of(url: &Url) -> [String; 3] {
    let path = url.path().to_owned();
    let with_query = url.query().map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
    [url.as_str().to_owned(), with_query, path]
}

fn page_at(url: &Url) -> Rendered {
    Rendered {
        status: 200,
        location: None,
        final_url: url.clone(),
        first_status: 200,
        hops: Vec::new(),
        headers: HeaderMap::new(),
        html: format!(
            "<!DOCTYPE html><html><head><title>{url}</title></head><body><h1>{url}</h1></body></html>"
        ),
        partial: false,
        settled: Settled::Quiet,
        timings: Timings::default(),
        console: Vec::new(),
        blocked: Vec::new(),
        failed: Vec::new(),
        inspection: None,
    }
}

fn blank() -> Url {
    Url::parse("about:blank").expect("a constant address")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RenderLimits;

    fn request(url: &str) -> RenderRequest {
        RenderRequest {
            url: url.parse().unwrap(),
            tenant: "t".into(),
            route: None,
            own_headers: None,
            timeout: Duration::from_secs(1),
            wait_for_selector: None,
            blocked_urls: Vec::new(),
            limits: RenderLimits { page_bytes: 1, html_bytes: 1, redirects: 1 },
            inspect: false,
            slot: None,
        }
    }

    #[tokio::test]
    async fn the_most_exact_address_wins() {
        let fake = FakeRenderer::new();
        fake.answers_html("/a", "by path");
        fake.answers_html("https://shop.example/a?b=1", "by address");

        let exact = fake.render(request("https://shop.example/a?b=1")).await.unwrap();
        let other = fake.render(request("https://other.example/a")).await.unwrap();

        assert_eq!((exact.html.as_str(), other.html.as_str()), ("by address", "by path"));
        assert_eq!(fake.renders("/a"), 2);
    }

    #[tokio::test]
    async fn a_hanging_render_ends_when_it_is_released() {
        let fake = std::sync::Arc::new(FakeRenderer::new());
        fake.hangs("/slow");
        let render = {
            let fake = fake.clone();
            async move { fake.render(request("https://shop.example/slow")).await }
        };
        let mut render = Box::pin(render);
        assert!(tokio::time::timeout(Duration::from_millis(20), &mut render).await.is_err());

        fake.release("/slow");

        assert_eq!(render.await.unwrap().status, 200);
    }
}
