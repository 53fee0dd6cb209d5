//! Fuzzes the facts of a page: any document is read within its own size, and of a well-formed one the facts are those of
//! the tree that a browser builds. Any document is divided into tags and texts as html5ever divides it.
#![no_main]

use audit_engine::page::text::collapse;
use audit_engine::page::{Provenance, names, scan, tokens};
use libfuzzer_sys::fuzz_target;
use scraper::{Html, Selector};

#[path = "../../crates/audit_engine/src/page/oracle.rs"]
mod oracle;

fuzz_target!(|input: (&str, Vec<(u8, &str)>)| {
    let (document, parts) = input;
    assert_eq!(
        oracle::comparable(oracle::ours(document)),
        oracle::comparable(oracle::theirs(document))
    );
    let facts = scan(document, Provenance::Raw);
    assert!(facts.elements <= document.matches('<').count() + 1);
    assert!(facts.main_text.len() <= facts.visible_text.len());
    // A reference of a few bytes can stand for two characters of three bytes each.
    assert!(facts.visible_text.len() <= 4 * document.len());

    let html = well_formed(&parts);
    let facts = scan(&html, Provenance::Raw);
    let tree = Html::parse_document(&html);
    let all = |selector: &str| Selector::parse(selector).expect("the selector is constant");
    let texts = |selector: &str| -> Vec<String> {
        tree.select(&all(selector)).map(|element| collapse(&element.text().collect::<String>())).collect()
    };
    let hrefs: Vec<String> =
        tree.select(&all("a")).filter_map(|link| link.value().attr("href").map(str::to_owned)).collect();
    assert_eq!(facts.links.iter().filter_map(|link| link.href.clone()).collect::<Vec<_>>(), hrefs);
    assert_eq!(facts.links.iter().map(|link| link.text.clone()).collect::<Vec<_>>(), texts("a"));
    assert_eq!(facts.headings.iter().map(|heading| heading.text.clone()).collect::<Vec<_>>(), texts("h2"));
    assert_eq!(facts.titles.head, texts("title"));
});

/// A document whose tags match, with any text in it.
fn well_formed(parts: &[(u8, &str)]) -> String {
    let title = parts.first().map(|(_, text)| text.replace('<', "")).unwrap_or_default();
    let mut html = format!("<!doctype html><html><head><title>{title}</title></head><body>");
    let mut open = 0;
    for (kind, text) in parts {
        let text = text.replace('<', "&lt;");
        match kind % 6 {
            0 if open < 100 => {
                html.push_str("<div>");
                open += 1;
            }
            1 if open > 0 => {
                html.push_str("</div>");
                open -= 1;
            }
            2 => html.push_str(&format!("<a href=\"{}\">{text}</a>", text.replace('"', ""))),
            3 => html.push_str(&format!("<h2>{text}</h2>")),
            4 => html.push_str(&format!("<p>{text}</p>")),
            _ => html.push_str(&text),
        }
    }
    html
}
