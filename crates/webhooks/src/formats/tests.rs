//! Messages of every format, against the limits that the services document.

use std::fmt::Write as _;

use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};

use super::*;
use crate::events::{EventData, EventDescription, descriptions};

const SERVICES: [WebhookFormat; 4] =
    [WebhookFormat::Slack, WebhookFormat::Discord, WebhookFormat::Teams, WebhookFormat::Ntfy];

fn digest(sentences: Vec<String>) -> Digest<'static> {
    Digest { domain: "shop.example", sentences, more: 7, public_url: "https://glasshouse.example/" }
}

fn json_of(format: WebhookFormat, digest: &Digest<'_>) -> Value {
    serde_json::from_str(&message(format, "https://hooks.example", digest).unwrap().body).unwrap()
}

fn chars(value: &Value) -> usize {
    value.as_str().unwrap().chars().count()
}

#[test]
fn every_text_stays_within_the_limits_of_its_service() {
    let long = digest(vec!["<@&>*\u{1F600}".repeat(200); 20]);

    let slack = json_of(WebhookFormat::Slack, &long);
    let header = &slack["blocks"][0];
    assert_eq!((&header["type"], &header["text"]["type"]), (&"header".into(), &"plain_text".into()));
    assert!(chars(&header["text"]["text"]) <= 150);
    assert!((1..=3000).contains(&chars(&slack["blocks"][1]["text"]["text"])));
    assert!((1..=2000).contains(&chars(&json_of(WebhookFormat::Discord, &long)["content"])));
    // A card is at most 28 KB.
    assert!(message(WebhookFormat::Teams, "", &long).unwrap().body.len() < 28 * 1024);
    assert!(message(WebhookFormat::Ntfy, "", &long).unwrap().body.len() <= 4096);
}

#[test]
fn a_card_of_teams_is_an_attachment_of_a_message() {
    let card = json_of(WebhookFormat::Teams, &digest(vec!["Something happened.".into()]));

    assert_eq!(card["type"], "message");
    let attachment = &card["attachments"][0];
    assert_eq!(attachment["contentType"], "application/vnd.microsoft.card.adaptive");
    let content = &attachment["content"];
    assert_eq!((&content["type"], &content["version"]), (&"AdaptiveCard".into(), &"1.4".into()));
    for block in content["body"].as_array().unwrap() {
        assert_eq!(
            (&block["type"], &block["inlines"][0]["type"]),
            (&"RichTextBlock".into(), &"TextRun".into())
        );
    }
    assert_eq!(content["actions"][0]["url"], "https://glasshouse.example/d/shop.example");
}

#[test]
fn every_format_says_what_happened_where_and_how_many_more() {
    let happened = digest(vec!["Something happened".into()]);

    for format in SERVICES {
        let sent = message(format, "https://hooks.example", &happened).unwrap();
        let all = format!("{} {:?}", sent.body.replace('\\', ""), sent.headers);
        for part in ["Something happened", "shop.example", "And 7 more"] {
            assert!(all.contains(part), "{format:?} {part}: {all}");
        }
    }
    let mail = mail(&happened);
    assert!(mail.text.contains("- Something happened") && mail.html.contains("<li>Something happened</li>"));
}

#[test]
fn marks_of_each_service_are_escaped() {
    let hostile = digest(vec!["<!here> [a](https://evil.example) @everyone <b>&".into()]);

    let slack = json_of(WebhookFormat::Slack, &hostile);
    assert!(slack["blocks"][1]["text"]["text"].as_str().unwrap().contains("&lt;!here&gt;"));
    let discord = json_of(WebhookFormat::Discord, &hostile);
    let content = discord["content"].as_str().unwrap();
    assert!(content.contains("\\[a\\]\\(https\\:") && content.contains("\\@everyone"), "{content}");
    assert!(mail(&hostile).html.contains("&lt;b&gt;&amp;"));
}

/// Makes the text of a stranger: marks and mentions of every service, and longer than all of them take.
fn hostile_text() -> String {
    let marks = "<!channel> <@U1> @everyone @here **b** _i_ [a](https://evil.example) <b>&\"'\n\r\u{202e}";
    format!("{marks}{}", "x".repeat(10_000))
}

/// Makes a value of a schema: from its examples, or with `text` in place of every text.
fn value_of(schema: &Value, schemas: &[(String, RefOr<Schema>)], text: Option<&str>) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        let (_, found) = schemas.iter().find(|(known, _)| known == name).unwrap();
        return value_of(&serde_json::to_value(found).unwrap(), schemas, text);
    }
    let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
    match (kind.as_str(), schema["format"].as_str(), text) {
        (Some("object"), ..) => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(|(name, of)| (name.clone(), value_of(of, schemas, text))).collect()
        }
        (Some("array"), ..) => json!([value_of(&schema["items"], schemas, text)]),
        (Some("string"), Some("date-time"), _) => json!("2026-11-20T12:00:00.000Z"),
        (Some("string"), _, Some(text)) => json!(text),
        _ => schema["examples"][0].clone(),
    }
}

fn sentence_of(event: &EventDescription, text: Option<&str>) -> String {
    let schema = serde_json::to_value(&event.schemas[0].1).unwrap();
    let data = value_of(&schema, &event.schemas, text).to_string();
    let data = EventData::read(event.name, &data);
    data.unwrap_or_else(|| panic!("the schema of {} makes none of its data", event.name)).sentence()
}

/// Writes the message of every format about every event, then about every event with a stranger's texts, a line each.
fn all_messages() -> String {
    let hostile = hostile_text();
    let mut lines = String::new();
    for (format, text) in SERVICES.iter().flat_map(|format| [(format, None), (format, Some(&*hostile))]) {
        for event in descriptions() {
            let sentence = sentence_of(&event, text);
            if text.is_some() && sentence == sentence_of(&event, None) {
                continue;
            }
            let sent = message(*format, "https://ntfy.example/topic", &digest(vec![sentence])).unwrap();
            let message = match format {
                WebhookFormat::Ntfy => {
                    let header =
                        |name| sent.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value);
                    json!({ "topic": "topic", "message": sent.body, "title": header("title"), "click": header("click") })
                }
                _ => serde_json::from_str(&sent.body).unwrap(),
            };
            let line = json!({ "format": format.id(), "event": event.name, "hostile": text.is_some(), "message": message });
            writeln!(lines, "{line}").unwrap();
        }
    }
    lines
}

// `web/scripts/webhook-messages.test.mjs` checks `messages.jsonl` against the schemas of the services.
#[test]
fn the_messages_of_every_event_are_those_that_are_tried_on_the_schemas_of_the_services() {
    let made = all_messages();

    if made != include_str!("messages.jsonl") {
        let path = std::env::temp_dir().join("messages.jsonl");
        std::fs::write(&path, &made).unwrap();
        panic!("the messages have changed: copy {} to formats/messages.jsonl", path.display());
    }
}
