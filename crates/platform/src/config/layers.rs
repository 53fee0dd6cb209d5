//! Merges the sources of settings and describes errors in them precisely.
//! `defaults.toml` is the schema: a key it does not have is refused, a value takes the type that the default has.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::EffectiveSetting;
use super::secrets::{masked, secret_keys};
use super::values::{AUTO, parse_size};

pub(super) const DEFAULTS: &str = include_str!("defaults.toml");
const DEFAULT_FILE: &str = "glasshouse.toml";
const PREFIX: &str = "GLASSHOUSE_";
/// Variables that the project's own test command sets; they are not settings.
const TEST_PREFIX: &str = "GLASSHOUSE_TEST_";

/// Reason why the settings cannot be used, in one line that says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is missing or unreadable.
    #[error("cannot read the settings file {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Error of the system.
        reason: String,
    },
    /// The file is not TOML.
    #[error("{path}, line {line}: {message}")]
    Syntax {
        /// The file.
        path: String,
        /// Line of the mistake.
        line: usize,
        /// Description of the problem.
        message: String,
    },
    /// A key that does not exist.
    #[error("{origin}: unknown setting {key:?}{}", nearest_hint(nearest))]
    Unknown {
        /// Source of the value.
        origin: SettingOrigin,
        key: String,
        /// The existing key that looks most like it.
        nearest: Option<String>,
    },
    /// A value that cannot be used.
    #[error("{origin}: setting {key} {problem}")]
    Value {
        /// Source of the value.
        origin: String,
        key: String,
        /// Description of the problem.
        problem: String,
    },
}

impl ConfigError {
    pub(super) fn value(key: &str, problem: &str) -> ConfigError {
        ConfigError::Value { origin: "settings".to_owned(), key: key.to_owned(), problem: problem.to_owned() }
    }
}

fn nearest_hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|key| format!("; did you mean {key:?}?")).unwrap_or_default()
}

/// Source of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// Nobody set it.
    Default,
    /// The settings file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Default => f.write_str("default"),
            SettingOrigin::File(path) => write!(f, "{}", path.display()),
            SettingOrigin::Variable(name) => f.write_str(name),
        }
    }
}

/// All settings by dotted key, each with its source.
pub(super) struct LayeredSettings {
    values: BTreeMap<String, (Value, SettingOrigin)>,
    /// Variables that begin like settings and are none.
    pub(super) ignored: Vec<String>,
}

/// Reads `file`, or `glasshouse.toml` in the working folder when there is one.
pub(super) fn read_file(file: Option<&Path>) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let path = file.unwrap_or(Path::new(DEFAULT_FILE));
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some((path.to_owned(), text))),
        Err(e) if file.is_none() && e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(ConfigError::Unreadable { path: path.display().to_string(), reason: e.to_string() }),
    }
}

/// Lays the file over the defaults and the environment over both.
pub(super) fn merge(
    file: Option<(PathBuf, String)>,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<LayeredSettings, ConfigError> {
    let defaults = default_values();
    let mut settings: BTreeMap<_, _> =
        defaults.iter().map(|(key, value)| (key.clone(), (value.clone(), SettingOrigin::Default))).collect();
    let mut ignored = Vec::new();
    let mut set = |key: String, value: Value, origin: SettingOrigin| -> Result<(), ConfigError> {
        let Some(default) = defaults.get(&key) else {
            let nearest = nearest_key(&key, defaults.keys());
            return Err(ConfigError::Unknown { origin, key, nearest });
        };
        let value = coerce(&key, default, value).map_err(|problem| ConfigError::Value {
            origin: origin.to_string(),
            key: key.clone(),
            problem,
        })?;
        settings.insert(key, (value, origin));
        Ok(())
    };
    if let Some((path, text)) = file {
        for (key, value) in flatten(parse_toml(&path.display().to_string(), &text)?, &defaults) {
            set(key, value, SettingOrigin::File(path.clone()))?;
        }
    }
    for (name, value) in environment {
        if let Some(key) = variable_key(&name) {
            set(key, Value::String(value), SettingOrigin::Variable(name))?;
        } else if is_ignored(&name) {
            ignored.push(name);
        }
    }
    Ok(LayeredSettings { values: settings, ignored })
}

impl LayeredSettings {
    /// Turns the dotted keys into a typed struct; an error names the key and its source.
    pub(super) fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        serde_path_to_error::deserialize(self.tree()).map_err(|error| {
            let path = error.path().to_string();
            let named = self.values.iter().filter(|(key, _)| is_at(&path, key));
            // The error does not say which plan or provider: it is one that somebody set, because the defaults are valid.
            let set = named.max_by_key(|(_, (_, origin))| *origin != SettingOrigin::Default);
            let (key, origin) =
                set.map_or((path.clone(), SettingOrigin::Default), |(k, (_, o))| (k.clone(), o.clone()));
            let (value, said) = (self.values.get(&key).map(|(value, _)| value), error.inner().to_string());
            let problem = match value {
                // A secret in the wrong place is still one.
                Some(value) if may_hold_secret(value) && shows(&said, value) => {
                    "has a value that cannot be used".to_owned()
                }
                _ => format!("has a value that cannot be used: {said}"),
            };
            ConfigError::Value { origin: origin.to_string(), key, problem }
        })
    }

    fn tree(&self) -> Value {
        let mut tree = Value::Object(serde_json::Map::new());
        for (key, (value, _)) in &self.values {
            let mut node = &mut tree;
            for part in key.split('.') {
                node = &mut node[part];
            }
            *node = value.clone();
        }
        tree
    }

    /// Lists every setting of `T`, its secrets masked.
    pub(super) fn lines<T: DeserializeOwned>(&self) -> Vec<EffectiveSetting> {
        let secrets = secret_keys::<T>(self.tree());
        let line = |(key, (value, origin)): (&String, &(Value, SettingOrigin))| EffectiveSetting {
            key: key.clone(),
            value: masked(value, secrets.contains(key)),
            origin: origin.clone(),
        };
        self.values.iter().map(line).collect()
    }
}

