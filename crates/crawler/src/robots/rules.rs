//! Decisions about the addresses that a crawler may fetch (RFC 9309, with the additions of Google's parser).
//! Pure. Must decide in time that grows with the rules' length only, since patterns are untrusted.

use super::MAX_ROBOTS_BYTES;
use super::lines::{Line, read_lines};

/// A `robots.txt`.
#[derive(Debug, Clone, Default)]
pub struct Robots {
    groups: Vec<Group>,
    lines: Vec<Line>,
}

/// Rules for some crawlers.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// Values of its `User-agent` lines, as written.
    pub agents: Vec<String>,
    /// Rules in the order of the file.
    pub rules: Vec<Rule>,
    /// `Crawl-delay` in seconds.
    pub crawl_delay: Option<f64>,
}

/// One `Allow` or `Disallow`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Line of the file, counted from 1.
    pub line: usize,
    /// `Allow`, as opposed to `Disallow`.
    pub allows: bool,
    /// The pattern as written.
    pub path: String,
    /// The pattern in the form that paths are compared with.
    pattern: Pattern,
}

/// A pattern of a rule, or the folder of one that names its index file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    /// Text in which `*` stands for any characters; other special characters are escaped.
    text: String,
    /// True when the pattern matches whole paths only.
    is_anchored: bool,
}

/// Verdict of a file about one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The crawler may fetch it.
    pub is_allowed: bool,
    /// Line of the rule that decided; none when no rule matches.
    pub line: Option<usize>,
}

impl Group {
    fn names(&self, agent: &str) -> bool {
        self.agents.iter().any(|name| is_same_agent(name, agent))
    }
}

impl Robots {
    /// Reads the first 500 KiB of a file.
    pub fn parse(robots: &[u8]) -> Robots {
        let lines = read_lines(&robots[..robots.len().min(MAX_ROBOTS_BYTES)]);
        let mut groups: Vec<Group> = Vec::new();
        let mut names_agents = false;
        for line in &lines {
            let Some((key, value)) = line.forgiven() else { continue };
            match (key, groups.last_mut()) {
                ("user-agent", Some(group)) if names_agents => group.agents.push(value.to_owned()),
                ("user-agent", _) => {
                    groups.push(Group { agents: vec![value.to_owned()], ..Group::default() });
                    names_agents = true;
                }
                ("allow" | "disallow", Some(group)) => {
                    names_agents = false;
                    group.rules.push(Rule {
                        line: line.number,
                        allows: key == "allow",
                        path: value.to_owned(),
                        pattern: Pattern::of(value),
                    });
                }
                // Other lines neither belong to a group nor end its list of agents.
                ("crawl-delay", Some(group)) => {
                    group.crawl_delay =
                        value.parse().ok().filter(|delay: &f64| delay.is_finite() && *delay >= 0.0);
                }
                _ => {}
            }
        }
        Robots { groups, lines }
    }

    /// Returns the groups in the order of the file.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the lines that are not blank.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Decides whether a crawler, by its product token, may fetch a path with its query.
    ///
    /// The longest rule decides; of two of one length the one that allows.
    pub fn decide(&self, agent: &str, path: &str) -> Verdict {
        if path == "/robots.txt" {
            return Verdict { is_allowed: true, line: None };
        }
        let path = normal_escapes(path, b"*$");
        let rules = self.groups_for(agent).flat_map(|group| &group.rules);
        let mut best: Option<(usize, bool, usize)> = None;
        for rule in rules.filter(|rule| !rule.path.is_empty()) {
            if let Some(length) = match_length(rule, &path)
                && best.is_none_or(|(longest, allows, _)| (length, rule.allows) > (longest, allows))
            {
                best = Some((length, rule.allows, rule.line));
            }
        }
        Verdict { is_allowed: best.is_none_or(|(_, allows, _)| allows), line: best.map(|(_, _, line)| line) }
    }

    /// Returns true when a group names the crawler itself, not all crawlers.
    pub fn names(&self, agent: &str) -> bool {
        self.groups.iter().any(|group| group.names(agent))
    }

    /// Returns the seconds that a crawler should wait between two requests.
    pub fn crawl_delay(&self, agent: &str) -> Option<f64> {
        self.groups_for(agent).find_map(|group| group.crawl_delay)
    }

    /// Returns the groups that name the crawler, or those for all crawlers when none does.
    fn groups_for<'a>(&'a self, agent: &'a str) -> impl Iterator<Item = &'a Group> {
        let is_named = self.names(agent);
        let is_for_all = |group: &Group| group.agents.iter().any(|name| is_wildcard(name));
        self.groups.iter().filter(move |group| if is_named { group.names(agent) } else { is_for_all(group) })
    }
}

