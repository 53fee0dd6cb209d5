//! What was asked for beside pages: files at the root, other hosts, pictures, and pages as other crawlers.

/// What was asked for beside pages.
#[derive(Debug, Default)]
pub struct Probes {
    /// Statuses of addresses that cannot exist, and whether each answered with an application's empty shell.
    pub not_found: Vec<(u16, bool)>,
    pub llms_txt: LlmsFile,
    /// What llms.txt links on the site, as keys, and whether it was asked for beside the pages and is broken.
    pub llms_links: Vec<(String, bool)>,
    /// Status of /favicon.ico; 0: no answer; none: robots.txt forbids it, so nobody knows.
    pub favicon: Option<u16>,
    /// The usual address of a sitemap answers with an HTML page.
    pub html_sitemap: Option<String>,
    /// robots.txt forbids one of the usual addresses of a sitemap.
    pub may_have_sitemap: bool,
    /// The www or apex twin serves the site a second time.
    pub is_twin_copy: bool,
    /// Plain http serves the site too.
    pub is_http_served: bool,
    /// When the certificate ends, in epoch milliseconds.
    pub certificate_end_ms: Option<i64>,
    /// What the server answers crawlers.
    pub bots: Vec<BotResponse>,
}

/// The site's llms.txt.
#[derive(Debug, Default)]
pub struct LlmsFile {
    /// Status of the answer; 0: none.
    pub status: u16,
    /// Text of the file, if it is one.
    pub text: Option<String>,
    /// It answers 200 with an HTML page.
    pub is_html: bool,
    /// robots.txt forbids it, so nobody knows.
    pub is_forbidden: bool,
}

/// What the server answers one crawler.
#[derive(Debug)]
pub struct BotResponse {
    /// Its product token.
    pub name: &'static str,
    pub status: u16,
    /// A challenge instead of the page.
    pub is_challenged: bool,
}

/// What is at the address of a picture, a script or another host's page.
#[derive(Debug, Clone, Default)]
pub struct Asset {
    /// Status, redirects followed; 0: no answer.
    pub status: u16,
    /// Bytes, as announced, else as read.
    pub bytes: u64,
    /// Its content type is a picture's.
    pub is_image: bool,
    /// Width and height of a picture.
    pub size: Option<(u32, u32)>,
    /// Its host does not exist.
    pub has_no_host: bool,
    /// From the request to the first byte, in milliseconds.
    pub ttfb_ms: u64,
}

/// A language version of a page on another site of the same owner.
#[derive(Debug, Default)]
pub struct SisterPage {
    /// It answers with an error, or not at all.
    pub is_error: bool,
    pub is_redirect: bool,
    pub is_noindex: bool,
    /// It names another page as canonical.
    pub is_canonicalised: bool,
    /// It is a page.
    pub is_page: bool,
    /// Language versions that it names, absolute.
    pub names: Vec<String>,
}

impl Asset {
    /// Whether it is an error, access that was denied left out.
    pub fn is_error(&self) -> bool {
        matches!(self.status, 400..=599) && !matches!(self.status, 401 | 403 | 407 | 429)
    }

    /// Whether it is asked for again, because it may be broken for a moment only: one machine of several that lags
    /// behind says 404 too.
    pub fn is_suspect(&self) -> bool {
        self.status == 0 || self.is_error()
    }
}
