//! Tests of the facts that one pass over a document finds.

use proptest::prelude::*;
use scraper::{Html, Selector};

use super::*;

fn facts(html: &str) -> PageFacts {
    scan(html, Provenance::Raw)
}

#[test]
fn the_first_tag_that_head_may_not_hold_ends_it() {
    let facts =
        facts("<html><head><title>A</title><div></div><link rel=canonical href=/a><title>B</title></head>");

    assert_eq!(facts.titles.head, ["A"]);
    assert_eq!(facts.titles.body, ["B"]);
    assert_eq!(facts.canonicals.body, [Some("/a".to_owned())]);
    assert_eq!(facts.invalid_in_head.as_deref(), Some("<div>"));
}

#[test]
fn without_a_head_tag_a_body_element_is_no_mistake() {
    let facts = facts("<title>A</title><p>Text</p>");

    assert_eq!(facts.titles.head, ["A"]);
    assert_eq!(facts.invalid_in_head, None);
}

#[test]
fn a_tracking_picture_in_noscript_does_not_end_the_head() {
    let facts = facts("<head><noscript><img src=/t.gif></noscript><title>A</title></head>");

    assert_eq!(facts.titles.head, ["A"]);
    assert!(facts.images.is_empty());
}

#[test]
fn what_is_inert_holds_no_elements() {
    let facts = facts(
        "<body><template><h1>T</h1><a href=/t>x</a></template><!-- <h1>C</h1> --><textarea><h1>X</h1></textarea>\
         <svg><title>S</title></svg><script>'<h1>J</h1>'</script><noscript><h1>N</h1></noscript>",
    );

    assert!(facts.headings.is_empty() && facts.links.is_empty() && facts.titles.is_empty());
    assert_eq!(facts.visible_text, "");
}

#[test]
fn visible_text_leaves_out_what_a_reader_does_not_see() {
    let facts = facts(
        "<body><p>One<b>two</b> three</p><div hidden>no</div><span aria-hidden=true>no</span><select><option>no</select>\
         <ul><li>four<li>five</ul>",
    );

    assert_eq!(facts.visible_text, "Onetwo three four five");
}

#[test]
fn the_main_text_is_what_stands_in_the_only_main_element() {
    let words = "word ".repeat(60);
    let with_main =
        facts(&format!("<body><header>Top</header><div>Aside</div><main>{words}<nav>Menu</nav></main>"));
    let with_short_main =
        facts("<body><header>Top</header><div>Beside</div><main>Short</main><footer>End</footer>");

    assert_eq!(with_main.main_text, words.trim());
    assert_eq!(with_short_main.main_text, "Beside Short");
}

#[test]
fn the_text_of_a_link_counts_pictures_and_svg_titles() {
    let facts = facts(
        "<a href=/a><img alt='A shoe'></a><a href=/b><svg><title>Menu</title></svg></a><a href=/c> c <b>d</b></a><a href=/e></a>",
    );

    let texts: Vec<&str> = facts.links.iter().map(|link| link.text.as_str()).collect();
    assert_eq!(texts, ["A shoe", "Menu", "c d", ""]);
}

#[test]
fn a_declaration_of_the_encoding_is_late_after_1024_bytes() {
    let early = facts("<meta charset=UTF-8>");
    let late = facts(&format!("<!--{}--><meta charset=utf-8>", "x".repeat(1020)));

    assert_eq!((early.meta_charset.as_deref(), early.charset_is_late), (Some("utf-8"), false));
    assert!(late.charset_is_late);
}

#[test]
fn the_first_of_two_equal_attributes_counts() {
    assert_eq!(facts("<a href=/a href=/b>x</a>").links[0].href.as_deref(), Some("/a"));
}

#[test]
fn depth_respects_end_tags_that_are_left_out() {
    let items = facts(&format!("<html><head></head><body><ul>{}</ul>", "<li>x<p>y".repeat(100)));
    let nested = facts(&format!("<html><head></head><body>{}", "<div>".repeat(100)));

    assert_eq!(items.depth, 5);
    assert_eq!(nested.depth, 102);
}

