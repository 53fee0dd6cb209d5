//! Types of a view of a page. Pure: no database, clock or HTTP.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use platform::clock::Timestamp;
use platform::ids::id_type;

id_type! {
    /// Identifies a view. Ids sort by the time they were made.
    ViewId
}

/// Time for which a view is kept.
pub const KEPT: Duration = Duration::from_secs(24 * 3600);
/// Views that a domain keeps.
pub const MOST_OF_DOMAIN: i64 = 20;
/// Views of an account that are taken at once.
pub const MOST_AT_ONCE: i64 = 2;
/// Time after which a view that still runs has failed: its job is gone.
pub const GIVEN_UP_AFTER: Duration = Duration::from_secs(600);
/// Bytes of HTML that a view shows.
pub const HTML_SHOWN: usize = 512 << 10;
/// Bytes of Markdown that a view shows.
pub const MARKDOWN_SHOWN: usize = 256 << 10;
/// Widths of the window, the default first.
pub const WIDTHS: [u32; 2] = [1280, 390];

/// State of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViewState {
    Running,
    Done,
    /// The page could not be seen; `error` says why.
    Failed,
}

impl ViewState {
    /// Returns the text in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            ViewState::Running => "running",
            ViewState::Done => "done",
            ViewState::Failed => "failed",
        }
    }

    pub fn from_stored(text: &str) -> ViewState {
        match text {
            "done" => ViewState::Done,
            "failed" => ViewState::Failed,
            _ => ViewState::Running,
        }
    }
}

/// Reason why a page could not be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViewError {
    OriginNotReachable,
    /// The address answers with something else than a page.
    NotAPage,
    Timeout,
    /// The page is too large, or used up the memory of its tab.
    TooLarge,
    /// The address is private.
    ForbiddenAddress,
    /// No browser could be used.
    NoBrowser,
}

impl ViewError {
    const ALL: [(ViewError, &str); 6] = [
        (ViewError::OriginNotReachable, "origin_not_reachable"),
        (ViewError::NotAPage, "not_a_page"),
        (ViewError::Timeout, "timeout"),
        (ViewError::TooLarge, "too_large"),
        (ViewError::ForbiddenAddress, "forbidden_address"),
        (ViewError::NoBrowser, "no_browser"),
    ];

    /// Returns the text in the database.
    pub fn as_str(self) -> &'static str {
        ViewError::ALL.iter().find(|(error, _)| *error == self).map_or("no_browser", |(_, text)| text)
    }

    pub fn from_stored(text: &str) -> ViewError {
        ViewError::ALL
            .iter()
            .find(|(_, known)| *known == text)
            .map_or(ViewError::NoBrowser, |(error, _)| *error)
    }
}

/// Panes of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    Person,
    Crawler,
    Raw,
}

impl Pane {
    /// Returns the file name of the pane's picture.
    pub const fn file(self) -> &'static str {
        match self {
            Pane::Person => "person.webp",
            Pane::Crawler => "crawler.webp",
            Pane::Raw => "raw.webp",
        }
    }
}

/// Name of the crawler's HTML.
pub const CRAWLER_HTML: &str = "crawler.html";

/// A view of a page.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    pub id: ViewId,
    #[schema(examples("shop.example"))]
    pub domain: String,
    /// Path and query.
    #[schema(examples("/shoes?size=42"))]
    pub path: String,
    #[schema(examples("https://shop.example/shoes?size=42"))]
    pub url: String,
    /// Width of the window in CSS pixels.
    #[schema(examples(1280))]
    pub width: u32,
    pub state: ViewState,
    #[schema(required = true)]
    pub error: Option<ViewError>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// The page as a person sees it. Null while it runs, and when the page could not be seen.
    #[schema(required = true)]
    pub person: Option<PersonView>,
    /// The page as a crawler gets it. Null: nothing is stored, and nothing was rendered.
    #[schema(required = true)]
    pub crawler: Option<CrawlerView>,
    /// The page as it is without scripts, as crawlers get it without Glasshouse. Null: it could not be fetched.
    #[schema(required = true)]
    pub raw: Option<RawView>,
    /// Requests of the live page in the order in which they were sent; at most 200.
    pub requests: Vec<ViewRequestEntry>,
    /// Errors, warnings and uncaught exceptions of the live page; at most 100.
    pub console: Vec<ViewConsoleEntry>,
    /// Requests of the live page that were not let through; at most 100.
    pub blocked: Vec<ViewBlockedEntry>,
    /// Failed requests and scripts of the live page, a sentence each; at most 10.
    #[schema(examples("GET /api/prices answered 401"))]
    pub problems: Vec<String>,
    #[schema(required = true)]
    pub timings: Option<ViewTimings>,
}

