//! Tables of a domain in a file, each with the operations of the API that read and write it, and the keys that the API's
//! document gives their bodies. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use platform::config::Config;

/// Table of a domain: one body of the API.
pub struct DomainTable {
    /// Name in the file.
    pub name: &'static str,
    /// Method of the operation that writes the table. PATCH keeps what a body leaves out, PUT replaces everything.
    pub method: &'static str,
    /// Path of the operation that writes the table.
    pub path: &'static str,
    /// Path of the operation that reads the table.
    pub read: &'static str,
    /// Keys of the body that are orders and no settings.
    pub orders: &'static [&'static str],
    /// Paths of secrets within the table; `*` is any position of a list.
    pub secrets: &'static [&'static str],
}

impl DomainTable {
    const fn at(name: &'static str, method: &'static str, path: &'static str) -> DomainTable {
        DomainTable { name, method, path, read: path, orders: &[], secrets: &[] }
    }
}

/// Path of a domain's record.
pub const RECORD: &str = "/api/dashboard/domains/{domain}";

/// All tables, in the order in which they are written: credentials of audits belong to the origin host of the settings.
pub const TABLES: [DomainTable; 10] = [
    DomainTable {
        read: RECORD,
        ..DomainTable::at("settings", "patch", "/api/dashboard/domains/{domain}/settings")
    },
    DomainTable {
        read: RECORD,
        orders: &["refresh"],
        ..DomainTable::at("sitemap", "patch", "/api/dashboard/domains/{domain}/sitemap")
    },
    DomainTable::at("rendering", "patch", "/api/domains/{domain}/rendering"),
    DomainTable::at("crawlerPolicy", "put", "/api/domains/{domain}/crawler-policy"),
    DomainTable::at("rootFiles", "put", "/api/domains/{domain}/root-files"),
    DomainTable::at("indexnow", "patch", "/api/domains/{domain}/indexnow"),
    DomainTable {
        secrets: &["headers.*.value", "basicAuth.password"],
        ..DomainTable::at("auditing", "patch", "/api/domains/{domain}/auditing")
    },
    DomainTable::at("brand", "put", "/api/domains/{domain}/brand"),
    DomainTable::at("monitoring", "patch", "/api/domains/{domain}/monitoring"),
    DomainTable::at("verification", "patch", "/api/domains/{domain}/verification"),
];

/// Name of the list of prompts, beside the tables.
pub const PROMPTS: &str = "prompts";
/// Key of a domain's name, beside the tables.
pub const NAME: &str = "name";

/// Finds a table by its name.
pub fn find_table(name: &str) -> Option<&'static DomainTable> {
    TABLES.iter().find(|table| table.name == name)
}

/// Returns true for a path of a secret. The path begins with the name of its table.
pub fn is_secret(path: &[String]) -> bool {
    let Some((table, rest)) = path.split_first() else { return false };
    let is_at = |pattern: &&str| {
        let mut parts = pattern.split('.');
        rest.iter().all(|part| parts.next().is_some_and(|wanted| wanted == "*" || wanted == part))
            && parts.next().is_none()
    };
    find_table(table).is_some_and(|table| table.secrets.iter().any(is_at))
}

/// Returns the known name that is nearest to a wrong one.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    let score = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    known.max_by(|a, b| score(a).total_cmp(&score(b))).unwrap_or_default()
}

/// Schemas of the API's bodies.
pub struct Schemas(Value);

impl Schemas {
    /// Reads the schemas of the API's document.
    pub fn new(config: &Config) -> Schemas {
        Schemas(serde_json::to_value(crate::app::openapi(config)).expect("a document is plain data"))
    }

    /// Returns the schema of the body that writes a table.
    pub fn of(&self, table: &DomainTable) -> &Value {
        &self.0["paths"][table.path][table.method]["requestBody"]["content"]["application/json"]["schema"]
    }

    /// Returns the schema of a prompt.
    pub fn of_prompt(&self) -> &Value {
        &self.0["components"]["schemas"]["PromptFields"]
    }

