//! Detection of secret settings, by the type of their field, and masking of values.
//! Used by the listing of settings. A new field of type [`Secret`](super::Secret) is masked without a line here.

use std::collections::BTreeSet;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde_json::{Error, Value};

use super::Config;
use super::values::Secret;

impl Config {
    /// Reads a secret that a file of the operator names by its environment variable. None: the variable is not set, or is
    /// no text.
    pub fn secret_variable(name: &str) -> Option<String> {
        std::env::var_os(name)?.into_string().ok()
    }
}

/// Text in place of a secret.
const MASK: &str = "***";

/// Returns the dotted keys under which `T` has a [`Secret`]. A tree that `T` cannot be read from gives those before
/// the error.
pub(super) fn secret_keys<T: DeserializeOwned>(tree: Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let node = Node { value: tree, key: String::new(), found: &std::cell::RefCell::new(&mut found) };
    // The settings were read before this is asked; only what the reading passes by matters here.
    let _ = T::deserialize(node);
    found
}

/// Masks a value for display.
pub(super) fn masked(value: &Value, is_secret: bool) -> Value {
    let text = value.as_str().unwrap_or_default();
    if is_secret && !text.is_empty() {
        return Value::from(MASK);
    }
    // An address may carry a password: postgres://user:password@host/name?password=….
    match url::Url::parse(text) {
        Ok(url) if url.password().is_some() || names_password(&url) => Value::from(without_password(url)),
        // A text that has a password and is not an address is not shown at all.
        Err(_) if text.contains("://") && text.contains('@') => Value::from(MASK),
        _ => value.clone(),
    }
}

fn names_password(url: &url::Url) -> bool {
    url.query_pairs().any(|(name, _)| name.contains("password"))
}

fn without_password(mut url: url::Url) -> String {
    if url.password().is_some() {
        // Only an address without a host has no place for a password, and this one had it.
        let _ = url.set_password(Some(MASK));
    }
    if names_password(&url) {
        url.set_query(Some(MASK));
    }
    url.to_string()
}

/// A value that knows its key and notes when it is read as a secret.
struct Node<'a> {
    value: Value,
    key: String,
    found: &'a std::cell::RefCell<&'a mut BTreeSet<String>>,
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Object(map) = self.value else { return self.value.deserialize_any(visitor) };
        let inner = |(name, value): (String, Value)| {
            let key = if self.key.is_empty() { name.clone() } else { format!("{}.{name}", self.key) };
            (name, Node { value, key, found: self.found })
        };
        visitor.visit_map(MapDeserializer::new(map.into_iter().map(inner)))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == Secret::TYPE_NAME {
            self.found.borrow_mut().insert(self.key.clone());
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.value.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Node<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its types matter")]
    struct Settings {
        plain: String,
        hidden: Secret,
        list: Vec<u8>,
        maybe: Option<Secret>,
        many: BTreeMap<String, Inner>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its types matter")]
    struct Inner {
        token: Secret,
        port: u16,
    }

    #[test]
    fn a_secret_is_known_by_its_type_wherever_it_is() {
        let tree = json!({
            "plain": "api_key", "hidden": "x", "list": [1], "maybe": "y",
            "many": {"a": {"token": "z", "port": 1}, "b": {"token": "", "port": 2}},
        });

        let keys = secret_keys::<Settings>(tree);

        let keys: Vec<_> = keys.iter().map(String::as_str).collect();
        assert_eq!(keys, ["hidden", "many.a.token", "many.b.token", "maybe"]);
    }

    #[test]
    fn a_password_in_an_address_is_never_shown() {
        let addresses = [
            "postgres://gh:hunter2@db/gh",
            "postgres://gh@db/gh?password=hunter2",
            "postgres://gh:hunter2@db:port/gh",
            "clickhouse://u:hunter2@host:8123/db",
        ];

        for address in addresses {
            let shown = masked(&json!(address), false).to_string();
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}
