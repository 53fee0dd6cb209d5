//! Checks of requirements of small screens.

use super::{Check, Fires, NOTICE, WARNING};

const VIEWPORT: &str = "https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/meta/name/viewport";

/// Returns the value of a property of the viewport, lower case.
fn property(content: &str, name: &str) -> Option<String> {
    let pairs = content.split([',', ';']).filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(key, _)| key.trim().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim().to_ascii_lowercase())
        .next()
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "VIEWPORT_MISSING",
        title: "Viewport is missing",
        why: "Phones then show the page as on a desk, too small to read.",
        fix: "Add <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">.",
        source: VIEWPORT,
        bad: "<meta name=viewport content=user-scalable=yes>",
        good: "<meta name=viewport content='width=device-width, initial-scale=1'>",
        fires: Fires::When(|page| {
            let is_set = |content: &str| {
                ["width", "initial-scale"].iter().any(|name| property(content, name).is_some())
            };
            !page.facts.meta("viewport").any(|meta| is_set(&meta.content))
        }),
        ..WARNING
    },
    Check {
        id: "VIEWPORT_ZOOM_DISABLED",
        title: "Readers cannot zoom",
        why: "People who see badly cannot read the page.",
        fix: "Remove user-scalable=no and maximum-scale.",
        source: VIEWPORT,
        bad: "<meta name=viewport content='width=device-width, maximum-scale=1'>",
        good: "<meta name=viewport content='width=device-width, maximum-scale=5'>",
        fires: Fires::When(|page| {
            page.facts.meta("viewport").any(|meta| {
                let scalable = property(&meta.content, "user-scalable");
                let scale =
                    property(&meta.content, "maximum-scale").and_then(|scale| scale.parse::<f64>().ok());
                matches!(scalable.as_deref(), Some("no" | "0")) || scale.is_some_and(|scale| scale < 5.0)
            })
        }),
        ..NOTICE
    },
];