    /// Returns a schema and everything that it is put together from.
    fn parts<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        let mut parts = vec![schema];
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            parts.extend(self.parts(&self.0["components"]["schemas"][name]));
        }
        for choice in ["allOf", "oneOf", "anyOf"] {
            let choices = schema[choice].as_array().into_iter().flatten();
            parts.extend(choices.flat_map(|part| self.parts(part)));
        }
        parts
    }

    /// Returns the properties of an object. Empty: every key is allowed.
    pub fn properties<'s>(&'s self, schema: &'s Value) -> BTreeMap<&'s str, &'s Value> {
        let parts = self.parts(schema).into_iter().filter_map(|part| part["properties"].as_object());
        parts.flatten().map(|(key, value)| (key.as_str(), value)).collect()
    }

    /// Returns the schema of a list's items.
    fn items<'s>(&'s self, schema: &'s Value) -> &'s Value {
        self.parts(schema)
            .into_iter()
            .map(|part| &part["items"])
            .find(|items| !items.is_null())
            .unwrap_or(&Value::Null)
    }

    fn may_be_null(&self, schema: &Value) -> bool {
        self.parts(schema).into_iter().any(|part| match &part["type"] {
            Value::Array(types) => types.iter().any(|name| name == "null"),
            name => name == "null",
        })
    }

    /// Lists the keys of a value that its schema does not have, each with the nearest one that it has.
    pub fn unknown_keys(&self, schema: &Value, value: &Value, path: &str) -> Vec<String> {
        match value {
            Value::Object(object) => {
                let known = self.properties(schema);
                if known.is_empty() {
                    return Vec::new();
                }
                let check = |(key, value): (&String, &Value)| match known.get(key.as_str()) {
                    Some(schema) => self.unknown_keys(schema, value, &format!("{path}.{key}")),
                    None => vec![unknown(&format!("{path}.{key}"), nearest(key, known.keys().copied()))],
                };
                object.iter().flat_map(check).collect()
            }
            Value::Array(list) => {
                let items = self.items(schema);
                let check = |(at, value)| self.unknown_keys(items, value, &format!("{path}.{at}"));
                list.iter().enumerate().flat_map(check).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Keeps of a response what its schema, that of the request, has too.
    pub fn settings_of(&self, schema: &Value, response: Value) -> Value {
        match response {
            Value::Object(object) => {
                let known = self.properties(schema);
                let kept = object.into_iter().filter_map(|(key, value)| match known.get(key.as_str()) {
                    Some(schema) => Some((key, self.settings_of(schema, value))),
                    None => known.is_empty().then_some((key, value)),
                });
                Value::Object(kept.collect())
            }
            Value::Array(list) => {
                let items = self.items(schema);
                Value::Array(list.into_iter().map(|value| self.settings_of(items, value)).collect())
            }
            value => value,
        }
    }

    /// Returns the body of a PATCH that makes `wanted` of `current`, with the keys that change. A key that `wanted` leaves out
    /// becomes null where null is allowed.
    pub fn patch(&self, schema: &Value, current: &Value, wanted: &Value) -> Map<String, Value> {
        let mut body = self.with_nulls(schema, wanted);
        let known = self.properties(schema);
        if let Value::Object(body) = &mut body {
            body.retain(|key, value| {
                let schema = known.get(key.as_str()).copied().unwrap_or(&Value::Null);
                self.patched(schema, &current[key], value) != current[key]
            });
        }
        match body {
            Value::Object(body) => body,
            _ => Map::new(),
        }
    }

    fn with_nulls(&self, schema: &Value, wanted: &Value) -> Value {
        let (known, Value::Object(wanted)) = (self.properties(schema), wanted) else { return wanted.clone() };
        let mut full = wanted.clone();
        for (key, schema) in known {
            match full.get_mut(key) {
                Some(value) => *value = self.with_nulls(schema, value),
                None if self.may_be_null(schema) => drop(full.insert(key.to_owned(), Value::Null)),
                None => {}
            }
        }
        Value::Object(full)
    }

    /// Returns a value after a PATCH: objects with known keys are merged, everything else is replaced.
    fn patched(&self, schema: &Value, current: &Value, body: &Value) -> Value {
        let known = self.properties(schema);
        let (false, Value::Object(current), Value::Object(body)) = (known.is_empty(), current, body) else {
            return body.clone();
        };
        let mut patched = current.clone();
        for (key, value) in body {
            let (schema, before) =
                (known.get(key.as_str()).copied(), &current.get(key).cloned().unwrap_or_default());
            match value.is_null() {
                true => drop(patched.remove(key)),
                false => {
                    drop(
                        patched
                            .insert(key.clone(), self.patched(schema.unwrap_or(&Value::Null), before, value)),
                    );
                }
            }
        }
        Value::Object(patched)
    }
}

/// Describes a key that does not exist.
pub fn unknown(key: &str, nearest: &str) -> String {
    format!("unknown key {key}; did you mean {nearest}?")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schemas() -> Schemas {
        Schemas::new(&Config::from_toml("").unwrap())
    }

    fn table(name: &str) -> &'static DomainTable {
        find_table(name).unwrap()
    }

    #[test]
    fn every_table_has_the_keys_of_its_body_in_the_document() {
        let schemas = schemas();

        for table in &TABLES {
            assert!(!schemas.properties(schemas.of(table)).is_empty(), "{}", table.name);
        }
        assert!(schemas.properties(schemas.of_prompt()).contains_key("promptText"));
    }

    #[test]
    fn unknown_keys_are_named_at_every_depth_with_the_nearest_known_one() {
        let schemas = schemas();
        let unknown = |name: &str, value: Value| schemas.unknown_keys(schemas.of(table(name)), &value, name);

        let deep =
            json!({ "redirectRules": [{ "source": "/a", "destinaton": "/b" }], "orginHost": "a.example" });
        assert_eq!(
            unknown("settings", deep),
            [
                "unknown key settings.orginHost; did you mean originHost?",
                "unknown key settings.redirectRules.0.destinaton; did you mean destination?",
            ]
        );
        let expected = ["unknown key rendering.notFound.selektor; did you mean selector?"];
        assert_eq!(unknown("rendering", json!({ "notFound": { "selektor": ".x" } })), expected);
        // Names of checks are keys of the owner.
        assert!(unknown("auditing", json!({ "thresholds": { "any": 1 } })).is_empty());
    }

    #[test]
    fn a_patch_has_what_differs_and_null_for_what_is_left_out() {
        let schemas = schemas();
        let current = json!({ "refreshIntervalSeconds": 60, "waitForSelector": "#a", "verifiedCrawlersOnly": true,
            "notFound": { "compare": false, "text": "gone" } });
        let wanted = json!({ "refreshIntervalSeconds": 90, "notFound": { "compare": false } });

        let patch = schemas.patch(schemas.of(table("rendering")), &current, &wanted);

        assert_eq!((&patch["refreshIntervalSeconds"], &patch["waitForSelector"]), (&json!(90), &Value::Null));
        assert_eq!(patch["notFound"]["text"], Value::Null);
        assert!(!patch.contains_key("markdown"));
    }
}