/// Decides whether a message has a text of a value in it.
fn shows(message: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty() && message.contains(text.trim()),
        Value::Array(items) => items.iter().any(|item| shows(message, item)),
        Value::Object(items) => items.values().any(|item| shows(message, item)),
        _ => false,
    }
}

/// Decides whether a value may hold a password or a key: an address, or a long text without spaces.
fn may_hold_secret(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(['@', '/']) || (text.len() >= 16 && !text.contains(' ')),
        Value::Array(items) => items.iter().any(may_hold_secret),
        Value::Object(items) => items.values().any(may_hold_secret),
        _ => false,
    }
}

/// Returns true when a path in the settings is a key or inside its value; `?` stands for any name.
fn is_at(path: &str, key: &str) -> bool {
    let mut parts = path.split('.');
    key.split('.').all(|name| {
        let part = parts.next().unwrap_or_default();
        part == "?" || part == name || part.strip_prefix(name).is_some_and(|rest| rest.starts_with('['))
    })
}

pub(super) fn default_values() -> BTreeMap<String, Value> {
    let tree = parse_toml("defaults.toml", DEFAULTS).expect("defaults.toml is read by every test");
    let mut values = flatten(tree, &BTreeMap::new());
    for (key, value) in &mut values {
        if key.ends_with("_bytes") {
            *value = coerce(key, value, value.clone()).expect("the defaults of sizes are sizes");
        }
    }
    values
}

fn parse_toml(path: &str, text: &str) -> Result<Value, ConfigError> {
    let parsed: Result<toml::Table, _> = text.parse();
    let table = parsed.map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text[..start.min(text.len())].matches('\n').count() + 1;
        let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
        ConfigError::Syntax { path: path.to_owned(), line, message }
    })?;
    serde_json::to_value(table).map_err(|e| ConfigError::Syntax {
        path: path.to_owned(),
        line: 1,
        message: e.to_string(),
    })
}

/// Flattens a tree to dotted keys. A table that is itself a setting (its default is a map) stays whole, and so does
/// an empty one.
fn flatten(tree: Value, known: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    fn walk(prefix: &str, value: Value, known: &BTreeMap<String, Value>, into: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(map) if !known.contains_key(prefix) && (!map.is_empty() || prefix.is_empty()) => {
                for (name, value) in map {
                    let key = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
                    walk(&key, value, known, into);
                }
            }
            // An empty section of a file sets nothing.
            Value::Object(_) if is_section(prefix, known) => {}
            value => {
                into.insert(prefix.to_owned(), value);
            }
        }
    }
    let mut flat = BTreeMap::new();
    walk("", tree, known, &mut flat);
    flat
}

fn is_section(key: &str, known: &BTreeMap<String, Value>) -> bool {
    known.keys().any(|k| k.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

/// Returns the key of a variable: `GLASSHOUSE_SERVER__LISTEN` is `server.listen`. Returns `None` for other programs'
/// variables.
fn variable_key(name: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX).filter(|rest| rest.contains("__"))?;
    if name.starts_with(TEST_PREFIX) {
        return None;
    }
    Some(rest.to_ascii_lowercase().replace("__", "."))
}

/// Variable with the API key for `glasshouse mcp --url`, which is not a setting.
pub const API_KEY_VARIABLE: &str = "GLASSHOUSE_API_KEY";

/// Decides whether a variable begins like a setting and is none. Kubernetes sets `GLASSHOUSE_PORT` and others by itself when a
/// service is called `glasshouse`.
fn is_ignored(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|rest| !rest.contains("__"))
        && !name.starts_with(TEST_PREFIX)
        && name != API_KEY_VARIABLE
}