/// Returns true for `*`, alone or followed by white space and text.
fn is_wildcard(name: &str) -> bool {
    name == "*" || name.starts_with("* ") || name.starts_with("*\t")
}

/// Returns true when a name of the file means the crawler.
///
/// A name may carry a version (`FooBot/1.2`) or more words; only its product token, which consists of letters, is compared.
/// Crawlers whose names have other characters too (`MJ12bot`, `archive.org_bot`) are compared by the whole name.
fn is_same_agent(name: &str, agent: &str) -> bool {
    let end = name.find(|c: char| !(c.is_ascii_alphabetic() || "-_".contains(c))).unwrap_or(name.len());
    let whole = name.split_once('/').map_or(name, |(product, _version)| product).trim_end();
    let is_same = |own: &str| !own.is_empty() && own.eq_ignore_ascii_case(agent);
    is_same(&name[..end]) || (is_same(whole) && !is_wildcard(name))
}

/// Returns the length of a rule's pattern if it matches a path: the longest decides.
fn match_length(rule: &Rule, path: &str) -> Option<usize> {
    let pattern = &rule.pattern;
    if pattern.matches(path) {
        return Some(pattern.len());
    }
    // Google: allowing /x/index.html allows /x/ too.
    let text = &pattern.text;
    let folder = text.rfind("/index.htm").filter(|at| rule.allows && !text[at + 1..].contains('/'))?;
    let folder = Pattern { text: text[..=folder].to_owned(), is_anchored: true };
    folder.matches(path).then_some(folder.len())
}

impl Pattern {
    /// Reads a pattern with `*` and a final `$`. A `$` elsewhere is a literal character.
    fn of(path: &str) -> Pattern {
        let (text, is_anchored) = match path.strip_suffix('$') {
            Some(text) => (text, true),
            None => (path, false),
        };
        Pattern { text: normal_escapes(text, b"$"), is_anchored }
    }

    fn len(&self) -> usize {
        self.text.len() + usize::from(self.is_anchored)
    }

    /// Decides whether the pattern matches the beginning of a path.
    fn matches(&self, path: &str) -> bool {
        let mut parts = self.text.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return !self.is_anchored || rest.is_empty();
        }
        while let Some(part) = parts.next() {
            if parts.peek().is_none() && self.is_anchored {
                return rest.ends_with(part);
            }
            // The earliest place leaves most for what follows.
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        true
    }
}

