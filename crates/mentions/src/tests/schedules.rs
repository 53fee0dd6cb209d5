//! Schedules: due targets become runs, missed slots are one, money and permissions postpone.

use crate::testing::*;
use std::time::Duration;

use assistants::providers::Provider;

use super::fixture::{Monitored, QUESTION};
use crate::jobs::QueueDuePrompts;
use crate::model::MonitorInterval;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_dynamic_prompt_is_asked_daily_at_first() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;

        for _ in 0..36 {
            monitored.app.clock.advance(HOUR);
            monitored.run_job(&QueueDuePrompts {}).await;
        }
        // A slot that is looked at late is spread over a quarter of an hour.
        monitored.app.clock.advance(Duration::from_secs(900));
        monitored.run_jobs().await;

        let runs = monitored.runs().await;
        assert_eq!(Monitored::statuses(&runs), ["ok", "ok"], "{runs:?}");
        assert_eq!(runs[1].reason, "scheduled");
    })
    .await;
}

#[tokio::test]
async fn slots_that_were_missed_are_one() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;

        monitored.app.clock.advance(DAY * 20);
        monitored.run_job(&QueueDuePrompts {}).await;
        // Missed slots are spread over a quarter of an hour.
        monitored.app.clock.advance(Duration::from_secs(900));
        monitored.run_job(&QueueDuePrompts {}).await;

        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok", "ok"]);
    })
    .await;
}

#[tokio::test]
async fn a_weekly_prompt_waits_a_week_after_its_last_success() {
    Monitored::on_each_engine(async |monitored| {
        let prompt = monitored.prompt_with(QUESTION, &[Provider::Chatgpt], MonitorInterval::Weekly).await;
        monitored.run_jobs().await;
        monitored.app.clock.advance(DAY * 5);
        monitored.run_now(&prompt, Provider::Chatgpt, 1).await;
        monitored.run_jobs().await;

        monitored.app.clock.advance(DAY * 3);
        monitored.run_job(&QueueDuePrompts {}).await;
        let early = monitored.runs().await.len();
        monitored.app.clock.advance(DAY * 4 + HOUR);
        monitored.run_job(&QueueDuePrompts {}).await;
        monitored.app.clock.advance(HOUR);
        monitored.run_jobs().await;

        assert_eq!(early, 2);
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok"; 3]);
    })
    .await;
}

#[tokio::test]
async fn due_targets_that_cannot_be_paid_wait_for_the_next_day_of_their_budget() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        monitored.app.clock.advance(DAY * 2);
        monitored
            .execute("update mention_budgets set spent_nanos = 50000000000 where scope = 'installation'")
            .await;

        monitored.run_job(&QueueDuePrompts {}).await;

        // Nothing stays open that keeps a report waiting.
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok"]);
        assert_eq!(
            monitored.number("select count(*) from mention_targets where postponed = 'scheduled'").await,
            1
        );
        monitored.app.clock.advance(DAY * 9);
        monitored.run_job(&QueueDuePrompts {}).await;
        monitored.app.clock.advance(HOUR);
        monitored.run_jobs().await;
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok", "ok"]);
    })
    .await;
}

#[tokio::test]
async fn an_error_is_tried_again_after_a_quarter_of_an_hour() {
    Monitored::on_each_engine(async |monitored| {
        let bad = fakeai::Scenario {
            times: Some(1),
            fault: Some(fakeai::Fault::ModelNotFound),
            ..fakeai::Scenario::default()
        };
        monitored.fakes.set_scenario(bad);
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;

        monitored.app.clock.advance(Duration::from_secs(15 * 60 + 1));
        monitored.run_job(&QueueDuePrompts {}).await;

        assert_eq!(Monitored::statuses(&monitored.runs().await), ["error", "ok"]);
    })
    .await;
}

#[tokio::test]
async fn an_account_that_is_not_active_is_asked_nothing_and_goes_on_later() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        monitored.app.deactivate(&monitored.account).await;

        monitored.app.clock.advance(DAY * 2);
        monitored.run_job(&QueueDuePrompts {}).await;
        let while_inactive = monitored.runs().await.len();
        monitored.app.state.accounts.set_active(&monitored.account.email, true).await.unwrap();
        monitored.app.clock.advance(HOUR * 2);
        monitored.run_job(&QueueDuePrompts {}).await;
        monitored.app.clock.advance(HOUR);
        monitored.run_jobs().await;

        assert_eq!(while_inactive, 1);
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok", "ok"]);
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_was_ahead_holds_no_target_up() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        monitored.execute("update mention_targets set next_due = next_due + 31536000000").await;

        monitored.app.clock.advance(DAY);
        monitored.run_job(&QueueDuePrompts {}).await;

        assert_eq!(monitored.runs().await.len(), 2);
    })
    .await;
}
