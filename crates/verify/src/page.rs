//! Parts of an HTML document that the checks compare. Pure.

use audit_engine::page::challenge::is_challenge;
use audit_engine::page::not_found::{self, NotFoundProbe};
use audit_engine::page::sketch::Sketch;
use audit_engine::page::text::{sorted_words, word_count};
use audit_engine::page::{PageFacts, ResourceKind, language_of};
use url::Url;

use super::content::ShownContent;
use super::substitutes::{is_error_page, is_wall};

/// A page with so many words is none of a firewall, whatever scripts of a firewall it carries.
const MOST_CHALLENGE_WORDS: usize = 150;
/// Fewer words do not tell their language.
const LEAST_SPOKEN_WORDS: usize = 20;
/// Confidence from which a text is in the language that was recognised.
const SURE: f64 = 0.9;

/// Parts of a page that the checks compare.
#[derive(Debug, Default)]
pub struct PageContent {
    /// Words that are visible without scripts.
    pub words: usize,
    /// Hashes of these words, sorted.
    pub word_hashes: Vec<u64>,
    /// Sketch of the main text; none: it is short.
    pub sketch: Option<Box<Sketch>>,
    /// Content that is visible without scripts.
    pub shown: ShownContent,
    /// The document sends its reader on by itself (`meta http-equiv=refresh`).
    pub has_refresh: bool,
    /// Address that it sends its reader to.
    pub refresh_to: Option<Url>,
    /// A firewall's page in place of the site's.
    pub is_challenge: bool,
    /// Title of the page.
    pub title: String,
    /// The title or the heading is that of an error page.
    pub is_error_page: bool,
    /// Nearly all words ask for consent to cookies, or for an age.
    pub is_wall: bool,
    /// Primary language that `html lang` declares.
    pub language: Option<String>,
    /// Primary language of the visible words; none: too few to tell.
    pub spoken: Option<&'static str>,
    /// Addresses by which the page names itself: canonical link and `og:url`.
    pub own_addresses: Vec<Url>,
    /// Canonical links of head.
    pub canonicals: Vec<Url>,
    /// First script or style sheet of the page's own host.
    pub asset: Option<Url>,
    /// Deepest of the pages of its own host that the page links to.
    pub other_page: Option<Url>,
}

impl PageContent {
    /// Reads what the checks compare of a document.
    pub fn of(facts: &PageFacts, html: &str, url: &Url) -> PageContent {
        let base = facts.base.as_deref().and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
        let words = word_count(&facts.visible_text);
        let canonicals = facts.canonicals.head.iter().flatten().map(String::as_str);
        let named = facts.meta("og:url").map(|meta| meta.content.as_str());
        PageContent {
            words,
            word_hashes: sorted_words(&facts.visible_text),
            sketch: facts.measures.sketch.clone(),
            shown: ShownContent::of(facts),
            has_refresh: facts.has_refresh,
            refresh_to: facts
                .refresh
                .as_deref()
                .and_then(|to| base.join(to).ok())
                .filter(|to| !is_same_page(to, url)),
            is_challenge: words < MOST_CHALLENGE_WORDS && is_challenge(html),
            title: facts.title().unwrap_or_default().to_owned(),
            is_error_page: not_found::holds(facts, &NotFoundProbe::default()) || is_error_page(facts),
            is_wall: is_wall(&facts.visible_text),
            language: facts.language(),
            spoken: spoken(facts, words),
            own_addresses: resolved(canonicals.clone().chain(named), &base),
            canonicals: resolved(canonicals, &base),
            asset: asset(facts, &base),
            other_page: other_page(facts, &base, url),
        }
    }
}

fn resolved<'a>(named: impl Iterator<Item = &'a str>, base: &Url) -> Vec<Url> {
    named.filter(|text| !text.trim().is_empty()).filter_map(|text| base.join(text.trim()).ok()).collect()
}

fn spoken(facts: &PageFacts, words: usize) -> Option<&'static str> {
    let is_long = words >= LEAST_SPOKEN_WORDS;
    let (language, confidence) =
        is_long.then(|| language_of(&facts.visible_text, facts.language().as_deref()))??;
    (confidence >= SURE).then_some(language)
}

fn asset(facts: &PageFacts, base: &Url) -> Option<Url> {
    let kinds = [ResourceKind::Script, ResourceKind::Stylesheet];
    let wanted = facts.resources.iter().filter(|resource| kinds.contains(&resource.kind));
    let mut addresses = wanted.filter_map(|resource| base.join(resource.url.trim()).ok());
    addresses.find(|url| url.origin() == base.origin() && crawler::url::is_static_asset(url.path()))
}

/// Returns the page at the deepest path that the document links to: a start page may have several addresses, a page deep in the
/// site rarely has.
fn other_page(facts: &PageFacts, base: &Url, own: &Url) -> Option<Url> {
    let links = facts.links.iter().filter_map(|link| base.join(link.href.as_deref()?.trim()).ok());
    let pages = links.filter(|url| {
        url.origin() == own.origin()
            && url.query().is_none()
            && !is_start_page(url.path())
            && !is_same_page(url, own)
            && !crawler::url::is_static_asset(url.path())
    });
    let depth = |url: &Url| url.path().trim_matches('/').split('/').count();
    let mut deepest: Option<Url> = None;
    for mut page in pages {
        page.set_fragment(None);
        if deepest.as_ref().is_none_or(|found| depth(&page) > depth(found)) {
            deepest = Some(page);
        }
    }
    deepest
}

/// Returns true for `/` and other addresses that start pages have.
pub fn is_start_page(path: &str) -> bool {
    let path = path.trim_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let name = last.split('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(name.as_str(), "" | "index" | "home" | "default" | "start")
}

/// Returns true for two addresses of one host that differ in fragment, query, scheme or a last slash only.
pub fn is_same_page(one: &Url, other: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    one.host_str() == other.host_str() && path(one) == path(other)
}
