//! Runs from the queue to the end: answers, failures, money.

use std::time::Duration;

use assistants::providers::Provider;
use fakeai::{Fault, Scenario, Vendor};

use super::fixture::{Monitored, QUESTION};
use crate::mentions::budgets::start_of_day;
use crate::mentions::jobs::TendRuns;
use crate::testing::NOON;

#[tokio::test]
async fn a_created_prompt_is_asked_everywhere_paid_and_analysed() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &Provider::ALL).await;

        monitored.run_jobs().await;

        let runs = monitored.runs().await;
        assert_eq!(Monitored::statuses(&runs), ["ok"; 5], "{runs:#?}");
        assert!(runs.iter().all(|run| run.analysis_mode == "builtin" && run.unanswered == 0));
        let calls = monitored.calls().await;
        assert!(calls.iter().all(|call| call.state == "settled" && call.purpose == "answer"), "{calls:?}");
        let cost: i64 = runs.iter().map(|run| run.cost_nanos).sum();
        let settled: i64 = calls.iter().map(|call| call.settled_nanos).sum();
        assert!(cost > 0 && cost == settled);
        assert_eq!(monitored.spent().await, (0, cost));
    })
    .await;
}

fn fault(vendor: Vendor, fault: Fault) -> Scenario {
    Scenario { vendor: Some(vendor), fault: Some(fault), ..Scenario::default() }
}

#[tokio::test]
async fn wrong_settings_and_refusals_end_a_run_after_one_call() {
    let cases = [(Fault::InvalidKey, "auth"), (Fault::ModelNotFound, "config"), (Fault::Refusal, "refused")];
    for (bad, code) in cases {
        Monitored::on_each_engine(async |monitored| {
            monitored.fakes.set_scenario(fault(Vendor::Openai, bad.clone()));
            monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

            monitored.run_jobs().await;

            let run = monitored.runs().await.remove(0);
            assert_eq!(
                (run.status.as_str(), run.error_code.as_str(), run.calls),
                ("error", code, 1),
                "{run:?}"
            );
            assert!(!run.error_detail.is_empty() && !run.error_detail.contains("sk-chatgpt"));
            assert_eq!(monitored.calls().await.len(), 1);
            assert_eq!(monitored.spent().await.0, 0);
        })
        .await;
    }
}

#[tokio::test]
async fn trouble_is_tried_again_until_four_calls() {
    Monitored::on_each_engine(async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Openai, Fault::ServerError));
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

        for _ in 0..10 {
            monitored.run_jobs().await;
            monitored.app.clock.advance(Duration::from_secs(61));
        }

        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.error_code.as_str(), run.calls), ("error", "provider_error", 4));
        assert_eq!(monitored.calls().await.len(), 4);
        assert_eq!(monitored.fakes.count(Vendor::Openai), 4);
    })
    .await;
}

#[tokio::test]
async fn at_most_two_calls_stay_without_an_answer() {
    Monitored::on_each_engine(async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Openai, Fault::EmptyBody));
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

        for _ in 0..10 {
            monitored.run_jobs().await;
            monitored.app.clock.advance(Duration::from_secs(61));
        }

        let run = monitored.runs().await.remove(0);
        assert_eq!((run.error_code.as_str(), run.calls, run.unanswered), ("unreadable", 2, 2));
        let calls = monitored.calls().await;
        // They may have been paid.
        assert!(
            calls.iter().all(|call| call.settled_nanos == call.reserved_nanos && call.reserved_nanos > 0)
        );
    })
    .await;
}

#[tokio::test]
async fn a_rate_limit_rests_the_lane_and_costs_no_call() {
    Monitored::on_each_engine(async |monitored| {
        let limit = Scenario { times: Some(1), ..fault(Vendor::Openai, Fault::RateLimit) };
        monitored.fakes.set_scenario(limit);
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        let resting = monitored.runs().await.remove(0);

        monitored.app.clock.advance(Duration::from_secs(3600));
        monitored.run_jobs().await;

        assert_eq!((resting.status.as_str(), resting.calls), ("queued", 0), "{resting:?}");
        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.calls, run.error_code.as_str()), ("ok", 1, ""));
    })
    .await;
}

#[tokio::test]
async fn a_used_up_quota_keeps_runs_queued_until_midnight() {
    Monitored::on_each_engine(async |monitored| {
        let limit = Scenario { times: Some(1), ..fault(Vendor::Openai, Fault::Quota) };
        monitored.fakes.set_scenario(limit);
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

        monitored.run_jobs().await;
        monitored.app.clock.advance(Duration::from_secs(3600));
        monitored.run_jobs().await;

        assert_eq!(monitored.runs().await[0].status, "queued");
        monitored.app.clock.advance(Duration::from_secs(11 * 3600 + 1));
        monitored.run_jobs().await;
        assert_eq!(monitored.runs().await[0].status, "ok");
    })
    .await;
}

