//! Candidates of a `srcset` attribute (HTML standard, 4.8.4.2.2). Used by the collector. Pure.

/// Returns the addresses of the candidates, as they are written.
pub fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        rest = after;
        if url.is_empty() {
            return None;
        }
        // A comma at its end separates it from the next one; else descriptors follow up to a comma outside parentheses.
        if !url.ends_with(',') {
            let mut depth = 0_usize;
            let comma = rest.find(|c: char| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            });
            rest = comma.map_or("", |at| &rest[at + 1..]);
        }
        Some(url.trim_end_matches(','))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_candidate_has_its_address() {
        for (srcset, expected) in [
            ("a.png 1x, b.png 2x", vec!["a.png", "b.png"]),
            ("a.png, b.png 480w,c.png", vec!["a.png", "b.png", "c.png"]),
            (" data:image/png;base64,AA== 1x ,b.png", vec!["data:image/png;base64,AA==", "b.png"]),
            ("a.png calc(1x, 2x), b.png", vec!["a.png", "b.png"]),
            ("a.png,b.png", vec!["a.png,b.png"]),
            ("", vec![]),
            (" , ,", vec![]),
        ] {
            assert_eq!(candidates(srcset).collect::<Vec<_>>(), expected, "{srcset}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_or_go_on_for_ever(text in "[a-c,() \u{a0}é]{0,30}") {
            prop_assert!(candidates(&text).count() <= text.len());
        }
    }
}
