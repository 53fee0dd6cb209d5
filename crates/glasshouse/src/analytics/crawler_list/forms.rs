//! The forms of the crawler list: what each kind of integration reads. Used by `glasshouse crawlers`. Pure.
//! Must never write a line that a server refuses for its length.

use serde_json::json;

use super::{CrawlerList, TODAYS_BROWSER};

/// Most bytes of one expression in a server's configuration: nginx takes 4,096 of a parameter, Apache 8,192 of a line.
const MAX_LINE_BYTES: usize = 3_500;
const HEAD: &str = "# User agents of crawlers. Written by `glasshouse crawlers`; not edited by hand.\n";

/// Form of the crawler list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CrawlerListForm {
    /// For programs: the expression, and the texts that it is made of
    Json,
    /// One expression in RE2's words, for any case
    Regex,
    /// A map of nginx: the variable glasshouse_crawler is 1 for a crawler
    Nginx,
    /// Lines of Apache: the variable glasshouse_crawler is set for a crawler
    Apache,
    /// Snippets of a Caddyfile: parts of matchers, of today's browsers and of crawlers
    Caddy,
}

impl CrawlerList {
    /// Writes the list in a form, with a final line break.
    pub fn write(&self, form: CrawlerListForm) -> String {
        match form {
            CrawlerListForm::Json => self.json(),
            CrawlerListForm::Regex => format!("(?i){}\n", self.expression()),
            CrawlerListForm::Nginx => {
                let lines: String = self.lines().map(|line| format!("    \"~*{line}\" 1;\n")).collect();
                // The first expression that matches counts.
                let browser = format!("    \"~{TODAYS_BROWSER}\" 0;\n");
                format!(
                    "{HEAD}map $http_user_agent $glasshouse_crawler {{\n    default 0;\n{browser}{lines}}}\n"
                )
            }
            CrawlerListForm::Apache => {
                // Every line is tried, so each lets today's browsers go by itself.
                let others = format!("^(?!{})(?s:.*?)", TODAYS_BROWSER.trim_start_matches('^'));
                let line =
                    |line| format!("SetEnvIfNoCase User-Agent \"{others}(?:{line})\" glasshouse_crawler\n");
                HEAD.to_owned() + &self.lines().map(line).collect::<String>()
            }
            CrawlerListForm::Caddy => format!(
                "{HEAD}(glasshouse_browser) {{\n\theader_regexp User-Agent `{TODAYS_BROWSER}`\n}}\n\
                 (glasshouse_crawler) {{\n\theader_regexp User-Agent `(?i){}`\n}}\n",
                self.expression()
            ),
        }
    }

    fn json(&self) -> String {
        let list = json!({
            "about": "User agents of crawlers, for any case. Written by `glasshouse crawlers`; not edited by hand.",
            "expression": self.expression(),
            "contains": self.contains,
            "startsWith": self.starts_with,
            "expressions": self.expressions,
        });
        serde_json::to_string_pretty(&list).expect("texts can be written as JSON") + "\n"
    }

    /// The expression in parts of a bearable length.
    fn lines(&self) -> impl Iterator<Item = String> {
        let mut lines: Vec<String> = Vec::new();
        for alternative in &self.alternatives {
            match lines.last_mut() {
                Some(line) if line.len() + alternative.len() < MAX_LINE_BYTES => {
                    line.push('|');
                    line.push_str(alternative);
                }
                _ => lines.push(alternative.clone()),
            }
        }
        lines.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: CrawlerListForm) -> String {
        CrawlerList::of_service().unwrap().write(form)
    }

    #[test]
    fn every_line_of_a_servers_form_is_short_enough_for_it() {
        for (form, limit) in [(CrawlerListForm::Nginx, 4_096), (CrawlerListForm::Apache, 8_192)] {
            let text = written(form);

            assert!(text.lines().all(|line| line.len() < limit), "{form:?}");
            assert!(text.lines().count() > 3, "{form:?}");
        }
    }

    #[test]
    fn no_form_has_a_character_that_ends_its_quotes() {
        let expression = CrawlerList::of_service().unwrap().expression();

        for end in ['"', '`', '\n', '{'] {
            assert!(!expression.contains(end) && !TODAYS_BROWSER.contains(end), "{end:?}");
        }
    }

    #[test]
    fn the_expression_of_json_is_that_of_the_other_forms() {
        let json: serde_json::Value = serde_json::from_str(&written(CrawlerListForm::Json)).unwrap();

        let expression = json["expression"].as_str().unwrap();

        assert_eq!(written(CrawlerListForm::Regex), format!("(?i){expression}\n"));
        assert!(written(CrawlerListForm::Caddy).contains(expression));
    }
}
