//! Unknown fields of a request, found as a strict vendor finds them. Pure.

use serde_json::Value;

/// Finds the first field of an object that is not among the known ones.
pub fn unknown_field<'a>(object: &'a Value, known: &[&str]) -> Option<&'a str> {
    let fields = object.as_object()?;
    fields.keys().map(String::as_str).find(|field| !known.contains(field))
}

/// The known fields of OpenAI's tool `web_search`.
pub const WEB_SEARCH: &[&str] =
    &["type", "search_context_size", "user_location", "filters", "external_web_access"];

/// The known fields of an approximate place.
pub const PLACE: &[&str] = &["type", "country", "region", "city", "timezone"];
