//! A monitored domain whose assistants are the stand-ins, and the rows that runs leave behind.

use assistants::analysis::BrandProfile;
use assistants::providers::{Persona, Provider};
use fakeai::{FakeOptions, FakeVendors, Vendor};
use store::{Db, on_engine};

use crate::model::{MonitorInterval, Prompt, PromptId, PromptIntent, RunReason};
use crate::queries::{domains, prompts};
use crate::service::opening::WantedRuns;
use crate::testing::*;
use ::domains::Domain;
use platform::jobs::{Registry, Worker, WorkerSettings};
use platform::plans::Plan;

/// A question that the stand-ins answer with several brands.
pub const QUESTION: &str = "Which documentation tools are the best for a small team?";

/// A monitored domain.
pub struct Monitored {
    pub app: TestApp,
    pub fakes: FakeVendors,
    pub account: TestAccount,
    pub domain: Domain,
}

/// A run as it is stored.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct StoredRun {
    pub id: String,
    pub provider: String,
    pub status: String,
    pub reason: String,
    pub calls: i64,
    pub unanswered: i64,
    pub cost_nanos: i64,
    pub error_code: String,
    pub error_detail: String,
    pub answer: String,
    pub analysis_mode: String,
    pub mention_position: i64,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct StoredCall {
    pub run_id: String,
    pub purpose: String,
    pub provider: String,
    pub reserved_nanos: i64,
    pub settled_nanos: i64,
    pub state: String,
}

/// Returns the settings of all providers at the stand-ins.
pub fn settings(fakes: &FakeVendors, more: &str) -> String {
    let vendors = [
        (Provider::Chatgpt, Vendor::Openai, "sk-chatgpt"),
        (Provider::Perplexity, Vendor::Perplexity, "pplx-key"),
        (Provider::Gemini, Vendor::Gemini, "gemini-key"),
        (Provider::Claude, Vendor::Anthropic, "sk-ant-key"),
        (Provider::GoogleAiOverview, Vendor::Dataforseo, "login:password"),
        (Provider::GoogleAiMode, Vendor::Dataforseo, "login:password"),
    ];
    let section = |(provider, vendor, key): (Provider, Vendor, &str)| {
        format!(
            "[providers.{provider}]\napi_key = \"{key}\"\nbase_url = \"{}\"\nrequests_per_minute = 600000\nin_flight = 32\n",
            fakes.base_url(vendor)
        )
    };
    format!("{}\n{more}", vendors.map(section).join("\n"))
}

impl Monitored {
    /// Runs a test on each engine.
    pub async fn on_each_engine(test: impl AsyncFn(Monitored)) {
        Monitored::on_each_engine_with("", test).await;
    }

    /// Runs a test on each engine with further settings.
    pub async fn on_each_engine_with(more: &str, test: impl AsyncFn(Monitored)) {
        // The stand-ins of one engine's test know nothing of the other's.
        crate::testing::for_each_engine(async |db: &store::testing::TestDb| {
            let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
            let monitored = Monitored::on((**db).clone(), fakes, more).await;
            let platform = monitored.app.state.platform.clone();
            test(monitored).await;
            platform.shutdown.cancel();
            platform.tasks.close();
            platform.tasks.wait().await;
        })
        .await;
    }

    /// Monitors a domain in a database that has all migrations.
    pub async fn on(db: Db, fakes: FakeVendors, more: &str) -> Monitored {
        let app = TestApp::on(db, &settings(&fakes, more)).await;
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        let domain = app.domain(&account, "lumadocs.io").await;
        let monitored = Monitored { app, fakes, account, domain };
        monitored.monitor().await;
        monitored
    }

    async fn monitor(&self) {
        let brand = BrandProfile {
            name: "LumaDocs".to_owned(),
            aliases: Vec::new(),
            domains: vec!["lumadocs.io".to_owned()],
        };
        let state = &self.app.state;
        let mut tx = state.platform.db.write().await.unwrap();
        let owner = (&self.domain.id, &self.account.id);
        assert!(domains::insert_domain(&mut tx, owner, &brand, self.app.clock.now()).await.unwrap());
        tx.commit().await.unwrap();
    }

    /// Creates a prompt and queues its first runs.
    pub async fn prompt(&self, text: &str, providers: &[Provider]) -> Prompt {
        self.prompt_with(text, providers, MonitorInterval::Dynamic).await
    }

