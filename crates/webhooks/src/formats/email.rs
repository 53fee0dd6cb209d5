//! E-mail about events, as text and as HTML. Pure.

use super::Digest;

/// Texts of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventMail {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// Writes a mail.
pub fn mail(digest: &Digest<'_>) -> EventMail {
    let (title, link, lines) = (digest.title(), digest.link(), digest.lines());
    let list: String = lines.iter().map(|line| format!("<li>{}</li>", escaped(line))).collect();
    EventMail {
        text: format!(
            "{}\n\n{link}\n",
            lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
        ),
        html: format!(
            "<!doctype html><html lang=\"en\"><body><h1>{}</h1><ul>{list}</ul><p><a href=\"{}\">Open the dashboard</a></p></body></html>",
            escaped(&title),
            escaped(&link)
        ),
        subject: title,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
