//! Topic of a page, from its heading, its title or its path. Pure.

use assistants::analysis::BrandProfile;
use assistants::analysis::brand::key;

use super::{is_prompt, one_line};
use audit::service::AuditedTopic;

/// Maximum number of characters of a topic.
const MAX_CHARS: usize = 120;
/// Minimum number of words of a topic: one word says too little.
const MIN_WORDS: usize = 2;
/// First parts of paths whose pages nobody asks an assistant about.
const NO_TOPICS: &[&str] = &[
    "login",
    "signin",
    "signup",
    "register",
    "account",
    "cart",
    "checkout",
    "privacy",
    "terms",
    "imprint",
    "impressum",
    "datenschutz",
    "legal",
    "cookies",
    "search",
    "tag",
    "tags",
    "category",
    "author",
    "page",
    "api",
    "wp-content",
    "wp-admin",
    "sitemap",
    "robots",
];

/// Returns the topic of an audited page: its heading, else its title without the site's name. None: it has none.
pub fn text_topic(page: &AuditedTopic, brand: &BrandProfile) -> Option<String> {
    if !is_about_something(&page.path) {
        return None;
    }
    let heading = page.h1.as_deref().map(one_line).filter(|text| is_topic(text));
    heading.or_else(|| {
        page.title.as_deref().map(|title| without_site_name(title, brand)).filter(|text| is_topic(text))
    })
}

/// Returns the topic that the last part of a path names in words: `/blog/import-from-notion`.
pub fn slug_topic(path: &str) -> Option<String> {
    if !is_about_something(path) {
        return None;
    }
    let slug = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let slug = percent_encoding::percent_decode_str(slug).decode_utf8().ok()?;
    let stem = slug.split_once('.').map_or(&*slug, |(stem, _)| stem);
    let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit());
    let words: Vec<&str> = stem.split(['-', '_', ' ', '+']).filter(|word| !word.is_empty()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !is_number(word)).collect();
    Some(words.join(" ")).filter(|text| is_topic(text))
}

fn is_about_something(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    !parts.any(|part| NO_TOPICS.contains(&part.to_lowercase().as_str()))
}

fn is_topic(text: &str) -> bool {
    let words = text.split_whitespace().count();
    // Scripts without spaces write a topic in one word.
    let is_unspaced = !text.is_ascii() && text.chars().count() >= 6;
    is_prompt(text) && text.chars().count() <= MAX_CHARS && (words >= MIN_WORDS || is_unspaced)
}

/// Returns the longest part of a title that is not the brand's name.
fn without_site_name(title: &str, brand: &BrandProfile) -> String {
    let names: Vec<String> =
        std::iter::once(&brand.name).chain(&brand.aliases).map(|name| key(name)).collect();
    let parts = title.split(['|', '–', '—', '·', '•', '»']).flat_map(|part| part.split(" - ")).map(one_line);
    let parts = parts.filter(|part| !part.is_empty() && !names.contains(&key(part)));
    // Of two parts of one length the first.
    parts.fold(
        String::new(),
        |best, part| if part.chars().count() > best.chars().count() { part } else { best },
    )
}
