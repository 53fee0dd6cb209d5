//! Output formats of the crawler list, one for each kind of integration. Used by `glasshouse crawlers`. Pure.
//! Must never write a line that a server refuses for its length.

use serde_json::json;

use super::{CrawlerList, TODAYS_BROWSER};
use crate::crawlers::{BOT_WORDS, Crawler, CrawlerIndex, MAX_USER_AGENT_BYTES};

/// Maximum bytes of one expression in a server's configuration: nginx accepts 4,096 of a parameter, Apache 8,192 of a line.
const MAX_LINE_BYTES: usize = 3_500;
const HEAD: &str = "# User agents of crawlers. Written by `glasshouse crawlers`; not edited by hand.\n";

/// Output format of the crawler list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CrawlerListForm {
    /// For programs: the expressions of documented crawlers, of all others, and of both
    Json,
    /// One expression in the words that RE2, PCRE and JavaScript share
    Regex,
    /// Maps of nginx: the variable glasshouse_crawler is documented, general or empty
    Nginx,
    /// Lines of Apache: the variable glasshouse_documented or glasshouse_general is set for a crawler
    Apache,
    /// Snippets of a Caddyfile: the part of a user agent that is looked at, and parts of matchers
    Caddy,
    /// A page for people: documented crawlers, their purpose, and how each is verified
    Markdown,
}

/// Writes the page of documented crawlers. `docs/crawlers.md` is this text.
fn page(crawlers: &[Crawler]) -> String {
    let rows = crawlers.iter().map(|crawler| {
        let robots: Vec<String> = crawler.robots_names().map(|name| format!("`{name}`")).collect();
        let Crawler { id, name, provider, class, .. } = crawler;
        let verification = verification(crawler);
        format!(
            "| {name} | `{id}` | `{provider}` | `{}` | {} | {verification} |\n",
            class.as_str(),
            robots.join(", ")
        )
    });
    format!(
        "# Crawlers\n\nWritten by `glasshouse crawlers --format markdown`; do not edit.\n\n\
         These {} crawlers are documented by their makers. Rules of a [crawler policy](crawler-policy.md) and filters of reports name them by id, provider or purpose. \
         A crawler is verified when its address is in its maker's published networks, when the host name of its address ends in the maker's name and leads back to the address, or when its signature \
         (Web Bot Auth) is valid; one without any of them is recognised by its user agent alone.\n\n\
         Other clients are crawlers too when the general list knows their user agent, or when it contains {}: provider `other`, never verified, and a browser's navigation outweighs it. \
         `glasshouse crawlers` writes all expressions for web servers.\n\n\
         | name | id | provider | purpose | name in robots.txt | verified by |\n| --- | --- | --- | --- | --- | --- |\n{}",
        crawlers.len(),
        BOT_WORDS.map(|word| format!("`{word}`")).join(", "),
        rows.collect::<String>(),
    )
}

fn verification(crawler: &Crawler) -> String {
    let mut ways = Vec::new();
    if !crawler.ip_ranges.is_empty() {
        ways.push("published networks".to_owned());
    }
    if !crawler.reverse_dns.is_empty() {
        let names: Vec<String> = crawler.reverse_dns.iter().map(|name| format!("`{name}`")).collect();
        ways.push(format!("host name: {}", names.join(", ")));
    }
    if crawler.web_bot_auth {
        ways.push("signature".to_owned());
    }
    if ways.is_empty() { "nothing".to_owned() } else { ways.join("; ") }
}

impl CrawlerList {
    /// Returns the list in a format, with a final line break.
    pub fn write(&self, form: CrawlerListForm) -> String {
        match form {
            CrawlerListForm::Json => self.json(),
            CrawlerListForm::Regex => format!("{}\n", self.expression()),
            CrawlerListForm::Nginx => self.nginx(),
            CrawlerListForm::Apache => self.apache(),
            CrawlerListForm::Caddy => self.caddy(),
            CrawlerListForm::Markdown => page(CrawlerIndex::shared().documented()),
        }
    }

