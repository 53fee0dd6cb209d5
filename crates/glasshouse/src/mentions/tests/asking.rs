//! Runs from the queue to the end: answers, failures, money.

use assistants::providers::Provider;

use super::fixture::{Monitored, QUESTION};

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
