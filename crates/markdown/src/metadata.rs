//! Statements of a page about itself, and the front matter made of them. Pure.

use url::Url;

use super::addresses::is_web;

/// Longest address in `<base>`, in bytes: each relative link repeats the address.
const MAX_BASE_BYTES: usize = 2_000;

/// Statements in the head of a document, as written.
#[derive(Debug, Default)]
pub struct Metadata {
    pub title: Option<String>,
    pub lang: Option<String>,
    description: Option<String>,
    image: Option<String>,
    base: Option<String>,
    canonical: Option<String>,
}

impl Metadata {
    /// Reads `meta`, `link` or `base`. Of two equal statements the first counts.
    pub fn read(&mut self, name: &[u8], attributes: &[(&'static str, String)]) {
        let value = |wanted: &str| {
            attributes
                .iter()
                .find(|(name, value)| *name == wanted && !value.trim().is_empty())
                .map(|(_, value)| value.trim())
        };
        let (field, value) = match name {
            b"base" => (&mut self.base, value("href")),
            b"link" => {
                let mut relations = value("rel").unwrap_or_default().split_ascii_whitespace();
                if !relations.any(|relation| relation.eq_ignore_ascii_case("canonical")) {
                    return;
                }
                (&mut self.canonical, value("href"))
            }
            _ => {
                let is = |attribute, wanted: &str| {
                    value(attribute).is_some_and(|name| name.eq_ignore_ascii_case(wanted))
                };
                if is("name", "description") {
                    (&mut self.description, value("content"))
                } else if is("property", "og:image") || is("name", "og:image") {
                    (&mut self.image, value("content"))
                } else {
                    return;
                }
            }
        };
        if field.is_none() {
            *field = value.map(str::to_owned);
        }
    }

    /// Returns the address that relative addresses are resolved against.
    pub fn base(&self, address: &Url) -> Url {
        let stated = self.base.as_ref().and_then(|base| address.join(base).ok());
        stated
            .filter(|base| is_web(base) && base.as_str().len() <= MAX_BASE_BYTES)
            .unwrap_or_else(|| address.clone())
    }

    /// Returns the canonical address that the page states.
    pub fn canonical(&self, base: &Url) -> Option<Url> {
        base.join(self.canonical.as_ref()?).ok().filter(is_web)
    }

    /// Returns the front matter. Returns `None` for a page that states nothing.
    pub fn front_matter(&self, base: &Url, canonical: &Url) -> Option<String> {
        let image = self.image.as_ref().and_then(|image| base.join(image).ok()).filter(is_web);
        let text = |text: &Option<String>| text.as_deref().map(quote).filter(|text| text.len() > 2);
        let url = Some(canonical).filter(|_| self.canonical(base).is_some());
        let says = [
            ("title", text(&self.title)),
            ("description", text(&self.description)),
            ("url", url.map(|url| quote(url.as_str()))),
            ("lang", text(&self.lang)),
            ("image", image.map(|image| quote(image.as_str()))),
        ];
        if says.iter().all(|(_, value)| value.is_none()) {
            return None;
        }
        let mut front_matter = "---\n".to_owned();
        for (name, value) in says {
            let value = value.or_else(|| (name == "url").then(|| quote(canonical.as_str())));
            front_matter.extend(value.map(|value| format!("{name}: {value}\n")));
        }
        Some(front_matter + "---")
    }
}

/// Writes a YAML string in double quotes: on one line, white space collapsed, without control characters.
fn quote(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            quoted.push(' ');
        }
        for letter in word.chars() {
            match letter {
                '"' | '\\' => quoted.extend(['\\', letter]),
                // No YAML document has these, not even between quotes.
                '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {}
                _ if letter.is_control() => {}
                _ => quoted.push(letter),
            }
        }
    }
    quoted.push('"');
    quoted
}