#[tokio::test]
async fn three_refusals_of_the_key_in_a_row_open_the_breaker_and_an_answer_closes_it() {
    Monitored::on_each_engine(async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Openai, Fault::InvalidKey));
        for number in 0..3 {
            monitored.prompt(&format!("{QUESTION} {number}"), &[Provider::Chatgpt]).await;
            monitored.run_jobs().await;
        }
        monitored.prompt("Another question about notes?", &[Provider::Chatgpt]).await;
        monitored.fakes.set_scenarios(Vec::new());
        monitored.run_jobs().await;
        let behind = monitored.runs().await;

        monitored.app.clock.advance(Duration::from_secs(61));
        monitored.run_jobs().await;

        assert_eq!(Monitored::statuses(&behind), ["error", "error", "error", "queued"]);
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["error", "error", "error", "ok"]);
        assert_eq!(monitored.number("select failures from mention_providers").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_run_waits_six_hours_for_a_provider_that_is_away() {
    Monitored::on_each_engine(async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Openai, Fault::Quota));
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;

        monitored.app.clock.advance(Duration::from_secs(6 * 3600 - 60));
        monitored.run_job(&TendRuns {}).await;
        let before = monitored.runs().await.remove(0);
        monitored.app.clock.advance(Duration::from_secs(120));
        monitored.run_job(&TendRuns {}).await;

        assert_eq!(before.status, "queued");
        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.error_code.as_str()), ("error", "provider_unavailable"));
        assert_eq!(monitored.number("select count(*) from jobs where kind = 'AskProvider'").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_job_is_gone_is_lost() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.execute("delete from jobs").await;

        monitored.run_job(&TendRuns {}).await;

        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.error_code.as_str()), ("error", "lost"));
    })
    .await;
}

#[tokio::test]
async fn money_that_ends_postpones_without_an_error() {
    let settings = "[providers.chatgpt]\nbudget_usd_per_day = 0";
    Monitored::on_each_engine_with(settings, async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt, Provider::Gemini]).await;

        monitored.run_jobs().await;

        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok"]);
        assert_eq!(monitored.fakes.count(Vendor::Openai), 0);
        let due = "select next_due from mention_targets where provider = 'chatgpt' and postponed = 'create'";
        assert_eq!(monitored.number(due).await, start_of_day(NOON.day_number() + 1).as_millis());
    })
    .await;
}

#[tokio::test]
async fn what_plan_or_lock_do_not_allow_is_left_out_quietly() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.app.deactivate(&monitored.account).await;

        monitored.run_jobs().await;

        assert!(monitored.runs().await.is_empty() && monitored.calls().await.is_empty());
        assert_eq!(monitored.fakes.count(Vendor::Openai), 0);
    })
    .await;
}

#[tokio::test]
async fn samples_are_asked_side_by_side_and_what_is_open_is_not_asked_again() {
    Monitored::on_each_engine(async |monitored| {
        let prompt = monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        let again = monitored.run_now(&prompt, Provider::Chatgpt, 3).await;
        monitored.run_jobs().await;
        monitored.app.clock.advance(Duration::from_secs(60));

        let samples = monitored.run_now(&prompt, Provider::Chatgpt, 3).await;
        monitored.run_jobs().await;

        assert_eq!((again, samples), (0, 3));
        assert_eq!(Monitored::statuses(&monitored.runs().await), ["ok"; 4]);
    })
    .await;
}

#[tokio::test]
async fn a_configured_model_analyses_and_is_paid() {
    Monitored::on_each_engine_with("[analysis]\nprovider = 'gemini'", async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

        monitored.run_jobs().await;

        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.analysis_mode.as_str()), ("ok", "model"), "{run:?}");
        let purposes: Vec<String> = monitored.calls().await.into_iter().map(|call| call.purpose).collect();
        assert_eq!(purposes, ["answer", "analysis"]);
    })
    .await;
}

#[tokio::test]
async fn a_model_that_fails_is_followed_by_the_built_in_analyser() {
    Monitored::on_each_engine_with("[analysis]\nprovider = 'gemini'", async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Gemini, Fault::ServerError));
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

        for _ in 0..5 {
            monitored.run_jobs().await;
            monitored.app.clock.advance(Duration::from_secs(61));
        }

        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.analysis_mode.as_str()), ("ok", "builtin"));
    })
    .await;
}

#[tokio::test]
async fn an_answer_whose_analysis_is_late_ends_within_ten_minutes() {
    Monitored::on_each_engine_with("[analysis]\nprovider = 'gemini'", async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Gemini, Fault::Quota));
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        let waiting = monitored.runs().await.remove(0);

        monitored.app.clock.advance(Duration::from_secs(601));
        monitored.run_job(&TendRuns {}).await;

        assert_eq!(waiting.status, "answered");
        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.analysis_mode.as_str()), ("ok", "builtin"));
    })
    .await;
}

#[tokio::test]
async fn a_call_whose_process_died_is_settled_with_its_reserve_and_counts_as_unanswered() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        // The rows as they stand when a process dies between the first byte and the answer.
        monitored
            .execute(
                "update mention_ledger set state = 'open', settled_nanos = 0, reserved_nanos = 7, settled_at = null",
            )
            .await;
        monitored.execute("update mention_budgets set reserved_nanos = 7, spent_nanos = 0, estimated_nanos = 0").await;

        monitored.app.clock.advance(Duration::from_secs(601));
        monitored.run_job(&TendRuns {}).await;
        monitored.settled().await;

        let call = monitored.calls().await.remove(0);
        assert_eq!((call.state.as_str(), call.settled_nanos), ("settled", 7));
        assert_eq!(monitored.spent().await, (0, 7));
    })
    .await;
}