/// Gives a value the type of its default. Texts become numbers, flags, lists and maps, since variables are texts.
fn coerce(key: &str, default: &Value, value: Value) -> Result<Value, String> {
    let text = value.as_str().map(str::trim);
    let is_unlimited = key.starts_with("plans.") && (value == -1 || text == Some("-1"));
    if key.ends_with("_bytes") && is_unlimited {
        return Ok(Value::from(-1));
    }
    if key.ends_with("_bytes") {
        let size = text.map_or_else(|| value.as_u64(), parse_size);
        return size.map(Value::from).ok_or_else(|| "must be a size such as 1048576 or \"1 MiB\"".to_owned());
    }
    if is_money(key) {
        return coerce_money(key, default, &value);
    }
    if default == AUTO {
        // A number, or left to the service.
        let given = match text {
            Some(AUTO) => Some(Value::from(AUTO)),
            Some(text) => text.parse::<u64>().map(Value::from).ok(),
            None => value.as_u64().map(Value::from),
        };
        return given
            .filter(|value| value != &Value::from(0))
            .ok_or_else(|| "must be a whole number above 0, or \"auto\"".to_owned());
    }
    match (default, text) {
        (Value::Number(_), None) if value.is_i64() || value.is_u64() => Ok(value),
        (Value::Number(_), Some(text)) => {
            text.parse::<i64>().map(Value::from).map_err(|_| "must be a whole number".to_owned())
        }
        (Value::Number(_), None) => Err("must be a whole number".to_owned()),
        (Value::Bool(_), None) if value.is_boolean() => Ok(value),
        (Value::Bool(_), Some("true")) => Ok(Value::Bool(true)),
        (Value::Bool(_), Some("false")) => Ok(Value::Bool(false)),
        (Value::Bool(_), _) => Err("must be true or false".to_owned()),
        (Value::Array(_), None) if value.is_array() => Ok(value),
        (Value::Array(_), Some(text)) if text.starts_with('[') => parse_json(text, Value::is_array),
        (Value::Array(_), Some(text)) => {
            Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect())
        }
        (Value::Array(_), None) => Err("must be a list".to_owned()),
        (Value::Object(_), None) if value.is_object() => Ok(value),
        (Value::Object(_), Some("")) => Ok(Value::Object(serde_json::Map::new())),
        (Value::Object(_), Some(text)) => parse_json(text, Value::is_object),
        (Value::Object(_), None) => Err("must be a table".to_owned()),
        (_, Some(_)) => Ok(value),
        (_, None) => Err("must be a text in quotes".to_owned()),
    }
}

fn is_money(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or_default();
    name.split('_').any(|word| word == "usd")
}

/// Reads US dollars: a number from 0, -1 for a budget without a limit, or nothing where the default is empty.
fn coerce_money(key: &str, default: &Value, value: &Value) -> Result<Value, String> {
    let text = value.as_str().map(str::trim);
    if default == "" && text == Some("") {
        return Ok(Value::from(""));
    }
    let number = text.map_or_else(|| value.as_f64(), |text| text.parse::<f64>().ok());
    let is_budget = key.contains(".budget_");
    let is_usable = |number: &f64| (0.0..=1e9).contains(number) || (*number == -1.0 && is_budget);
    let hint = if is_budget { ", or -1 for no limit" } else { "" };
    number
        .filter(is_usable)
        .map(Value::from)
        .ok_or_else(|| format!("must be a number of US dollars such as 0.02{hint}"))
}

fn parse_json(text: &str, is_right: fn(&Value) -> bool) -> Result<Value, String> {
    let parsed = serde_json::from_str(text).ok().filter(is_right);
    parsed.ok_or_else(|| "is neither JSON nor a list separated by commas".to_owned())
}

/// Finds the existing key that is most similar to `key`: the whole path, or the same last name in another section.
fn nearest_key<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> Option<String> {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    // `server_listen` (one underscore too few in a variable) is as near as `server.listen`.
    let plain = |key: &str| key.replace('_', ".");
    let score = |candidate: &str| {
        let whole = strsim::jaro_winkler(&plain(key), &plain(candidate));
        let name = strsim::jaro_winkler(&last(key), &last(candidate));
        whole.max(0.95 * name)
    };
    known
        .map(|candidate| (score(candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.clone())
}
