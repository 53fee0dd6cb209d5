//! Sums: those that are kept equal a recount of the kept answers, after answers, errors and a changed brand.

use std::collections::BTreeMap;
use std::time::Duration;

use assistants::providers::Provider;
use fakeai::{Fault, Scenario, Vendor};
use sqlx::Row;
use store::on_engine;

use super::fixture::{Monitored, QUESTION};
use crate::jobs::TidyMentions;
use crate::model::Prompt;
use crate::service::analysing::reanalysis::restart_reanalysis;

/// Numbers of every row of a table of sums, by its key.
type Rows = BTreeMap<String, Vec<i64>>;

const TABLES: [(&str, &str, &str); 6] = [
    (
        "mention_sums",
        "day, prompt, provider",
        "responses, mentions, position_sum, first_positions, sentiment_sum, sentiment_count, positive, neutral, negative,
            recommended_yes, recommended_known, own_cited, own_citations, competitor_citations, third_party_citations,
            absent_overviews, not_retrieved, errors, distinct_competitors, informative, pair_distance_sum, pair_count,
            earlier_distance_sum, earlier_count",
    ),
    (
        "mention_domain_sums",
        "day, provider",
        "responses, mentions, position_sum, first_positions, sentiment_sum, sentiment_count, positive, neutral, negative,
            recommended_yes, recommended_known, own_cited, own_citations, competitor_citations, third_party_citations,
            absent_overviews, not_retrieved, errors, distinct_competitors, informative, pair_distance_sum, pair_count,
            earlier_distance_sum, earlier_count, ok_runs, error_runs",
    ),
    (
        "mention_competitor_sums",
        "day, prompt, provider, competitor",
        "responses, occurrences, prominence_sum, position_sum, cited, sentiment_sum, sentiment_count, ahead_of_own",
    ),
    (
        "mention_domain_competitor_sums",
        "day, provider, competitor",
        "responses, occurrences, prominence_sum, position_sum, cited, sentiment_sum, sentiment_count, ahead_of_own",
    ),
    (
        "mention_source_sums",
        "day, prompt, provider, page",
        "citations, gap_citations, site_answers, site_gap_answers, retrieved",
    ),
    ("mention_query_sums", "day, prompt, provider, query", "answers, named_in"),
];

impl Monitored {
    /// Reads every row of every table of sums that counts something.
    async fn sums(&self) -> Vec<Rows> {
        let mut all = Vec::new();
        for (table, key, numbers) in TABLES {
            let key: Vec<String> = key.split(", ").map(|column| format!("cast({column} as text)")).collect();
            let sql = format!("select {} as row_key, {numbers} from {table}", key.join(" || '|' || "));
            let mut conn = self.app.state.platform.db.read().await.unwrap();
            let count = numbers.split(',').count();
            let rows: Rows =
                on_engine!(conn, |c| sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(c).await.map(|rows| {
                    rows.iter()
                        .map(|row| {
                            let numbers = (1..=count).map(|at| row.get::<i64, _>(at)).collect();
                            (row.get::<String, _>(0), numbers)
                        })
                        .collect()
                }))
                .unwrap();
            all.push(
                rows.into_iter().filter(|(_, numbers)| numbers.iter().any(|number| *number != 0)).collect(),
            );
        }
        all
    }

    /// Analyses every answer again and waits for the end.
    async fn reanalyse(&self) {
        let restarted = restart_reanalysis(&self.app.state.mentions, &self.domain.id).await.unwrap();
        assert!(restarted.is_some());
        self.run_jobs().await;
        assert_eq!(
            self.number("select count(*) from mention_domains where recompute_total is not null").await,
            0
        );
    }

