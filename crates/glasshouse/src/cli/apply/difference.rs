//! Differences between two states of a domain, one line for each value. Pure. Must never show a secret.

use serde_json::Value;

use super::tables::is_secret;

/// Longest value in a line, in characters.
const SHOWN_CHARS: usize = 80;

/// Lists the differences, as `path: before -> after`.
pub fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare(before, after, &mut Vec::new(), &mut lines);
    lines
}

fn compare(before: &Value, after: &Value, path: &mut Vec<String>, lines: &mut Vec<String>) {
    if before == after {
        return;
    }
    let mut below = |key: String, before: &Value, after: &Value| {
        path.push(key);
        compare(before, after, path, lines);
        path.pop();
    };
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().for_each(|key| below(key.clone(), &before[key], &after[key]));
        }
        (Value::Array(old), Value::Array(new)) => {
            (0..old.len().max(new.len())).for_each(|at| below(at.to_string(), &before[at], &after[at]));
        }
        _ if is_secret(path) => lines.push(format!("{}: another secret", path.join("."))),
        _ => lines.push(format!("{}: {} -> {}", path.join("."), shown(before, path), shown(after, path))),
    }
}

/// Returns a value in a line. Secrets within the value are masked.
fn shown(value: &Value, path: &[String]) -> String {
    let text = match value {
        Value::Null => return "none".to_owned(),
        value => masked(value, path).to_string(),
    };
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn masked(value: &Value, path: &[String]) -> Value {
    if is_secret(path) {
        return Value::from("***");
    }
    let below = |key: String, value: &Value| masked(value, &[path, &[key]].concat());
    match value {
        Value::Object(object) => Value::Object(
            object.iter().map(|(key, value)| (key.clone(), below(key.clone(), value))).collect(),
        ),
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, value)| below(at.to_string(), value)).collect()
        }
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_value_that_differs_is_a_line() {
        let before = json!({ "rendering": { "refreshRules": [{ "pattern": "/a" }], "markdown": "auto" } });
        let after = json!({ "rendering": { "refreshRules": [{ "pattern": "/b" }, { "pattern": "/c" }], "markdown": "auto" },
            "indexnow": { "enabled": true } });

        let lines = differences(&before, &after);

        let expected = [
            r#"indexnow: none -> {"enabled":true}"#,
            r#"rendering.refreshRules.0.pattern: "/a" -> "/b""#,
            r#"rendering.refreshRules.1: none -> {"pattern":"/c"}"#,
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn secrets_are_never_shown() {
        let with = |password: &str| json!({ "auditing": { "basicAuth": { "username": "a", "password": password } } });

        let changed = differences(&with("first"), &with("second"));
        let added = differences(&json!({ "auditing": {} }), &with("first"));

        assert_eq!(changed, ["auditing.basicAuth.password: another secret"]);
        assert_eq!(added, [r#"auditing.basicAuth: none -> {"password":"***","username":"a"}"#]);
    }
}
