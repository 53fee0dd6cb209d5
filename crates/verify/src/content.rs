//! Content that a document shows without running its scripts, in three steps. Pure. See docs/decisions/0481.

use audit_engine::page::text::word_count;
use audit_engine::page::{PageFacts, ResourceKind};

/// A page that runs scripts and has fewer words shows little.
const FEW_WORDS: usize = 20;
/// Words up to which a page without headings and links may be a skeleton or a cookie banner.
const SKELETON_WORDS: usize = 50;
/// An element that apps render into is empty below so many words: "Loading, please wait" is no content.
const EMPTY_ROOT_WORDS: usize = 5;
/// Pictures or links that make a page of their own: a logo and a policy are on skeletons too.
const SEVERAL: usize = 3;

/// Content that a page shows without scripts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShownContent {
    /// Next to nothing: an app that has not begun, or an empty document.
    #[default]
    Nothing,
    /// Few words beside a form, a film, a map or pictures: all there is, or a part of it.
    Little,
    /// Enough to be a page of its own.
    Page,
}

impl ShownContent {
    /// Judges a document as its server sent it.
    pub fn of(facts: &PageFacts) -> ShownContent {
        let words = word_count(&facts.visible_text);
        let has_heading = facts.headings.iter().any(|heading| !heading.text.is_empty());
        let has_pictures = facts.images.len() >= SEVERAL;
        let has_parts = !facts.frames.is_empty()
            || !facts.form_actions.is_empty()
            || facts.resources.iter().any(|resource| resource.kind == ResourceKind::Media);
        if !facts.has_script {
            let is_empty = words == 0 && facts.images.is_empty() && !has_parts && !facts.has_refresh;
            return if is_empty { ShownContent::Nothing } else { ShownContent::Page };
        }
        if facts.app_root_words.is_some_and(|words| words < EMPTY_ROOT_WORDS) {
            // Forms and frames beside an empty root are for scripts and robots: hidden forms of hosts, tag managers.
            return match (has_heading && words >= FEW_WORDS, has_pictures) {
                (true, _) => ShownContent::Page,
                (false, true) => ShownContent::Little,
                (false, false) => ShownContent::Nothing,
            };
        }
        let is_page = has_heading || has_pictures || facts.links.len() >= SEVERAL || words >= SKELETON_WORDS;
        if words >= FEW_WORDS {
            // Navigation and footer alone are what apps show while they load.
            let is_frame = facts.measures.words < FEW_WORDS && !has_heading && !has_pictures;
            return if is_page && !is_frame || has_parts {
                ShownContent::Page
            } else {
                ShownContent::Nothing
            };
        }
        let is_little = has_pictures || has_parts || has_heading && words >= EMPTY_ROOT_WORDS;
        if is_little { ShownContent::Little } else { ShownContent::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use audit_engine::page::{Provenance, scan};

    use super::ShownContent::{Little, Nothing, Page};
    use super::*;

    const TEXT: &str = "Hand-made shoes of leather and wool, for winter and summer, in all sizes from small to large. \
        We sew them in our own workshop and send them to every place on Earth within three days.";
    const BANNER: &str = "<div>We use cookies to make this site better. By clicking accept you agree to the storing of cookies \
        on your device to analyse usage and assist in our <a href=/policy>marketing</a> efforts.</div>";
    const NAVIGATION: &str = "<nav><a href=/a>Shop</a> <a href=/b>Products and prices of this year</a> <a href=/c>About us and our team</a> \
        <a href=/d>Contact and directions</a> <a href=/e>Log in</a> <a href=/f>Sign up for the newsletter</a></nav>";

    fn shown(body: &str) -> ShownContent {
        ShownContent::of(&scan(&format!("<!DOCTYPE html><title>Shop</title><body>{body}"), Provenance::Raw))
    }

    fn run(body: &str) -> ShownContent {
        shown(&format!("{body}<script src=/app.js></script>"))
    }

    #[test]
    fn an_app_that_has_not_begun_shows_nothing_whatever_stands_around_it() {
        for body in [
            "<div id=root></div>",
            "<app-root></app-root>",
            "<div id=root>Loading…</div>",
            "<div id=application></div>",
            "<div id=root></div><noscript><h1>Sorry</h1>You need to enable JavaScript to run this app.</noscript>",
            "<div id=root><img src=/logo.svg><h1>Shop</h1></div>",
            "<div id=root></div><form action=/contact hidden><input name=mail></form><iframe src=/tags></iframe>",
            &format!("<div id=root></div>{BANNER}"),
            &format!("<div id=application></div>{BANNER}"),
            &format!("<div id=application>{NAVIGATION}<p>Loading…</p></div>"),
        ] {
            assert_eq!(run(body), Nothing, "{body}");
        }
        assert_eq!(shown(""), Nothing);
    }

    #[test]
    fn a_page_is_known_by_its_words_in_any_script() {
        for body in [
            format!("<h1>Shoes</h1><p>{TEXT}</p>"),
            format!("<div id=root><h1>Shoes</h1><p>{TEXT}</p></div>"),
            format!("<main><h1>Shoes</h1><p>{TEXT}</p></main><div id=app></div>"),
            format!("<p>{TEXT} {TEXT}</p>"),
            "<h1>手工鞋店</h1><p>我们在自己的工坊里缝制皮革和羊毛鞋，适合冬季和夏季，提供从小到大的所有尺码，三天之内寄到世界各地。</p>".to_owned(),
        ] {
            assert_eq!(run(&body), Page, "{body}");
        }
        for body in
            ["<p>Under construction</p>", "<img src=/a.jpg>", "<meta http-equiv=refresh content='0; url=/a'>"]
        {
            assert_eq!(shown(body), Page, "{body}");
        }
    }

    #[test]
    fn a_page_with_few_words_by_its_nature_is_no_empty_app() {
        for body in [
            "<h1>Sign in</h1><form action=/in><input name=mail><button>Sign in</button></form>",
            "<h1>Find us</h1><iframe src=https://maps.test/></iframe>",
            "<h1>Film</h1><video src=/film.mp4></video>",
            "<div id=root><img src=/1.jpg><img src=/2.jpg><img src=/3.jpg></div>",
            "<h1>Jane Doe</h1><p>Photographer in Lisbon</p>",
        ] {
            assert_eq!(run(body), Little, "{body}");
        }
    }
}
