//! Recognition of documents that stand in for a page: notices of consent and age, messages of a failed app. Pure.

use audit_engine::page::PageFacts;
use audit_engine::page::text::{fold, word_count};

/// A longer text is more than a notice.
const MOST_NOTICE_WORDS: usize = 150;
/// Words beside those of the notice that a page of its own has.
const CONTENT_WORDS: usize = 12;
/// Words of one sentence of a notice. Text without full stops before a notice is none of it.
const NOTICE_SENTENCE_WORDS: usize = 40;
/// Words of the labels of its buttons.
const BUTTON_WORDS: usize = 6;
/// A longer page with the title of an error is about it.
const MOST_ERROR_WORDS: usize = 60;

/// Subjects of notices, folded.
const SUBJECTS: &[&str] = &[
    "use cookies",
    "uses cookies",
    "using cookies",
    "use of cookies",
    "cookies to ",
    "cookies and ",
    "cookies help",
    "cookies on ",
    "accept cookies",
    "all cookies",
    "consent to",
    "your consent",
    "your privacy",
    "stores data",
    "store data",
    "verwenden cookies",
    "verwendet cookies",
    "nutzen cookies",
    "einwilligung",
    "privatsphäre",
    "des cookies",
    "vie privée",
    "usamos cookies",
    "utilizamos cookies",
    "utilizza i cookie",
    "utilizziamo i cookie",
    "utilizziamo cookie",
    "gebruiken cookies",
    "pliki cookie",
    "plików cookie",
    "your age",
    "over 18",
    "over 21",
    "18 or older",
    "21 or older",
    "18 years",
    "21 years",
    "legal age",
    "drinking age",
    "date of birth",
    "volljährig",
];
/// Words of their choices, folded.
const CHOICES: &[&str] = &[
    "accept",
    "agree",
    "allow",
    "reject",
    "decline",
    "refuse",
    "preferences",
    "settings",
    "manage",
    "confirm",
    "enter",
    "continue",
    "leave",
    "yes",
    "akzeptier",
    "annehmen",
    "zustimm",
    "ablehn",
    "einstellungen",
    "refuser",
    "gérer",
    "acepta",
    "rechaza",
    "aceita",
    "rejeita",
    "accetta",
    "rifiuta",
    "accepteer",
    "weiger",
    "zgadzam",
    "akceptuj",
    "odrzuć",
];
/// Titles and headings of apps and servers that failed, folded. As of 2026-11-28.
const FAILURES: &[&str] = &[
    "something went wrong",
    "an error occurred",
    "an error has occurred",
    "an unexpected error",
    "unexpected error",
    "application error",
    "internal server error",
    "server error",
    "bad gateway",
    "gateway timeout",
    "gateway time-out",
    "service unavailable",
    "service temporarily unavailable",
    "failed to load",
    "failed to fetch",
    "chunkloaderror",
    "loading chunk",
    "oops",
    "etwas ist schiefgelaufen",
    "ein fehler ist aufgetreten",
    "une erreur est survenue",
    "une erreur s'est produite",
    "ha ocurrido un error",
    "ocurrió un error",
    "algo salió mal",
    "ocorreu um erro",
    "si è verificato un errore",
    "er is iets misgegaan",
    "wystąpił błąd",
];

/// Returns true for a short text that asks for consent or an age, and says next to nothing else.
pub fn is_wall(text: &str) -> bool {
    let text = plain(text);
    let words = word_count(&text);
    let has = |sentence: &str, list: &[&str]| list.iter().any(|word| sentence.contains(word));
    if words > MOST_NOTICE_WORDS || !has(&text, SUBJECTS) || !has(&text, CHOICES) {
        return false;
    }
    let beside_notice = |sentence: &str| {
        let of_notice = match (has(sentence, SUBJECTS), has(sentence, CHOICES)) {
            (true, _) => NOTICE_SENTENCE_WORDS,
            (false, true) => BUTTON_WORDS,
            (false, false) => 0,
        };
        word_count(sentence).saturating_sub(of_notice)
    };
    let beside: usize = text.split(['.', '!', '?', '\u{3002}']).map(beside_notice).sum();
    beside < CONTENT_WORDS && 2 * beside < words
}

/// Returns true for a short page whose title, heading or whole text is the message of a failed app or server.
pub fn is_error_page(facts: &PageFacts) -> bool {
    let words = word_count(&facts.visible_text);
    let says = |text: &str| {
        let text = plain(text);
        let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
        let text = text
            .strip_prefix("error")
            .map_or(text, |rest| rest.trim_start_matches(|c: char| !c.is_alphabetic()));
        FAILURES.iter().any(|failure| text.starts_with(failure))
    };
    let headings = facts.headings.iter().map(|heading| heading.text.as_str());
    words < MOST_ERROR_WORDS
        && facts.title().into_iter().chain(headings).chain([facts.visible_text.as_str()]).any(says)
}

/// Folds a text to lower case, with plain apostrophes.
fn plain(text: &str) -> String {
    fold(text).replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use audit_engine::page::{Provenance, scan};

    use super::*;

    #[test]
    fn a_notice_alone_is_a_wall_and_beside_a_page_it_is_none() {
        let notice = "We value your privacy. We use cookies to improve your visit and to show personalised advertisements. \
            Accept all Reject all Manage preferences";
        let page =
            "Hand-made shoes of leather and wool, for winter and summer, in all sizes from small to large.";

        for wall in [
            notice,
            "Wir verwenden Cookies, um unsere Seite zu verbessern. Akzeptieren Ablehnen",
            "Are you over 18? You must be of legal drinking age to visit our brewery. Yes, enter No, leave",
        ] {
            assert!(is_wall(wall), "{wall}");
        }
        for other in [
            &format!("{notice} {page}"),
            &format!("{page} {notice}"),
            page,
            "Chocolate chip cookies",
            "Our privacy policy",
            "",
        ] {
            assert!(!is_wall(other), "{other}");
        }
    }

    #[test]
    fn a_short_page_with_the_words_of_a_failure_is_an_error_page() {
        let is_error = |html: &str| is_error_page(&scan(html, Provenance::Raw));

        for html in [
            "<title>Shop</title><h1>Something went wrong</h1><p>Try again later",
            "<title>502 Bad Gateway</title><center>nginx</center>",
            "<title>Shop</title><p>Application error: a client-side exception has occurred",
            "<title>Error 500 - Internal Server Error</title>",
            "<title>Shop</title><h2>Une erreur s'est produite</h2>",
        ] {
            assert!(is_error(html), "{html}");
        }
        let article = format!("<title>Bad gateway: causes and cures</title><p>{}", "word ".repeat(80));
        for html in ["<title>Shop</title><h1>Shoes</h1><p>How oops became a word", &article] {
            assert!(!is_error(html), "{html}");
        }
    }
}
