//! Reports on both engines: real answers, analysed and summed up like those of a provider, a webhook's server and a mail
//! server on loopback.

mod building;
mod reading;
mod telling;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assistants::analysis::{BrandProfile, Brands, CompetitorProfile, CompetitorStatus};
use assistants::providers::{Finish, LocationSent, Provider, Retrieval, Source, Usd};
use bytes::Bytes;
use crawler::testing::WebServer;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::model::{
    MonitorInterval, NewPromptRun, Prompt, PromptId, PromptIntent, PromptRunId, PromptRunStatus,
    RunErrorCode, RunReason,
};
use crate::queries::{answers, domains, prompts, runs, sums};
use crate::service::analysing::answer::KeptAnswer;
use crate::sums::{SumChanges, SumKey};
use crate::testing::*;
use ::domains::Domain;
use accounts::People;
use platform::clock::Timestamp;
use platform::jobs::{Registry, Worker, WorkerSettings};
use platform::plans::Plan;
use webhooks::WebhookSender;

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// A domain with two prompts, a server that takes webhooks, and one that takes mail.
struct Luma {
    app: TestApp,
    account: TestAccount,
    domain: Domain,
    prompts: Vec<Prompt>,
    hooks: Arc<Mutex<Vec<(HeaderMap, String)>>>,
    mails: Arc<Mutex<Vec<String>>>,
}

async fn on_each_engine(test: impl AsyncFn(Luma)) {
    let hooks: Arc<Mutex<Vec<(HeaderMap, String)>>> = Arc::default();
    let taken = hooks.clone();
    let server = WebServer::start(move |request: Request<hyper::body::Incoming>| {
        let taken = taken.clone();
        async move {
            let headers = request.headers().clone();
            let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            taken.lock().unwrap().push((headers, String::from_utf8_lossy(&body).into_owned()));
            Response::new(Full::new(Bytes::new()))
        }
    })
    .await;
    let mails: Arc<Mutex<Vec<String>>> = Arc::default();
    let mail_address = mail_server(mails.clone()).await;
    let settings = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"hook.example\" = \"{}\" }}\n\
         [mail]\nsmtp_url = \"smtp://{mail_address}\"\nfrom = \"reports@glasshouse.example\"",
        server.address()
    );
    TestApp::on_each_engine_with(&settings, async |app| {
        hooks.lock().unwrap().clear();
        mails.lock().unwrap().clear();
        let account = app.account("owner@lumadocs.example", Plan::Agency).await;
        let domain = app.domain(&account, "lumadocs.io").await;
        let mut luma =
            Luma { app, account, domain, prompts: Vec::new(), hooks: hooks.clone(), mails: mails.clone() };
        luma.monitor().await;
        test(luma).await;
    })
    .await;
}

fn brand() -> BrandProfile {
    BrandProfile { name: "LumaDocs".to_owned(), aliases: Vec::new(), domains: vec!["lumadocs.io".to_owned()] }
}

fn notchly() -> CompetitorProfile {
    CompetitorProfile {
        name: "Notchly".to_owned(),
        aliases: Vec::new(),
        domains: vec!["notchly.com".to_owned()],
        status: CompetitorStatus::Tracked,
    }
}

impl Luma {
    /// Makes the record of the domain and two prompts.
    async fn monitor(&mut self) {
        let now = self.app.clock.now();
        let (account, domain) = (self.account.id.clone(), self.domain.id.clone());
        let mut tx = self.app.state.platform.db.write().await.unwrap();
        assert!(domains::insert_domain(&mut tx, (&domain, &account), &brand(), now).await.unwrap());
        domains::insert_competitor(&mut tx, &domain, (&notchly(), 0), now).await.unwrap();
        let first = domains::take_prompt_numbers(&mut tx, &domain, 2).await.unwrap();
        for at in 0..2 {
            let prompt = Prompt {
                id: PromptId::generate(),
                account: account.clone(),
                domain: domain.clone(),
                number: first + at,
                revision: 1,
                text: format!("best documentation tool {at}"),
                intent: PromptIntent::Comm,
                is_active: true,
                providers: vec![Provider::Chatgpt],
                tags: vec!["core".to_owned()],
                persona: assistants::providers::Persona::default(),
                interval: MonitorInterval::Dynamic,
                is_branded: false,
                created_at: now,
            };
            prompts::insert_prompt(&mut tx, &prompt).await.unwrap();
            self.prompts.push(prompt);
        }
        tx.commit().await.unwrap();
    }

