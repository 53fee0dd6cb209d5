//! E-mail over the SMTP server of the settings. Used by digests.
//! Must never log or show an address, a password or a message.
//! See docs/decisions/0394.

use std::net::Ipv4Addr;
use std::time::Duration;

use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use url::{Host, Url};

use crate::config::Config;

/// Time that the mail server may take.
const SEND_TIME: Duration = Duration::from_secs(30);

/// Reason why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The address of the server or the sender cannot be read.
    #[error("mail.smtp_url or mail.from cannot be used: {0}")]
    BadSettings(&'static str),
    /// The recipient is none, or the text cannot be written.
    #[error("the message cannot be written")]
    BadMessage(#[source] lettre::error::Error),
    #[error("the recipient's address cannot be read")]
    BadRecipient(#[source] lettre::address::AddressError),
    /// The server could not be reached or said no.
    #[error("the mail server did not take the message")]
    NotTaken(#[source] lettre::transport::smtp::Error),
    #[error("the mail server took longer than {SEND_TIME:?}")]
    Timeout,
}

/// A message to one recipient.
#[derive(Debug, Clone, Copy)]
pub struct MailMessage<'a> {
    pub to: &'a str,
    pub subject: &'a str,
    pub text: &'a str,
    pub html: &'a str,
    /// Part before the `@` of its Message-ID: equal for one message that is sent again, so that readers show it once.
    pub id: &'a str,
    /// Address at which the recipient ends such messages; none for a message that was asked for.
    pub unsubscribe: Option<&'a str>,
}

/// `List-Unsubscribe` (RFC 2369): the address at which such messages end.
#[derive(Debug, Clone)]
struct ListUnsubscribe(String);

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(value: &str) -> Result<ListUnsubscribe, Box<dyn std::error::Error + Send + Sync>> {
        Ok(ListUnsubscribe(value.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

/// Sender of e-mail. Cheap to clone.
#[derive(Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Mailer {
    /// Reads the settings. None: no mail server is set.
    pub fn of_settings(config: &Config) -> Result<Option<Mailer>, MailError> {
        let Some(url) = config.mail.smtp_url.reveal() else { return Ok(None) };
        let bad = || MailError::BadSettings("smtp_url is no smtp:// or smtps:// address");
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| bad())?;
        let url = Url::parse(url).map_err(|_| bad())?;
        if url.scheme() == "smtp" {
            transport = transport.tls(starttls(&url).map_err(|_| bad())?);
        }
        let transport = transport.timeout(Some(SEND_TIME)).build();
        let from = config.mail.from.clone().unwrap_or_else(|| {
            let url = config.public_url();
            let host = Url::parse(&url).ok().and_then(|url| url.domain().map(str::to_owned));
            format!("Glasshouse <glasshouse@{}>", host.unwrap_or_else(|| "localhost".to_owned()))
        });
        let from = from.parse().map_err(|_| MailError::BadSettings("from is no address"))?;
        Ok(Some(Mailer { transport, from }))
    }

    /// Sends a message.
    pub async fn send(&self, message: MailMessage<'_>) -> Result<(), MailError> {
        let to: Mailbox = message.to.parse().map_err(MailError::BadRecipient)?;
        let parts = MultiPart::alternative()
            .singlepart(SinglePart::builder().header(ContentType::TEXT_PLAIN).body(message.text.to_owned()))
            .singlepart(SinglePart::builder().header(ContentType::TEXT_HTML).body(message.html.to_owned()));
        let id = format!("<{}@{}>", message.id, self.from.email.domain());
        let mut mail =
            Message::builder().from(self.from.clone()).to(to).subject(message.subject).message_id(Some(id));
        if let Some(address) = message.unsubscribe {
            mail = mail.header(ListUnsubscribe(format!("<{address}>")));
        }
        let mail = mail.multipart(parts).map_err(MailError::BadMessage)?;
        match tokio::time::timeout(SEND_TIME, self.transport.send(mail)).await {
            Ok(sent) => sent.map(drop).map_err(MailError::NotTaken),
            Err(_) => Err(MailError::Timeout),
        }
    }
}

/// Decides how an `smtp://` server is asked for TLS: insisted on, with a certificate for its name, unless it is this machine and
/// gets no password. There a server without TLS is taken, and any certificate.
fn starttls(url: &Url) -> Result<Tls, lettre::transport::smtp::Error> {
    let host = url.host_str().unwrap_or_default();
    let is_here = match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        // Of a scheme that browsers do not know, a host is a name as it was written.
        _ => host.parse::<Ipv4Addr>().map_or(host.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback()),
    };
    let insists =
        url.password().is_some() || url.query_pairs().any(|(key, value)| key == "tls" && value == "required");
    if insists || !is_here {
        return Ok(Tls::Required(TlsParameters::new(host.to_owned())?));
    }
    let any = TlsParameters::builder(host.to_owned()).dangerous_accept_invalid_certs(true).build()?;
    Ok(Tls::Opportunistic(any))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_or_another_machine_insists_on_tls() {
        let kind = |url: &str| match starttls(&Url::parse(url).unwrap()).unwrap() {
            Tls::Required(_) => "required",
            Tls::Opportunistic(_) => "asked for",
            _ => "none",
        };

        for url in [
            "smtp://user:secret@mail.example",
            "smtp://user:secret@localhost",
            "smtp://user:secret@127.0.0.1:2525?tls=opportunistic",
            "smtp://mail.example",
            "smtp://10.0.0.5:25",
            "smtp://localhost.example",
            "smtp://127.0.0.1?tls=required",
        ] {
            assert_eq!(kind(url), "required", "{url}");
        }
        for url in ["smtp://localhost", "smtp://127.0.0.1:2525", "smtp://[::1]", "smtp://user@LOCALHOST"] {
            assert_eq!(kind(url), "asked for", "{url}");
        }
    }

    fn mailer(settings: &str) -> Result<Option<Mailer>, MailError> {
        Mailer::of_settings(&Config::from_toml(settings).expect("settings of a test"))
    }

    #[test]
    fn no_mail_server_is_no_mailer() {
        assert!(mailer("").unwrap().is_none());
    }

    #[test]
    fn settings_that_cannot_be_used_are_named_without_the_password() {
        let refused = mailer("[mail]\nsmtp_url = \"https://user:secret@mail.example\"").err().unwrap();

        assert!(!refused.to_string().contains("secret"), "{refused}");
        assert!(
            mailer("[mail]\nsmtp_url = \"smtps://user:secret@mail.example\"\nfrom = \"nobody\"").is_err()
        );
    }
}
