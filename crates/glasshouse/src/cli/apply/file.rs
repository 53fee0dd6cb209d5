//! Files of domains: TOML or JSON with a list `domain`. Reads and writes one form of every value, so that equal settings are
//! equal bytes. Pure.

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Map, Value, json};

use super::tables::{NAME, PROMPTS, TABLES, is_secret, nearest, unknown};
use domains::names;

/// Key of the list of domains.
const DOMAINS: &str = "domain";
/// Key of a persona, which the API also takes and shows as the text of its JSON.
const PERSONA: &str = "personaLocation";
/// Key of a prompt's text.
pub const PROMPT_TEXT: &str = "promptText";

/// Tables of a domain by name. Prompts are an object by their text.
pub type Tables = Map<String, Value>;

/// Domain of a file.
pub struct WantedDomain {
    pub host: String,
    /// Tables as they stand in the file, with prompts as a list.
    pub tables: Tables,
}

/// Form of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    Toml,
    Json,
}

/// Reads the domains of a file. A text that begins with `{` is JSON.
pub fn read(text: &str) -> anyhow::Result<Vec<WantedDomain>> {
    let text = text.trim_start_matches('\u{feff}');
    let root: Value = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(text).context("is not JSON")?,
        false => toml::from_str(text).map_err(|error| not_toml(text, &error))?,
    };
    let Value::Object(mut root) = root else { bail!("is not a list of domains") };
    let domains = root.remove(DOMAINS).unwrap_or(json!([]));
    if let Some(key) = root.keys().next() {
        bail!("{}", unknown(key, DOMAINS));
    }
    let Value::Array(domains) = domains else { bail!("{DOMAINS} is not a list; write [[domain]]") };
    let mut read: Vec<WantedDomain> = Vec::new();
    for (at, domain) in domains.into_iter().enumerate() {
        let domain = read_domain(domain).with_context(|| format!("{DOMAINS}.{at}"))?;
        if read.iter().any(|other| other.host == domain.host) {
            bail!("{} stands twice in the file", domain.host);
        }
        read.push(domain);
    }
    read.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(read)
}

fn not_toml(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    anyhow!("line {}: {}", before.matches('\n').count() + 1, error.message())
}

fn read_domain(domain: Value) -> anyhow::Result<WantedDomain> {
    let Value::Object(mut tables) = normal(domain) else { bail!("is not a table") };
    let name = tables.remove(NAME).context("has no name")?;
    let name = name.as_str().context("its name is no text")?;
    let host = names::parse_domain(name).with_context(|| format!("{name} is not a domain name"))?;
    Ok(WantedDomain { host, tables })
}

/// Lists the tables of a domain that do not exist.
pub fn unknown_tables(tables: &Tables) -> Vec<String> {
    let known = || TABLES.iter().map(|table| table.name).chain([PROMPTS, NAME]);
    let missing = tables.keys().filter(|key| known().all(|known| known != *key));
    missing.map(|key| unknown(key, nearest(key, known()))).collect()
}

/// Returns the one form of a value: without nulls, whole numbers as integers, personas as objects.
pub fn normal(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(_, value)| !value.is_null());
            let kept = kept.map(|(key, value)| {
                let value = if key == PERSONA { persona(value) } else { value };
                (key, normal(value))
            });
            Value::Object(kept.collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(normal).collect()),
        Value::Number(number) => whole(&number).map_or(Value::Number(number), Value::from),
        value => value,
    }
}

/// Returns a persona as an object. A text that is not JSON stays for the service to refuse.
fn persona(value: Value) -> Value {
    let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or(value)
}

fn whole(number: &serde_json::Number) -> Option<i64> {
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15)?;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number that 64 bits hold")]
    Some(float as i64)
}

/// Returns prompts by their text.
pub fn prompts_by_text(list: &Value) -> anyhow::Result<Map<String, Value>> {
    let mut prompts = Map::new();
    for (at, prompt) in list.as_array().context("prompts is not a list")?.iter().enumerate() {
        let text = prompt[PROMPT_TEXT].as_str().map(str::trim);
        let text = text.with_context(|| format!("prompts.{at}.{PROMPT_TEXT} is missing"))?;
        if prompts.insert(text.to_owned(), prompt.clone()).is_some() {
            bail!("the prompt {text:?} stands twice");
        }
    }
    Ok(prompts)
}

