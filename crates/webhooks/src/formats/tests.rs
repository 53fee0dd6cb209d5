//! Messages of every format, against the limits that the services document.

use serde_json::Value;

use super::*;

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
