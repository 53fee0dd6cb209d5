//! Structured data of a page as objects of schema.org: JSON-LD and Microdata in one form. Pure.

use serde_json::Value;

use super::PageFacts;
use super::vocabulary::unknown_terms;

/// The structured data of a page.
#[derive(Debug, Default)]
pub struct StructuredData {
    /// Top-level objects: roots, members of a root array or of `@graph`, and main entities.
    pub objects: Vec<Value>,
    /// JSON-LD scripts that are no JSON, with the reason.
    pub broken: Vec<String>,
    /// Types and properties that schema.org does not have, in objects that say they are of it.
    pub unknown: Vec<String>,
}

impl StructuredData {
    /// Reads that of a document.
    pub fn of(facts: &PageFacts) -> StructuredData {
        let mut data = StructuredData { objects: facts.microdata.clone(), ..StructuredData::default() };
        data.unknown.extend(facts.microdata.iter().flat_map(unknown_terms));
        for text in &facts.json_ld {
            match serde_json::from_str(without_wrappers(text)) {
                Ok(value) => {
                    data.unknown.extend(unknown_terms(&value));
                    data.add(value);
                }
                Err(error) => data.broken.push(error.to_string()),
            }
        }
        data
    }

    fn add(&mut self, value: Value) {
        match value {
            Value::Array(values) => values.into_iter().for_each(|value| self.add(value)),
            Value::Object(mut object) => {
                match object.remove("@graph") {
                    Some(Value::Array(members)) => {
                        self.objects.extend(members.into_iter().filter(Value::is_object));
                    }
                    Some(member @ Value::Object(_)) => self.objects.push(member),
                    _ => {}
                }
                if let Some(entity) = object.get("mainEntity").filter(|entity| entity.is_object()) {
                    self.objects.push(entity.clone());
                }
                if object.contains_key("@type") {
                    self.objects.push(Value::Object(object));
                }
            }
            _ => {}
        }
    }
}

/// Returns the types of an object, without the vocabulary's address.
pub fn types(object: &Value) -> impl Iterator<Item = &str> {
    let values = match object.get("@type") {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().filter_map(Value::as_str).map(|name| name.rsplit(['/', '#', ':']).next().unwrap_or(name))
}

/// Returns a property with a value: not null, "", [] or {}.
pub fn property<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(values) => !values.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => true,
    })
}

/// Removes comments and CDATA marks that hide the script from very old browsers, in any order and number. No JSON begins or
/// ends with one.
fn without_wrappers(text: &str) -> &str {
    const MARKS: &[&str] = &["<!--", "-->", "<![CDATA[", "<!]]>", "]]>", "//", "/*", "*/"];
    let mut text = text.trim();
    loop {
        let before = text.len();
        for mark in MARKS {
            text = text.strip_prefix(mark).unwrap_or(text).trim();
            text = text.strip_suffix(mark).unwrap_or(text).trim();
        }
        // The end of a comment without its beginning.
        text = text.strip_prefix('>').unwrap_or(text).trim();
        if text.len() == before {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Provenance, scan};

    fn names(html: &str) -> Vec<String> {
        let data = StructuredData::of(&scan(html, Provenance::Raw));
        assert_eq!(data.broken, Vec::<String>::new(), "{html}");
        data.objects.iter().flat_map(types).map(str::to_owned).collect()
    }

    #[test]
    fn json_is_found_in_every_wrapper() {
        for wrapped in [
            "<!-- # -->",
            "<!--//--><![CDATA[//><!--\n#\n//--><!]]>",
            "//<![CDATA[\n#\n//]]>",
            "/* <![CDATA[ */ # /* ]]> */",
            "// <!--\n#\n// -->",
            "<![CDATA[#]]>",
        ] {
            let script =
                wrapped.replace('#', r#"{"@type": "Product", "url": "https://a.example//", "b": [[1]]}"#);

            assert_eq!(
                names(&format!("<script type=application/ld+json>{script}</script>")),
                ["Product"],
                "{wrapped}"
            );
        }
    }

    #[test]
    fn parameters_of_the_type_do_not_matter() {
        for kind in [
            "application/ld+json; charset=utf-8",
            "application/ld+json;profile=\"https://www.w3.org/ns/json-ld#compacted\"",
            " Application/LD+JSON ; charset=UTF-8; a=b",
        ] {
            assert_eq!(
                names(&format!("<script type='{kind}'>{{\"@type\":\"Event\"}}</script>")),
                ["Event"],
                "{kind}"
            );
        }
    }

    #[test]
    fn a_graph_may_be_one_object() {
        let graph = r#"{"@context":"https://schema.org","@graph":{"@type":"Recipe","name":"a"}}"#;

        assert_eq!(names(&format!("<script type=application/ld+json>{graph}</script>")), ["Recipe"]);
    }
}
