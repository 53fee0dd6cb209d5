//! Results of tasks by a JSON schema, as a labelling model would give them: made from the text that it was given. Pure.

use serde_json::{Value, json};

use super::FakeBrand;

const GOOD: &[&str] = &[
    "recommend",
    "excellent",
    "reliable",
    "leading",
    "great",
    "top pick",
    "praise",
    "empfohlen",
    "fiable",
    "おすすめ",
];
const BAD: &[&str] = &[
    "expensive",
    "slow",
    "steep",
    "lacks",
    "buggy",
    "outdated",
    "complain",
    "teuer",
    "cher",
    "caro",
    "高価",
];
/// Characters of a quote.
const MAX_QUOTE: usize = 200;

/// Makes a result that is valid by the schema, from a text and the brands that occur in it.
pub fn result_for(schema: &Value, text: &str, brands: &[FakeBrand]) -> Value {
    value_for(schema, "", text, brands)
}

fn value_for(schema: &Value, name: &str, text: &str, brands: &[FakeBrand]) -> Value {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let fields = schema.get("properties").and_then(Value::as_object);
            let fields = fields.into_iter().flatten();
            Value::Object(
                fields.map(|(name, schema)| (name.clone(), value_for(schema, name, text, brands))).collect(),
            )
        }
        Some("array") => list_for(schema.get("items").unwrap_or(&Value::Null), text, brands),
        Some("number") => json!(tone_of(text)),
        Some("integer") => json!((tone_of(text) * 10.0).round()),
        Some("boolean") => json!(tone_of(text) > 0.2),
        _ => json!(text_for(name, text, brands)),
    }
}

/// Makes one item per brand in the text, in the order of their first appearance.
fn list_for(item: &Value, text: &str, brands: &[FakeBrand]) -> Value {
    let mut found: Vec<(usize, &FakeBrand)> =
        brands.iter().filter_map(|brand| Some((text.find(&brand.name)?, brand))).collect();
    found.sort_by_key(|(at, _)| *at);
    let has_name = item.pointer("/properties/name").is_some();
    let items = found.into_iter().map(|(_, brand)| {
        if !has_name {
            return json!(brand.name);
        }
        let sentence = sentence_with(text, &brand.name).unwrap_or_default();
        let Value::Object(mut fields) = value_for(item, "", sentence, brands) else { return Value::Null };
        fields.insert("name".to_owned(), json!(brand.name));
        for site in ["website", "domain"]
            .into_iter()
            .filter(|site| item.pointer(&format!("/properties/{site}")).is_some())
        {
            fields.insert(site.to_owned(), json!(brand.domain));
        }
        Value::Object(fields)
    });
    Value::Array(items.take(20).collect())
}

fn text_for(name: &str, text: &str, brands: &[FakeBrand]) -> String {
    let first = brands.iter().find_map(|brand| sentence_with(text, &brand.name));
    match name {
        "quote" => first.unwrap_or_default().chars().take(MAX_QUOTE).collect(),
        "summary" => {
            let names: Vec<&str> = brands
                .iter()
                .filter(|brand| text.contains(&brand.name))
                .map(|brand| brand.name.as_str())
                .collect();
            format!(
                "The answer names {}.",
                if names.is_empty() { "no product".to_owned() } else { names.join(", ") }
            )
        }
        _ => String::new(),
    }
}

/// Finds the sentence that contains a name.
fn sentence_with<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.contains(name))?;
    line.split_inclusive(['.', '。', '!']).find(|sentence| sentence.contains(name)).map(str::trim)
}

fn tone_of(text: &str) -> f64 {
    let lower = text.to_lowercase();
    let count = |words: &[&str]| words.iter().filter(|word| lower.contains(**word)).count() as f64;
    let (good, bad) = (count(GOOD), count(BAD));
    if good + bad == 0.0 { 0.0 } else { ((good - bad) / (good + bad) * 0.8 * 100.0).round() / 100.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_the_form_of_the_schema_and_the_facts_of_the_text() {
        let schema = json!({ "type": "object", "properties": {
            "brand": { "type": "object", "properties": { "sentiment": { "type": "number" }, "recommended": { "type": "boolean" }, "quote": { "type": "string" } } },
            "competitors": { "type": "array", "items": { "type": "object", "properties": {
                "name": { "type": "string" }, "sentiment": { "type": "number" }, "website": { "type": "string" } } } },
            "summary": { "type": "string" } } });
        let text = "1. **Notchly** is a leading option.\n2. **LumaDocs** is expensive for small teams.";

        let result = result_for(&schema, text, &FakeBrand::usual());

        assert_eq!(result["competitors"][0]["name"], "Notchly");
        assert_eq!(result["competitors"][0]["website"], "notchly.com");
        assert!(result["competitors"][0]["sentiment"].as_f64().unwrap() > 0.0);
        assert!(result["competitors"][1]["sentiment"].as_f64().unwrap() < 0.0);
        assert!(text.contains(result["brand"]["quote"].as_str().unwrap()));
        assert!(result["summary"].as_str().unwrap().contains("LumaDocs"));
    }
}
