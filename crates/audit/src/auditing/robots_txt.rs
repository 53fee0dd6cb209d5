//! Which rules for crawlers an audit obeys: those of the site, none, or a text in their place. Used by the settings of audits.
//! Pure.

use audit_engine::engine::RobotsPolicy;
use crawler::robots::{LineKind, Robots};
use serde::{Deserialize, Serialize};

/// Longest text, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Rules for crawlers that an audit obeys. Written as `obey`, `ignore`, or a text that replaces the site's robots.txt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RobotsTxt {
    /// The rules of the site hold.
    #[default]
    Obey,
    /// None.
    Ignore,
    /// The rules of a text hold instead.
    Replace(String),
}

impl From<String> for RobotsTxt {
    fn from(text: String) -> RobotsTxt {
        match text.as_str() {
            "obey" => RobotsTxt::Obey,
            "ignore" => RobotsTxt::Ignore,
            _ => RobotsTxt::Replace(text),
        }
    }
}

impl From<RobotsTxt> for String {
    fn from(rules: RobotsTxt) -> String {
        match rules {
            RobotsTxt::Obey => "obey".to_owned(),
            RobotsTxt::Ignore => "ignore".to_owned(),
            RobotsTxt::Replace(text) => text,
        }
    }
}

impl RobotsTxt {
    /// Returns the policy for the engine.
    pub fn policy(&self) -> RobotsPolicy {
        match self {
            RobotsTxt::Obey => RobotsPolicy::Obey,
            RobotsTxt::Ignore => RobotsPolicy::Ignore,
            RobotsTxt::Replace(text) => RobotsPolicy::Replace(text.clone()),
        }
    }

    /// Describes the problem of the setting. A misspelt word would otherwise be a robots.txt that allows everything.
    pub fn issue(&self) -> Option<&'static str> {
        let RobotsTxt::Replace(text) = self else { return None };
        if text.len() > MAX_BYTES {
            return Some("is longer than 65536 bytes");
        }
        let has_rules = Robots::parse(text.as_bytes())
            .lines()
            .iter()
            .any(|line| matches!(line.kind, LineKind::Known(..)));
        (!has_rules).then_some("must be obey, ignore, or the text of a robots.txt")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_are_policies_and_all_else_is_a_text_with_rules() {
        let read = |text: &str| RobotsTxt::from(text.to_owned());

        assert_eq!((read("obey"), read("ignore")), (RobotsTxt::Obey, RobotsTxt::Ignore));
        assert_eq!(read("User-agent: *\nDisallow: /cart").issue(), None);
        assert!(read("ignor").issue().is_some() && read("").issue().is_some());
        assert!(read(&"Disallow: /\n".repeat(6000)).issue().is_some());
    }
}
