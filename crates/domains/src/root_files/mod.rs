//! Files at the root of a site that the edge serves: their settings, and the choice of the file for a path.
//! Used by the endpoint, by the edge and by audits through `render`. Pure; the rows are read in `queries`.
//! See docs/decisions/0530.

mod absence;
pub(super) mod queries;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::site::Site;

pub use absence::is_absent;

/// Maximum number of files of a domain.
pub const MAX_FILES: usize = 20;
/// Maximum size of one file, in bytes.
pub const MAX_FILE_BYTES: usize = 512 * 1024;
const MAX_NAME_BYTES: usize = 200;
const MAX_TYPE_BYTES: usize = 100;

/// Path of the file with the rules for crawlers.
pub(super) const ROBOTS: &str = "/robots.txt";
const SITEMAP: &str = "/sitemap.xml";
/// Allowed paths besides single segments that end in `.html` or `.txt`.
const NAMED_PATHS: [&str; 3] = [SITEMAP, "/BingSiteAuth.xml", "/.well-known/security.txt"];

/// Requests that a file answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RootFileMode {
    /// All requests, instead of the site's own server.
    Always,
    /// Requests for which the site's own server has no such file.
    Fallback,
    Off,
}

impl RootFileMode {
    /// Returns the value of `x-service-root-file`.
    pub const fn as_str(self) -> &'static str {
        match self {
            RootFileMode::Always => "always",
            RootFileMode::Fallback => "fallback",
            RootFileMode::Off => "off",
        }
    }
}

/// Source of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RootFileSource {
    /// The field `body`.
    Text,
    /// Generated rules that allow every path and name the sitemap.
    Robots,
    /// Generated list of the stored pages that search engines may list.
    Sitemap,
}

/// A file at the root of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RootFile {
    /// `/robots.txt`, `/sitemap.xml`, `/llms.txt`, `/ads.txt`, `/app-ads.txt`, `/BingSiteAuth.xml`,
    /// `/.well-known/security.txt`, or one segment that ends in `.html` or `.txt`.
    #[schema(examples("/llms.txt"))]
    pub path: String,
    pub mode: RootFileMode,
    pub source: RootFileSource,
    #[schema(examples("text/plain; charset=utf-8"))]
    pub content_type: String,
    /// Content of a file whose source is `text`, at most 512 KiB; null for other sources.
    #[schema(examples("# Shop"), required = true)]
    pub body: Option<String>,
}

/// File in a request.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentRootFile {
    /// Path of the file; see the response.
    #[schema(examples("/llms.txt"))]
    path: String,
    mode: RootFileMode,
    source: RootFileSource,
    /// Media type; null or left out: derived from the extension of the path.
    #[serde(default)]
    #[schema(examples("text/plain; charset=utf-8"))]
    content_type: Option<String>,
    /// Content of a file whose source is `text`, at most 512 KiB.
    #[serde(default)]
    #[schema(examples("# Shop"))]
    body: Option<String>,
}

/// All files of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RootFiles {
    #[schema(max_items = 20)]
    pub files: Vec<RootFile>,
}

impl Default for RootFiles {
    /// Returns the files of a new domain.
    fn default() -> RootFiles {
        let made = |path: &str, source| RootFile {
            path: path.to_owned(),
            mode: RootFileMode::Fallback,
            source,
            content_type: usual_type(path).to_owned(),
            body: None,
        };
        RootFiles {
            files: vec![made(ROBOTS, RootFileSource::Robots), made(SITEMAP, RootFileSource::Sitemap)],
        }
    }
}