/// Writes domains, each with its tables, in their order.
pub fn write(domains: Vec<(String, Tables)>, format: FileFormat) -> anyhow::Result<String> {
    let entry = |(host, mut tables): (String, Tables)| {
        if let Some(Value::Object(prompts)) = tables.get_mut(PROMPTS).map(Value::take) {
            tables.insert(PROMPTS.to_owned(), prompts.into_iter().map(|(_, prompt)| prompt).collect());
        }
        let mut entry = without_secrets(&host, Value::Object(tables), &mut Vec::new());
        entry[NAME] = Value::from(host);
        entry
    };
    let root = json!({ DOMAINS: domains.into_iter().map(entry).collect::<Vec<Value>>() });
    Ok(match format {
        FileFormat::Toml => toml::to_string_pretty(&root)?,
        FileFormat::Json => serde_json::to_string_pretty(&root)? + "\n",
    })
}

/// Replaces secrets by the names of environment variables, which follow from the domain and the place of the secret.
fn without_secrets(host: &str, value: Value, path: &mut Vec<String>) -> Value {
    if is_secret(path) {
        return json!({ "env": variable_of(host, path) });
    }
    let mut below = |key: String, value: Value| {
        path.push(key);
        let value = without_secrets(host, value, path);
        path.pop();
        value
    };
    match value {
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(key, value)| (key.clone(), below(key, value))).collect())
        }
        Value::Array(list) => {
            list.into_iter().enumerate().map(|(at, value)| below(at.to_string(), value)).collect()
        }
        value => value,
    }
}

/// Returns the name of a secret's variable, such as `SECRET_SHOP_EXAMPLE_AUDITING_BASICAUTH_PASSWORD`.
fn variable_of(host: &str, path: &[String]) -> String {
    // Two domains never share a name: a hyphen is not written as a dot is.
    let host = host.replace('-', "__").replace('.', "_");
    format!("SECRET_{host}_{}", path.join("_")).to_uppercase()
}

/// Secrets of environment variables.
pub struct SecretVariables<R> {
    /// Reader of the environment.
    pub read: R,
    /// Lines about variables that are not set, whose stored secrets are kept.
    pub unset: Vec<String>,
}

impl<R: Fn(&str) -> Option<String>> SecretVariables<R> {
    /// Puts the secrets in the place of their variables' names. A variable that is not set leaves the secret that is `stored` in
    /// the same place; it is an error when there is none.
    pub fn resolve(
        &mut self,
        wanted: &Value,
        stored: &Value,
        path: &mut Vec<String>,
    ) -> anyhow::Result<Value> {
        if is_secret(path) {
            return self.secret(wanted, stored, &path.join("."));
        }
        Ok(match wanted {
            Value::Object(object) => {
                // A secret belongs to what stands beside it: a header's name, a user.
                let is_same = object.iter().all(|(key, value)| value.is_object() || stored[key] == *value);
                let mut full = Map::new();
                for (key, value) in object {
                    path.push(key.clone());
                    let stored = if is_same || !is_secret(path) { &stored[key] } else { &Value::Null };
                    full.insert(key.clone(), self.resolve(value, stored, path)?);
                    path.pop();
                }
                Value::Object(full)
            }
            Value::Array(list) => {
                let mut full = Vec::new();
                for (at, value) in list.iter().enumerate() {
                    path.push(at.to_string());
                    full.push(self.resolve(value, &stored[at], path)?);
                    path.pop();
                }
                Value::Array(full)
            }
            value => value.clone(),
        })
    }

