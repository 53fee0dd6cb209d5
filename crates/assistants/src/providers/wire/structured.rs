//! Results of a given form: the schema that is sent, and the JSON in what comes back. Pure.

use serde_json::Value;

use super::json;

/// Words of JSON Schema that some vendors refuse in structured output. The caller checks these limits itself.
const LIMITS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
];

/// Returns the schema without limits of numbers, texts and lists.
pub fn plain_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            // Below `properties` the keys are names of the result's own fields.
            let plain = |(key, value): (&String, &Value)| match (key.as_str(), value) {
                ("properties" | "$defs", Value::Object(named)) => {
                    let named = named.iter().map(|(name, schema)| (name.clone(), plain_schema(schema)));
                    Some((key.clone(), Value::Object(named.collect())))
                }
                ("enum" | "const" | "default" | "required", value) => Some((key.clone(), value.clone())),
                (word, _) if LIMITS.contains(&word) => None,
                (_, value) => Some((key.clone(), plain_schema(value))),
            };
            Value::Object(fields.iter().filter_map(plain).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain_schema).collect()),
        other => other.clone(),
    }
}

/// Says the form of the result in words, for servers without structured output.
pub fn schema_in_words(schema: &Value) -> String {
    format!("Answer with one JSON object and nothing else. It must be valid by this JSON schema:\n{schema}")
}

/// Finds the JSON in a model's text: all of it, in a block of code, or between the first and the last brace.
pub fn json_in(text: &str) -> Option<Value> {
    let parse = |text: &str| {
        json::parse(text.trim().as_bytes()).filter(|value| value.is_object() || value.is_array())
    };
    let in_block = || {
        let (_, block) = text.split_once("```")?;
        let (_, block) = block.split_once('\n')?;
        parse(block.split_once("```").map_or(block, |(block, _)| block))
    };
    let in_braces = || parse(text.get(text.find('{')?..=text.rfind('}')?)?);
    parse(text).or_else(in_block).or_else(in_braces)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_left_out_and_fields_of_the_same_name_stay() {
        let schema = json!({ "type": "object", "required": ["format"], "properties": {
            "format": { "type": "string", "maxLength": 80, "enum": ["minimum"] },
            "scores": { "type": "array", "maxItems": 20, "items": { "type": "number", "minimum": -1 } } } });

        let plain = plain_schema(&schema);

        assert_eq!(
            plain,
            json!({ "type": "object", "required": ["format"], "properties": {
                "format": { "type": "string", "enum": ["minimum"] },
                "scores": { "type": "array", "items": { "type": "number" } } } })
        );
    }

    #[test]
    fn json_is_found_alone_in_a_block_and_in_prose() {
        for text in [
            "{\"a\":1}",
            " {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "Here it is: {\"a\":1}. Done.",
            "```\n{\"a\":1}",
        ] {
            assert_eq!(json_in(text), Some(json!({ "a": 1 })), "{text}");
        }
        for text in ["", "no", "}{", "{\"a\":", "```json\n```", "1"] {
            assert_eq!(json_in(text), None, "{text}");
        }
    }
}
