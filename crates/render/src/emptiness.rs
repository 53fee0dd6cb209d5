//! Reasons why a rendered page shows nothing, as text. Used by the render task, the command line and views. Pure.

use audit_engine::page::{Provenance, scan};
use browser::{ConsoleMessage, FailedRequest, describe_problems};
use url::Url;

/// Number of words below which a page shows nothing that a crawler could use.
const FEW_WORDS: usize = 20;

/// Returns the failures of a page that shows next to nothing; empty for a page that shows something.
pub fn why_empty(
    page: &Url,
    html: &str,
    failed: &[FailedRequest],
    console: &[ConsoleMessage],
) -> Vec<String> {
    let problems = describe_problems(page, failed, console);
    // Reading the document takes time, and most pages have no problem.
    if problems.is_empty() || scan(html, Provenance::Rendered).measures.words >= FEW_WORDS {
        return Vec::new();
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_that_shows_next_to_nothing_has_reasons() {
        let page = Url::parse("https://shop.example/").unwrap();
        let failed = [FailedRequest {
            method: "GET".into(),
            url: "https://shop.example/api/prices".into(),
            status: 401,
        }];
        let shell =
            "<title>Shop</title><nav><a href=/a>All shoes of this winter</a></nav><div id=root>Loading</div>";
        let full = format!("<main><p>{}</main>", "word ".repeat(FEW_WORDS));

        assert_eq!(why_empty(&page, shell, &failed, &[]), ["GET /api/prices answered 401"]);
        assert!(why_empty(&page, &full, &failed, &[]).is_empty());
        assert!(why_empty(&page, shell, &[], &[]).is_empty());
    }
}
