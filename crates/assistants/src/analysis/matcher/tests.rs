//! The rules of matching, by example, and a slow matcher that must agree with the fast one.

use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::analysis::prose;

/// Counts how often a brand with these names is named in markdown.
fn count_all(markdown: &str, names: &[&str], domains: &[&str]) -> usize {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let (names, domains) = (own(names), own(domains));
    let matcher = Matcher::compile([BrandNames { names: &names, domains: &domains }]);
    let prose = prose::read(markdown);
    longest(matcher.hits(&ProseReading::of(&prose))).len()
}

fn count(markdown: &str, name: &str) -> usize {
    count_all(markdown, &[name], &[])
}

/// Names of the brands in a text, each brand having one name.
fn named<'a>(markdown: &str, names: &[&'a str]) -> Vec<&'a str> {
    let all: Vec<[String; 1]> = names.iter().map(|name| [(*name).to_owned()]).collect();
    let matcher = Matcher::compile(all.iter().map(|names| BrandNames { names, domains: &[] }));
    let prose = prose::read(markdown);
    longest(matcher.hits(&ProseReading::of(&prose))).into_iter().map(|hit| names[hit.brand]).collect()
}

#[test]
fn names_are_whole_words_in_any_spacing() {
    let cases = [
        ("LumaDocs's editor is fast; Luma Docs also syncs, unlike LumaDocsify.", "LumaDocs", 2),
        ("**LUMA-DOCS** wins.", "LumaDocs", 1),
        (
            "See [lumadocs.io](https://lumadocs.io/pricing) and [LumaDocs](https://lumadocs.io).",
            "LumaDocs",
            1,
        ),
        ("Use Open. Hands on keyboards.", "OpenHands", 0),
        ("Totême and Toteme; TOTÊME’s coats", "Totême", 3),
        ("vinyl tile and polished floors", "LI", 0),
        ("The prelumadocs era", "LumaDocs", 0),
        ("ＬｕｍａＤｏｃｓ（全角）", "LumaDocs", 1),
    ];

    for (text, name, expected) in cases {
        assert_eq!(count(text, name), expected, "{name} in {text}");
    }
}

#[test]
fn scripts_without_spaces_have_borders_of_their_own() {
    let cases = [
        ("ルマドックスは便利です", "ルマドックス", 1),
        ("ルマドックスプロは別です", "ルマドックス", 0),
        ("スールマドックス", "ルマドックス", 0),
        ("ルマ・ドックスと比べる", "ルマドックス", 1),
        ("LumaDocsは速い", "LumaDocs", 1),
        ("楽天市場で買う", "楽天", 1),
        ("天", "天", 0),
        ("東京 都市", "京都", 0),
        ("ใช้ลูมาด็อกส์ได้", "ลูมาด็อกส์", 1),
        ("루마독스는 빠르다", "루마독스", 1),
        ("루마독스터디", "루마독스", 0),
        ("루마독스", "루마독스", 1),
        ("LumaDocs는 좋다", "LumaDocs", 1),
        ("מערכת לומדוקס היא טובה", "לומדוקס", 1),
        ("نظام لومادوكس جيد", "لومادوكس", 1),
    ];

    for (text, name, expected) in cases {
        assert_eq!(count(text, name), expected, "{name} in {text}");
    }
}

#[test]
fn signs_and_invisible_characters_do_not_hide_a_name() {
    for text in [
        "🚀LumaDocs🚀",
        "LUMADOCS®",
        "LumaDocs™ Pro",
        "Luma\u{200d}Docs",
        "Luma**Docs**",
        "`lumadocs`",
        "#LumaDocs",
        "~~LumaDocs~~",
    ] {
        assert_eq!(count(text, "LumaDocs"), 1, "{text}");
    }
}

#[test]
fn what_is_not_read_is_not_named() {
    let hidden = [
        "```\nLumaDocs\n```",
        "![LumaDocs](x.png)",
        "<b title=\"LumaDocs\">x</b>",
        "[it](https://lumadocs.io/LumaDocs)",
        "https://example.org/LumaDocs",
        "<!-- LumaDocs -->",
        "lumadocs.test.evil.example",
        "info@lumadocs.io",
    ];

    for text in hidden {
        assert_eq!(count_all(text, &["LumaDocs"], &["lumadocs.io"]), 0, "{text}");
    }
}

#[test]
fn a_domain_in_prose_is_a_mention() {
    let cases = [
        ("Go to lumadocs.io, it is good.", 1),
        ("Go to www.lumadocs.io/pricing.", 1),
        ("Go to docs.LumaDocs.io", 1),
        ("Go to notlumadocs.io", 0),
        ("Go to lumadocs.io.evil.example", 0),
        ("Go to https://lumadocs.io", 0),
        ("lumadocs.ioは速い", 1),
    ];

    for (text, expected) in cases {
        assert_eq!(count_all(text, &[], &["lumadocs.io"]), expected, "{text}");
    }
    assert_eq!(count_all("Bei müller.de und xn--mller-kva.de", &[], &["müller.de"]), 2);
    assert_eq!(count("Book on Booking.com, or booking.com", "Booking.com"), 2);
}