/// Contents of a view, as the object store keeps them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewContents {
    pub person: Option<PersonView>,
    pub crawler: Option<CrawlerView>,
    pub raw: Option<RawView>,
    pub requests: Vec<ViewRequestEntry>,
    pub console: Vec<ViewConsoleEntry>,
    pub blocked: Vec<ViewBlockedEntry>,
    pub problems: Vec<String>,
    pub timings: Option<ViewTimings>,
}

/// A page as a person sees it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonView {
    #[schema(examples(200))]
    pub status: u16,
    pub final_url: String,
    /// The page was cut off before it settled.
    pub partial: bool,
    #[schema(examples(412))]
    pub words: u64,
    /// Visible text, at most 256 KiB.
    pub text: String,
    #[schema(required = true)]
    pub picture: Option<ViewPicture>,
}

/// Origin of the page that a crawler gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrawlerSource {
    /// It was stored.
    Stored,
    /// It was rendered for this view.
    Rendered,
}

/// A page as a crawler gets it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerView {
    pub source: CrawlerSource,
    #[schema(required = true)]
    pub snapshot_key: Option<String>,
    /// Time of the render.
    pub created_at: Timestamp,
    #[schema(examples(200))]
    pub status: u16,
    /// Address that a redirecting page leads to.
    #[schema(required = true)]
    pub location: Option<String>,
    /// `X-Robots-Tag`, `Link`, `Content-Language` and `Content-Location` of the answer to a crawler.
    #[schema(required = true)]
    pub headers: Vec<ViewHeader>,
    #[schema(examples(48213))]
    pub html_bytes: u64,
    /// The first 512 KiB.
    pub html: String,
    /// The HTML is longer than `html` shows.
    pub html_cut: bool,
    /// The page as Markdown, the first 256 KiB; null: it has no document.
    #[serde(default)]
    #[schema(required = true)]
    pub markdown: Option<String>,
    /// Estimated tokens of all of the Markdown.
    #[serde(default)]
    #[schema(required = true, examples(1240))]
    pub markdown_tokens: u64,
    pub words: u64,
    /// Visible text, at most 256 KiB.
    pub text: String,
    #[schema(required = true)]
    pub picture: Option<ViewPicture>,
}

/// A header line.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ViewHeader {
    #[schema(examples("x-robots-tag"))]
    pub name: String,
    #[schema(examples("noindex"))]
    pub value: String,
}

/// A page as its server sends it, without scripts.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RawView {
    #[schema(examples(200))]
    pub status: u16,
    pub final_url: String,
    #[schema(examples(1840))]
    pub html_bytes: u64,
    pub words: u64,
    /// Visible text, at most 256 KiB.
    pub text: String,
    #[schema(required = true)]
    pub picture: Option<ViewPicture>,
}

/// A picture of a whole page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewPicture {
    #[schema(examples("/api/dashboard/views/01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10/person.webp"))]
    pub url: String,
    #[schema(examples(1280))]
    pub width: u32,
    /// Height in pixels, at most 8,000.
    #[schema(examples(2400))]
    pub height: u32,
    /// Size of the WebP, at most 4 MiB.
    #[schema(examples(182000))]
    pub bytes: u64,
    /// The page goes on below.
    pub cut: bool,
}

/// End of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViewRequestOutcome {
    Ok,
    Failed,
    Blocked,
}

/// A request of the live page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewRequestEntry {
    pub url: String,
    /// Type of the resource.
    #[serde(rename = "type")]
    #[schema(examples("script"))]
    pub kind: String,
    /// 0: no answer.
    #[schema(examples(200))]
    pub status: u16,
    /// Milliseconds after the first request.
    pub start_ms: u64,
    pub duration_ms: u64,
    /// Bytes received.
    pub bytes: u64,
    pub outcome: ViewRequestOutcome,
}

/// A message on the console.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ViewConsoleEntry {
    /// `error`, `warning` or `exception`.
    #[schema(examples("error"))]
    pub level: String,
    pub text: String,
}

/// A request that was not let through.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ViewBlockedEntry {
    pub url: String,
    pub reason: String,
}

/// Milliseconds of each phase.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewTimings {
    pub prepare_ms: u64,
    pub load_ms: u64,
    pub total_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_errors_are_read_back_as_they_were_written() {
        for state in [ViewState::Running, ViewState::Done, ViewState::Failed] {
            assert_eq!(ViewState::from_stored(state.as_str()), state);
        }
        for (error, text) in ViewError::ALL {
            assert_eq!((ViewError::from_stored(text), error.as_str()), (error, text));
            assert_eq!(serde_json::to_value(error).expect("plain data"), text);
        }
    }
}
