//! Checks of a link's preview on social networks.

use url::Url;

use super::images::missing;
use super::thresholds::ThresholdId;
use super::{Check, CheckNeed, ERROR, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::site::{Asset, CrawledSite, NamedRow};

const OPEN_GRAPH: &str = "https://ogp.me/";
const CARDS: &str = "https://developer.x.com/en/docs/x-for-websites/cards/overview/abouts-cards";
const CARD_TYPES: &[&str] = &["summary", "summary_large_image", "player", "app"];

fn has_open_graph(page: &Page) -> bool {
    page.facts.metas.iter().any(|meta| meta.name.starts_with("og:"))
}

fn lacks(page: &Page, name: &str) -> bool {
    has_open_graph(page) && page.facts.meta(name).next().is_none_or(|meta| meta.content.is_empty())
}

/// Returns true for an absolute address, which previews need.
pub fn is_absolute(text: &str) -> bool {
    Url::parse(text.trim()).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Returns true when the page's card type exists.
pub fn has_valid_card(page: &Page) -> bool {
    CARD_TYPES.contains(&page.facts.first_meta("twitter:card").to_ascii_lowercase().as_str())
}

/// Returns true when `og:url` names another page than the canonical.
pub fn has_other_url(page: &Page) -> bool {
    let text = page.facts.first_meta("og:url");
    let Some(url) = Some(text).filter(|text| !text.is_empty()).and_then(|text| page.resolve(text)) else {
        return false;
    };
    let origin = page.input.origin;
    origin.target(&url) != origin.target(page.canonical.as_ref().unwrap_or(page.input.url))
}

fn preview<'a>(site: &'a CrawledSite, row: &NamedRow) -> Option<(&'a str, &'a Asset)> {
    let id = row.named.preview_image?;
    Some((site.texts.key(id), site.assets.get(&id)?))
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "OG_TAGS_MISSING",
        title: "No Open Graph tags",
        why: "Shared links show a bare address.",
        fix: "Add og:title, og:description, og:image and og:url.",
        source: OPEN_GRAPH,
        bad: "<title>Shoes</title>",
        good: "<meta property=og:title content=Shoes>",
        fires: Fires::When(|page| !has_open_graph(page)),
        ..WARNING
    },
    Check {
        id: "OG_TITLE_MISSING",
        title: "og:title is missing",
        why: "The preview has no headline of its own.",
        fix: "Add og:title.",
        source: OPEN_GRAPH,
        bad: "<meta property=og:type content=website>",
        good: "<meta property=og:title content=Shoes>",
        fires: Fires::When(|page| lacks(page, "og:title")),
        ..NOTICE
    },
    Check {
        id: "OG_DESC_MISSING",
        title: "og:description is missing",
        why: "The preview has no text.",
        fix: "Add og:description.",
        source: OPEN_GRAPH,
        bad: "<meta property=og:title content=Shoes>",
        good: "<meta property=og:description content=Shoes>",
        fires: Fires::When(|page| lacks(page, "og:description")),
        ..NOTICE
    },
    Check {
        id: "OG_IMAGE_MISSING",
        weight: 3.0,
        title: "og:image is missing",
        why: "Previews without a picture are passed over.",
        fix: "Add og:image with a picture of 1200 x 630 pixels.",
        source: OPEN_GRAPH,
        bad: "<meta property=og:title content=Shoes>",
        good: "<meta property=og:image content=https://site.example/a.png>",
        fires: Fires::When(|page| lacks(page, "og:image")),
        ..WARNING
    },
    Check {
        id: "OG_IMAGE_RELATIVE",
        title: "og:image is not absolute",
        why: "Previews do not know whose file it is, and show none.",
        fix: "Write the address with https://.",
        source: OPEN_GRAPH,
        bad: "<meta property=og:image content=/a.png>",
        good: "<meta property=og:image content=https://site.example/a.png>",
        fires: Fires::When(|page| {
            let image = page.facts.first_meta("og:image");
            !image.is_empty() && !is_absolute(image)
        }),
        ..ERROR
    },
    Check {
        id: "OG_URL_MISMATCH",
        title: "og:url and canonical differ",
        why: "Likes and shares are counted for another page.",
        fix: "Write the canonical address into og:url.",
        source: OPEN_GRAPH,
        bad: "<meta property=og:url content=https://site.example/a>",
        good: "<meta property=og:url content=https://site.example/>",
        fires: Fires::When(has_other_url),
        ..NOTICE
    },
    Check {
        id: "OG_TYPE_MISSING",
        title: "og:type is missing",
        why: "Previews take the page for a website, whatever it is.",
        fix: "Add og:type.",
        source: OPEN_GRAPH,
        bad: "<meta property=og:title content=Shoes>",
        good: "<meta property=og:type content=website>",
        fires: Fires::When(|page| lacks(page, "og:type")),
        ..NOTICE
    },
    Check {
        id: "TWITTER_CARD_MISSING",
        title: "twitter:card is missing",
        why: "The preview is small.",
        fix: "Add <meta name=\"twitter:card\" content=\"summary_large_image\">.",
        source: CARDS,
        bad: "<title>Shoes</title>",
        good: "<meta name=twitter:card content=summary>",
        fires: Fires::When(|page| page.facts.first_meta("twitter:card").is_empty()),
        ..NOTICE
    },
    Check {
        id: "TWITTER_CARD_INVALID",
        title: "twitter:card names an unknown type",
        why: "It is ignored.",
        fix: "Use summary, summary_large_image, player or app.",
        source: CARDS,
        bad: "<meta name=twitter:card content=huge_image>",
        good: "<meta name=twitter:card content=summary>",
        fires: Fires::When(|page| !page.facts.first_meta("twitter:card").is_empty() && !has_valid_card(page)),
        ..WARNING
    },
    Check {
        id: "OG_IMAGE_BROKEN",
        needs: Some(CheckNeed::PreviewImages),
        title: "Preview picture is not there",
        why: "Shared links show no picture.",
        fix: "Name a picture that answers 200 with a picture's content type.",
        source: OPEN_GRAPH,
        bad: "GET /\n<meta property=og:image content=https://site.example/a.png>\nGET /a.png 404",
        good: "GET /\n<meta property=og:image content=https://site.example/a.png>\nGET /a.png\ncontent-type: image/png\n\npng",
        fires: Fires::Joined(|site, row, found| {
            let Some((url, asset)) = preview(site, row) else { return };
            let is_other = asset.status == 200 && !asset.is_image;
            if let Some(why) =
                missing(site, url, asset).or_else(|| is_other.then(|| "no picture's content type".to_owned()))
            {
                found.add(url, "", why);
            }
        }),
        ..ERROR
    },
    Check {
        id: "OG_IMAGE_TOO_SMALL",
        thresholds: &[ThresholdId::PreviewMinWidth, ThresholdId::PreviewMinHeight],
        needs: Some(CheckNeed::PreviewImages),
        title: "Preview picture is small",
        why: "Shared links show it as a stamp beside the text, or not at all.",
        fix: "Offer 1200 x 630 pixels, 600 x 315 at least.",
        source: OPEN_GRAPH,
        bad: "GET /\n<meta property=og:image content=https://site.example/a.gif>\nGET /a.gif\ncontent-type: image/gif\n\nGIF89a\u{20}\u{1}\u{20}\u{1}",
        good: "GET /\n<meta property=og:image content=https://site.example/a.gif>\nGET /a.gif\ncontent-type: image/gif\n\nGIF89a\u{20}\u{4}\u{20}\u{4}",
        fires: Fires::Joined(|site, row, found| {
            let Some((url, asset)) = preview(site, row) else { return };
            let [least_width, least_height] = [ThresholdId::PreviewMinWidth, ThresholdId::PreviewMinHeight]
                .map(|limit| site.thresholds.number(limit));
            let is_small =
                |size: &(u32, u32)| f64::from(size.0) < least_width || f64::from(size.1) < least_height;
            if let Some((width, height)) = asset.size.filter(is_small) {
                found.add(url, "", format!("{width} x {height}"));
            }
        }),
        ..WARNING
    },
    Check {
        id: "OG_IMAGE_TOO_HEAVY",
        thresholds: &[ThresholdId::PreviewMaxBytes],
        needs: Some(CheckNeed::PreviewImages),
        title: "Preview picture is heavy",
        why: "Preview bots give up on more than 8 MB.",
        fix: "Compress it.",
        source: OPEN_GRAPH,
        bad: "GET /\n<meta property=og:image content=https://site.example/a.png>\nGET /a.png\ncontent-type: image/png\ncontent-length: 9000000\n\npng",
        good: "GET /\n<meta property=og:image content=https://site.example/a.png>\nGET /a.png\ncontent-type: image/png\ncontent-length: 9000\n\npng",
        fires: Fires::Joined(|site, row, found| {
            let Some((url, asset)) = preview(site, row) else { return };
            if asset.status == 200
                && asset.bytes as f64 > site.thresholds.number(ThresholdId::PreviewMaxBytes)
            {
                found.add(url, "", format!("{} bytes", asset.bytes));
            }
        }),
        ..WARNING
    },
    Check {
        id: "OG_ONLY_AFTER_JS",
        is_script_change: true,
        title: "Preview tags only after scripts have run",
        why: "Preview bots run no scripts: shared links show a bare address.",
        fix: "Send og:title and og:image with the document, or serve snapshots to preview bots.",
        source: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<meta property=og:title content=Shoes>",
        good: "GET /\n<meta property=og:title content=Shoes><div id=root></div><script src=/a.js></script>\nRENDER /\n<meta property=og:title content=Shoes>",
        fires: Fires::When(|page| {
            page.was_rendered()
                && ["og:title", "og:image"].iter().any(|name| {
                    page.facts.meta(name).any(|meta| meta.in_head)
                        && page.input.raw.meta(name).next().is_none()
                })
        }),
        ..ERROR
    },
];
