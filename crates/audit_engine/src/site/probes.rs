//! Results of requests beside pages: files at the root, other hosts, pictures, and pages as served to other crawlers.

/// Results of requests beside pages.
#[derive(Debug, Default)]
pub struct Probes {
    /// Statuses of addresses that cannot exist, and whether each answered with an application's empty shell.
    pub not_found: Vec<(u16, bool)>,
    pub llms_txt: LlmsFile,
    /// Links of llms.txt to the site, as keys; the flag says whether the link was requested beside the pages and is broken.
    pub llms_links: Vec<(String, bool)>,
    /// Status of /favicon.ico; 0: no response; none: unknown, since robots.txt forbids it.
    pub favicon: Option<u16>,
    /// The usual address of a sitemap answers with an HTML page.
    pub html_sitemap: Option<String>,
    /// robots.txt forbids one of the usual addresses of a sitemap.
    pub may_have_sitemap: bool,
    /// The www or apex twin serves the site a second time.
    pub is_twin_copy: bool,
    /// Plain http serves the site too.
    pub is_http_served: bool,
    /// Expiry of the certificate, in epoch milliseconds.
    pub certificate_end_ms: Option<i64>,
    /// Responses to crawlers.
    pub bots: Vec<BotResponse>,
}

/// The site's llms.txt.
#[derive(Debug, Default)]
pub struct LlmsFile {
    /// Status of the answer; 0: none.
    pub status: u16,
    /// Text of the file, if it is one.
    pub text: Option<String>,
    /// True for an HTML page with status 200.
    pub is_html: bool,
    /// True when robots.txt forbids it, so it is unknown.
    pub is_forbidden: bool,
}

/// Response to one crawler.
#[derive(Debug)]
pub struct BotResponse {
    /// Product token.
    pub name: &'static str,
    pub status: u16,
    /// A challenge instead of the page.
    pub is_challenged: bool,
}

/// Resource at the address of a picture, a script or another host's page.
#[derive(Debug, Clone, Default)]
pub struct Asset {
    /// Status, redirects followed; 0: no answer.
    pub status: u16,
    /// Bytes, as announced, else as read.
    pub bytes: u64,
    /// True when the content type is a picture's.
    pub is_image: bool,
    /// Width and height of a picture.
    pub size: Option<(u32, u32)>,
    /// True when the host does not exist.
    pub has_no_host: bool,
    /// Time from the request to the first byte, in milliseconds.
    pub ttfb_ms: u64,
}

/// A language version of a page on another site of the same owner.
#[derive(Debug, Default)]
pub struct SisterPage {
    /// True for an error or no response.
    pub is_error: bool,
    pub is_redirect: bool,
    pub is_noindex: bool,
    /// True when the page names another one as canonical.
    pub is_canonicalised: bool,
    /// True for a page.
    pub is_page: bool,
    /// Language versions that it names, absolute.
    pub names: Vec<String>,
}

impl Asset {
    /// Returns true for an error, except denied access.
    pub fn is_error(&self) -> bool {
        matches!(self.status, 400..=599) && !matches!(self.status, 401 | 403 | 407 | 429)
    }

    /// Returns true when the resource is requested again, because it may be broken for a moment only: one of several
    /// machines that lags behind returns 404 too.
    pub fn is_suspect(&self) -> bool {
        self.status == 0 || self.is_error()
    }
}
