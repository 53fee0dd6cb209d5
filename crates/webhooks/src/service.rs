//! Webhooks of accounts: made, changed, listed, and their deliveries. Secrets and addresses are sealed.

use std::sync::Arc;
use std::time::Duration;

use accounts::AccountId;
use platform::Platform;
use platform::clock::Timestamp;
use platform::ids::new_id;
use platform::secret::{SealKey, Secrets};
use store::{Db, DbError};

use crate::emitting::{Events, NewEvent};
use crate::events::{EventData, WebhookTest};
use crate::model::{
    DeliveryAttempt, DeliveryId, DeliveryInfo, DeliveryState, MOST_WEBHOOKS, Webhook, WebhookFormat,
    WebhookId,
};
use crate::queries::{self, DeliveryRow, WebhookRow};
use crate::signing;

/// Time for which the secret before a rotation signs too.
const BOTH_SIGN: Duration = Duration::from_secs(24 * 3600);

/// Key that addresses and secrets of webhooks are sealed with.
pub struct Seals(SealKey);

impl Seals {
    pub fn new(secrets: &Secrets) -> Seals {
        Seals(secrets.seal_key("webhooks"))
    }

    fn seal(&self, text: &str, id: &WebhookId) -> String {
        self.0.seal(text.as_bytes(), &context_of(id))
    }

    /// Opens a sealed text. None: it was sealed with another secret.
    pub fn open(&self, sealed: &str, context: &str) -> Option<String> {
        String::from_utf8(self.0.open(sealed, context)?).ok()
    }

    /// Returns the secrets that sign now, the newest first.
    pub fn secrets_of(&self, row: &WebhookRow, now: Timestamp) -> Vec<String> {
        let previous =
            row.previous_secret.iter().filter(|_| row.previous_until.is_some_and(|until| until > now));
        let context = context_of(&row.webhook.id);
        row.secret.iter().chain(previous).filter_map(|sealed| self.open(sealed, &context)).collect()
    }
}

/// Returns the text that binds a sealed value to its webhook.
pub fn context_of(id: &WebhookId) -> String {
    id.to_string()
}

/// A webhook that is to be made.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    pub url: String,
    pub format: WebhookFormat,
    pub events: Vec<String>,
    pub domains: Vec<String>,
}

/// Change of a webhook. What is none stays.
#[derive(Debug, Clone, Default)]
pub struct WebhookChange {
    pub url: Option<String>,
    pub events: Option<Vec<String>>,
    pub domains: Option<Vec<String>>,
    pub enabled: Option<bool>,
}

/// Webhooks of accounts. Cheap to clone.
#[derive(Clone)]
pub struct Webhooks {
    db: Db,
    seals: Arc<Seals>,
    events: Events,
}

impl Webhooks {
    /// Makes the service.
    pub fn new(platform: &Platform, events: &Events) -> Webhooks {
        Webhooks {
            db: platform.db.clone(),
            seals: Arc::new(Seals::new(&platform.secrets)),
            events: events.clone(),
        }
    }

    fn opened(&self, mut webhook: Webhook) -> Webhook {
        webhook.url = self.seals.open(&webhook.url, &context_of(&webhook.id)).unwrap_or_default();
        webhook
    }