#[test]
fn microdata_of_html_and_body_is_read_with_all_that_stands_in_it() {
    for start in [
        "<html itemscope itemtype='https://schema.org/WebPage'>",
        "<body itemscope itemtype='https://schema.org/WebPage'>",
    ] {
        let facts = facts(&format!(
            "{start}<h1 itemprop=name>Shoes</h1><div itemprop=mainEntity itemscope itemtype='https://schema.org/Product'><b itemprop=name>Shoe</b></div>"
        ));

        let expected = serde_json::json!([{
            "@context": "https://schema.org", "@type": ["WebPage"], "name": "Shoes",
            "mainEntity": {"@context": "https://schema.org", "@type": ["Product"], "name": "Shoe"},
        }]);
        assert_eq!(serde_json::Value::from(facts.microdata), expected, "{start}");
    }
}

#[test]
fn microdata_becomes_objects() {
    let facts = facts(
        "<div itemscope itemtype='https://schema.org/Product'><h2 itemprop=name>Shoe</h2>\
         <div itemprop=offers itemscope itemtype='https://schema.org/Offer'><meta itemprop=price content=5></div></div>",
    );

    let expected = serde_json::json!([{
        "@context": "https://schema.org", "@type": ["Product"], "name": "Shoe",
        "offers": {"@context": "https://schema.org", "@type": ["Offer"], "price": "5"},
    }]);
    assert_eq!(serde_json::Value::from(facts.microdata), expected);
}

#[test]
fn a_deeply_nested_document_takes_little_time() {
    let started = std::time::Instant::now();

    let facts = facts(&"<div><b><p>".repeat(200_000));

    assert_eq!(facts.elements, 600_000);
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn facts_agree_with_the_tree_that_a_browser_builds() {
    for html in [
        "<!doctype html><title>T</title><h1>A <em>b</em></h1><p>x<p>y<table><tr><td><a href=1>c</a><td>d</table>",
        "<head><title>T</title></head><body><ul><li><a href=1>a</a><li><h2>h<h3>i</h3></ul><a href=2>b<a href=3>c</a>",
        "<b><p>x</b>y</p><h2>z</h2><svg><a href=9><path/></a></svg><div><a href=4><div>d</div></a></div>",
    ] {
        assert_same_as_tree(html);
    }
}

fn assert_same_as_tree(html: &str) {
    let facts = facts(html);
    let tree = Html::parse_document(html);
    let texts = |selector: &str| -> Vec<String> {
        let selector = Selector::parse(selector).unwrap();
        tree.select(&selector).map(|element| text::collapse(&element.text().collect::<String>())).collect()
    };
    let without_spaces =
        |texts: &[String]| -> Vec<String> { texts.iter().map(|text| text.replace(' ', "")).collect() };
    let headings: Vec<String> = facts.headings.iter().map(|heading| heading.text.clone()).collect();
    let links: Vec<String> = facts.links.iter().map(|link| link.text.clone()).collect();

    assert_eq!(without_spaces(&headings), without_spaces(&texts("h1,h2,h3,h4,h5,h6")), "{html}");
    assert_eq!(without_spaces(&links), without_spaces(&texts("a:not(svg a),area")), "{html}");
    assert_eq!(facts.titles.head, texts("head > title"), "{html}");
}

proptest! {
    #[test]
    fn no_document_makes_it_panic(html in "(<(/?)(a|b|p|div|li|td|table|svg|title|template|script|h1|main|head|body)( hidden| href=x| itemscope| itemprop=a)?>|x |&amp;|<!--|-->){0,60}") {
        let facts = scan(&html, Provenance::Raw);

        prop_assert!(facts.main_text.len() <= facts.visible_text.len());
    }
}

#[test]
fn a_shadow_root_is_seen_and_another_template_is_not() {
    let facts = scan(
        "<x-a><template shadowrootmode=open><h2>Open</h2><p>one two</p></template></x-a>\
         <x-b><template shadowrootmode=closed><p>three four five</p></template></x-b><template><p>never</p></template>",
        Provenance::Rendered,
    );

    assert_eq!(facts.visible_text, "Open one two three four five");
    assert_eq!(facts.headings.len(), 1);
    assert_eq!(facts.closed_words, 3);
}
