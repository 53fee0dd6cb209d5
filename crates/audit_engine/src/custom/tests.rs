//! Tests of extractions and searches: results, refusals, and bounds of time and memory.

use super::*;
use crate::testing::audit_with;

fn found(extraction: Result<Extraction, BadRule>, html: &str) -> Vec<String> {
    let document = SearchedDocument::new(html, "");
    let mut found = CustomResults::on(&[extraction.unwrap()], &[], &document, &document);
    found.extracted.remove("x").unwrap_or_default()
}

#[test]
fn pieces_are_texts_attributes_and_groups() {
    let html =
        "<p class=price>12 <b>EUR</b></p><p class=price data-old=15>9&nbsp;EUR<script>x()</script></p>";

    let texts = found(Extraction::of_elements("x", Side::Raw, "p.price", None), html);
    let attributes = found(Extraction::of_elements("x", Side::Raw, "p.price", Some("DATA-OLD")), html);
    let groups = found(Extraction::of_matches("x", Side::Raw, r"class=(\w+)"), html);
    let whole = found(Extraction::of_matches("x", Side::Raw, r"\d+ "), html);

    assert_eq!(texts, ["12 EUR", "9 EUR"]);
    assert_eq!(attributes, ["15"]);
    assert_eq!(groups, ["price", "price"]);
    assert_eq!(whole, ["12"]);
}

#[test]
fn what_cannot_be_used_is_refused_with_a_reason() {
    let selector = |text: &str| Extraction::of_elements("x", Side::Raw, text, None).unwrap_err().to_string();
    let expression = |text: &str| Extraction::of_matches("x", Side::Raw, text).unwrap_err();

    assert_eq!(selector("p["), "\"p[\" is no CSS selector");
    assert_eq!(selector("p:has(b)"), "\"p:has(b)\" has :has() or ~, which are not supported");
    assert_eq!(selector("b ~ i"), "\"b ~ i\" has :has() or ~, which are not supported");
    assert_eq!(selector(""), "what is looked for has 1 to 300 bytes");
    assert!(matches!(expression("("), BadRule::Expression { .. }));
    assert!(matches!(expression("(?:a{1000}){1000}"), BadRule::Expression { .. }));
    assert_eq!(Extraction::of_matches(" \n", Side::Raw, "a").unwrap_err(), BadRule::Name);
    assert!(Extraction::of_elements("x", Side::Raw, "a[rel~=next]", Some("a b")).is_err());
    assert!(Extraction::of_elements("x", Side::Raw, "a[rel~=next]", Some("href")).is_ok());
}

#[test]
fn what_is_kept_of_a_page_is_bounded() {
    let many = "<i>a</i>".repeat(100);
    let long = format!("<i>{}</i>", "é".repeat(10_000));
    let rules: Vec<Extraction> = (0..MAX_RULES)
        .map(|number| Extraction::of_elements(&number.to_string(), Side::Raw, "i", None).unwrap())
        .collect();
    let html = long.repeat(30);
    let document = SearchedDocument::new(&html, "");

    let found_all = CustomResults::on(&rules, &[], &document, &document);

    assert_eq!(found(Extraction::of_elements("x", Side::Raw, "i", None), &many).len(), MAX_VALUES);
    assert_eq!(
        found(Extraction::of_elements("x", Side::Raw, "i", None), &long)[0].chars().count(),
        MAX_VALUE_CHARS
    );
    let bytes: usize = found_all.extracted.values().flatten().map(String::len).sum();
    assert!(bytes <= MAX_PAGE_BYTES, "{bytes}");
}

#[test]
fn a_document_whose_tree_would_be_huge_is_looked_at_in_part() {
    let open: String = (0..5_000).map(|number| format!("<b id=b{number}>")).collect();
    let html = format!("<h1>Shoes</h1>{open}{}", "<p>x".repeat(50_000));

    let tree = tree::parse(&html);
    let texts = found(Extraction::of_elements("x", Side::Raw, "h1", None), &html);

    assert!(tree.tree.values().len() < 500_000);
    assert_eq!(texts, ["Shoes"]);
}

#[tokio::test(start_paused = true)]
async fn searches_find_pages_that_contain_something_and_pages_that_do_not() {
    let site = "GET /\n<a href=/b>b</a><p>Sold Out</p>\nGET /b\n<div id=root data-x=sold></div><script src=/a.js></script>\nRENDER /b\n<p>In stock";

    let audit = audit_with(site, |options| {
        options.searches = vec![
            Search::for_text("sold", Side::Raw, DocumentPart::Text, "sold out").unwrap(),
            Search::for_text("not sold", Side::Raw, DocumentPart::Text, "sold out").unwrap().inverted(),
            Search::for_matches("in stock", Side::Rendered, DocumentPart::Source, "In [a-z]+").unwrap(),
        ];
        options.extractions = vec![Extraction::of_elements("text", Side::Rendered, "p", None).unwrap()];
    })
    .await;

    let of = |path: &str| audit.rows().find(|row| row.page.path == path).unwrap().page;
    assert_eq!(of("/").searches, ["sold"]);
    assert_eq!(of("/b").searches, ["not sold", "in stock"]);
    assert_eq!(of("/b").extracted["text"], ["In stock"]);
}
