//! The head of a snapshot as a parser reads it: it contains the metadata for crawlers, near its beginning.

use browser::Rendered;
use scraper::{Html, Selector};

use crate::article::PROSE;
use crate::origin::Reply;
use crate::support::Bench;

const TAGS: &str = "const add = (tag, attributes) => document.head.append(Object.assign(document.createElement(tag), attributes));
    document.title = 'Oak lamp';
    add('meta', { name: 'description', content: 'A lamp of oak' });
    document.head.insertAdjacentHTML('beforeend', '<meta property=og:title content=Oak>');
    add('meta', { name: 'robots', content: 'max-image-preview:large' });
    add('link', { rel: 'canonical', href: 'https://shop.test/oak' });";
const WANTED: [&str; 5] = [
    "title",
    "meta[name=description]",
    "meta[property='og:title']",
    "meta[name=robots]",
    "link[rel=canonical]",
];

fn page_of(head: &str, script: &str) -> Reply {
    Reply::html(&format!(
        "<!DOCTYPE html><html><head><meta charset=utf-8><title>t</title>{head}</head><body><h1>Lamp</h1><p>{PROSE}</p><script>{script}</script></body></html>"
    ))
}

/// Returns the metadata that are missing in the head of the parsed snapshot.
fn missing(page: &Rendered) -> Vec<&'static str> {
    let parsed = Html::parse_document(&page.html);
    let is_there =
        |wanted: &&str| parsed.select(&Selector::parse(&format!("head > {wanted}")).unwrap()).count() == 1;
    WANTED.into_iter().filter(|wanted| !is_there(wanted)).collect()
}

#[tokio::test]
async fn elements_that_scripts_put_around_the_head_do_not_end_it_early() {
    let bench = Bench::new().await;
    for stray in [
        "document.documentElement.prepend(document.createElement('iframe'))",
        "document.documentElement.insertBefore(Object.assign(document.createElement('x-bar'), { textContent: 'shown' }), document.head)",
        "document.documentElement.insertBefore(document.createTextNode('stray'), document.head)",
        "document.head.append('stray />')",
        "document.head.prepend('\u{a0}')",
        "document.head.prepend('stray ', document.createElement('x-tags'))",
        "document.head.append(Object.assign(document.createElement('div'), { innerHTML: '<b>never seen</b>' }))",
        "document.documentElement.insertBefore(document.createElement('head'), document.body).append('stray', document.createElement('p'))",
        "document.head.append(document.createElementNS('http://www.w3.org/2000/svg', 'title'))",
    ] {
        let page = bench.render_reply(page_of("", &format!("{stray}; {TAGS}"))).await.unwrap();

        assert_eq!(missing(&page), Vec::<&str>::new(), "{stray}: {}", page.html);
    }
}

#[tokio::test]
async fn metadata_inside_a_wrapper_in_the_head_stays_in_the_head() {
    let bench = Bench::new().await;
    let wrap = "const wrapper = document.createElement('x-head'); wrapper.append(...document.head.querySelectorAll('title,meta[name],meta[property],link')); document.head.append(wrapper)";

    let page = bench.render_reply(page_of("", &format!("{TAGS} {wrap}"))).await.unwrap();

    assert_eq!(missing(&page), Vec::<&str>::new(), "{}", page.html);
}

#[tokio::test]
async fn content_around_the_head_is_shown_and_content_in_it_is_hidden() {
    let bench = Bench::new().await;
    let script = "document.documentElement.insertBefore(Object.assign(document.createElement('p'), { id: 'bar', textContent: 'Open on Sunday' }), document.head);
        document.head.append('stray', Object.assign(document.createElement('p'), { id: 'note', textContent: 'never seen' }));
        document.documentElement.append(Object.assign(document.createElement('p'), { id: 'last', textContent: 'Bye' }))";

    let page = bench.render_reply(page_of("", script)).await.unwrap();

    let (head, body) = page.html.split_once("</head>").unwrap();
    assert!(!head.contains("Sunday") && !page.html.contains("stray"), "{}", page.html);
    assert!(body.starts_with("<body><p id=\"bar\">Open on Sunday</p>"), "{}", page.html);
    assert!(body.contains("<p id=\"note\" hidden=\"\">never seen</p>"), "{}", page.html);
    assert!(body.ends_with("<p id=\"last\">Bye</p></body></html>"), "{}", page.html);
}

#[tokio::test]
async fn metadata_precedes_style_rules_that_were_written_out() {
    let bench = Bench::new().await;
    let rules = "for (let i = 0; i < 3000; i++) all.sheet.insertRule(`.part-of-component-number-${i} { margin: ${i}px; color: rgb(1, 2, 3) }`, i);";
    let last = "<style>.later { color: red }</style>";

    let page = bench
        .render_reply(page_of(&format!("<style id=all></style>{last}"), &format!("{rules} {TAGS}")))
        .await
        .unwrap();

    let begin = &page.html[..16_384];
    for text in
        ["<title>Oak lamp</title>", "A lamp of oak", "og:title", "max-image-preview", "rel=\"canonical\""]
    {
        assert!(begin.contains(text), "{text}: {begin}");
    }
    let (rule, later) = (page.html.find("number-2999").unwrap(), page.html.find(".later").unwrap());
    assert!(rule < later && page.html.find("charset").unwrap() < 100, "{begin}");
}

#[tokio::test]
async fn metadata_precedes_large_style_elements() {
    let bench = Bench::new().await;
    let front = "const style = document.createElement('style');
        style.textContent = '.part-of-a-component { color: rgb(1, 2, 3) }'.repeat(3000); document.head.prepend(style)";

    let page = bench.render_reply(page_of("", &format!("{TAGS} {front}"))).await.unwrap();

    assert!(
        page.html.find("rel=\"canonical\"").unwrap() < 2000 && missing(&page).is_empty(),
        "{}",
        &page.html[..4000]
    );
}