#[test]
fn the_longest_name_wins_across_brands() {
    assert_eq!(named("Acme Cloud and Acme", &["Acme", "Acme Cloud"]), ["Acme Cloud", "Acme"]);
    assert_eq!(named("Google Docs Editor", &["Docs Editor", "Google Docs"]), ["Google Docs"]);
    assert_eq!(named("楽天トラベルと楽天", &["楽天", "楽天トラベル"]), ["楽天トラベル", "楽天"]);
}

#[test]
fn short_names_count_as_spelled() {
    let cases = [
        ("HP and hp", "HP", 1),
        ("HP's printers; ein HP-Drucker", "HP", 2),
        ("X1 and X-1", "X", 1),
        ("AT&T", "AT", 0),
        ("C++ and C#", "C", 0),
        ("Shop at H&M, not H & M", "H&M", 1),
        ("a 3M tape, 3 m long", "3M", 1),
    ];

    for (text, name, expected) in cases {
        assert_eq!(count(text, name), expected, "{name} in {text}");
    }
}

#[test]
fn a_common_word_counts_where_it_is_a_name() {
    let cases = [
        ("We store files in Box and share them.", 1),
        ("Put it in a box. Box the rest.", 0),
        ("Box is a cloud storage.", 1),
        ("- Box: storage\n- Dropbox: storage", 1),
        ("**Box** is good", 1),
        ("| Tool |\n|---|\n| Box |", 1),
        ("BOX", 0),
        ("the Box-Cloud", 1),
    ];

    for (text, expected) in cases {
        assert_eq!(count(text, "Box"), expected, "{text}");
    }
    assert_eq!(count("- linear: fast\n\nIt is not linear. We use Linear.", "linear"), 2);
}

#[test]
fn a_phrase_of_common_words_is_no_name() {
    let cases = [
        ("the trek to base camp; Base Camp; Basecamp; base-camp", "Basecamp", 3),
        ("the best buy for beginners at Best Buy", "Best Buy", 1),
        ("an open table at open table", "open table", 2),
        ("only 1 book to read, in 1Book", "1Book", 1),
        ("luma docs is lower case", "LumaDocs", 1),
    ];

    for (text, name, expected) in cases {
        assert_eq!(count(text, name), expected, "{name} in {text}");
    }
}

#[test]
fn a_full_stop_in_the_name_is_no_end_of_a_sentence() {
    assert_eq!(count("Pizza von Dr. Oetker schmeckt. Dr Oetker", "Dr. Oetker"), 2);
    assert_eq!(count("He is a Dr. Oetker is not.", "DrOetker"), 0);
}

/// Finds a name the slow way: by a pattern with optional separators at each position, and borders checked one by one.
fn slow_count(text: &str, name: &str) -> usize {
    let pattern: Vec<String> =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| regex::escape(&c.to_string())).collect();
    let pattern = Regex::new(&format!("(?i-u){}", pattern.join(r"[ .\-'&+/_*]*"))).unwrap();
    let class = |c: Option<u8>| {
        c.map_or(0, |c| {
            if c.is_ascii_digit() {
                1
            } else if c.is_ascii_alphabetic() {
                2
            } else {
                0
            }
        })
    };
    let bytes = text.as_bytes();
    let (mut at, mut found) = (0, 0);
    while let Some(hit) = pattern.find_at(text, at) {
        let is_border = |before: usize| {
            let (left, right) = (before.checked_sub(1).map(|at| bytes[at]), bytes.get(before).copied());
            class(left) != class(right) || class(left) == 0
        };
        if is_border(hit.start()) && is_border(hit.end()) && !hit.as_str().contains(". ") {
            found += 1;
            at = hit.end();
        } else {
            at = hit.start() + 1;
        }
    }
    found
}

proptest! {
    #[test]
    fn the_matcher_agrees_with_a_slow_pattern(text in "(zenq|Zen|Qbo|zenqbo|9| |\\. |-|, |&|x){0,24}", name in "(zenqbo|zen9qbo|qbozen|9zen)") {
        // Paragraph text, so that no markup and no host is in the way.
        prop_assume!(!text.contains("- ") && !text.contains(".-") && !text.trim_start().starts_with(['-', '9', '&']));
        let prose = prose::read(&text);
        prop_assume!(prose.text.trim_end() == text.trim());

        let fast = count(&text, &name);

        prop_assert_eq!(fast, slow_count(prose.text.trim_end(), &name));
    }

    #[test]
    fn hits_lie_within_the_text_and_never_overlap(text in "\\PC{0,200}", name in "\\PC{1,20}") {
        let prose = prose::read(&text);
        let names = [name];
        let matcher = Matcher::compile([BrandNames { names: &names, domains: &[] }]);

        let hits = longest(matcher.hits(&ProseReading::of(&prose)));

        for hit in &hits {
            prop_assert!(prose.text.is_char_boundary(hit.range.start) && prose.text.is_char_boundary(hit.range.end));
            let source = prose.source_range(hit.range.clone());
            prop_assert!(text.is_char_boundary(source.start) && text.is_char_boundary(source.end), "{:?}", source);
        }
        for pair in hits.windows(2) {
            prop_assert!(pair[0].range.end <= pair[1].range.start);
        }
    }
}
