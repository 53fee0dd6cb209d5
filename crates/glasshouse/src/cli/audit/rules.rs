//! Parsers of `--extract`, `--search` and `--threshold`.

use std::collections::BTreeMap;

use audit_engine::checks::thresholds::Thresholds;
use audit_engine::custom::{DocumentPart, Extraction, MAX_RULES, Search, Side};

use crate::cli::BadUsage;

/// Parses `NAME=SELECTOR`, `NAME=SELECTOR@ATTRIBUTE` or `NAME=/EXPRESSION/`.
pub fn extractions(written: &[String]) -> Result<Vec<Extraction>, BadUsage> {
    at_most(written, "--extract")?;
    written.iter().map(|rule| extraction(rule)).collect()
}

fn extraction(rule: &str) -> Result<Extraction, BadUsage> {
    let (name, what) = rule
        .split_once('=')
        .ok_or_else(|| BadUsage(format!("--extract takes NAME=SELECTOR, not {rule:?}")))?;
    let extraction = match expression(what) {
        Some(expression) => Extraction::of_matches(name, Side::Rendered, expression),
        None => {
            let (selector, attribute) = what
                .rsplit_once('@')
                .map_or((what, None), |(selector, attribute)| (selector, Some(attribute)));
            Extraction::of_elements(name, Side::Rendered, selector, attribute)
        }
    };
    extraction.map_err(|error| BadUsage(format!("--extract {rule:?}: {error}")))
}

/// Parses `NAME=TEXT`, `NAME=/EXPRESSION/`, and both with `!=` for pages without a match.
pub fn searches(written: &[String]) -> Result<Vec<Search>, BadUsage> {
    at_most(written, "--search")?;
    written.iter().map(|rule| search(rule)).collect()
}

fn search(rule: &str) -> Result<Search, BadUsage> {
    let (name, what) = rule
        .split_once('=')
        .ok_or_else(|| BadUsage(format!("--search takes NAME=TEXT or NAME!=TEXT, not {rule:?}")))?;
    let (name, is_inverted) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    let search = match expression(what) {
        Some(expression) => Search::for_matches(name, Side::Rendered, DocumentPart::Source, expression),
        None => Search::for_text(name, Side::Rendered, DocumentPart::Text, what),
    };
    let search = search.map_err(|error| BadUsage(format!("--search {rule:?}: {error}")))?;
    Ok(if is_inverted { search.inverted() } else { search })
}

/// Parses `NAME=NUMBER`.
pub fn thresholds(written: &[String]) -> Result<Thresholds, BadUsage> {
    let number = |rule: &String| {
        let parts =
            rule.split_once('=').and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)));
        parts.ok_or_else(|| BadUsage(format!("--threshold takes NAME=NUMBER, not {rule:?}")))
    };
    let wanted = written.iter().map(number).collect::<Result<BTreeMap<String, f64>, _>>()?;
    Thresholds::with(&wanted).map_err(|error| BadUsage(format!("--threshold: {error}")))
}

fn expression(what: &str) -> Option<&str> {
    what.strip_prefix('/')?.strip_suffix('/')
}

fn at_most(written: &[String], option: &str) -> Result<(), BadUsage> {
    let is_few = written.len() <= MAX_RULES;
    if is_few { Ok(()) } else { Err(BadUsage(format!("{option} can be given {MAX_RULES} times"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T>(result: Result<T, BadUsage>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn rules_are_read_as_they_are_documented() {
        let rules = ["price=p.price", "image=img@src", "sku=/sku: (\\w+)/"].map(str::to_owned);
        let found = ["sold=Sold out", "unsold!=Sold out", "phone=/\\d{9}/"].map(str::to_owned);

        let names: Vec<String> =
            extractions(&rules).unwrap().iter().map(|rule| rule.name().to_owned()).collect();
        let searches: Vec<String> =
            searches(&found).unwrap().iter().map(|rule| rule.name().to_owned()).collect();

        assert_eq!(names, ["price", "image", "sku"]);
        assert_eq!(searches, ["sold", "unsold", "phone"]);
        assert!(thresholds(&["thinWords=100".to_owned()]).is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_reason() {
        let refused = |rule: &str| refusal(extractions(&[rule.to_owned()]));

        assert_eq!(refused("price"), "--extract takes NAME=SELECTOR, not \"price\"");
        assert_eq!(refused("price=p["), "--extract \"price=p[\": \"p[\" is no CSS selector");
        assert_eq!(refusal(extractions(&vec!["a=b".to_owned(); 21])), "--extract can be given 20 times");
        assert!(refusal(searches(&["sold=/(/".to_owned()])).contains("is no regular expression"));
        assert_eq!(
            refusal(thresholds(&["thinWords=0".to_owned()])),
            "--threshold: thinWords takes a number from 1 to 5000"
        );
        assert_eq!(
            refusal(thresholds(&["thinWords".to_owned()])),
            "--threshold takes NAME=NUMBER, not \"thinWords\""
        );
    }
}