    fn json(&self) -> String {
        let list = json!({
            "about": "User agents of crawlers: each expression is for this very case, and for the first characters of a user agent. A browser's navigation outweighs the general one. Written by `glasshouse crawlers`; not edited by hand.",
            "characters": MAX_USER_AGENT_BYTES,
            "expression": self.expression(),
            "documented": self.documented.join("|"),
            "general": self.general.join("|"),
        });
        serde_json::to_string_pretty(&list).expect("texts can be written as JSON") + "\n"
    }

    fn nginx(&self) -> String {
        let of = |parts: &[String], kind: &str| -> String {
            lines(parts).map(|line| format!("    \"~{line}\" {kind};\n")).collect()
        };
        // nginx uses the first expression that matches.
        format!(
            "{HEAD}map $http_user_agent $glasshouse_agent {{\n    default $http_user_agent;\n    \
             \"~^(?<glasshouse_head>.{{{MAX_USER_AGENT_BYTES}}})\" $glasshouse_head;\n}}\n\
             map $glasshouse_agent $glasshouse_crawler {{\n    default \"\";\n    \"~{TODAYS_BROWSER}\" \"\";\n{}{}}}\n",
            of(&self.documented, "documented"),
            of(&self.general, "general"),
        )
    }

    fn apache(&self) -> String {
        // Apache tries every line, so each line excludes today's browsers itself.
        let others = format!("^(?!{})(?s:.*?)", TODAYS_BROWSER.trim_start_matches('^'));
        let of = |parts: &[String], kind: &str| -> String {
            lines(parts)
                .map(|line| format!("SetEnvIf glasshouse_agent \"{others}(?:{line})\" glasshouse_{kind}\n"))
                .collect()
        };
        format!(
            "{HEAD}SetEnvIf User-Agent \"^(.{{1,{MAX_USER_AGENT_BYTES}}})\" glasshouse_agent=$1\n{}{}",
            of(&self.documented, "documented"),
            of(&self.general, "general"),
        )
    }

    fn caddy(&self) -> String {
        let matcher = |name: &str, expression: &str| {
            format!("(glasshouse_{name}) {{\n\tvars_regexp {{glasshouse_agent}} `{expression}`\n}}\n")
        };
        // RE2 allows at most 1,000 repetitions.
        let half = format!(".{{{}}}", MAX_USER_AGENT_BYTES / 2);
        format!(
            "{HEAD}(glasshouse_agent) {{\n\tmap {{http.request.header.User-Agent}} {{glasshouse_agent}} {{\n\t\t\
             `~^({half}{half})` `${{1}}`\n\t\tdefault {{http.request.header.User-Agent}}\n\t}}\n}}\n{}{}{}",
            matcher("browser", TODAYS_BROWSER),
            matcher("documented", &self.documented.join("|")),
            matcher("general", &self.general.join("|")),
        )
    }
}

/// Joins parts of an expression to lines of limited length.
fn lines(parts: &[String]) -> impl Iterator<Item = String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() < MAX_LINE_BYTES => {
                line.push('|');
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines.into_iter()
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
    fn the_expressions_of_json_are_those_of_the_other_forms() {
        let json: serde_json::Value = serde_json::from_str(&written(CrawlerListForm::Json)).unwrap();
        let of = |name: &str| json[name].as_str().unwrap().to_owned();

        assert_eq!(written(CrawlerListForm::Regex), of("expression") + "\n");
        assert_eq!(of("expression"), format!("{}|{}", of("documented"), of("general")));
        let [caddy, nginx, apache] =
            [CrawlerListForm::Caddy, CrawlerListForm::Nginx, CrawlerListForm::Apache].map(written);
        for name in ["documented", "general"] {
            assert!(caddy.contains(&of(name)), "{name}");
            for part in of(name).split('|') {
                assert!(nginx.contains(part) && apache.contains(part), "{part}");
            }
        }
    }
}