/// Normalizes the escapes of a path (RFC 9309, 2.2.2): upper case, none where none is needed, and all that an address
/// always escapes. Characters of `plain`, which are special in patterns, are escaped too.
fn normal_escapes(path: &str, plain: &[u8]) -> String {
    let bytes = path.as_bytes();
    let mut normal = String::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        let digits = path.get(at..at + 2).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match (byte, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(escaped)) => {
                at += 2;
                push_normal(&mut normal, escaped, is_unreserved(escaped));
            }
            _ => {
                let stands = is_unreserved(*byte) || b"%:/?#[]@!$&()*+,;=".contains(byte);
                push_normal(&mut normal, *byte, stands && !plain.contains(byte));
            }
        }
    }
    normal
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn push_normal(text: &mut String, byte: u8, stands: bool) {
    if stands {
        text.push(char::from(byte));
    } else {
        text.push_str(&format!("%{byte:02X}"));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn allows(robots: &str, agent: &str, path: &str) -> bool {
        Robots::parse(robots.as_bytes()).decide(agent, path).is_allowed
    }

    #[test]
    fn groups_are_chosen_as_google_chooses_them() {
        let cases = [
            ("user-agent: FooBot\ndisallow: /\n", "FooBot", false),
            ("user-agent: FooBot\ndisallow: /\n", "BarBot", true),
            ("foo: FooBot\nbar: /\n", "FooBot", true),
            ("disallow: /\n", "FooBot", true),
            ("USER-AGENT: FooBot\nDISALLOW: /x\n", "foobot", false),
            ("user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n", "FooBot", false),
            ("user-agent: FooBot\nallow: /\nuser-agent: *\ndisallow: /\n", "FooBot", true),
            ("user-agent: FooBot/1.2\ndisallow: /\n", "FooBot", false),
            ("user-agent: Foo Bar\ndisallow: /\n", "Foo", false),
            ("user-agent: Foo7Bot/2.0\ndisallow: /\n", "foo7bot", false),
            ("user-agent: Foo7Bot\ndisallow: /\n", "Foo8Bot", true),
            ("user-agent: foo.example_bot\ndisallow: /\n", "foo.example_bot", false),
            ("user-agent: Foo web spider\ndisallow: /\n", "Foo web spider", false),
            ("user-agent: * baz\ndisallow: /x\nuser-agent: *\ndisallow: /y\n", "*", false),
            ("user-agent: FooBot\nsitemap: /s\nuser-agent: BarBot\ndisallow: /\n", "FooBot", false),
            ("user-agent: FooBot\ndisallow: /y\nuser-agent: FooBot\ndisallow: /x\n", "FooBot", false),
            ("user-agent: FooBot\nuser-agent: *\n", "BarBot", true),
            ("user-agent: * baz\ndisallow: /\n", "FooBot", false),
            ("\u{feff}user-agent: *\ndisallow: /\n", "FooBot", false),
            ("user-agent *\ndisallow /\n", "FooBot", false),
            ("useragent: *\ndisalow: /\n", "FooBot", false),
        ];

        for (robots, agent, expected) in cases {
            assert_eq!(allows(robots, agent, "/x/y"), expected, "{robots}");
        }
    }

    #[test]
    fn the_longest_rule_decides_as_google_decides() {
        let cases = [
            ("disallow: /x\nallow: /x/page.html", "/x/page.html", true),
            ("disallow: /x\nallow: /x/page.html", "/x/", false),
            ("disallow: \nallow: ", "/x", true),
            ("disallow: /\nallow: /", "/x", true),
            ("disallow: /x\nallow: /x/", "/x", false),
            ("disallow: /x\nallow: /x/", "/x/", true),
            ("disallow: /*.html\nallow: /page.html", "/foo.html", false),
            ("allow: /p\ndisallow: /", "/page", true),
            ("allow: /page\ndisallow: /*.htm", "/page.htm", false),
            ("allow: /$\ndisallow: /", "/", true),
            ("allow: /$\ndisallow: /", "/page.html", false),
            (
                "disallow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par",
                "/foo/bar?qux=taz&baz=http://foo.bar?tar&par",
                false,
            ),
            ("disallow: /\nallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", true),
            ("disallow: /\nallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true),
            ("disallow: /foo/bar*qux", "/foo/bar/x/qux", false),
            ("disallow: /foo/bar*qux", "/foo/bar/x", true),
            ("disallow: /foo$", "/foo/", true),
            ("disallow: /\nallow: /a/index.html", "/a/", true),
            ("disallow: /\nallow: /a/index.html", "/a/b", false),
            ("disallow: /*/b$", "/a/b", false),
            ("disallow: /", "/robots.txt", true),
            ("disallow: /%7Ejoe/", "/~joe/x", false),
            ("disallow: /~joe/", "/%7ejoe/x", false),
            ("disallow: /a%2db", "/a-b", false),
            ("disallow: /%61%62", "/ab", false),
            ("disallow: /a%2fb", "/a/b", true),
            ("disallow: /a%2fb", "/a%2Fb", false),
            ("disallow: /a%24", "/a$x", false),
            ("disallow: /a%24", "/a", true),
            ("disallow: /a%2A", "/a*x", false),
            ("disallow: /a%2A", "/ax", true),
            ("disallow: /a$b", "/a$bc", false),
            ("disallow: /a$b", "/a%24b", false),
            ("disallow: /a b", "/a%20b", false),
            ("disallow: /a\"<b>", "/a%22%3Cb%3E", false),
            ("disallow: /it's", "/it%27s", false),
            ("disallow: /caf%c3%a9", "/caf%C3%A9", false),
            ("disallow: /100%", "/100%", false),
            ("disallow: /a?b=%7e", "/a?b=~", false),
        ];

        for (rules, path, expected) in cases {
            assert_eq!(
                allows(&format!("user-agent: *\n{rules}\n"), "FooBot", path),
                expected,
                "{rules} {path}"
            );
        }
    }

    #[test]
    fn the_rule_that_decided_is_named() {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /a\n\nAllow: /a/b\nCrawl-delay: 2.5\n");

        assert_eq!(robots.decide("x", "/a/c").line, Some(2));
        assert_eq!(robots.decide("x", "/a/b").line, Some(4));
        assert_eq!(robots.decide("x", "/").line, None);
        assert_eq!(robots.crawl_delay("x"), Some(2.5));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), path in "/[a-z*$%é]{0,20}") {
            Robots::parse(&bytes).decide("x", &path);
        }

        #[test]
        fn stars_take_no_more_time_than_the_path_is_long(pattern in "/(\\*a){0,60}\\$?", path in "/a{0,200}") {
            Pattern::of(&pattern).matches(&path);
        }
    }
}
