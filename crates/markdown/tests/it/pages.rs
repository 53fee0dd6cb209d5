//! Snapshots of the demo shop and of the apps of `e2e/spas`, as the service rendered them, compared with htmd.

use std::collections::BTreeSet;
use std::path::Path;

use htmd::HtmlToMarkdown;
use scraper::{Html, Selector};
use url::Url;

use crate::oracle::{Piece, content, letters, read};

/// Elements that are no part of the text.
const LEFT_OUT: &str = "script, style, noscript, template, iframe, svg, canvas, audio, video, dialog, button, input, select, \
    textarea, progress, meter, [hidden], [aria-hidden=true], img:not([alt]), img[alt=''], img[src^='data:']";

#[test]
fn words_and_links_of_snapshots_are_those_that_htmd_finds() {
    let address = Url::parse("https://shop.example/").unwrap();
    let mut pages = 0;
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages")).unwrap() {
        let path = file.unwrap().path();
        let html = std::fs::read_to_string(&path).unwrap();
        if html.contains("shadowrootmode") {
            // Not even the words of a shadow root are known to htmd.
            continue;
        }

        let ours = read(content(&markdown::convert(&html, &address).text));

        let theirs = read(&HtmlToMarkdown::new().convert(&root(&html)).unwrap());
        assert_eq!(words(&ours), words(&theirs), "{}", path.display());
        assert_eq!(links(&ours, &address), links(&theirs, &address), "{}", path.display());
        assert!(letters(&ours).len() > 100, "{}", path.display());
        pages += 1;
    }
    assert!(pages > 20, "{pages}");
}

/// Returns the HTML of a page's root without what is left out.
fn root(html: &str) -> String {
    let mut tree = Html::parse_document(html);
    let all = |tree: &Html, selector: &str| -> Vec<_> {
        tree.select(&Selector::parse(selector).expect("a selector")).map(|element| element.id()).collect()
    };
    let (root, navigation) = match (all(&tree, "main").len(), all(&tree, "article").len()) {
        (1, _) => ("main", ""),
        (_, 1) => ("article", ""),
        _ => ("body", ", nav, header, footer, aside"),
    };
    for id in all(&tree, &format!("{LEFT_OUT}{navigation}")) {
        tree.tree.get_mut(id).expect("a node of the tree").detach();
    }
    let root = Selector::parse(root).expect("a selector");
    // Of a row that begins with a header, htmd writes the header only.
    tree.select(&root).next().expect("a root").inner_html().replace("<th scope=\"row\">", "<td>")
}

fn words(pieces: &[Piece]) -> Vec<String> {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text,
        _ => " ",
    });
    texts.collect::<String>().split_whitespace().map(str::to_owned).collect()
}

fn links(pieces: &[Piece], address: &Url) -> BTreeSet<Url> {
    let destination = |piece: &Piece| match piece {
        Piece::Open(name) => name.strip_prefix("a ").map(|link| address.join(link).expect("an address")),
        _ => None,
    };
    let is_written = |url: &Url| matches!(url.scheme(), "http" | "https" | "mailto" | "tel");
    pieces.iter().filter_map(destination).filter(is_written).collect()
}
