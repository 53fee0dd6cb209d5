//! The list of crawlers for web servers and middleware: the user agents that [`CrawlerIndex`] recognises, as expressions that
//! need no flag for case, so that every format matches the same user agents.
//! Used by `glasshouse crawlers`. Must never return a list that is empty, misses a documented crawler or matches a browser.
//! Servers first check whether a user agent is one of today's browsers. See docs/decisions/0441.

mod expression;
mod forms;

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};

use self::expression::{alternatives, any_case, exact, plain_groups, words};
use super::crawlers::{BOT_WORDS, CrawlerIndex, CrawlerPatterns, NOT_BOTS};

pub use forms::CrawlerListForm;

/// Crawler id, a tab, a user agent that its maker documents.
const CRAWLERS: &str = include_str!("../../data/corpus/crawlers.tsv");
/// User agents of people's browsers, phones and in-app browsers.
const BROWSERS: &str = include_str!("../../data/corpus/browsers.txt");
/// Expression of whole user agents of today's browsers, out of a closed set of words: no crawler's name matches. Servers
/// compare it before the long list. The syntax is the one that RE2 and PCRE share.
const TODAYS_BROWSER: &str = concat!(
    r"^Mozilla/5\.0 \((?:Windows NT \d+\.\d+; Win64; x64|Macintosh; Intel Mac OS X [\d_.]+|X11; (?:Ubuntu; )?Linux x86_64",
    r"|Linux; Android \d+; K|Android \d+; Mobile|iPhone; CPU iPhone OS [\d_]+ like Mac OS X|iPad; CPU OS [\d_]+ like Mac OS X)",
    r"(?:; rv:[\d.]+)?\) (?:AppleWebKit/[\d.]+ \(KHTML, like Gecko\)|Gecko/[\d.]+)",
    r"(?: (?:Chrome|Version|Safari|Firefox|Edg|OPR|CriOS|FxiOS|SamsungBrowser)/[\d.]+| Mobile(?:/\d+[A-Z]\d+)?)*$",
);
/// Maximum memory of the compiled expression, in bytes.
const MAX_COMPILED_BYTES: usize = 64 * 1024 * 1024;

/// Reason why a list is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrawlerListError {
    #[error("the crawler list is empty: crates/analytics/data/crawlers.json is damaged")]
    Empty,
    #[error("the crawler list is no valid expression: {0}")]
    Invalid(String),
    #[error("the crawler list matches the browser {0:?}: correct crates/analytics/data/crawlers.json")]
    MatchesBrowser(String),
    #[error("the crawler list misses the crawler {0:?}: correct crates/analytics/data/crawlers.json")]
    MissesCrawler(String),
    #[error("the crawler {0:?} passes for one of today's browsers: correct TODAYS_BROWSER")]
    PassesForBrowser(String),
}

/// Expressions of the list, in parts of which each is valid alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlerList {
    /// Expressions of crawlers that their makers document.
    documented: Vec<String>,
    /// Expressions of the general list and of words such as `bot`, which a browser's navigation outweighs. Texts that
    /// `documented` matches may be left out.
    general: Vec<String>,
}

impl CrawlerList {
    /// Returns the list of this build, checked against the corpus.
    pub fn of_service() -> Result<CrawlerList, CrawlerListError> {
        let list = CrawlerList::new(&CrawlerIndex::shared().patterns())?;
        let crawlers = entries(CRAWLERS).filter_map(|line| line.split_once('\t')).map(|(_, agent)| agent);
        list.check(crawlers, entries(BROWSERS))?;
        Ok(list)
    }

    fn new(patterns: &CrawlerPatterns) -> Result<CrawlerList, CrawlerListError> {
        if patterns.documented.is_empty() {
            return Err(CrawlerListError::Empty);
        }
        let (tied, anywhere): (BTreeSet<_>, BTreeSet<_>) =
            patterns.documented.iter().cloned().partition(|text| text.starts_with('^'));
        let is_found =
            |text: &str| anywhere.iter().any(|shorter| shorter != text && text.contains(shorter.as_str()));
        let tied =
            tied.iter().map(|text| text.trim_start_matches('^').to_owned()).filter(|text| !is_found(text));
        let mut documented =
            alternatives(&anywhere.iter().filter(|text| !is_found(text)).cloned().collect(), any_case);
        documented.extend(alternatives(&tied.collect(), any_case).into_iter().map(|text| format!("^{text}")));

        let mut general = words(&BOT_WORDS, &NOT_BOTS);
        let found_anyway = compile(&[&*documented, &*general].concat().join("|"))?;
        general.extend(alternatives(&without_repetition(&patterns.listed, &found_anyway), exact));
        general.extend(patterns.expressions.iter().map(|one| plain_groups(one)));
        Ok(CrawlerList { documented, general })
    }

