//! Links, pictures and versions of a page, as numbers for its row.

use hashbrown::HashSet;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::address::{Origin, Target};
use crate::page::ResourceKind;
use crate::page::view::{GOOGLEBOT, Page};
use crate::site::{Interner, Named, Row, RowAlternate, RowDestination, RowLink, UrlId, part_hashes};

/// Maximum characters of a stored text of a link or picture, which come from the audited site.
const MAX_TEXT_CHARS: usize = 120;

/// Assigns numbers to the addresses and texts of a page.
pub(super) struct Names<'a> {
    pub origin: &'a Origin,
    pub urls: &'a mut Interner,
    pub texts: &'a mut Interner,
}

impl Names<'_> {
    /// Keeps with the row what its page names.
    pub fn keep(&mut self, page: &Page, row: &mut Row) {
        let canonical = page.other_canonical().and(page.canonical.as_ref());
        row.canonical = canonical.map(|url| self.place(url));
        let id = row.id;
        let named = row.named();
        self.keep_links(page, id, named);
        for (key, fragment) in fragments(page) {
            let Some(to) = self.urls.admit(key) else { continue };
            if to != id || !named.has_part(part_hashes(fragment)) {
                named.fragments.push((to, fragment.to_owned()));
            }
        }
        for url in references(page) {
            named.references.extend(self.internal(&url));
        }
        for (lang, url) in &page.alternates {
            let target = url.as_ref().map(|url| self.origin.target(url));
            let (to, elsewhere) = match target {
                Some(Target::Internal(key)) => (self.urls.admit(&key), None),
                Some(Target::External(url)) => (None, Some(url.as_str().into())),
                None => (None, None),
            };
            named.alternates.push(RowAlternate { lang: lang.as_str().into(), to, elsewhere });
        }
        let preview = Url::parse(page.facts.first_meta("og:image")).ok().filter(is_fetchable);
        named.preview_image = preview.and_then(|url| self.texts.admit(url.as_str()));
        self.keep_resources(page, named);
        self.keep_images(page, named);
    }

    fn keep_links(&mut self, page: &Page, own: UrlId, named: &mut Named) {
        // A set, because a hostile page can hold a hundred thousand links.
        let mut seen = HashSet::with_capacity(page.links.len());
        for (resolved, link) in page.internal_links().chain(page.external_links()) {
            let (urls, texts) = (&mut self.urls, &mut self.texts);
            let number = resolved.number.get_or_init(|| match &resolved.target {
                Target::Internal(key) => urls.admit(key),
                Target::External(url) => texts.admit(url.as_str()),
            });
            let Some(to) = *number else { continue };
            let is_internal = matches!(resolved.target, Target::Internal(_));
            if is_internal && to == own || !seen.insert((to, is_internal, link.is_nofollow)) {
                continue;
            }
            let link = RowLink {
                to,
                text: named.say(short(&link.text)),
                is_nofollow: link.is_nofollow,
                is_ugc: link.is_ugc,
                is_sponsored: link.is_sponsored,
            };
            if is_internal { named.links.push(link) } else { named.external_links.push(link) }
        }
    }

    fn keep_images(&mut self, page: &Page, named: &mut Named) {
        let mut seen = HashSet::new();
        for image in page.facts.images.iter().filter(|image| !image.src.is_empty()) {
            let url = page.resolve_within_room(&image.src);
            let Some(src) = url.and_then(|url| self.texts.admit(url.as_str())) else { continue };
            if seen.insert(src) {
                let alt = image.alt.as_deref().map(|alt| named.say(short(alt)));
                named.images.push((src, alt));
            }
        }
    }

    /// Stores the resources of the page, from the response and from the rendered document, which has lost its scripts.
    fn keep_resources(&mut self, page: &Page, named: &mut Named) {
        let mut seen = HashSet::new();
        let loaded = page.input.raw.resources.iter().chain(&page.facts.resources);
        for resource in loaded.filter(|resource| resource.kind != ResourceKind::Other) {
            // Most pages name the same ones in both.
            if !seen.insert((resource.kind as u8, resource.url.as_str())) {
                continue;
            }
            let Some(url) = page.resolve_within_room(&resource.url) else { continue };
            let is_needed = matches!(resource.kind, ResourceKind::Script | ResourceKind::Stylesheet);
            if is_needed && page.input.origin.contains(&url) {
                let key = page.input.origin.key(&url);
                if !page.input.robots.decide(GOOGLEBOT, &key).is_allowed {
                    named.blocked_resources.push(key);
                }
            }
            named.resources.extend(self.texts.admit(url.as_str()).map(|id| (id, resource.kind)));
        }
    }

    /// Finds the row destination of an address.
    pub fn place(&mut self, url: &Url) -> RowDestination {
        match self.origin.target(url) {
            Target::Internal(key) => RowDestination::Page(self.urls.intern(&key)),
            Target::External(url) => {
                let host = url.host_str().unwrap_or_default();
                let is_same_domain = crawler::url::is_same_site(host, self.origin.host());
                RowDestination::Elsewhere { url: url.as_str().into(), is_same_domain }
            }
        }
    }

    fn internal(&mut self, url: &Url) -> Option<UrlId> {
        match self.origin.target(url) {
            Target::Internal(key) => self.urls.admit(&key),
            Target::External(_) => None,
        }
    }
}

fn is_fetchable(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn short(text: &str) -> &str {
    text.char_indices().nth(MAX_TEXT_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// Returns links to parts of pages, as key and fragment without its directives (`:~:text=`). Fragments for scripts
/// (`#/`, `#!`) name no part.
fn fragments<'a>(page: &'a Page) -> Vec<(&'a str, &'a str)> {
    let mut fragments = Vec::new();
    for link in &page.links {
        let (Some(fragment), Target::Internal(key)) = (link.url.fragment(), &link.target) else { continue };
        let part = fragment.split(":~:").next().unwrap_or_default();
        let is_top = percent_decode_str(part).decode_utf8_lossy().eq_ignore_ascii_case("top");
        if !part.is_empty() && !is_top && !part.starts_with(['/', '!']) {
            fragments.push((key.as_str(), part));
        }
    }
    fragments
}

/// Returns the pages of the site that the page refers to in another way than by a link.
fn references(page: &Page) -> Vec<Url> {
    let canonical = page.canonical.clone();
    let alternates = page.alternates.iter().filter_map(|(_, url)| url.clone());
    let pagination = page.facts.pagination.iter().filter_map(|(_, href)| page.resolve(href));
    let refreshes = [page.input.raw, page.facts]
        .map(|facts| facts.refresh.as_deref().and_then(|href| page.resolve(href)));
    let redirects = refreshes.into_iter().flatten().chain(page.script_redirect().cloned());
    canonical.into_iter().chain(alternates).chain(pagination).chain(redirects).collect()
}
