//! Text of strangers stays text: arbitrary text inside every element comes back from a parser, and nothing else.

use proptest::prelude::*;

use crate::oracle::{Piece, check, check_any, check_words, document, escaped, markdown, read};

/// Generates texts of which much is markup somewhere.
fn text() -> impl Strategy<Value = String> {
    let marks: &[&str] = &[
        "*",
        "**",
        "_",
        "__",
        "`",
        "```",
        "~~~",
        "~",
        "[",
        "]",
        "(",
        ")",
        "](",
        "[x]: /y",
        "[^1]",
        "<",
        ">",
        "</p>",
        "<b>",
        "<!--",
        "<?",
        "<https://a.example>",
        "&",
        "&amp;",
        "&#42;",
        "&copy",
        ";",
        "#",
        "# ",
        "## ",
        "-",
        "- ",
        "---",
        "+ ",
        "* * *",
        "===",
        "1.",
        "1. ",
        "12) ",
        "|",
        " | ",
        "| --- |",
        ":-:",
        "\\",
        "\\|",
        "!",
        "![",
        "\"",
        "'",
        "\n",
        " ",
        "\t",
        "a",
        "b",
        "7",
        "é",
        "“",
        "…",
        "語",
        "😀",
        "\u{a0}",
        "\u{2003}",
        "\u{200b}",
        "Ⓐ",
        "\u{301}",
        "\u{7}",
        "\u{feff}",
        "https://a.example/_x_",
        "www.a.example",
        "a@b.example",
        "+++",
        "$",
        "{",
        "}",
        "^",
        "=",
        "@",
        ":",
    ];
    let part = prop_oneof![8 => proptest::sample::select(marks).prop_map(str::to_owned), 1 => "\\PC{0,3}"];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

/// Generates parts of documents, in no order.
fn tag_or_text() -> impl Strategy<Value = String> {
    let tags: &[&str] = &[
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<code>",
        "</code>",
        "<pre>",
        "</pre>",
        "<a href=/x>",
        "</a>",
        "<img src=/x alt='a*'>",
        "<ul>",
        "<ol start=3>",
        "<li>",
        "</li>",
        "</ul>",
        "</ol>",
        "<dl>",
        "<dt>",
        "<dd>",
        "</dl>",
        "<blockquote>",
        "</blockquote>",
        "<h1>",
        "<h2>",
        "</h1>",
        "<table>",
        "<caption>",
        "<tr>",
        "<td>",
        "<th colspan=2>",
        "<td rowspan=3>",
        "</td>",
        "</table>",
        "<br>",
        "<hr>",
        "<div>",
        "</div>",
        "<x-y>",
        "<template shadowrootmode=open>",
        "<slot>",
        "<slot name=n>",
        "</slot>",
        "</template>",
        "</x-y>",
        "<p slot=n>",
        "<svg>",
        "</svg>",
        "<main>",
        "</main>",
        "<article>",
        "<p hidden>",
        "<title>",
        "</title>",
        "<script>",
        "</script>",
        "<button>",
        "<!--",
        "-->",
        "<textarea>",
    ];
    prop_oneof![3 => proptest::sample::select(tags).prop_map(str::to_owned), 1 => text()]
}

/// Returns what a browser shows of a text.
fn shown(text: &str) -> String {
    let shown: String =
        text.chars().filter(|letter| !letter.is_control() || letter.is_ascii_whitespace()).collect();
    shown.replace('\u{feff}', "").split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Places of a text: the document around it, and the elements around it in Markdown.
const PLACES: &[(&str, &[&str])] = &[
    ("<p>{}</p>", &["p"]),
    ("<div>{}</div>", &["p"]),
    ("<h1>{}</h1>", &["h1"]),
    ("<h6>{}</h6>", &["h6"]),
    ("<ul><li>{}</ul>", &["ul", "li"]),
    ("<ol><li>{}</ol>", &["ol", "li"]),
    ("<ul><li><p>{}</p></ul>", &["ul", "li"]),
    ("<ul><li><ol><li>{}</ol></ul>", &["ul", "li", "ol", "li"]),
    ("<dl><dd>{}</dl>", &["ul", "li"]),
    ("<dl><dt>{}</dl>", &["p"]),
    ("<blockquote>{}</blockquote>", &["blockquote", "p"]),
    ("<ul><li><blockquote>{}</blockquote></ul>", &["ul", "li", "blockquote", "p"]),
    ("<table><tr><th>{}</table>", &["table", "thead", "td"]),
    ("<p><b>{}</b></p>", &["p", "b"]),
    ("<p><em>{}</em></p>", &["p", "i"]),
    ("<p><b><i>{}</i></b></p>", &["p", "b", "i"]),
    ("<p><a href=/x>{}</a></p>", &["p", "a https://shop.example/x"]),
    ("<h2><a href=/x>{}</a></h2>", &["h2", "a https://shop.example/x"]),
    ("<p><code>{}</code></p>", &["p", "code"]),
    ("<table><tr><th><a href=/x>{}</a></table>", &["table", "thead", "td", "a https://shop.example/x"]),
    ("<p><img src=/x alt='{}'></p>", &["p", "img https://shop.example/x"]),
    ("<figure><figcaption>{}</figcaption></figure>", &["p"]),
    ("<details><summary>{}</summary></details>", &["p"]),
    ("<fieldset><legend>{}</legend></fieldset>", &["p"]),
    ("<table><caption>{}</caption></table>", &["p"]),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn text_of_an_element_comes_back_and_nothing_else(text in text()) {
        let shown = shown(&text);
        // White space at the ends of styled text stands outside the style.
        let shown = shown.trim();
        for (html, elements) in PLACES {
            let html = html.replace("{}", &escaped(shown).replace('\'', "&#39;"));

            let markdown = markdown(&html);

            let mut expected: Vec<Piece> = elements.iter().map(|name| Piece::Open((*name).to_owned())).collect();
            expected.push(Piece::Text(shown.to_owned()));
            expected.extend(elements.iter().map(|_| Piece::Close));
            if shown.is_empty() {
                expected.clear();
            }
            prop_assert_eq!(read(&markdown), expected, "{}\n{}", html, markdown);
        }
    }

    #[test]
    fn lines_of_a_paragraph_stay_its_lines(lines in proptest::collection::vec(text(), 1..4)) {
        let lines: Vec<String> = lines.iter().map(|line| shown(line).trim().to_owned()).filter(|line| !line.is_empty()).collect();
        let html = format!("<p>{}</p>", lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("<br>"));

        let markdown = markdown(&html);

        let mut expected: Vec<Piece> = lines.iter().flat_map(|line| [Piece::Text(line.clone()), Piece::Break]).collect();
        expected.pop();
        if !lines.is_empty() {
            expected.insert(0, Piece::Open("p".to_owned()));
            expected.push(Piece::Close);
        }
        prop_assert_eq!(read(&markdown), expected, "{}", markdown);
    }

    #[test]
    fn preformatted_text_comes_back_with_its_white_space(text in text()) {
        let kept: String = text.chars().filter(|letter| matches!(letter, '\n' | '\t') || !letter.is_control() && *letter != '\u{feff}').collect();
        let html = format!("<blockquote><pre>\n{}</pre></blockquote>", escaped(&kept));

        let markdown = markdown(&html);

        let kept = kept.trim_end_matches([' ', '\t', '\n']);
        let open = |name: &str| Piece::Open(name.to_owned());
        let expected = match kept {
            "" => Vec::new(),
            _ => vec![open("blockquote"), open("pre"), Piece::Text(format!("{kept}\n")), Piece::Close, Piece::Close],
        };
        prop_assert_eq!(read(&markdown), expected, "{}", markdown);
    }

    #[test]
    fn a_document_shows_its_letters_in_its_elements(parts in proptest::collection::vec((any::<u8>(), text()), 0..24)) {
        check(&document(parts.iter().map(|(choice, text)| (*choice, &**text))));
    }

    #[test]
    fn htmd_finds_the_same_words(parts in proptest::collection::vec((any::<u8>(), "[a-z ]{0,4}"), 0..24)) {
        check_words(&parts.iter().map(|(choice, text)| (*choice, &**text)).collect::<Vec<_>>());
    }

    #[test]
    fn no_document_becomes_html(parts in proptest::collection::vec(tag_or_text(), 0..40)) {
        check_any(&parts.concat());
    }

    #[test]
    fn a_title_of_a_link_comes_back(title in text()) {
        let title = shown(&title).split_whitespace().collect::<Vec<_>>().join(" ");
        let html = format!("<a href=/x title='{}'>y</a>", escaped(&title).replace('\'', "&#39;"));

        let markdown = markdown(&html);

        let events: Vec<_> = pulldown_cmark::Parser::new(&markdown).collect();
        let found = events.iter().find_map(|event| match event {
            pulldown_cmark::Event::Start(pulldown_cmark::Tag::Link { title, .. }) => Some(title.to_string()),
            _ => None,
        });
        prop_assert_eq!(found, Some(title), "{}", markdown);
    }
}