    /// Asks some prompts for some days, with errors between.
    async fn some_days(&self) -> Vec<Prompt> {
        let mut prompts = Vec::new();
        for number in 0..3 {
            prompts.push(self.prompt(&format!("{QUESTION} ({number})"), &Provider::ALL).await);
        }
        self.run_jobs().await;
        for day in 0..3 {
            self.app.clock.advance(Duration::from_secs(20 * 3600 + 7));
            let bad = Scenario {
                vendor: Some(Vendor::Perplexity),
                times: Some(day),
                fault: Some(Fault::Refusal),
                ..Scenario::default()
            };
            self.fakes.set_scenario(bad);
            for prompt in &prompts {
                self.run_now(prompt, Provider::Chatgpt, 3).await;
                self.run_now(prompt, Provider::Perplexity, 1).await;
                self.run_now(prompt, Provider::GoogleAiOverview, 2).await;
            }
            self.run_jobs().await;
        }
        prompts
    }
}

#[tokio::test]
async fn sums_equal_a_recount_of_the_kept_answers() {
    Monitored::on_each_engine(async |monitored| {
        monitored.some_days().await;
        // Competitors that were found late count in earlier answers from now on.
        monitored.reanalyse().await;
        let before = monitored.sums().await;
        for table in ["mention_source_sums", "mention_query_sums", "mention_competitor_sums"] {
            assert!(before.iter().zip(TABLES).any(|(rows, (name, _, _))| name == table && !rows.is_empty()));
        }

        monitored.reanalyse().await;

        assert_eq!(monitored.sums().await, before);
        assert!(monitored.number("select sum(error_runs) from mention_domain_sums").await >= 0);
    })
    .await;
}

#[tokio::test]
async fn the_sums_of_a_domain_are_those_of_its_prompts() {
    Monitored::on_each_engine(async |monitored| {
        monitored.some_days().await;

        let difference = monitored
            .number(
                "select (select sum(responses + mentions + pair_distance_sum + errors + sentiment_sum) from mention_sums)
                    - (select sum(responses + mentions + pair_distance_sum + errors + sentiment_sum) from mention_domain_sums)",
            )
            .await;
        let runs = monitored
            .number(
                "select (select count(*) from mention_runs where status in ('ok', 'error'))
                    - (select sum(ok_runs + error_runs) from mention_domain_sums)",
            )
            .await;

        assert_eq!((difference, runs), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_changed_brand_is_counted_in_kept_answers_and_asks_nobody() {
    Monitored::on_each_engine(async |monitored| {
        monitored.some_days().await;
        let asked = monitored.calls().await.len();
        let before = monitored.number("select sum(mentions) from mention_domain_sums").await;

        monitored
            .execute("update mention_domains set
                brand = replace(replace(brand, 'LumaDocs', 'Nobody at all'), 'lumadocs.io', 'nobody.example')")
            .await;
        monitored.app.state.mentions.books.forget(&monitored.domain.id);
        monitored.reanalyse().await;

        assert!(before > 0);
        assert_eq!(monitored.number("select sum(mentions) from mention_domain_sums").await, 0);
        assert_eq!(monitored.number("select max(mention_position) from mention_runs").await, 0);
        assert_eq!(
            monitored.number("select min(analysis_version) from mention_runs where status = 'ok'").await,
            2
        );
        assert_eq!(monitored.calls().await.len(), asked);
    })
    .await;
}

#[tokio::test]
async fn old_answers_go_and_their_sums_stay() {
    Monitored::on_each_engine(async |monitored| {
        monitored.prompt(QUESTION, &[Provider::Chatgpt]).await;
        monitored.run_jobs().await;
        let before = monitored.sums().await;

        monitored.app.clock.advance(Duration::from_secs(31 * 24 * 3600));
        monitored.run_job(&TidyMentions {}).await;
        let responses = monitored.number("select count(*) from mention_responses").await;
        let kept = monitored.runs().await.len();
        monitored.app.clock.advance(Duration::from_secs(400 * 24 * 3600));
        monitored.run_job(&TidyMentions {}).await;

        assert_eq!((responses, kept), (0, 1));
        assert!(monitored.runs().await.is_empty());
        assert_eq!(monitored.sums().await, before);
    })
    .await;
}
