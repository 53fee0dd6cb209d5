//! Runs from the queue to the end: answers, failures, money.

use std::time::Duration;

use assistants::providers::Provider;
use fakeai::{Fault, Scenario, Vendor};

use super::fixture::{Monitored, QUESTION};
use crate::jobs::TendRuns;
use crate::testing::*;

#[tokio::test]
async fn a_created_prompt_is_asked_everywhere_paid_and_analysed() {
    let six = "[plans.enterprise]\nproviders_per_prompt = 6\n";
    Monitored::on_each_engine_with(six, async |monitored| {
        monitored.prompt(QUESTION, &Provider::ALL).await;

        monitored.run_jobs().await;

        let runs = monitored.runs().await;
        assert_eq!(Monitored::statuses(&runs), ["ok"; 6], "{runs:#?}");
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
            monitored.app.clock.advance(Duration::from_millis(1));
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
    Monitored::on_each_engine(async |monitored| {
        monitored.execute("update mention_domains set budget_nanos = 0").await;
        monitored.prompt(QUESTION, &[Provider::Chatgpt, Provider::Gemini]).await;

        monitored.run_jobs().await;

        assert!(monitored.runs().await.is_empty() && monitored.calls().await.is_empty());
        assert_eq!(monitored.fakes.count(Vendor::Openai), 0);
        let due =
            "select min(next_due) from mention_targets where postponed = 'create' and postponed_samples = 1";
        assert_eq!(monitored.number(due).await, NOON.start_of_next_month().as_millis());
    })
    .await;
}

#[tokio::test]
async fn budgets_are_never_overspent_however_many_runs_are_in_flight() {
    Monitored::on_each_engine(async |monitored| {
        // Enough for two answers of ChatGPT at their upper end.
        monitored.execute("update mention_domains set budget_nanos = 45000000").await;
        for number in 0..8 {
            monitored.prompt(&format!("{QUESTION} ({number})"), &[Provider::Chatgpt]).await;
        }

        monitored.run_jobs().await;
        monitored.settled().await;

        let (reserved, spent) = monitored.spent().await;
        let runs = monitored.runs().await;
        assert!(reserved == 0 && spent <= 45_000_000 && spent > 0, "{spent}");
        assert!((1..8).contains(&runs.len()) && runs.iter().all(|run| run.status == "ok"), "{runs:?}");
        assert_eq!(monitored.calls().await.len(), runs.len());
        assert_eq!(monitored.fakes.count(Vendor::Openai), runs.len() as u64);
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

#[tokio::test]
async fn a_run_whose_process_died_in_a_call_is_asked_once_more_and_then_lost() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.prompt("Which wiki is the best?", &[Provider::Gemini]).await;
        // The rows as a process leaves them that dies before its first, or before its second answer.
        monitored
            .execute("update mention_runs set status = 'running', calls = 1, unanswered = 1 where provider = 'chatgpt'")
            .await;
        monitored
            .execute("update mention_runs set status = 'running', calls = 2, unanswered = 2 where provider = 'gemini'")
            .await;

        monitored.run_jobs().await;
        monitored.settled().await;

        let runs = monitored.runs().await;
        let again: Vec<_> =
            runs.iter().map(|run| (run.status.as_str(), run.error_code.as_str(), run.calls, run.unanswered)).collect();
        assert_eq!(again, [("ok", "", 2, 1), ("error", "lost", 2, 2)]);
        assert_eq!((monitored.fakes.count(Vendor::Openai), monitored.fakes.count(Vendor::Gemini)), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn two_processes_ask_each_run_once_within_one_budget() {
    Monitored::on_each_engine(async |monitored| {
        monitored.execute("update mention_domains set budget_nanos = 100000000").await;
        for number in 0..12 {
            monitored.prompt(&format!("{QUESTION} ({number})"), &[Provider::Chatgpt]).await;
        }
        let db = monitored.app.state.platform.db.clone();
        let settings = super::fixture::settings(&monitored.fakes, "");
        let second = crate::testing::TestApp::on(db, &settings).await;
        let (mut first, mut other) = (monitored.worker(), Monitored::worker_of(&second));

        tokio::join!(first.run_until_idle(), other.run_until_idle());
        monitored.settled().await;

        let runs = monitored.runs().await;
        let (reserved, spent) = monitored.spent().await;
        assert!(runs.iter().all(|run| run.status == "ok" && run.calls == 1), "{runs:?}");
        assert!(reserved == 0 && spent <= 100_000_000, "{spent}");
        assert_eq!(monitored.fakes.count(Vendor::Openai), runs.len() as u64);
        assert_eq!(monitored.calls().await.len(), runs.len());
        let platform = second.state.platform.clone();
        platform.shutdown.cancel();
        platform.tasks.close();
        platform.tasks.wait().await;
    })
    .await;
}

#[tokio::test]
async fn answers_with_what_no_database_keeps_are_kept_without_it() {
    let body = r#"{"id":"r","object":"response","status":"completed","model":"gpt-6-luna","output":[{"type":"message",
        "role":"assistant","status":"completed","content":[{"type":"output_text","text":"LumaDocs\u0000 is \ud800 good.",
        "annotations":[{"type":"url_citation","url":"https://g2.com/a","title":"a\u0000b","start_index":0,"end_index":4}]}]}],
        "usage":{"input_tokens":10,"output_tokens":10,"total_tokens":20}}"#;
    let verbatim = Fault::Verbatim {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.to_owned(),
    };
    Monitored::on_each_engine(async |monitored| {
        monitored.fakes.set_scenario(fault(Vendor::Openai, verbatim.clone()));
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;

        monitored.run_jobs().await;

        let run = monitored.runs().await.remove(0);
        assert_eq!((run.status.as_str(), run.mention_position), ("ok", 1), "{run:?}");
        assert!(!run.answer.contains('\0'));
    })
    .await;
}

#[tokio::test]
async fn a_deleted_domain_takes_running_questions_along_but_not_their_cost() {
    Monitored::on_each_engine(async |monitored| {
        monitored.fakes.set_scenario(Scenario { latency_ms: Some((300, 300)), ..Scenario::default() });
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        let mut worker = monitored.worker();
        let state = &monitored.app.state;
        let removal = async {
            while monitored.calls().await.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let domain = state.domains.find_by_id(&monitored.domain.id).await.unwrap().unwrap();
            state.domains.remove(&domain).await.unwrap();
            state.jobs.forget_domain(domain.id.as_str()).await.unwrap();
            state.mentions.forget_domain(&domain.id).await.unwrap();
        };

        tokio::join!(worker.run_until_idle(), removal);
        monitored.settled().await;

        assert!(monitored.runs().await.is_empty());
        let calls = monitored.calls().await;
        assert!(calls.len() == 1 && calls[0].settled_nanos > 0, "{calls:?}");
        assert_eq!(monitored.number("select count(*) from mention_sums").await, 0);
    })
    .await;
}