    /// Queues a run of a prompt at the time of the clock.
    async fn queue(&self, prompt: usize) -> PromptRunId {
        let prompt = &self.prompts[prompt];
        let now = self.app.clock.now();
        let run = NewPromptRun {
            id: PromptRunId::generate(),
            account: self.account.id.clone(),
            domain: self.domain.id.clone(),
            prompt: prompt.id.clone(),
            revision: 1,
            provider: Provider::Chatgpt,
            slot: now,
            sample: 0,
            reason: RunReason::Scheduled,
            expected: Usd::from_nanos(0),
            is_demo: false,
            not_before: None,
        };
        let id = run.id.clone();
        let mut tx = self.app.state.platform.db.write().await.unwrap();
        runs::insert_runs(&mut tx, &[(run, "job".to_owned())], now).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Ends a queued run with an answer, as the writer of answers does.
    async fn answer(&self, run: &PromptRunId, prompt: usize, text: &str) {
        let now = self.app.clock.now();
        let kept = KeptAnswer {
            provider: Provider::Chatgpt,
            question: self.prompts[prompt].text.clone(),
            text: text.to_owned(),
            citations: vec![Source { url: "https://g2.com/docs".to_owned(), title: String::new() }],
            retrieved: Vec::new(),
            queries: Vec::new(),
            retrieval: Retrieval::Used,
            finish: Finish::Complete,
            served_model: "gpt-6".to_owned(),
            location: LocationSent::None,
            is_query_cut: false,
        };
        let brands = Brands::compile(brand(), vec![notchly()]);
        let mut tx = self.app.state.platform.db.write().await.unwrap();
        let record = domains::find_for_change(&mut tx, &self.domain.id).await.unwrap().unwrap();
        let analysed =
            kept.complete(run, &brands, &HashSet::new(), None).stamped(record.analysis_version, now);
        let place = SumKey {
            domain: record.number,
            day: now.day_number(),
            prompt: Some(self.prompts[prompt].number),
            provider: Provider::Chatgpt,
        };
        let mut changes = SumChanges::default();
        changes.add_answer(place, analysed.parts());
        answers::set_answers(&mut tx, std::slice::from_ref(&analysed.row)).await.unwrap();
        sums::write(&mut tx, changes).await.unwrap();
        domains::mark_reports_due(&mut tx, &self.domain.id, now.day_number(), now).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Ends runs of a prompt without an answer until more than a fifth of the day's runs failed.
    async fn fail(&self, prompt: usize) {
        let now = self.app.clock.now();
        let run = self.queue(prompt).await;
        let state = runs::RunState {
            status: PromptRunStatus::Error,
            code: RunErrorCode::Timeout,
            detail: "",
            changed_at: now,
        };
        let mut tx = self.app.state.platform.db.write().await.unwrap();
        let record = domains::find_for_change(&mut tx, &self.domain.id).await.unwrap().unwrap();
        let place = SumKey {
            domain: record.number,
            day: now.day_number(),
            prompt: Some(self.prompts[prompt].number),
            provider: Provider::Chatgpt,
        };
        let mut changes = SumChanges::default();
        changes.add_error(place);
        runs::set_state(&mut tx, &run, &state).await.unwrap();
        sums::write(&mut tx, changes).await.unwrap();
        domains::mark_reports_due(&mut tx, &self.domain.id, now.day_number(), now).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Asks and answers a prompt now.
    async fn ask(&self, prompt: usize, text: &str) {
        let run = self.queue(prompt).await;
        self.answer(&run, prompt, text).await;
    }

    /// Builds what is due, and sends the messages.
    async fn work(&self) {
        let reports = &self.app.state.mention_reports;
        reports.queue_due().await.unwrap();
        let platform = &self.app.state.platform;
        let sender = WebhookSender::new(platform, &People::new(platform), vec![Arc::new(reports.clone())]);
        let registry = sender.register(reports.register(Registry::default()));
        let mut worker =
            Worker::new(self.app.state.jobs.clone(), registry, Vec::new(), WorkerSettings::default());
        worker.run_until_idle().await;
    }

    async fn get(&self, path: &str) -> Reply {
        self.app.get(path).key(&self.account.key).await
    }

    async fn list(&self) -> Value {
        let reply = self.get("/api/ai-mentions/reports?domain=lumadocs.io").await;
        reply.assert_status(200);
        reply.json()
    }

    /// Changes the settings of the domain's monitoring. Returns the secret of the webhook.
    async fn monitoring(&self, webhook: Option<&str>, digest: &str) -> String {
        let change = json!({ "webhookUrl": webhook, "digest": digest });
        let path = "/api/domains/lumadocs.io/monitoring";
        let reply = self.app.patch(path).key(&self.account.key).json(change).await;
        reply.assert_status(200);
        reply.json()["webhookSecret"].as_str().unwrap_or_default().to_owned()
    }

    fn advance(&self, by: Duration) {
        self.app.clock.advance(by);
    }

    fn now(&self) -> Timestamp {
        self.app.clock.now()
    }
}

const NAMED: &str = "LumaDocs is a good tool. Notchly is another one.";
const UNNAMED: &str = "Notchly is the tool of choice.";
