//! The list of crawlers for web servers and middleware: the user agents that [`CrawlerIndex`] recognises, as one expression.
//! Used by `glasshouse crawlers`. Must never give out a list that is empty, misses a documented crawler or matches a browser.
//! See docs/decisions/0440. Servers ask first whether it is one of today's browsers: see docs/decisions/0499.

mod expression;
mod forms;

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};

use self::expression::{alternatives, plain_groups, words};
use super::crawlers::{BOT_WORDS, CrawlerIndex, CrawlerPatterns, NOT_BOTS};

pub use forms::CrawlerListForm;

/// Crawler id, a tab, a user agent that its maker documents.
const CRAWLERS: &str = include_str!("../../../data/corpus/crawlers.tsv");
/// User agents of people's browsers, phones and in-app browsers.
const BROWSERS: &str = include_str!("../../../data/corpus/browsers.txt");
/// User agents of today's browsers from their beginning to their end, out of a closed set of words: no crawler's name has room in
/// it. Servers compare it before the long list, in the words that RE2 and PCRE share.
const TODAYS_BROWSER: &str = concat!(
    r"^Mozilla/5\.0 \((?:Windows NT \d+\.\d+; Win64; x64|Macintosh; Intel Mac OS X [\d_.]+|X11; (?:Ubuntu; )?Linux x86_64",
    r"|Linux; Android \d+; K|Android \d+; Mobile|iPhone; CPU iPhone OS [\d_]+ like Mac OS X|iPad; CPU OS [\d_]+ like Mac OS X)",
    r"(?:; rv:[\d.]+)?\) (?:AppleWebKit/[\d.]+ \(KHTML, like Gecko\)|Gecko/[\d.]+)",
    r"(?: (?:Chrome|Version|Safari|Firefox|Edg|OPR|CriOS|FxiOS|SamsungBrowser)/[\d.]+| Mobile(?:/\d+[A-Z]\d+)?)*$",
);
/// Memory of the compiled expression, in bytes.
const MAX_COMPILED_BYTES: usize = 64 * 1024 * 1024;

/// Reason why a list is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrawlerListError {
    #[error("the crawler list is empty: crates/glasshouse/data/crawlers.json is damaged")]
    Empty,
    #[error("the crawler list is no valid expression: {0}")]
    Invalid(String),
    #[error("the crawler list matches the browser {0:?}: correct crates/glasshouse/data/crawlers.json")]
    MatchesBrowser(String),
    #[error("the crawler list misses the crawler {0:?}: correct crates/glasshouse/data/crawlers.json")]
    MissesCrawler(String),
    #[error("the crawler {0:?} passes for one of today's browsers: correct TODAYS_BROWSER")]
    PassesForBrowser(String),
}

/// Texts and expressions without repetition: no text contains another, or a word of the heuristic.
/// Case does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlerList {
    contains: BTreeSet<String>,
    starts_with: BTreeSet<String>,
    expressions: Vec<String>,
    /// Parts of the whole expression, each of which can stand alone.
    alternatives: Vec<String>,
}

impl CrawlerList {
    /// Returns the list of this build, checked against the corpus.
    pub fn of_service() -> Result<CrawlerList, CrawlerListError> {
        let list = CrawlerList::new(CrawlerIndex::shared().patterns())?;
        let crawlers = entries(CRAWLERS).filter_map(|line| line.split_once('\t')).map(|(_, agent)| agent);
        list.check(crawlers, entries(BROWSERS))?;
        Ok(list)
    }

    fn new(patterns: CrawlerPatterns) -> Result<CrawlerList, CrawlerListError> {
        if patterns.contains.is_empty() {
            return Err(CrawlerListError::Empty);
        }
        let words = words(&BOT_WORDS, &NOT_BOTS);
        let heuristic = compile(&words.join("|"))?;
        let contains = without_repetition(&patterns.contains, &heuristic);
        let starts_with: BTreeSet<String> = without_repetition(&patterns.starts_with, &heuristic)
            .into_iter()
            .filter(|text| !contains.iter().any(|shorter| text.contains(shorter.as_str())))
            .collect();
        let expressions: Vec<String> = patterns.expressions.iter().map(|one| plain_groups(one)).collect();
        let mut all = words;
        all.extend(alternatives(&contains));
        all.extend(alternatives(&starts_with).into_iter().map(|text| format!("^{text}")));
        all.extend(expressions.iter().cloned());
        Ok(CrawlerList { contains, starts_with, expressions, alternatives: all })
    }

