//! Section `webhooks` of the API document: each event with its message. Made of the declared events; nothing is written twice.

use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

use crate::events::{EventDescription, descriptions};

/// Adds all events to the API document.
pub fn add_events(document: &mut OpenApi) {
    let mut paths = serde_json::Map::new();
    for event in descriptions() {
        paths.insert(event.name.to_owned(), path_of(&event));
        let components = document.components.get_or_insert_default();
        components.schemas.extend(event.schemas);
    }
    let paths = serde_json::from_value(Value::Object(paths));
    document.webhooks = Some(paths.expect("the section is written in the form of the document"));
}

fn path_of(event: &EventDescription) -> Value {
    let schema = json!({
        "type": "object",
        "required": ["type", "id", "timestamp", "domain", "data"],
        "properties": {
            "type": { "type": "string", "enum": [event.name] },
            "id": { "type": "string", "description": "`webhook-id`: equal in every try and for every webhook." },
            "timestamp": { "type": "string", "format": "date-time" },
            "domain": { "type": ["string", "null"], "description": "Name of the domain; null: the account." },
            "data": { "$ref": format!("#/components/schemas/{}", event.data) },
        },
    });
    let operation = format!("receive_{}", event.name.replace('.', "_"));
    json!({
        "post": {
            "operationId": operation,
            "tags": ["Webhooks"],
            "summary": event.meaning,
            "description": "Sent to each webhook of format `standard` that lists the event. Verify `webhook-signature` (Standard Webhooks) or \
                `x-service-signature`, and answer 2xx within ten seconds.",
            "requestBody": { "required": true, "content": { "application/json": { "schema": schema } } },
            "responses": {
                "200": { "description": "Taken. Every 2xx is as good." },
                "410": { "description": "The webhook is switched off." },
            },
            "security": [{}],
        },
    })
}
