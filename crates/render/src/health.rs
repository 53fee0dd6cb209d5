//! Health of a domain's renders: emits an event when half of the last hour's renders fail, and when ten in a row succeed.
//! Outcomes are counted in memory and written every few seconds, for domains whose webhooks ask for it only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use accounts::AccountId;
use domains::{Domain, DomainId};
use platform::clock::Clock;
use platform::jobs::Jobs;
use store::{Db, DbError, Tx};
use webhooks::events::{RenderFailing, RenderRecovered};
use webhooks::{Condition, Events, NewEvent};

use super::queries::{self, MinuteOutcomes};

const FAILING: &str = "render.failing";
const RECOVERED: &str = "render.recovered";
/// Window of failing renders, in minutes.
const WINDOW: i64 = 60;
/// Time for which minutes are kept, in minutes: ten renders in a row may take longer than the window.
const KEPT: i64 = 24 * 60;
/// Renders that say something: in a window, and in a row.
const ENOUGH: i64 = 10;

/// Outcomes of this process's renders. Cheap to clone.
#[derive(Clone)]
pub struct RenderHealth {
    db: Db,
    clock: Clock,
    events: Events,
    counts: Arc<Mutex<HashMap<DomainId, Counted>>>,
}

/// Renders of a domain that are not written yet.
struct Counted {
    account: AccountId,
    host: String,
    outcomes: MinuteOutcomes,
}

/// State of a domain's renders.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Failing,
    Recovered,
    Unclear,
}

impl RenderHealth {
    pub fn new(db: &Db, clock: &Clock, jobs: &Jobs) -> RenderHealth {
        let events = Events::new(clock, jobs);
        RenderHealth { db: db.clone(), clock: clock.clone(), events, counts: Arc::default() }
    }

    /// Counts a render.
    pub fn note(&self, domain: &Domain, succeeded: bool) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = counts.entry(domain.id.clone()).or_insert_with(|| Counted {
            account: domain.account_id.clone(),
            host: domain.host.clone(),
            outcomes: MinuteOutcomes::default(),
        });
        let outcomes = &mut counted.outcomes;
        outcomes.tried += 1;
        match succeeded {
            true => outcomes.since_failure += 1,
            false => (outcomes.failed, outcomes.since_failure) = (outcomes.failed + 1, 0),
        }
    }

    /// Writes the counts, and emits the events that follow from them. Counts that cannot be written are lost.
    pub async fn flush(&self) -> Result<(), DbError> {
        let counts = std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner));
        if counts.is_empty() {
            return Ok(());
        }
        let listeners = self.events.listeners(&self.db, &[FAILING, RECOVERED]).await?;
        let is_heard = |counted: &Counted| {
            let has = |event| listeners.has(&counted.account, event, Some(&counted.host));
            has(FAILING) || has(RECOVERED)
        };
        let mut heard: Vec<(DomainId, Counted)> =
            counts.into_iter().filter(|(_, counted)| is_heard(counted)).collect();
        if heard.is_empty() {
            return Ok(());
        }
        // Processes lock rows in one order.
        heard.sort_by(|(a, _), (b, _)| a.cmp(b));
        let minute = self.clock.now().as_millis().div_euclid(60_000);
        let mut tx = self.db.write().await?;
        for (domain, counted) in &heard {
            queries::add_outcomes(&mut tx, (domain, minute), counted.outcomes).await?;
            self.judge(&mut tx, domain, counted, minute).await?;
        }
        queries::delete_outcomes_before(&mut tx, minute - KEPT).await?;
        tx.commit().await?;
        self.events.wake();
        Ok(())
    }

    async fn judge(
        &self,
        tx: &mut Tx,
        domain: &DomainId,
        counted: &Counted,
        minute: i64,
    ) -> Result<(), DbError> {
        let sums = queries::sum_outcomes(tx, domain, minute - WINDOW).await?;
        let newest = queries::list_newest_outcomes(tx, domain, ENOUGH).await?;
        let account = &counted.account;
        let condition = Condition { account, domain: Some(domain.as_str()), subject: "", kind: FAILING };
        let data = match verdict(sums, &newest) {
            Verdict::Failing if self.events.begin_condition(tx, &condition).await? => {
                RenderFailing { renders: sums.0.unsigned_abs(), failed: sums.1.unsigned_abs() }.into()
            }
            Verdict::Recovered if self.events.end_condition(tx, &condition).await? => {
                RenderRecovered { succeeded: ENOUGH.unsigned_abs() }.into()
            }
            _ => return Ok(()),
        };
        self.events.emit(tx, NewEvent { account, domain: Some(&counted.host), data }).await
    }
}

/// Judges renders: those of the window, tried and failed, and the newest minutes.
fn verdict((tried, failed): (i64, i64), newest: &[MinuteOutcomes]) -> Verdict {
    let mut in_a_row = 0;
    for minute in newest {
        in_a_row += minute.since_failure;
        if minute.failed > 0 {
            break;
        }
    }
    if in_a_row >= ENOUGH {
        Verdict::Recovered
    } else if tried >= ENOUGH && failed * 2 >= tried {
        Verdict::Failing
    } else {
        Verdict::Unclear
    }
}

#[cfg(test)]
mod tests {
    use platform::plans::Plan;
    use webhooks::testing::HeardEvents;

    use super::*;
    use crate::testing::*;

    fn minute(tried: i64, failed: i64, since_failure: i64) -> MinuteOutcomes {
        MinuteOutcomes { tried, failed, since_failure }
    }

    #[test]
    fn half_of_ten_renders_is_failing_and_fewer_say_nothing() {
        assert_eq!(verdict((10, 5), &[minute(10, 5, 3)]), Verdict::Failing);
        assert_eq!(verdict((9, 9), &[minute(9, 9, 0)]), Verdict::Unclear);
        assert_eq!(verdict((11, 5), &[minute(11, 5, 3)]), Verdict::Unclear);
    }

    #[test]
    fn ten_successes_in_a_row_are_counted_over_minutes_up_to_the_last_failure() {
        assert_eq!(verdict((30, 20), &[minute(4, 0, 4), minute(20, 10, 6)]), Verdict::Recovered);
        assert_eq!(
            verdict((30, 20), &[minute(4, 0, 4), minute(20, 10, 5), minute(9, 0, 9)]),
            Verdict::Failing
        );
    }

    #[tokio::test]
    async fn failing_renders_and_their_recovery_are_told_once_each() {
        TestApp::on_each_engine(async |app: TestApp| {
            let account = app.account("owner@shop.example", Plan::Business).await;
            let domain = app.domain(&account, "shop.example").await;
            let (platform, jobs) = (app.state.platform(), &app.state.jobs);
            let heard = HeardEvents::of(platform, jobs, &account.id, &[FAILING, RECOVERED]).await;
            let health = RenderHealth::new(&platform.db, &platform.clock, jobs);

            for (succeeded, renders) in [(false, 9), (false, 3), (true, 9), (true, 1), (true, 5)] {
                (0..renders).for_each(|_| health.note(&domain, succeeded));
                health.flush().await.unwrap();
                app.clock.advance(std::time::Duration::from_secs(60));
            }

            let told = [FAILING, RECOVERED].map(|name| (name.to_owned(), "shop.example".to_owned()));
            assert_eq!(heard.list().await, told);
        })
        .await;
    }
}
