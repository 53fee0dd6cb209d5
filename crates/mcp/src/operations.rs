//! Operations of the API by their ids, read from the OpenAPI document: methods, paths and places of arguments. Pure.

use std::collections::HashMap;

use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use url::form_urlencoded::Serializer;

/// Characters of a path's segment that stand for themselves.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Arguments of a call by name.
pub type Arguments = Map<String, Value>;

/// An operation of the API.
#[derive(Debug)]
pub struct ApiOperation {
    method: Method,
    /// Path with its parameters in braces.
    path: String,
    query: Vec<String>,
    has_body: bool,
    /// Description of the operation in the document, with its schemas. Null once the schemas of tools are made.
    pub description: Value,
}

/// A request to the API: method, path with query, and body.
#[derive(Debug, PartialEq)]
pub struct ApiRequest {
    pub method: Method,
    pub target: String,
    pub body: Option<Value>,
}

/// Reads all operations of a document.
pub fn read_operations(document: &Value) -> HashMap<String, ApiOperation> {
    let mut found = HashMap::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, description) in methods.as_object().into_iter().flatten() {
            let Ok(method) = method.to_uppercase().parse() else { continue };
            let Some(id) = description["operationId"].as_str() else { continue };
            let parameters = description["parameters"].as_array().into_iter().flatten();
            let query = parameters.filter(|parameter| parameter["in"] == "query");
            let operation = ApiOperation {
                method,
                path: path.clone(),
                query: query.filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect(),
                has_body: description["requestBody"].is_object(),
                description: description.clone(),
            };
            found.insert(id.to_owned(), operation);
        }
    }
    found
}

impl ApiOperation {
    /// Returns true when the operation itself leaves entries out.
    pub fn takes_offset(&self) -> bool {
        self.query.iter().any(|name| name == "offset")
    }

    /// Makes the request of a call. The error is the name of a missing part of the path.
    pub fn request(&self, arguments: &Arguments) -> Result<ApiRequest, String> {
        let mut rest = arguments.clone();
        let mut target = self.path.clone();
        while let (Some(start), Some(end)) = (target.find('{'), target.find('}')) {
            let name = target[start + 1..end].to_owned();
            let value = rest.remove(&name).and_then(as_text).filter(|value| !value.is_empty());
            let value = value.ok_or(name)?;
            target.replace_range(start..=end, &utf8_percent_encode(&value, SEGMENT).to_string());
        }
        let mut query = Serializer::new(String::new());
        for name in &self.query {
            if let Some(value) = rest.remove(name).and_then(as_text) {
                query.append_pair(name, &value);
            }
        }
        let query = query.finish();
        if !query.is_empty() {
            target = format!("{target}?{query}");
        }
        let body = self.has_body.then_some(Value::Object(rest));
        Ok(ApiRequest { method: self.method.clone(), target, body })
    }
}

/// Returns an argument as the text of a path or query. None: it is null.
fn as_text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(arguments: Value) -> Result<ApiRequest, String> {
        let document = json!({ "paths": { "/api/domains/{domain}/verify": { "post": {
            "operationId": "verify_domain",
            "parameters": [{ "in": "path", "name": "domain" }, { "in": "query", "name": "days" }],
            "requestBody": {},
        } } } });
        let operations = read_operations(&document);
        operations["verify_domain"].request(arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_go_where_the_operation_expects_them() {
        let made = request(json!({ "domain": "shop.example", "days": 7, "path": "/a?b=c" }));

        let expected = ApiRequest {
            method: Method::POST,
            target: "/api/domains/shop.example/verify?days=7".to_owned(),
            body: Some(json!({ "path": "/a?b=c" })),
        };
        assert_eq!(made, Ok(expected));
    }

    #[test]
    fn a_path_stays_one_segment_whatever_its_argument() {
        let made = request(json!({ "domain": "../keys?x=#" })).unwrap();

        assert_eq!(made.target, "/api/domains/..%2Fkeys%3Fx%3D%23/verify");
    }

    #[test]
    fn a_missing_part_of_the_path_is_named() {
        for arguments in [json!({}), json!({ "domain": null }), json!({ "domain": "" })] {
            assert_eq!(request(arguments), Err("domain".to_owned()));
        }
    }
}
