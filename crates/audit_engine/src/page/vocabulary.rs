//! Types and properties of schema.org. Used for structured data with unknown names. Pure.
//! `scripts/update-schema-terms.mjs` writes the lists again. As of 2026-11-22.

use std::sync::LazyLock;

use hashbrown::HashSet;
use serde_json::{Map, Value};

static TYPES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../../data/schema_types.txt").lines().collect());
static PROPERTIES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../../data/schema_properties.txt").lines().collect());

/// Returns the names in a schema.org document that are not in schema.org's vocabulary; none for other vocabularies.
pub fn unknown_terms(document: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    look(document, None, &mut unknown);
    unknown
}

/// Terms that a context defines itself, when it is one of schema.org; none when it is another's.
fn own_terms(context: &Value) -> Option<Vec<&str>> {
    let parts = match context {
        Value::Array(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let is_schema_org = |text: &str| {
        let text = text.trim_start_matches("https://").trim_start_matches("http://");
        matches!(text.trim_start_matches("www.").split('/').next(), Some("schema.org"))
    };
    let names = |part: &Value| match part {
        Value::String(text) => is_schema_org(text),
        Value::Object(map) => map.get("@vocab").and_then(Value::as_str).is_some_and(is_schema_org),
        _ => false,
    };
    let own = || parts.iter().filter_map(Value::as_object).flat_map(|map| map.keys().map(String::as_str));
    parts.iter().any(names).then(|| own().collect())
}

fn look(value: &Value, terms: Option<&[&str]>, unknown: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| look(value, terms, unknown)),
        Value::Object(object) => {
            let own = object.get("@context").map(own_terms);
            match &own {
                Some(own) => look_at_object(object, own.as_deref(), unknown),
                None => look_at_object(object, terms, unknown),
            }
        }
        _ => {}
    }
}

fn look_at_object(object: &Map<String, Value>, terms: Option<&[&str]>, unknown: &mut Vec<String>) {
    for (key, value) in object {
        if let Some(own) = terms {
            if key == "@type" {
                let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let names = names.iter().filter_map(Value::as_str).filter_map(short);
                let unknown_names = names.filter(|name| !TYPES.contains(name) && !own.contains(name));
                unknown.extend(unknown_names.map(str::to_owned));
            } else if let Some(name) = short(key).filter(|name| !name.starts_with('@')) {
                // An action says by such a name what it takes and gives.
                let bare =
                    name.strip_suffix("-input").or_else(|| name.strip_suffix("-output")).unwrap_or(name);
                if !PROPERTIES.contains(bare) && bare != "query" && !own.contains(&name) {
                    unknown.push(name.to_owned());
                }
            }
        }
        if key != "@context" {
            look(value, terms, unknown);
        }
    }
}

/// Removes the prefix of a name of schema.org. Returns `None` for a name of another vocabulary.
fn short(name: &str) -> Option<&str> {
    let name = name.trim();
    let bare = ["https://schema.org/", "http://schema.org/", "schema:"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    (!bare.contains([':', '/', '#'])).then_some(bare).filter(|bare| !bare.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_that_the_vocabulary_lacks_are_found_at_any_depth() {
        let document = json!({
            "@context": "https://schema.org",
            "@graph": [
                {"@type": ["Product", "Shoe"], "name": "a", "offers": {"@type": "Offer", "prise": 5}},
                {"@type": "http://schema.org/Organisation"},
            ],
        });

        let mut unknown = unknown_terms(&document);
        unknown.sort();

        assert_eq!(unknown, ["Organisation", "Shoe", "prise"]);
    }

    #[test]
    fn what_is_sound_or_of_another_vocabulary_is_left_alone() {
        for document in [
            json!({"@type": "Nonsense"}),
            json!({"@context": "https://www.w3.org/ns/activitystreams", "@type": "Note"}),
            json!({"@context": ["https://schema.org", {"gs1": "https://gs1.org/voc/", "own": "gs1:own"}], "@type": "Product", "own": 1, "gs1:x": 2}),
            json!({"@context": {"@vocab": "http://schema.org/"}, "@type": "WebSite", "potentialAction": {
                "@type": "SearchAction", "target": "https://a.example/?q={q}", "query-input": "required name=q"}}),
            json!([{"@context": "http://www.schema.org/", "@type": "schema:FAQPage", "@id": "#faq", "mainEntity": []}]),
        ] {
            assert_eq!(unknown_terms(&document), Vec::<String>::new(), "{document}");
        }
    }
}