    /// Returns the whole list as one expression.
    pub fn expression(&self) -> String {
        format!("{}|{}", self.documented.join("|"), self.general.join("|"))
    }

    fn check<'a>(
        &self,
        crawlers: impl Iterator<Item = &'a str>,
        mut browsers: impl Iterator<Item = &'a str>,
    ) -> Result<(), CrawlerListError> {
        let expression = compile(&self.expression())?;
        if let Some(browser) = browsers.find(|agent| expression.is_match(agent)) {
            return Err(CrawlerListError::MatchesBrowser(browser.to_owned()));
        }
        let (documented, todays_browser) = (compile(&self.documented.join("|"))?, compile(TODAYS_BROWSER)?);
        for agent in crawlers {
            if !documented.is_match(agent) {
                return Err(CrawlerListError::MissesCrawler(agent.to_owned()));
            }
            if todays_browser.is_match(agent) {
                return Err(CrawlerListError::PassesForBrowser(agent.to_owned()));
            }
        }
        Ok(())
    }
}

fn compile(expression: &str) -> Result<Regex, CrawlerListError> {
    let mut builder = RegexBuilder::new(expression);
    builder.size_limit(MAX_COMPILED_BYTES);
    builder.build().map_err(|error| CrawlerListError::Invalid(error.to_string()))
}

/// Removes texts that a shorter text, a documented one or the heuristic finds wherever they occur in a user agent.
fn without_repetition(texts: &BTreeSet<String>, found_anyway: &Regex) -> BTreeSet<String> {
    // A word of the heuristic can form an exception together with the characters around the text.
    let ends: Vec<&str> = NOT_BOTS.iter().flat_map(|name| (0..name.len()).map(|at| &name[at..])).collect();
    let begins: Vec<&str> = NOT_BOTS.iter().flat_map(|name| (0..name.len()).map(|at| &name[..at])).collect();
    let is_found = |text: &str| {
        begins
            .iter()
            .all(|begin| ends.iter().all(|end| found_anyway.is_match(&format!("{begin}{text}{end}"))))
            && found_anyway.is_match(text)
    };
    let needed: Vec<&String> = texts.iter().filter(|text| !is_found(text)).collect();
    let is_shortest =
        |text: &&String| !needed.iter().any(|other| other != text && text.contains(other.as_str()));
    needed.iter().copied().filter(is_shortest).cloned().collect()
}