    fn secret(&mut self, wanted: &Value, stored: &Value, path: &str) -> anyhow::Result<Value> {
        let reference = wanted.as_object().filter(|object| object.len() == 1);
        let name = reference.and_then(|object| object.get("env")?.as_str()).with_context(|| {
            format!("{path} is a secret: write {{ env = \"NAME\" }} with the name of an environment variable")
        })?;
        if let Some(secret) = (self.read)(name) {
            return Ok(Value::from(secret));
        }
        if stored.is_null() {
            bail!("{path}: the environment variable {name} is not set");
        }
        self.unset
            .push(format!("{path}: the environment variable {name} is not set; the stored secret is kept"));
        Ok(stored.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(value: Value) -> Tables {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_written_file_is_read_back_in_either_form() {
        let odd = "a\r\nb\t\"c\" ''' \"\"\" \\ \u{7f} é\n";
        let state = json!({
            "rootFiles": { "files": [{ "path": "/a.txt", "body": odd }, { "path": "/b.txt" }] },
            "auditing": { "thresholds": { "a.b": 0.5, "c": 3 }, "extractions": [] },
            "prompts": { "Which?": { "promptText": "Which?", "personaLocation": { "country": "DE" } } },
            "settings": { "ignorePaths": "/a\n/b" },
        });
        for format in [FileFormat::Toml, FileFormat::Json] {
            let text = write(vec![("shop.example".to_owned(), tables(state.clone()))], format).unwrap();

            let read = read(&text).unwrap();

            let mut expected = tables(state.clone());
            let prompts = expected[PROMPTS].as_object().unwrap().values().cloned().collect();
            expected.insert(PROMPTS.to_owned(), Value::Array(prompts));
            assert_eq!((read[0].host.as_str(), &read[0].tables), ("shop.example", &expected), "{text}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_with_its_place() {
        let problem = |text: &str| format!("{:#}", read(text).map(drop).unwrap_err());

        assert_eq!(
            problem("[[domains]]\nname = \"a.example\"\n"),
            "unknown key domains; did you mean domain?"
        );
        assert_eq!(problem("[[domain]]\nname = \"com\"\n"), "domain.0: com is not a domain name");
        assert_eq!(problem("[[domain]]\n"), "domain.0: has no name");
        let twice = "[[domain]]\nname = \"a.example\"\n[[domain]]\nname = \"A.example\"\n";
        assert_eq!(problem(twice), "a.example stands twice in the file");
        assert!(problem("[[domain]]\nname = \"a.example\"\nname = 2\n").starts_with("line 3: "));
        assert!(problem("{").starts_with("is not JSON"));
    }

    #[test]
    fn secrets_are_written_as_variables_of_their_domain_and_place() {
        let state = json!({ "auditing": { "basicAuth": { "username": "a", "password": "hunter2" },
            "headers": [{ "name": "x-a", "value": "hunter2" }] } });

        let text = write(vec![("my-shop.example".to_owned(), tables(state))], FileFormat::Json).unwrap();

        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains("\"SECRET_MY__SHOP_EXAMPLE_AUDITING_BASICAUTH_PASSWORD\""), "{text}");
        assert!(text.contains("\"SECRET_MY__SHOP_EXAMPLE_AUDITING_HEADERS_0_VALUE\""), "{text}");
    }

    #[test]
    fn a_secret_is_read_from_its_variable_or_kept() {
        let wanted = json!({ "basicAuth": { "username": "a", "password": { "env": "PASSWORD" } } });
        let stored = |user: &str| json!({ "basicAuth": { "username": user, "password": "old" } });
        let resolve = |wanted: &Value, stored: &Value, secret: Option<&str>| {
            let read = |name: &str| secret.filter(|_| name == "PASSWORD").map(str::to_owned);
            let mut variables = SecretVariables { read, unset: Vec::new() };
            let value = variables.resolve(wanted, stored, &mut vec!["auditing".to_owned()])?;
            anyhow::Ok((value, variables.unset.len()))
        };
        let password = |value: &Value| value["basicAuth"]["password"].clone();

        let (set, _) = resolve(&wanted, &stored("a"), Some("new")).unwrap();
        let (kept, unset) = resolve(&wanted, &stored("a"), None).unwrap();
        let missing = resolve(&wanted, &stored("other"), None).unwrap_err();
        let plain = resolve(&stored("a"), &Value::Null, None).unwrap_err();

        assert_eq!((password(&set), password(&kept), unset), (json!("new"), json!("old"), 1));
        let expected = "auditing.basicAuth.password: the environment variable PASSWORD is not set";
        assert_eq!(missing.to_string(), expected);
        assert!(plain.to_string().contains("is a secret: write { env = \"NAME\" }"), "{plain}");
    }
}