impl RootFiles {
    /// Validates the files of a request. Fails with the issues, as pairs of a dotted path and a sentence.
    pub fn check(sent: Vec<SentRootFile>) -> Result<RootFiles, Vec<(String, String)>> {
        let mut issues = Vec::new();
        if sent.len() > MAX_FILES {
            issues.push(("files".to_owned(), format!("at most {MAX_FILES} files are allowed")));
        }
        let mut files: Vec<RootFile> = Vec::new();
        for (at, file) in sent.into_iter().enumerate() {
            let mut issue = |field: &str, message: &str| {
                issues.push((format!("files.{at}.{field}"), message.to_owned()));
            };
            if !is_root_path(&file.path) {
                issue("path", "must be a known file, or one segment that ends in .html or .txt");
            } else if files.iter().any(|other| other.path == file.path) {
                issue("path", "stands in the list twice");
            }
            let is_in_place = match file.source {
                RootFileSource::Text => true,
                RootFileSource::Robots => file.path == ROBOTS,
                RootFileSource::Sitemap => file.path == SITEMAP,
            };
            if !is_in_place {
                issue("source", "robots is the source of /robots.txt, and sitemap that of /sitemap.xml");
            }
            let is_text = file.source == RootFileSource::Text;
            let body = file.body.filter(|_| is_text);
            match &body {
                None if is_text => issue("body", "is needed with the source text"),
                Some(body) if body.len() > MAX_FILE_BYTES => issue("body", "must be at most 512 KiB"),
                Some(body) if body.contains('\0') => issue("body", "must not contain a NUL character"),
                _ => {}
            }
            let sent_type = file.content_type.filter(|_| is_text);
            let content_type = sent_type.unwrap_or_else(|| usual_type(&file.path).to_owned());
            if !is_media_type(&content_type) {
                issue("contentType", "must be a media type such as text/plain; charset=utf-8");
            }
            let SentRootFile { path, mode, source, .. } = file;
            files.push(RootFile { path, mode, source, content_type, body });
        }
        if issues.is_empty() { Ok(RootFiles { files }) } else { Err(issues) }
    }

    /// Finds the file that answers for a path. A part of a generated sitemap belongs to the file that is its index.
    pub fn find(&self, path: &str) -> Option<&RootFile> {
        let name = if sitemap_part(path).is_some() { SITEMAP } else { path };
        let file = self.files.iter().find(|file| file.path == name && file.mode != RootFileMode::Off)?;
        (name == path || file.source == RootFileSource::Sitemap).then_some(file)
    }

    /// Returns the content of `/robots.txt` from the source `robots`.
    pub fn robots(&self, site: &Site) -> String {
        let stored = &site.domain.settings.sitemap_url;
        let sitemap = match stored.is_empty() {
            false => Some(stored.clone()),
            true => self.find(SITEMAP).map(|file| format!("https://{}{}", site.preferred_name(), file.path)),
        };
        let sitemap = sitemap.map(|url| format!("\nSitemap: {url}\n")).unwrap_or_default();
        format!("User-agent: *\nAllow: /\n{sitemap}")
    }

    /// Returns the size of the files in memory, in bytes.
    pub fn weight(&self) -> usize {
        self.files.iter().map(|file| 200 + file.body.as_ref().map_or(0, String::len)).sum()
    }
}

/// Decides whether a file of a domain may answer for a path. Must be cheap: the edge calls it for every request.
pub fn may_answer(path: &str) -> bool {
    is_root_path(path) || sitemap_part(path).is_some()
}

/// Returns the number N of `/sitemap-N.xml`, from 1.
pub fn sitemap_part(path: &str) -> Option<usize> {
    let number = path.strip_prefix("/sitemap-")?.strip_suffix(".xml")?;
    let is_plain = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { number.parse().ok() } else { None }
}

fn is_root_path(path: &str) -> bool {
    if NAMED_PATHS.contains(&path) {
        return true;
    }
    let Some(name) = path.strip_prefix('/').filter(|name| name.len() <= MAX_NAME_BYTES) else { return false };
    let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".html")).unwrap_or_default();
    !stem.is_empty()
        && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte))
}