fn entries(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns user agents of browsers and in-app browsers as they were seen, one a line.
#[cfg(test)]
pub(super) fn seen_browsers() -> String {
    let packed = include_bytes!("../../data/corpus/browsers-seen.txt.gz").as_slice();
    std::io::read_to_string(flate2::read::GzDecoder::new(packed)).expect("a text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Crawler;

    /// User agents of the service itself.
    const OWN: &str = include_str!("../../data/corpus/own.txt");

    fn list(documented: &[&str]) -> Result<CrawlerList, CrawlerListError> {
        let documented = documented.iter().map(|text| (*text).to_owned()).collect();
        CrawlerList::new(&CrawlerPatterns { documented, listed: BTreeSet::new(), expressions: Vec::new() })
    }

    fn service_expression() -> Regex {
        compile(&CrawlerList::of_service().unwrap().expression()).unwrap()
    }

    #[test]
    fn the_list_of_this_build_passes_its_own_check() {
        assert!(CrawlerList::of_service().is_ok());
    }

    #[test]
    fn the_page_of_documented_crawlers_is_current() {
        let written = include_str!("../../../../docs/crawlers.md");

        let page = CrawlerList::of_service().unwrap().write(CrawlerListForm::Markdown);

        assert!(written == page, "write it anew: glasshouse crawlers --format markdown > docs/crawlers.md");
    }

    #[test]
    fn an_empty_list_is_refused() {
        assert_eq!(list(&[]), Err(CrawlerListError::Empty));
    }

    #[test]
    fn a_list_that_matches_a_browser_is_refused() {
        let list = list(&["samsungbrowser"]).unwrap();

        let checked = list.check(std::iter::empty(), entries(BROWSERS));

        assert!(matches!(checked, Err(CrawlerListError::MatchesBrowser(_))), "{checked:?}");
    }

    #[test]
    fn a_list_that_misses_a_documented_crawler_is_refused() {
        let list = list(&["acme"]).unwrap();

        let checked = list.check(["Slurp/1.0"].into_iter(), std::iter::empty());

        assert_eq!(checked, Err(CrawlerListError::MissesCrawler("Slurp/1.0".to_owned())));
    }

    #[test]
    fn a_crawler_that_passes_for_a_browser_is_refused() {
        let list = list(&["firefox"]).unwrap();
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

        let checked = list.check([agent].into_iter(), std::iter::empty());

        assert_eq!(checked, Err(CrawlerListError::PassesForBrowser(agent.to_owned())));
    }

    #[test]
    fn no_name_of_a_crawler_hides_in_one_of_todays_browsers() {
        let patterns = CrawlerIndex::shared().patterns();
        let todays_browser = compile(TODAYS_BROWSER).unwrap();
        let browsers: Vec<&str> = entries(BROWSERS).filter(|agent| todays_browser.is_match(agent)).collect();
        let one_of = |word: &str| {
            *browsers.iter().find(|agent| agent.contains(word)).expect("a browser of the corpus")
        };

        let names =
            patterns.documented.iter().chain(&patterns.listed).map(|text| text.trim_start_matches('^'));
        for text in BOT_WORDS.iter().copied().chain(names) {
            for agent in ["Windows", "Firefox", "iPhone"].map(one_of) {
                for at in 0..=agent.len() {
                    let hidden = format!("{}{text}{}", &agent[..at], &agent[at..]);
                    assert!(!todays_browser.is_match(&hidden), "{hidden}");
                }
            }
        }
        assert!(entries(OWN).all(|agent| !todays_browser.is_match(agent)));
    }

    #[test]
    fn the_list_means_what_the_service_means() {
        let list = CrawlerList::of_service().unwrap();
        let expression = compile(&list.expression()).unwrap();
        let documented = compile(&list.documented.join("|")).unwrap();
        let index = CrawlerIndex::shared();
        // Each pattern in several cases inside a browser's user agent, with the beginnings and ends of exceptions.
        let patterns = index.patterns();
        let texts =
            patterns.documented.iter().chain(&patterns.listed).map(|text| text.trim_start_matches('^'));
        let spelled = texts.flat_map(|text| [text.to_owned(), text.to_uppercase(), text.to_lowercase()]);
        let inside = spelled.flat_map(|text| {
            [("Mozilla/5.0 ", " Build/1"), ("Mozilla/5.0 cu", ""), ("x ", "/1.0"), ("", "")]
                .map(|(begin, end)| format!("{begin}{text}{end}"))
        });
        let browsers = seen_browsers();
        let kept = entries(CRAWLERS).chain(entries(OWN)).map(str::to_owned);
        let seen = browsers.lines().map(str::to_owned).chain(kept);

        let wrong: Vec<String> = inside
            .chain(seen)
            .filter(|agent| {
                let crawler = index.identify(agent);
                expression.is_match(agent) != crawler.is_some()
                    || documented.is_match(agent) != crawler.is_some_and(Crawler::is_documented)
            })
            .collect();

        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn phones_and_builds_with_a_word_of_the_heuristic_are_no_crawlers() {
        let expression = service_expression();

        for agent in ["CUBOT X", "Cubot_Note", "Android 15 Preview Build/UP1", "curl/8.4.0", "node", ""] {
            assert!(!expression.is_match(agent), "{agent}");
            assert_eq!(CrawlerIndex::shared().identify(agent), None, "{agent}");
        }
        for agent in ["cubotbot", "robot", "Preview", "preview b", "link preview bui", "ubot"] {
            assert!(expression.is_match(agent), "{agent}");
            assert!(CrawlerIndex::shared().identify(agent).is_some(), "{agent}");
        }
    }
}
