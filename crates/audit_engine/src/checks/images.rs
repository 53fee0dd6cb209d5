//! Checks of pictures.

use hashbrown::HashSet;

use super::thresholds::ThresholdId;
use super::{Check, CheckNeed, ERROR, Evidence, Fires, NOTICE, WARNING};
use crate::page::ResourceKind;
use crate::page::text::character_count;
use crate::site::{Asset, CrawledSite, NamedRow, UrlId};

const IMAGES: &str = "https://developers.google.com/search/docs/appearance/google-images";

fn add_images(
    site: &CrawledSite,
    images: impl Iterator<Item = UrlId>,
    found: &mut Evidence,
    what: fn(&CrawledSite, &str, &Asset) -> Option<String>,
) {
    for src in images {
        let url = site.texts.key(src);
        if let Some(detail) = site.assets.get(&src).and_then(|asset| what(site, url, asset)) {
            found.add(url, "", detail);
        }
    }
}

/// Lists the addresses of the pictures of a page.
fn pictures(row: &NamedRow) -> impl Iterator<Item = UrlId> {
    row.named.images.iter().map(|(src, _)| *src)
}

/// Lists the addresses of further pictures, sounds and films: those of `srcset`, `source`, `video` and their like. Each once.
fn media(row: &NamedRow) -> impl Iterator<Item = UrlId> {
    let mut seen: HashSet<UrlId> = pictures(row).collect();
    let is_media = |kind: &ResourceKind| {
        matches!(kind, ResourceKind::Candidate | ResourceKind::Source | ResourceKind::Media)
    };
    let media = row.named.resources.iter().filter(move |(_, kind)| is_media(kind)).map(|(src, _)| *src);
    media.filter(move |src| seen.insert(*src))
}