fn usual_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("xml") => "application/xml; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    text.len() <= MAX_TYPE_BYTES
        && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
        && essence.split_once('/').is_some_and(|(kind, name)| is_token(kind) && is_token(name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Settings;
    use crate::testing::site;

    fn check(files: Value) -> Result<RootFiles, Vec<String>> {
        let sent: Vec<SentRootFile> = serde_json::from_value(files).expect("files");
        RootFiles::check(sent).map_err(|issues| issues.into_iter().map(|(path, _)| path).collect())
    }

    #[test]
    fn a_file_is_a_known_one_or_one_segment_that_ends_in_html_or_txt() {
        for path in [
            "/robots.txt",
            "/sitemap.xml",
            "/BingSiteAuth.xml",
            "/.well-known/security.txt",
            "/google1.html",
            "/a.txt",
        ] {
            assert!(is_root_path(path), "{path}");
        }
        for path in [
            "/",
            "/.txt",
            "/a/b.txt",
            "/other.xml",
            "/bingsiteauth.xml",
            "a.txt",
            "/a.txt?b",
            "/a%2Fb.txt",
            "/ä.txt",
            "/a.TXT",
        ] {
            assert!(!is_root_path(path), "{path}");
        }
    }

    #[test]
    fn every_bad_field_is_named() {
        let text = |path: &str| json!({ "path": path, "mode": "always", "source": "text", "body": "x" });
        let with = |field: &str, value: Value| {
            let mut file = text("/a.txt");
            file[field] = value;
            json!([file])
        };

        assert_eq!(check(json!([text("/a.txt"), text("/a.txt")])), Err(vec!["files.1.path".into()]));
        assert_eq!(check(json!([text("/a/b")])), Err(vec!["files.0.path".into()]));
        assert_eq!(check(with("source", json!("robots"))), Err(vec!["files.0.source".into()]));
        assert_eq!(check(with("body", json!(null))), Err(vec!["files.0.body".into()]));
        assert_eq!(check(with("body", json!("x".repeat(512 * 1024 + 1)))), Err(vec!["files.0.body".into()]));
        assert_eq!(
            check(with("contentType", json!("text/plain\r\nx: y"))),
            Err(vec!["files.0.contentType".into()])
        );
        let many = |count: usize| check((0..count).map(|n| text(&format!("/{n}.txt"))).collect());
        assert!(many(20).is_ok());
        assert_eq!(many(21), Err(vec!["files".into()]));
    }

    #[test]
    fn robots_allows_all_and_names_the_sitemap_of_the_settings_else_the_managed_one() {
        let files = RootFiles::default();
        let own = Settings { sitemap_url: "https://shop.example/s.xml".into(), ..Settings::default() };
        let www = Settings { preferred_host: Some(crate::PreferredHost::Www), ..Settings::default() };

        assert_eq!(
            files.robots(&site("shop.example", own)),
            "User-agent: *\nAllow: /\n\nSitemap: https://shop.example/s.xml\n"
        );
        assert!(
            files
                .robots(&site("shop.example", www))
                .ends_with("\nSitemap: https://www.shop.example/sitemap.xml\n")
        );
        assert_eq!(
            RootFiles { files: Vec::new() }.robots(&site("shop.example", Settings::default())),
            "User-agent: *\nAllow: /\n"
        );
    }

    #[test]
    fn parts_belong_to_a_managed_sitemap_only() {
        let text = check(
            json!([{ "path": "/sitemap.xml", "mode": "always", "source": "text", "body": "<urlset/>" }]),
        )
        .expect("files");

        assert!(RootFiles::default().find("/sitemap-2.xml").is_some());
        assert!(text.find("/sitemap-2.xml").is_none() && text.find("/sitemap.xml").is_some());
        for path in ["/sitemap-0.xml", "/sitemap-01.xml", "/sitemap-x.xml", "/sitemap-.xml"] {
            assert_eq!(sitemap_part(path), None, "{path}");
        }
    }
}