    /// Lists the webhooks of an account, the oldest first.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<Webhook>, DbError> {
        let webhooks = queries::list_webhooks(&mut self.db.read().await?, account).await?;
        Ok(webhooks.into_iter().map(|webhook| self.opened(webhook)).collect())
    }

    /// Finds a webhook of an account.
    pub async fn find(&self, account: &AccountId, id: &WebhookId) -> Result<Option<Webhook>, DbError> {
        let row = queries::find_webhook(&mut self.db.read().await?, id).await?;
        Ok(row.filter(|row| row.account == *account).map(|row| self.opened(row.webhook)))
    }

    /// Makes a webhook, and its secret if the format has one. None: the account has [`MOST_WEBHOOKS`].
    pub async fn create(
        &self,
        account: &AccountId,
        new: NewWebhook,
    ) -> Result<Option<(Webhook, Option<String>)>, DbError> {
        let id = WebhookId::generate();
        let secret = (new.format == WebhookFormat::Standard).then(signing::new_secret);
        let webhook = Webhook {
            url: self.seals.seal(&new.url, &id),
            format: new.format,
            events: new.events,
            domains: new.domains,
            enabled: true,
            problem: None,
            created_at: self.events.now(),
            id: id.clone(),
        };
        let row = WebhookRow {
            account: account.clone(),
            secret: secret.as_ref().map(|secret| self.seals.seal(secret, &id)),
            previous_secret: None,
            previous_until: None,
            failing_since: None,
            webhook,
        };
        let mut tx = self.db.write().await?;
        accounts::lock_account(&mut tx, account).await?;
        let most = i64::try_from(MOST_WEBHOOKS).unwrap_or(i64::MAX);
        if !queries::insert_webhook(&mut tx, &row, most).await? {
            return Ok(None);
        }
        tx.commit_durably().await?;
        Ok(Some((self.opened(row.webhook), secret)))
    }

    /// Changes a webhook. Switching it on clears its problem; another address begins without failures. None: it is gone.
    pub async fn change(&self, id: &WebhookId, change: WebhookChange) -> Result<Option<Webhook>, DbError> {
        let mut tx = self.db.write().await?;
        let Some(mut row) = queries::find_webhook(&mut tx, id).await? else { return Ok(None) };
        let webhook = &mut row.webhook;
        if let Some(url) = change.url {
            webhook.url = self.seals.seal(&url, id);
            row.failing_since = None;
        }
        webhook.events = change.events.unwrap_or(std::mem::take(&mut webhook.events));
        webhook.domains = change.domains.unwrap_or(std::mem::take(&mut webhook.domains));
        if let Some(enabled) = change.enabled {
            webhook.enabled = enabled;
            if enabled {
                (webhook.problem, row.failing_since) = (None, None);
            }
        }
        queries::update_webhook(&mut tx, &row).await?;
        tx.commit_durably().await?;
        Ok(Some(self.opened(row.webhook)))
    }

    /// Deletes a webhook with its deliveries.
    pub async fn delete(&self, id: &WebhookId) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::delete_webhook(&mut tx, id).await?;
        tx.commit_durably().await
    }

    /// Makes another secret; the one before signs too for a day. None: the webhook is gone, or its format has no secret.
    pub async fn rotate(&self, id: &WebhookId) -> Result<Option<String>, DbError> {
        let mut tx = self.db.write().await?;
        let row = queries::find_webhook(&mut tx, id).await?;
        let Some(mut row) = row.filter(|row| row.secret.is_some()) else { return Ok(None) };
        let secret = signing::new_secret();
        row.previous_secret = row.secret.replace(self.seals.seal(&secret, id));
        row.previous_until = Some(self.events.now().plus(BOTH_SIGN));
        queries::update_webhook(&mut tx, &row).await?;
        tx.commit_durably().await?;
        Ok(Some(secret))
    }

    /// Sends a test to a webhook. Returns the delivery.
    pub async fn test(&self, account: &AccountId, webhook: &Webhook) -> Result<DeliveryId, DbError> {
        let message = "This is a test of a webhook of Glasshouse.".to_owned();
        let event = NewEvent { account, domain: None, data: EventData::from(WebhookTest { message }) };
        let mut tx = self.db.write().await?;
        let mut ids = self.events.deliver(&mut tx, new_id(), &event, std::slice::from_ref(webhook)).await?;
        tx.commit_durably().await?;
        self.events.wake();
        Ok(ids.pop().expect("one webhook gets one delivery"))
    }

    /// Lists deliveries of a webhook, the newest first, and counts all.
    pub async fn list_deliveries(
        &self,
        webhook: &WebhookId,
        page: (i64, i64),
    ) -> Result<(Vec<DeliveryInfo>, u64), DbError> {
        let mut conn = self.db.read().await?;
        let rows = queries::list_deliveries(&mut conn, webhook, page).await?;
        let total = queries::count_deliveries(&mut conn, webhook).await?;
        Ok((rows.into_iter().map(info_of).collect(), total.unsigned_abs()))
    }

    /// Sends a delivery once more, by itself. Returns false when the webhook has no such delivery.
    pub async fn redeliver(
        &self,
        account: &AccountId,
        webhook: &Webhook,
        delivery: &DeliveryId,
    ) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let Some(round) = queries::restart(&mut tx, (&webhook.id, delivery)).await? else {
            return Ok(false);
        };
        self.events.queue_again(&mut tx, account, (webhook, delivery, round)).await?;
        tx.commit_durably().await?;
        self.events.wake();
        Ok(true)
    }
}

fn info_of(row: DeliveryRow) -> DeliveryInfo {
    let attempts: Vec<DeliveryAttempt> = serde_json::from_str(&row.attempts).unwrap_or_default();
    DeliveryInfo {
        id: row.id.into(),
        event: row.name,
        event_id: row.event_id,
        domain: row.domain,
        created_at: Timestamp::from_millis(row.created_at),
        state: DeliveryState::stored(&row.state),
        attempts,
    }
}
