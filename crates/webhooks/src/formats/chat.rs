//! Messages of chat services, by their documented schemas: Slack's incoming webhooks, Discord's webhooks, Workflows of Microsoft
//! Teams, topics of ntfy. Pure.

use http::HeaderName;
use platform::notify::webhook::WebhookMessage;
use serde_json::{Value, json};

use super::{Digest, shortened};

/// Longest texts of Slack: of a header and of a section.
const SLACK_HEADER: usize = 150;
const SLACK_SECTION: usize = 3_000;
/// Longest content of a message of Discord.
const DISCORD_CONTENT: usize = 2_000;
/// Flag of Discord: links show no previews.
const SUPPRESS_EMBEDS: u32 = 1 << 2;
/// Longest message of ntfy, in bytes; a longer one would become an attachment.
const NTFY_BYTES: usize = 4_096;

/// Writes the message of an incoming webhook of Slack.
pub fn slack(digest: &Digest<'_>) -> Value {
    // Text between < and > is a link or a mention.
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let lines: Vec<String> = digest.lines().iter().map(|line| format!("• {}", escaped(line))).collect();
    let text = whole_lines(&lines, SLACK_SECTION);
    let title = escaped(&digest.title());
    json!({
        "text": title,
        "blocks": [
            { "type": "header", "text": { "type": "plain_text", "text": shortened(&title, SLACK_HEADER), "emoji": false } },
            { "type": "section", "text": { "type": "plain_text", "text": text, "emoji": false } },
            { "type": "context", "elements": [{ "type": "mrkdwn", "text": format!("<{}|Open the dashboard>", digest.link()) }] },
        ],
        "unfurl_links": false,
    })
}

/// Writes the message of a webhook of Discord.
pub fn discord(digest: &Digest<'_>) -> Value {
    let escaped = |text: &str| -> String {
        let marks = "\\*_~`|>#-+[]()<@:.";
        text.chars().flat_map(|c| marks.contains(c).then_some('\\').into_iter().chain([c])).collect()
    };
    let (title, link) = (escaped(&digest.title()), digest.link());
    let lines: Vec<String> = digest.lines().iter().map(|line| format!("• {}", escaped(line))).collect();
    let room = DISCORD_CONTENT.saturating_sub(title.chars().count() + link.chars().count() + 10);
    let content = format!("**{title}**\n{}\n<{link}>", whole_lines(&lines, room));
    json!({ "content": content, "allowed_mentions": { "parse": [] }, "flags": SUPPRESS_EMBEDS })
}

/// Writes the message of a workflow of Microsoft Teams: an Adaptive Card.
pub fn teams(digest: &Digest<'_>) -> Value {
    // A text run has no marks; a text block would read Markdown.
    let run = |text: &str, weight: &str| json!({ "type": "RichTextBlock", "inlines": [{ "type": "TextRun", "text": text, "weight": weight }] });
    let mut body = vec![run(&digest.title(), "bolder")];
    body.extend(digest.lines().iter().map(|line| run(line, "default")));
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": body,
                "actions": [{ "type": "Action.OpenUrl", "title": "Open the dashboard", "url": digest.link() }],
            },
        }],
    })
}

/// Writes the message to a topic of ntfy, which shows a text as it is.
pub fn ntfy(url: &str, digest: &Digest<'_>) -> WebhookMessage {
    let mut body = digest.lines().join("\n");
    if body.len() > NTFY_BYTES {
        body.truncate(body.floor_char_boundary(NTFY_BYTES));
    }
    let headers = vec![
        (HeaderName::from_static("title"), digest.title()),
        (HeaderName::from_static("click"), digest.link()),
    ];
    WebhookMessage { url: url.to_owned(), content_type: "text/plain; charset=utf-8", headers, body }
}

/// Joins as many lines as have room.
fn whole_lines(lines: &[String], room: usize) -> String {
    let mut text = String::new();
    let mut length = 0;
    for line in lines {
        length += line.chars().count() + 1;
        if length > room {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}