    /// Returns the whole list as one expression, to be matched without regard to case.
    pub fn expression(&self) -> String {
        self.alternatives.join("|")
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
        let todays_browser = compile(TODAYS_BROWSER)?;
        for agent in crawlers {
            if !expression.is_match(agent) {
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
    builder.case_insensitive(true).size_limit(MAX_COMPILED_BYTES);
    builder.build().map_err(|error| CrawlerListError::Invalid(error.to_string()))
}

/// Removes texts that a shorter text or the heuristic finds wherever they occur in a user agent.
fn without_repetition(texts: &BTreeSet<String>, heuristic: &Regex) -> BTreeSet<String> {
    // A word of the heuristic can be part of an exception together with what stands beside the text.
    let ends: Vec<&str> = NOT_BOTS.iter().flat_map(|name| (0..name.len()).map(|at| &name[at..])).collect();
    let begins: Vec<&str> = NOT_BOTS.iter().flat_map(|name| (0..name.len()).map(|at| &name[..at])).collect();
    let is_found = |text: &str| {
        begins.iter().all(|begin| ends.iter().all(|end| heuristic.is_match(&format!("{begin}{text}{end}"))))
            && heuristic.is_match(text)
    };
    let needed: Vec<&String> = texts.iter().filter(|text| !is_found(text)).collect();
    let is_shortest =
        |text: &&String| !needed.iter().any(|other| other != text && text.contains(other.as_str()));
    needed.iter().copied().filter(is_shortest).cloned().collect()
}

fn entries(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// User agents of the service itself.
    const OWN: &str = include_str!("../../../data/corpus/own.txt");

    fn patterns(contains: &[&str]) -> CrawlerPatterns {
        CrawlerPatterns {
            contains: contains.iter().map(|text| (*text).to_owned()).collect(),
            starts_with: BTreeSet::new(),
            expressions: Vec::new(),
        }
    }

    fn service_list() -> (CrawlerList, Regex) {
        let list = CrawlerList::of_service().unwrap();
        let expression = compile(&list.expression()).unwrap();
        (list, expression)
    }

    #[test]
    fn the_list_of_this_build_passes_its_own_check() {
        assert!(CrawlerList::of_service().is_ok());
    }

    #[test]
    fn an_empty_list_is_refused() {
        assert_eq!(CrawlerList::new(patterns(&[])), Err(CrawlerListError::Empty));
    }

    #[test]
    fn a_list_that_matches_a_browser_is_refused() {
        let list = CrawlerList::new(patterns(&["samsungbrowser"])).unwrap();

        let checked = list.check(std::iter::empty(), entries(BROWSERS));

        assert!(matches!(checked, Err(CrawlerListError::MatchesBrowser(_))), "{checked:?}");
    }

    #[test]
    fn a_list_that_misses_a_documented_crawler_is_refused() {
        let list = CrawlerList::new(patterns(&["acme"])).unwrap();

        let checked = list.check(["Slurp/1.0"].into_iter(), std::iter::empty());

        assert_eq!(checked, Err(CrawlerListError::MissesCrawler("Slurp/1.0".to_owned())));
    }

    #[test]
    fn a_crawler_that_passes_for_a_browser_is_refused() {
        let list = CrawlerList::new(patterns(&["firefox"])).unwrap();
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

        let checked = list.check([agent].into_iter(), std::iter::empty());

        assert_eq!(checked, Err(CrawlerListError::PassesForBrowser(agent.to_owned())));
    }

    #[test]
    fn no_name_of_a_crawler_hides_in_one_of_todays_browsers() {
        let (list, _) = service_list();
        let todays_browser = compile(TODAYS_BROWSER).unwrap();
        let browsers: Vec<&str> = entries(BROWSERS).filter(|agent| todays_browser.is_match(agent)).collect();
        let one_of = |word: &str| {
            *browsers.iter().find(|agent| agent.contains(word)).expect("a browser of the corpus")
        };

        for text in
            BOT_WORDS.iter().copied().chain(list.contains.iter().chain(&list.starts_with).map(String::as_str))
        {
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
    fn every_user_agent_that_the_service_recognises_is_matched() {
        let (_, expression) = service_list();
        let index = CrawlerIndex::shared();
        // Each pattern of the service inside a browser's user agent, with the ends that exceptions have.
        let patterns = index.patterns();
        let agents = patterns.contains.iter().flat_map(|text| {
            ["", "cu", "x "].into_iter().flat_map(move |begin| {
                [" Build/1", "", "/1.0"].into_iter().map(move |end| format!("Mozilla/5.0 {begin}{text}{end}"))
            })
        });

        let missed: Vec<String> =
            agents.filter(|agent| index.identify(agent).is_some() && !expression.is_match(agent)).collect();

        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn phones_and_builds_with_a_word_of_the_heuristic_are_no_crawlers() {
        let (_, expression) = service_list();

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