/// Returns the reason why a resource of a page is missing: an error, or no answer on the site's own host.
pub fn missing(site: &CrawledSite, url: &str, asset: &Asset) -> Option<String> {
    let is_own = || ::url::Url::parse(url).is_ok_and(|url| site.origin.contains(&url));
    if asset.is_error() {
        Some(asset.status.to_string())
    } else {
        (asset.status == 0 && is_own()).then(|| "no answer".to_owned())
    }
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "IMG_BROKEN",
        needs: Some(CheckNeed::Images),
        title: "Pictures, films or sounds that are not there",
        why: "Visitors see a hole, and search engines a page nobody looks after.",
        fix: "Correct the addresses or restore the files.",
        source: IMAGES,
        bad: "GET /\n<img src=/a.png alt=a>\nGET /a.png 404",
        good: "GET /\n<img src=/a.png alt=a>\nGET /a.png\ncontent-type: image/png\n\npng",
        fires: Fires::Joined(|site, row, found| {
            add_images(site, pictures(row).chain(media(row)), found, missing);
        }),
        ..ERROR
    },
    Check {
        id: "IMG_TOO_LARGE",
        thresholds: &[ThresholdId::ImageMaxBytes],
        needs: Some(CheckNeed::Images),
        title: "Very heavy pictures",
        why: "They are the last thing that a slow connection shows.",
        fix: "Compress them, or send smaller ones, below 100 KB.",
        source: IMAGES,
        bad: "GET /\n<img src=/a.png alt=a>\nGET /a.png\ncontent-type: image/png\ncontent-length: 200000\n\npng",
        good: "GET /\n<img src=/a.png alt=a>\nGET /a.png\ncontent-type: image/png\ncontent-length: 2000\n\npng",
        fires: Fires::Joined(|site, row, found| {
            add_images(site, pictures(row), found, |site, _, asset| {
                let is_large = asset.bytes as f64 > site.thresholds.number(ThresholdId::ImageMaxBytes);
                (asset.status == 200 && is_large).then(|| format!("{} bytes", asset.bytes))
            });
        }),
        ..NOTICE
    },
    Check {
        id: "IMG_ALT_MISSING",
        title: "Pictures without alt text",
        why: "Search engines and screen readers cannot see what the picture shows.",
        fix: "Describe it in alt, or write alt=\"\" when it is decoration.",
        source: IMAGES,
        bad: "<img src=/a.png>",
        good: "<img src=/a.png alt=''><img src=/b.png role=presentation>",
        fires: Fires::Elements(|page, found| {
            for image in page.facts.images.iter().filter(|image| image.alt.is_none() && !image.needs_no_alt) {
                found.add(page.resolve(&image.src).map(String::from).unwrap_or_default(), "", "no alt");
            }
        }),
        ..WARNING
    },
    Check {
        id: "IMG_ALT_TOO_LONG",
        thresholds: &[ThresholdId::ImageAltMaxCharacters],
        title: "Very long alt texts",
        why: "A screen reader reads all of it, without a pause.",
        fix: "Stay within 100 characters and move the rest into the text.",
        source: IMAGES,
        bad: "<img src=/a.png alt='{Hand-made shoes *10}'>",
        good: "<img src=/a.png alt='Hand-made shoes'>",
        fires: Fires::Elements(|page, found| {
            let is_long = |alt: &&str| page.exceeds(ThresholdId::ImageAltMaxCharacters, character_count(alt));
            for image in &page.facts.images {
                if let Some(alt) = image.alt.as_deref().filter(is_long) {
                    found.add(page.resolve(&image.src).map(String::from).unwrap_or_default(), alt, "");
                }
            }
        }),
        ..NOTICE
    },
    Check {
        id: "IMG_DIMENSIONS_MISSING",
        is_default: false,
        title: "Pictures without width and height",
        why: "The text jumps when they arrive.",
        fix: "Write width and height, or an aspect ratio in the style.",
        source: "https://web.dev/articles/optimize-cls",
        bad: "<img src=/a.png alt=a width=10>",
        good: "<img src=/a.png alt=a width=10 height=10>",
        fires: Fires::Elements(|page, found| {
            for image in page.facts.images.iter().filter(|image| !image.has_dimensions) {
                found.add(page.resolve(&image.src).map(String::from).unwrap_or_default(), "", "");
            }
        }),
        ..NOTICE
    },
    Check {
        id: "IMG_LCP_LAZY",
        title: "Largest picture of the first window loads lazily",
        why: "The browser waits for the layout before it asks for what visitors look at first.",
        fix: "Leave loading=lazy to pictures further down, and give this one fetchpriority=high.",
        source: "https://web.dev/articles/lcp-lazy-loading",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n:lazy https://site.example/a.png\n\n<img src=/a.png alt=a loading=lazy>",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<img src=/a.png alt=a>",
        fires: Fires::Elements(|page, found| {
            let rendered = page.input.rendered.filter(|_| page.was_rendered());
            if let Some(address) = rendered.and_then(|(render, _)| render.lazy_picture.as_deref()) {
                found.add(address, "", "loading=lazy");
            }
        }),
        ..NOTICE
    },
    Check {
        id: "IMG_INLINE_BASE64_LARGE",
        thresholds: &[ThresholdId::InlineImageMaxCharacters],
        title: "Large pictures inside the document",
        why: "They cannot be cached and hold the text up.",
        fix: "Move them into files.",
        source: "https://web.dev/articles/optimize-lcp",
        bad: "<img alt=a src='data:image/png;base64,{AAAA*3000}'>",
        good: "<img alt=a src='data:image/png;base64,AAAA'>",
        fires: Fires::Elements(|page, found| {
            for image in &page.facts.images {
                let is_data = image.src.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
                if is_data && page.exceeds(ThresholdId::InlineImageMaxCharacters, image.src.len()) {
                    found.add(
                        "",
                        image.alt.as_deref().unwrap_or_default(),
                        format!("{} characters", image.src.len()),
                    );
                }
            }
        }),
        ..NOTICE
    },
    Check {
        id: "PICTURE_WITHOUT_IMG",
        title: "Picture element without an img",
        why: "Browsers show nothing.",
        fix: "End each <picture> with an <img>.",
        source: "https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/picture",
        bad: "<picture><source srcset=/a.webp></picture>",
        good: "<picture><source srcset=/a.webp><img src=/a.png alt=a></picture>",
        fires: Fires::When(|page| page.facts.pictures_without_img > 0),
        ..WARNING
    },
];
