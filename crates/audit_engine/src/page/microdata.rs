//! Microdata items as JSON objects, so that the checks read one form. Used by the collector.
//! Values that are not attributes are the visible text, which is enough to tell whether there is a value.

use serde_json::{Map, Value};

use super::caps::MAX_ITEMS;
use super::names::Attr;
use super::tokens::Tag;

/// Deepest nesting of items that is processed.
const MAX_DEPTH: usize = 32;
/// Names of one property that are processed.
const MAX_NAMES: usize = 10;
/// Bytes of values that are kept of a document.
const MAX_VALUE_BYTES: usize = 2 * 1024 * 1024;
/// Attributes that hold the value of a property, the first that is there.
const VALUES: &[Attr] = &[Attr::Content, Attr::Href, Attr::Src, Attr::Datetime, Attr::Data, Attr::Value];

/// The items of a document.
#[derive(Debug, Default)]
pub struct Microdata {
    /// Open items, each with the property of the outer item whose value it is.
    open: Vec<(Option<String>, Map<String, Value>)>,
    /// Names of open properties whose value is text.
    open_properties: Vec<String>,
    items: Vec<Value>,
    /// Items and values so far.
    kept: usize,
    value_bytes: usize,
    left_out: usize,
}

impl Microdata {
    /// Looks at an element. Says whether an item ends with it, and whether a property of text does.
    pub fn element(&mut self, tag: &Tag) -> (bool, bool) {
        let property = tag.attr(Attr::Itemprop);
        if tag.has(Attr::Itemscope) {
            if self.open.len() >= MAX_DEPTH || self.kept >= MAX_ITEMS {
                self.left_out += 1;
                return (false, false);
            }
            self.kept += 1;
            let mut item = Map::new();
            let types = tag.attr(Attr::Itemtype).unwrap_or_default();
            let names: Vec<Value> =
                types.split_ascii_whitespace().map(|name| Value::from(short_name(name))).collect();
            if types.contains("schema.org/") {
                item.insert("@context".to_owned(), Value::from("https://schema.org"));
            }
            if !names.is_empty() {
                item.insert("@type".to_owned(), Value::from(names));
            }
            self.open.push((property.map(str::to_owned), item));
            return (true, false);
        }
        let Some(property) = property.filter(|_| !self.open.is_empty()) else { return (false, false) };
        let value = VALUES.iter().find_map(|name| tag.attr(*name));
        match value {
            Some(value) => self.set(property, Value::from(value)),
            None => self.open_properties.push(property.to_owned()),
        }
        (false, value.is_none())
    }

    /// Ends the innermost property of text.
    pub fn end_property(&mut self, text: &str) {
        if let Some(property) = self.open_properties.pop() {
            self.set(&property, Value::from(text.trim()));
        }
    }

    /// Ends the innermost item.
    pub fn end_item(&mut self) {
        let Some((property, item)) = self.open.pop() else { return };
        match property {
            Some(property) if !self.open.is_empty() => self.set(&property, Value::Object(item)),
            Some(_) => {}
            None => self.items.push(Value::Object(item)),
        }
    }

    /// Returns the number of items and values beyond the bound.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the items that are no property of another one. Those of `html` and `body` are open until the document ends.
    pub fn finish(mut self) -> Vec<Value> {
        while !self.open.is_empty() {
            self.end_item();
        }
        self.items
    }

    /// Reserves the bytes of a value. Returns false when none are left.
    fn has_room(&mut self, bytes: usize) -> bool {
        let has_room = self.kept < MAX_ITEMS && self.value_bytes + bytes <= MAX_VALUE_BYTES;
        if has_room {
            self.kept += 1;
            self.value_bytes += bytes;
        } else {
            self.left_out += 1;
        }
        has_room
    }

    fn set(&mut self, names: &str, value: Value) {
        // An item within items would be copied once for each name at each level.
        let most = if value.is_object() { 1 } else { MAX_NAMES };
        let bytes = value.as_str().map_or(0, str::len);
        for name in names.split_ascii_whitespace().take(most).map(short_name) {
            if !value.is_object() && !self.has_room(bytes) {
                return;
            }
            let Some((_, item)) = self.open.last_mut() else { return };
            match item.get_mut(name) {
                Some(Value::Array(values)) => values.push(value.clone()),
                Some(first) => *first = Value::from(vec![first.take(), value.clone()]),
                None => _ = item.insert(name.to_owned(), value.clone()),
            }
        }
    }
}

fn short_name(name: &str) -> &str {
    name.rsplit(['/', '#']).next().unwrap_or(name)
}
