//! Emission of events: an event and its deliveries are written in the transaction of what happened. Used by every feature.
//! An account without a webhook for an event costs one read.

use accounts::AccountId;
use platform::clock::{Clock, Timestamp};
use platform::ids::new_id;
use platform::jobs::{Job, Jobs, NewJob};
use store::{Db, DbError, Tx};

use crate::events::EventData;
use crate::jobs::{SendDelivery, SendGathered};
use crate::model::{DeliveryId, Webhook};
use crate::queries::{self, NewDelivery, StoredEvent};

/// An event to deliver.
#[derive(Debug, Clone)]
pub struct NewEvent<'a> {
    pub account: &'a AccountId,
    /// Name of the domain; none: an event of the account.
    pub domain: Option<&'a str>,
    pub data: EventData,
}

/// Emitter of events. Cheap to clone.
#[derive(Clone)]
pub struct Events {
    clock: Clock,
    jobs: Jobs,
}

/// Domains whose events of one kind have a recipient.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listeners(pub(crate) Vec<(AccountId, Webhook)>);

impl Listeners {
    /// Returns true when an event of this domain has a recipient.
    pub fn has(&self, account: &AccountId, event: &str, domain: Option<&str>) -> bool {
        self.0.iter().any(|(owner, webhook)| owner == account && webhook.hears(event, domain))
    }

    /// Returns true when nobody listens.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lists the accounts, each once.
    pub fn accounts(&self) -> Vec<AccountId> {
        let mut accounts: Vec<AccountId> = self.0.iter().map(|(account, _)| account.clone()).collect();
        accounts.sort();
        accounts.dedup();
        accounts
    }
}

impl Events {
    /// Makes the emitter.
    pub fn new(clock: &Clock, jobs: &Jobs) -> Events {
        Events { clock: clock.clone(), jobs: jobs.clone() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Emits an event in the caller's transaction. After the commit, [`Events::wake`] has the deliveries sent at once.
    pub async fn emit(&self, tx: &mut Tx, event: NewEvent<'_>) -> Result<(), DbError> {
        self.emit_once(tx, new_id(), event).await
    }

    /// Emits an event with an id of the caller's, unless there is an event with the id.
    pub async fn emit_once(&self, tx: &mut Tx, id: String, event: NewEvent<'_>) -> Result<(), DbError> {
        let name = event.data.name();
        let mut webhooks = queries::list_webhooks(tx, event.account).await?;
        webhooks.retain(|webhook| webhook.hears(name, event.domain));
        if webhooks.is_empty() {
            return Ok(());
        }
        self.deliver(tx, id, &event, &webhooks).await.map(drop)
    }

    /// Writes an event with a delivery to each of these webhooks, unless there is an event with the id.
    pub(crate) async fn deliver(
        &self,
        tx: &mut Tx,
        id: String,
        event: &NewEvent<'_>,
        webhooks: &[Webhook],
    ) -> Result<Vec<DeliveryId>, DbError> {
        let now = self.now();
        let stored = StoredEvent {
            id,
            account_id: event.account.to_string(),
            name: event.data.name().to_owned(),
            domain: event.domain.map(str::to_owned),
            data: event.data.to_json(),
            created_at: now.as_millis(),
        };
        if !queries::insert_event(tx, &stored).await? {
            return Ok(Vec::new());
        }
        let (mut ids, mut jobs) = (Vec::new(), Vec::new());
        for webhook in webhooks {
            let is_test = matches!(event.data, EventData::WebhookTest(_));
            let delivery = NewDelivery {
                id: DeliveryId::generate(),
                webhook: &webhook.id,
                event: &stored,
                is_single: is_test || !webhook.format.is_for_people(),
            };
            queries::insert_delivery(tx, &delivery).await?;
            jobs.push(job_of(event.account, webhook, &delivery));
            ids.push(delivery.id);
        }
        self.jobs.enqueue(tx, jobs).await?;
        Ok(ids)
    }

    /// Queues a delivery by itself once more.
    pub(crate) async fn queue_again(
        &self,
        tx: &mut Tx,
        account: &AccountId,
        (webhook, delivery, round): (&Webhook, &DeliveryId, i64),
    ) -> Result<(), DbError> {
        let job = single_job(account, webhook, delivery, round);
        self.jobs.enqueue(tx, vec![job]).await.map(drop)
    }

    /// Lists the webhooks that hear one of these events, of all accounts: for what is looked at by schedule.
    pub async fn listeners(&self, db: &Db, events: &[&str]) -> Result<Listeners, DbError> {
        let mut all = queries::list_all_enabled(&mut db.read().await?).await?;
        all.retain(|(_, webhook)| webhook.events.iter().any(|event| events.contains(&event.as_str())));
        Ok(Listeners(all))
    }

    /// Tells this process's worker that there may be something to send.
    pub fn wake(&self) {
        self.jobs.wake();
    }
}

fn job_of(account: &AccountId, webhook: &Webhook, delivery: &NewDelivery<'_>) -> NewJob {
    if delivery.is_single {
        return single_job(account, webhook, &delivery.id, 0);
    }
    let domain = delivery.event.domain.clone().unwrap_or_default();
    let key = format!("{}\n{domain}", webhook.id);
    SendGathered { webhook: webhook.id.clone(), domain }.queued_for(account.as_str()).unique(key)
}

/// Makes the job of one delivery. A webhook is a lane: a slow receiver takes few slots from the others.
fn single_job(account: &AccountId, webhook: &Webhook, delivery: &DeliveryId, round: i64) -> NewJob {
    let job = SendDelivery { delivery: delivery.clone(), round };
    job.queued_for(account.as_str()).lane(format!("webhook:{}", webhook.id))
}
