//! Missing pages whose server answers 200: detected by an element, by a text, or by comparison with the page that the site
//! shows at an address that cannot exist. Pure. Must never call the start page missing, and in doubt no page.
//! See docs/decisions/0532.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use audit_engine::page::text::collapse;
use audit_engine::page::{PageFacts, Provenance, scan};
use percent_encoding::percent_decode_str;
use scraper::{Html, Selector};
use url::Url;

use super::decide::TargetPage;
use super::listed_facts::ListedFacts;
use super::model::RenderedPage;
use domains::not_found::ImpossiblePage;
use domains::{NotFoundRules, Site};

/// Minimum number of words of a page that others are compared with.
pub const LEAST_WORDS: usize = 20;
/// Percentage of words that may differ between two texts of the same page.
const MAY_DIFFER: usize = 2;
/// Percentage of words that may differ between the texts without navigation, header and footer.
const OWN_MAY_DIFFER: usize = 5;

/// Extracts the facts of a page, and changes its status to 404 if the page is missing although its server answered 200.
pub fn judge(
    site: &Site,
    page: &TargetPage,
    made: &mut Arc<RenderedPage>,
    impossible: Option<&ImpossiblePage>,
) -> ListedFacts {
    let html = String::from_utf8_lossy(&made.html).into_owned();
    let facts = scan(&html, Provenance::Rendered);
    let is_judged = made.status == 200 && !made.partial;
    if is_judged && is_missing(&site.domain.rendering.not_found, &page.url, (&html, &facts), impossible) {
        Arc::make_mut(made).status = 404;
    }
    ListedFacts::of(site, page, made, &facts)
}

/// Decides whether a page that answered 200 is missing.
fn is_missing(
    rules: &NotFoundRules,
    url: &Url,
    (html, facts): (&str, &PageFacts),
    impossible: Option<&ImpossiblePage>,
) -> bool {
    if url.path() == "/" {
        return false;
    }
    let has_element = |selector: &String| {
        let selector = Selector::parse(selector).ok();
        selector.is_some_and(|selector| Html::parse_document(html).select(&selector).next().is_some())
    };
    let shows = |text: &String| facts.visible_text.contains(&collapse(text));
    rules.selector.as_ref().is_some_and(has_element)
        || rules.text.as_ref().is_some_and(shows)
        || impossible.filter(|_| rules.compare).is_some_and(|other| is_same(&texts_of(url, facts), other))
}

/// Returns the texts of a page that comparisons use.
pub fn texts_of(url: &Url, facts: &PageFacts) -> ImpossiblePage {
    ImpossiblePage {
        path: url.path().to_owned(),
        title: facts.title().unwrap_or_default().to_owned(),
        heading: facts.h1().unwrap_or_default().to_owned(),
        text: facts.visible_text.clone(),
        main: facts.main_text.clone(),
    }
}

pub fn count_words(text: &str) -> usize {
    words(text).count()
}

/// Decides whether two pages show the same, ignoring the words of their paths: title and heading are equal, and at most two
/// percent of the words of the texts differ. In the main texts, which may be short, five percent or one word may differ.
pub fn is_same(one: &ImpossiblePage, other: &ImpossiblePage) -> bool {
    let masked: HashSet<String> = [one, other].iter().flat_map(|page| path_words(&page.path)).collect();
    let differ = |one: &str, other: &str| difference(one, other, &masked);
    let (changed, words) = differ(&one.text, &other.text);
    let (own_changed, own_words) = differ(&one.main, &other.main);
    differ(&one.title, &other.title).0 == 0
        && differ(&one.heading, &other.heading).0 == 0
        && changed * 100 <= words * MAY_DIFFER
        && own_changed <= (own_words * OWN_MAY_DIFFER / 100).max(1)
}

