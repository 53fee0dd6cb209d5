//! Messages to people: one text about a domain, in the form of each service. Pure. All sentences are untrusted: they are
//! escaped wherever the service would read marks in them, and nobody is mentioned.

mod chat;
mod email;

use platform::notify::webhook::WebhookMessage;

use crate::model::WebhookFormat;

pub use email::mail;

/// Events of a domain, in sentences.
#[derive(Debug, Clone)]
pub struct Digest<'a> {
    /// Name of the domain; empty: the account.
    pub domain: &'a str,
    /// Sentences of the oldest events.
    pub sentences: Vec<String>,
    /// Number of events beyond these.
    pub more: u64,
    /// Address of the dashboard.
    pub public_url: &'a str,
}

impl Digest<'_> {
    fn title(&self) -> String {
        match self.domain {
            "" => "Glasshouse: your account".to_owned(),
            domain => format!("Glasshouse: {domain}"),
        }
    }

    fn link(&self) -> String {
        let root = self.public_url.trim_end_matches('/');
        match self.domain {
            "" => format!("{root}/account"),
            domain => format!("{root}/d/{domain}"),
        }
    }

    /// Lists the sentences, and the number of those that are left out. Each is one line.
    fn lines(&self) -> Vec<String> {
        let one_line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut lines: Vec<String> =
            self.sentences.iter().map(|sentence| shortened(&one_line(sentence), 300)).collect();
        if self.more > 0 {
            lines.push(format!("And {} more.", self.more));
        }
        lines
    }
}

/// Makes the request of a format. None: the format is e-mail.
pub fn message(format: WebhookFormat, url: &str, digest: &Digest<'_>) -> Option<WebhookMessage> {
    let body = match format {
        WebhookFormat::Slack => chat::slack(digest),
        WebhookFormat::Discord => chat::discord(digest),
        WebhookFormat::Teams => chat::teams(digest),
        WebhookFormat::Ntfy => return Some(chat::ntfy(url, digest)),
        WebhookFormat::Email | WebhookFormat::Standard => return None,
    };
    Some(WebhookMessage {
        url: url.to_owned(),
        content_type: "application/json",
        headers: Vec::new(),
        body: body.to_string(),
    })
}

/// Cuts a text to this number of characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}

#[cfg(test)]
mod tests;
