//! Checks of pictures.

use super::{Check, Fires, NOTICE, WARNING};
use crate::page::text::character_count;

const IMAGES: &str = "https://developers.google.com/search/docs/appearance/google-images";

pub(super) static CHECKS: &[Check] = &[
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
        title: "Very long alt texts",
        why: "A screen reader reads all of it, without a pause.",
        fix: "Stay within 100 characters and move the rest into the text.",
        source: IMAGES,
        bad: "<img src=/a.png alt='{Hand-made shoes *10}'>",
        good: "<img src=/a.png alt='Hand-made shoes'>",
        fires: Fires::Elements(|page, found| {
            for image in &page.facts.images {
                if let Some(alt) = image.alt.as_deref().filter(|alt| character_count(alt) > 100) {
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
        id: "IMG_INLINE_BASE64_LARGE",
        title: "Large pictures inside the document",
        why: "They cannot be cached and hold the text up.",
        fix: "Move them into files.",
        source: "https://web.dev/articles/optimize-lcp",
        bad: "<img alt=a src='data:image/png;base64,{AAAA*3000}'>",
        good: "<img alt=a src='data:image/png;base64,AAAA'>",
        fires: Fires::Elements(|page, found| {
            for image in &page.facts.images {
                let is_data = image.src.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
                if is_data && image.src.len() > 10_240 {
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