/// Counts the words by which two texts differ, and the words of the longer text. A replaced word is one difference.
fn difference(one: &str, other: &str, masked: &HashSet<String>) -> (usize, usize) {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    words(one).filter(|word| !masked.contains(word)).for_each(|word| counts.entry(word).or_default().0 += 1);
    words(other)
        .filter(|word| !masked.contains(word))
        .for_each(|word| counts.entry(word).or_default().1 += 1);
    let (mut more, mut fewer, mut mine, mut theirs) = (0, 0, 0, 0);
    for (in_one, in_other) in counts.into_values() {
        more += in_one.saturating_sub(in_other);
        fewer += in_other.saturating_sub(in_one);
        mine += in_one;
        theirs += in_other;
    }
    (more.max(fewer), mine.max(theirs))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn path_words(path: &str) -> Vec<String> {
    words(&percent_decode_str(path).decode_utf8_lossy()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: &str = "Shop Home Shoes Boots Bags Sale Contact Imprint Delivery in three days and returns for thirty days at no \
         cost to you whatever you buy here";

    fn page(path: &str, title: &str, body: &str) -> ImpossiblePage {
        let html =
            format!("<html><head><title>{title}</title></head><body><nav>{SHELL}</nav>{body}</body></html>");
        let url = Url::parse(&format!("https://shop.example{path}")).expect("an address");
        texts_of(&url, &scan(&html, Provenance::Rendered))
    }

    fn missing(rules: &NotFoundRules, path: &str, html: &str) -> bool {
        let url = Url::parse(&format!("https://shop.example{path}")).expect("an address");
        is_missing(rules, &url, (html, &scan(html, Provenance::Rendered)), None)
    }

    #[test]
    fn an_element_or_a_text_makes_a_page_missing_and_never_the_start_page() {
        let by_element = NotFoundRules { selector: Some(".gone".into()), ..NotFoundRules::default() };
        let by_text =
            NotFoundRules { text: Some("Nothing  here & there".into()), ..NotFoundRules::default() };
        let gone = "<p class=gone>Nothing <b>here</b> &amp; there</p>";

        assert!(missing(&by_element, "/a", gone) && missing(&by_text, "/a", gone));
        assert!(!missing(&by_element, "/", gone) && !missing(&by_text, "/?a=b", gone));
        assert!(!missing(&by_element, "/a", "<p>gone</p>"));
        for hidden in [
            "<p>nothing here &amp; there</p>",
            "<script>Nothing here & there</script>",
            "<p hidden>Nothing here &amp; there</p>",
        ] {
            assert!(!missing(&by_text, "/a", hidden), "{hidden}");
        }
        assert!(!missing(&NotFoundRules::default(), "/a", gone));
    }

    #[test]
    fn a_page_that_shows_what_an_impossible_address_shows_is_the_same_whatever_the_words_of_its_path() {
        let impossible =
            page("/f00ba4", "Not found – Shop", "<h1>No page f00ba4</h1><p>Try /f00ba4 another time</p>");

        assert!(is_same(
            &page(
                "/old/boots",
                "Not found – Shop",
                "<h1>No page old/boots</h1><p>Try /old/boots another time</p>"
            ),
            &impossible
        ));
        assert!(!is_same(&page("/red-boots", "Red boots – Shop", "<h1>Red boots</h1>"), &impossible));
    }

    #[test]
    fn a_short_page_of_a_large_shell_is_not_missing() {
        let shell = "<p>word</p>".repeat(1_000);
        let other = page("/f00ba4", "Shop", &format!("{shell}<h1>Not found</h1>"));

        assert!(!is_same(&page("/red-boots", "Shop", &format!("{shell}<h1>Red boots</h1>")), &other));
        let other = page("/f00ba4", "Shop", &format!("<nav>{shell}</nav><p>There is nothing here</p>"));
        assert!(!is_same(
            &page("/terms", "Shop", &format!("<nav>{shell}</nav><p>These are our terms</p>")),
            &other
        ));
    }

    #[test]
    fn two_words_of_a_hundred_may_differ() {
        let of = |words: &str| page("/x", "Shop", &format!("<p>{}{words}</p>", "same ".repeat(100 - 26)));
        let plain = of("");

        assert!(is_same(&of("one two"), &plain));
        assert!(!is_same(&of("one two three"), &plain));
    }
}
