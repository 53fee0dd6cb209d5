//! Webhooks and deliveries as they are stored and answered. Pure.

use platform::clock::Timestamp;
use platform::ids::id_type;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

id_type! {
    /// Identifies a webhook.
    WebhookId
}
id_type! {
    /// Identifies a delivery of an event to a webhook.
    DeliveryId
}

/// Maximum number of webhooks of an account.
pub const MOST_WEBHOOKS: usize = 20;
/// Longest address, in bytes.
const URL_BYTES: usize = 2048;

/// Form of a webhook's messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookFormat {
    /// JSON for programs, signed.
    #[default]
    Standard,
    /// Incoming webhook of Slack.
    Slack,
    /// Webhook of a Discord channel.
    Discord,
    /// Workflow of Microsoft Teams, which gets an Adaptive Card.
    Teams,
    /// Topic of ntfy, as a text.
    Ntfy,
    /// E-mail to a person of the account.
    Email,
}

impl WebhookFormat {
    const ALL: [WebhookFormat; 6] = [
        WebhookFormat::Standard,
        WebhookFormat::Slack,
        WebhookFormat::Discord,
        WebhookFormat::Teams,
        WebhookFormat::Ntfy,
        WebhookFormat::Email,
    ];

    /// Returns the text in the database.
    pub const fn id(self) -> &'static str {
        match self {
            WebhookFormat::Standard => "standard",
            WebhookFormat::Slack => "slack",
            WebhookFormat::Discord => "discord",
            WebhookFormat::Teams => "teams",
            WebhookFormat::Ntfy => "ntfy",
            WebhookFormat::Email => "email",
        }
    }

    /// Parses the text in the database.
    pub fn stored(text: &str) -> Option<WebhookFormat> {
        WebhookFormat::ALL.into_iter().find(|format| format.id() == text)
    }

    /// Returns true for formats that people read: their events are gathered into messages.
    pub fn is_for_people(self) -> bool {
        self != WebhookFormat::Standard
    }
}

/// Webhook as it is stored; its address may be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: WebhookId,
    pub url: String,
    pub format: WebhookFormat,
    pub events: Vec<String>,
    /// Names of domains; empty: all, and the account.
    pub domains: Vec<String>,
    pub enabled: bool,
    /// Reason why the webhook was switched off.
    pub problem: Option<String>,
    pub created_at: Timestamp,
}

impl Webhook {
    /// Decides whether the webhook receives an event of a domain, or of the account.
    pub fn hears(&self, event: &str, domain: Option<&str>) -> bool {
        let is_in_scope = match domain {
            _ if self.domains.is_empty() => true,
            Some(domain) => self.domains.iter().any(|listed| listed == domain),
            None => false,
        };
        self.enabled && is_in_scope && self.events.iter().any(|listed| listed == event)
    }

    /// Returns the host of the address: of an e-mail address, the part after the `@`.
    pub fn host(&self) -> String {
        match email_of(&self.url) {
            Some(address) => address.rsplit('@').next().unwrap_or_default().to_owned(),
            None => Url::parse(&self.url)
                .ok()
                .and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_default(),
        }
    }
}

/// Returns the address of a `mailto:` URL without parameters.
pub fn email_of(url: &str) -> Option<&str> {
    let address = url.strip_prefix("mailto:")?;
    let is_plain =
        !address.contains(['?', '#', '%', ',', '<', '>', '"']) && !address.contains(char::is_whitespace);
    is_plain.then_some(address)
}

/// Checks the address of a webhook that is not an e-mail address. The error is a sentence for the caller.
pub fn check_url(url: &str, format: WebhookFormat) -> Result<(), &'static str> {
    if url.len() > URL_BYTES {
        return Err("is longer than 2048 bytes");
    }
    let parsed =
        Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(parsed) = parsed else { return Err("is not an absolute http or https address") };
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("must not contain a user or a password");
    }
    if format == WebhookFormat::Ntfy && parsed.path().trim_matches('/').is_empty() {
        return Err("must name a topic, as in https://ntfy.sh/topic");
    }
    Ok(())
}

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// Not sent yet, or tried again later.
    Waiting,
    Delivered,
    Failed,
}

impl DeliveryState {
    /// Returns the text in the database.
    pub const fn id(self) -> &'static str {
        match self {
            DeliveryState::Waiting => "waiting",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Failed => "failed",
        }
    }

    /// Parses the text in the database.
    pub fn stored(text: &str) -> DeliveryState {
        match text {
            "delivered" => DeliveryState::Delivered,
            "failed" => DeliveryState::Failed,
            _ => DeliveryState::Waiting,
        }
    }
}

/// An attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAttempt {
    pub at: Timestamp,
    /// Status of the answer; null: there was none.
    #[schema(required = true, examples(200))]
    pub status: Option<u16>,
    #[schema(examples(84))]
    pub duration_ms: u64,
    /// Reason why the message was not taken; null: it was.
    #[schema(required = true, examples("the server answered 500 Internal Server Error"))]
    pub error: Option<String>,
}

/// A delivery of an event to a webhook.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryInfo {
    pub id: DeliveryId,
    /// Name of the event.
    #[schema(examples("audit.completed"))]
    pub event: String,
    /// `webhook-id` of the message: equal for all deliveries of one event.
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub event_id: String,
    /// Null: an event of the account.
    #[schema(required = true, examples("shop.example"))]
    pub domain: Option<String>,
    pub created_at: Timestamp,
    pub state: DeliveryState,
    pub attempts: Vec<DeliveryAttempt>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(domains: &[&str]) -> Webhook {
        Webhook {
            id: WebhookId::generate(),
            url: "https://hooks.example/x".into(),
            format: WebhookFormat::Standard,
            events: vec!["audit.completed".into(), "limit.near".into()],
            domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
            enabled: true,
            problem: None,
            created_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn events_of_the_account_are_told_to_webhooks_of_all_domains_only() {
        assert!(webhook(&[]).hears("limit.near", None));
        assert!(!webhook(&["shop.example"]).hears("limit.near", None));
    }

    #[test]
    fn a_webhook_hears_its_events_of_its_domains_while_it_is_on() {
        let of_shop = webhook(&["shop.example"]);

        assert!(of_shop.hears("audit.completed", Some("shop.example")));
        assert!(!of_shop.hears("audit.completed", Some("other.example")));
        assert!(!of_shop.hears("batch.finished", Some("shop.example")));
        assert!(!Webhook { enabled: false, ..of_shop }.hears("audit.completed", Some("shop.example")));
    }

    #[test]
    fn an_address_is_an_http_address_without_a_user() {
        let check = |url| check_url(url, WebhookFormat::Standard);

        assert!(check("https://hooks.example/x?y=z").is_ok());
        for url in [
            "hooks.example",
            "ftp://hooks.example",
            "https://me@hooks.example",
            "https://:p@h.example",
            "mailto:a@b.example",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
        assert!(check_url("https://ntfy.example/", WebhookFormat::Ntfy).is_err());
    }

    #[test]
    fn an_e_mail_address_has_no_parameters() {
        assert_eq!(email_of("mailto:ada@shop.example"), Some("ada@shop.example"));
        for url in ["mailto:a@b.example?cc=x@y.example", "mailto:a@b.example,c@d.example", "a@b.example"] {
            assert_eq!(email_of(url), None, "{url}");
        }
    }
}
