//! Texts of the two mails about people, plain and as HTML. Pure but for sending.
//! Addresses are untrusted: every form escapes them.

use platform::notify::mail::{MailError, MailMessage, Mailer};

use crate::model::Email;
use platform::api::access::PersonRole;
use platform::ids::new_id;

/// A mail with one link.
pub(super) struct LinkMail {
    subject: &'static str,
    /// Sentences before the link.
    before: String,
    link: String,
    /// Words on the link.
    action: &'static str,
    /// Sentences after the link.
    after: &'static str,
}

/// Writes an invitation.
pub(super) fn invitation(inviter: &str, account: &str, role: PersonRole, link: &str) -> LinkMail {
    LinkMail {
        subject: "Invitation to Glasshouse",
        before: format!("{inviter} invites you to the account {account} on Glasshouse, as {}.", role.id()),
        link: link.to_owned(),
        action: "Accept the invitation",
        after: "The link works once and for seven days. If you do not know who sent it, do nothing.",
    }
}

/// Writes a link to another password.
pub(super) fn reset(link: &str) -> LinkMail {
    LinkMail {
        subject: "Set another password for Glasshouse",
        before: "Somebody asked for another password for this address on Glasshouse.".to_owned(),
        link: link.to_owned(),
        action: "Set another password",
        after: "The link works once and for an hour. If it was not you, do nothing: your password stays as it is.",
    }
}

impl LinkMail {
    /// Sends the mail.
    pub(super) async fn send(&self, mailer: &Mailer, to: &Email) -> Result<(), MailError> {
        let (text, html) = (self.text(), self.html());
        let id = new_id();
        let message = MailMessage {
            to: to.as_str(),
            subject: self.subject,
            text: &text,
            html: &html,
            id: &id,
            unsubscribe: None,
        };
        mailer.send(message).await
    }

    fn text(&self) -> String {
        format!("{}\n\n{}:\n{}\n\n{}\n", self.before, self.action, self.link, self.after)
    }

    fn html(&self) -> String {
        format!(
            "<!doctype html><html lang=\"en\"><body style=\"font-family:sans-serif;line-height:1.5\"><p>{}</p>\
             <p><a href=\"{}\">{}</a></p><p>{}</p></body></html>",
            escaped(&self.before),
            escaped(&self.link),
            self.action,
            self.after
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_text_in_the_html_of_an_invitation() {
        let mail =
            invitation("\"<b>\"@x.example", "owner@x.example", PersonRole::Editor, "https://g/invitation#t");

        assert!(mail.html().contains("&quot;&lt;b&gt;&quot;@x.example"), "{}", mail.html());
        assert!(mail.html().contains("href=\"https://g/invitation#t\""));
        assert!(mail.text().contains("\nhttps://g/invitation#t\n"));
    }
}