    pub async fn prompt_with(&self, text: &str, providers: &[Provider], interval: MonitorInterval) -> Prompt {
        let state = &self.app.state;
        let now = self.app.clock.now();
        let mut tx = state.platform.db.write().await.unwrap();
        let number = domains::take_prompt_numbers(&mut tx, &self.domain.id, 1).await.unwrap();
        let prompt = Prompt {
            id: PromptId::generate(),
            account: self.account.id.clone(),
            domain: self.domain.id.clone(),
            number,
            revision: 1,
            text: text.to_owned(),
            intent: PromptIntent::Comm,
            is_active: true,
            providers: providers.to_vec(),
            tags: Vec::new(),
            persona: Persona::default(),
            interval,
            is_branded: false,
            created_at: now,
        };
        prompts::insert_prompt(&mut tx, &prompt).await.unwrap();
        let wanted: Vec<WantedRuns<'_>> = providers
            .iter()
            .map(|provider| WantedRuns::now(&prompt, *provider, RunReason::Create, now))
            .collect();
        let opened = state.mentions.opening.open(&mut tx, &wanted).await.unwrap();
        assert_eq!(opened.len(), providers.len());
        tx.commit().await.unwrap();
        prompt
    }

    /// Queues runs of a prompt, as "run now" does.
    pub async fn run_now(&self, prompt: &Prompt, provider: Provider, samples: i64) -> usize {
        let state = &self.app.state;
        let mut tx = state.platform.db.write().await.unwrap();
        let wanted = WantedRuns {
            samples,
            ..WantedRuns::now(prompt, provider, RunReason::Manual, self.app.clock.now())
        };
        let opened = state.mentions.opening.open(&mut tx, &[wanted]).await.unwrap();
        tx.commit().await.unwrap();
        opened.len()
    }

    pub fn worker(&self) -> Worker {
        Monitored::worker_of(&self.app)
    }

    /// Makes the worker of a process.
    pub fn worker_of(app: &TestApp) -> Worker {
        Monitored::worker_with_settings(app, WorkerSettings::default())
    }

    /// Makes a worker with leases of its own.
    pub fn worker_with(&self, settings: WorkerSettings) -> Worker {
        Monitored::worker_with_settings(&self.app, settings)
    }

    /// Makes the worker of a process with leases of its own.
    pub fn worker_with_settings(app: &TestApp, settings: WorkerSettings) -> Worker {
        let state = &app.state;
        let settings = WorkerSettings { named_lanes: state.mentions.connections.lanes(), ..settings };
        Worker::new(state.jobs.clone(), state.mentions.register(Registry::default()), Vec::new(), settings)
    }

    /// Runs every job that is due.
    pub async fn run_jobs(&self) {
        self.worker().run_until_idle().await;
    }

    /// Queues a job of the service and runs everything that is due.
    pub async fn run_job(&self, job: &impl platform::jobs::Job) {
        let state = &self.app.state;
        let mut tx = state.platform.db.write().await.unwrap();
        state.jobs.enqueue(&mut tx, vec![job.queued_for("service")]).await.unwrap();
        tx.commit().await.unwrap();
        self.run_jobs().await;
    }

    pub async fn runs(&self) -> Vec<StoredRun> {
        const SQL: &str =
            "select id, provider, status, reason, calls, unanswered, cost_nanos, error_code, error_detail,
            answer, analysis_mode, mention_position from mention_runs order by provider, slot, sample";
        let mut conn = self.app.state.platform.db.read().await.unwrap();
        on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await).unwrap()
    }

    /// Waits until every call is settled, which nobody waits for otherwise.
    pub async fn settled(&self) {
        while self.number("select count(*) from mention_ledger where state = 'open'").await > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    pub async fn calls(&self) -> Vec<StoredCall> {
        const SQL: &str =
            "select run_id, purpose, provider, reserved_nanos, settled_nanos, state from mention_ledger
            order by provider, opened_at, id";
        let mut conn = self.app.state.platform.db.read().await.unwrap();
        on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await).unwrap()
    }

    /// Returns reserved and spent money of the installation.
    pub async fn spent(&self) -> (i64, i64) {
        const SQL: &str = "select coalesce(cast(sum(reserved_nanos) as bigint), 0), coalesce(cast(sum(spent_nanos) as bigint), 0)
            from mention_budgets where scope = 'installation'";
        let mut conn = self.app.state.platform.db.read().await.unwrap();
        on_engine!(conn, |c| sqlx::query_as(SQL).fetch_one(c).await).unwrap()
    }

    /// Runs a statement that changes rows.
    pub async fn execute(&self, sql: &'static str) {
        let mut tx = self.app.state.platform.db.write().await.unwrap();
        on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    }

    /// Returns the one number of a statement.
    pub async fn number(&self, sql: &'static str) -> i64 {
        let mut conn = self.app.state.platform.db.read().await.unwrap();
        // A sum has a wider type in PostgreSQL.
        let sql = sqlx::AssertSqlSafe(format!("select cast(({sql}) as bigint)"));
        on_engine!(conn, |c| sqlx::query_scalar(sql).fetch_one(c).await).unwrap()
    }

    pub fn statuses(runs: &[StoredRun]) -> Vec<&str> {
        runs.iter().map(|run| run.status.as_str()).collect()
    }
}
