//! Reading of AI mentions over HTTP, on both engines: answers are counted as the analysis counts them, without asking anybody.

mod access;
mod dashboard;
mod explore;
mod exports;
mod statistics;

use std::collections::HashMap;

use assistants::analysis::{BrandProfile, Citation, CompetitorProfile, CompetitorStatus, SourceKind};
use assistants::providers::{Persona, Provider, Retrieval, Usd};
use assistants::statistics::{CitationCounts, CountedAnswer, CountedCompetitor};
use serde_json::{Value, json};

use crate::model::{
    MonitorInterval, NewPromptRun, Prompt, PromptId, PromptIntent, PromptRunId, RunReason, UtcDay,
};
use crate::queries::answers::{RunAnswerRow, set_answers};
use crate::queries::domains::{find_domain, insert_domain, replace_competitors, take_prompt_numbers};
use crate::queries::prompts::insert_prompt;
use crate::queries::runs::insert_runs;
use crate::queries::sums;
use crate::sums::{AnswerPair, CountedParts, SumChanges, SumKey};
use crate::testing::*;
use ::domains::Domain;
use platform::clock::Timestamp;
use platform::plans::Plan;

const OWN: &str = "LumaDocs";
const OWN_DOMAIN: &str = "lumadocs.io";
const COMPETITORS: [(&str, &str); 3] =
    [("Notchly", "notchly.com"), ("PaperTrail", "papertrail.app"), ("Quillbase", "quillbase.com")];

/// A monitored domain with its account.
struct Monitored {
    account: TestAccount,
    domain: Domain,
    number: i64,
    /// Last answer of each prompt and provider.
    last: HashMap<(i64, Provider), (CountedAnswer, UtcDay)>,
    runs: i64,
}

/// An answer that is to be counted.
#[derive(Clone)]
struct Given {
    day: UtcDay,
    provider: Provider,
    /// Brands in the order of their first mention.
    brands: Vec<&'static str>,
    /// Cited addresses without scheme.
    cited: Vec<&'static str>,
    /// Addresses that were found and not cited.
    found: Vec<&'static str>,
    queries: Vec<String>,
    sentiment: f64,
    is_absent: bool,
    text: &'static str,
}

impl Given {
    fn on(day: UtcDay, provider: Provider, brands: &[&'static str], cited: &[&'static str]) -> Given {
        Given {
            day,
            provider,
            brands: brands.to_vec(),
            cited: cited.to_vec(),
            found: Vec::new(),
            queries: Vec::new(),
            sentiment: 0.0,
            is_absent: false,
            text: "An answer.",
        }
    }

    fn counted(&self) -> CountedAnswer {
        let rank =
            |name: &str| self.brands.iter().position(|brand| *brand == name).map_or(0, |at| at as u32 + 1);
        let count = |kind| self.citations().iter().filter(|source| source.kind == kind).count() as u64;
        let competitors = COMPETITORS.iter().map(|(name, domain)| CountedCompetitor {
            name: (*name).to_owned(),
            rank: rank(name),
            occurrences: (rank(name) > 0).into(),
            is_cited: self.cited.iter().any(|cited| site_of(cited) == *domain),
            sentiment: None,
        });
        CountedAnswer {
            position: rank(OWN),
            sentiment: self.sentiment,
            recommended: None,
            competitors: competitors.filter(|rival| rival.rank > 0 || rival.is_cited).collect(),
            citations: CitationCounts {
                own: count(SourceKind::Own),
                competitor: count(SourceKind::Competitor),
                third_party: count(SourceKind::ThirdParty),
            },
            citation_domains: self.cited.iter().map(|cited| site_of(cited).to_owned()).collect(),
            retrieval: Retrieval::Used,
            is_absent: self.is_absent,
        }
    }

    fn citations(&self) -> Vec<Citation> {
        self.cited.iter().map(|address| citation(address)).collect()
    }

    fn retrieved(&self) -> Vec<Citation> {
        self.found.iter().map(|address| citation(address)).collect()
    }
}

fn site_of(address: &str) -> &str {
    address.split('/').next().unwrap_or_default()
}

fn citation(address: &str) -> Citation {
    let domain = site_of(address).to_owned();
    let kind = match domain.as_str() {
        OWN_DOMAIN => SourceKind::Own,
        other if COMPETITORS.iter().any(|(_, site)| *site == other) => SourceKind::Competitor,
        _ => SourceKind::ThirdParty,
    };
    Citation { url: format!("https://{address}"), domain, title: "=1+1".to_owned(), kind, owner: None }
}

/// Returns today in tests.
fn today() -> UtcDay {
    NOON.day_number()
}

impl Monitored {
    /// Begins to monitor a domain of a new account.
    async fn begin(app: &TestApp, email: &str, host: &str) -> Monitored {
        let account = app.account(email, Plan::Business).await;
        let domain = app.domain(&account, host).await;
        let brand =
            BrandProfile { name: OWN.to_owned(), aliases: Vec::new(), domains: vec![OWN_DOMAIN.to_owned()] };
        let competitors = COMPETITORS.map(|(name, site)| CompetitorProfile {
            name: name.to_owned(),
            aliases: Vec::new(),
            domains: vec![site.to_owned()],
            status: CompetitorStatus::Tracked,
        });
        let mut tx = app.state.platform.db.write().await.unwrap();
        assert!(insert_domain(&mut tx, (&domain.id, &account.id), &brand, NOON).await.unwrap());
        replace_competitors(&mut tx, &domain.id, &competitors, NOON).await.unwrap();
        let number = find_domain(&mut tx, &domain.id).await.unwrap().unwrap().number;
        tx.commit().await.unwrap();
        Monitored { account, domain, number, last: HashMap::new(), runs: 0 }
    }

    /// Adds a prompt, with `change` made to what a prompt usually is.
    async fn prompt(&self, app: &TestApp, text: &str, change: impl FnOnce(&mut Prompt)) -> Prompt {
        let mut tx = app.state.platform.db.write().await.unwrap();
        let number = take_prompt_numbers(&mut tx, &self.domain.id, 1).await.unwrap();
        let mut prompt = Prompt {
            id: PromptId::from(format!("{}-{number}", self.domain.id.as_str())),
            account: self.account.id.clone(),
            domain: self.domain.id.clone(),
            number,
            revision: 1,
            text: text.to_owned(),
            intent: PromptIntent::Comm,
            is_active: true,
            providers: vec![Provider::Chatgpt, Provider::Perplexity],
            tags: Vec::new(),
            persona: Persona::default(),
            interval: MonitorInterval::Dynamic,
            is_branded: false,
            created_at: Timestamp::from_millis(NOON.as_millis() + number),
        };
        change(&mut prompt);
        insert_prompt(&mut tx, &prompt).await.unwrap();
        tx.commit().await.unwrap();
        prompt
    }

    /// Counts an answer to a prompt and keeps its run.
    async fn answer(&mut self, app: &TestApp, prompt: &Prompt, given: &Given) {
        let counted = given.counted();
        let place = SumKey {
            domain: self.number,
            day: given.day,
            prompt: Some(prompt.number),
            provider: given.provider,
        };
        let (citations, retrieved) = (given.citations(), given.retrieved());
        let mut changes = SumChanges::default();
        let parts = CountedParts {
            answer: &counted,
            citations: &citations,
            retrieved: &retrieved,
            queries: &given.queries,
            served_model: "model-1",
        };
        changes.add_answer(place, parts);
        let target = (prompt.number, given.provider);
        if !given.is_absent {
            let before = self.last.insert(target, (counted.clone(), given.day));
            if let Some((before, day)) = &before {
                changes.add_pair(place, AnswerPair::of((before, *day), (&counted, given.day)), 1);
            }
        }
        self.runs += 1;
        let mut tx = app.state.platform.db.write().await.unwrap();
        sums::write(&mut tx, changes).await.unwrap();
        self.keep_run(&mut tx, prompt, given, &counted).await;
        tx.commit().await.unwrap();
    }

    async fn keep_run(
        &self,
        conn: &mut store::Conn,
        prompt: &Prompt,
        given: &Given,
        counted: &CountedAnswer,
    ) {
        let slot = Timestamp::from_millis(given.day * 24 * 3600 * 1000 + self.runs);
        let id = PromptRunId::from(format!("{}-r{:04}", self.domain.id.as_str(), self.runs));
        let run = NewPromptRun {
            id: id.clone(),
            account: self.account.id.clone(),
            domain: self.domain.id.clone(),
            prompt: prompt.id.clone(),
            revision: 1,
            provider: given.provider,
            slot,
            sample: 0,
            reason: RunReason::Scheduled,
            expected: Usd::ZERO,
            is_demo: false,
            not_before: None,
        };
        insert_runs(conn, &[(run, "job".to_owned())], slot).await.unwrap();
        let named = counted.named_competitors().map(|name| json!({ "name": name, "count": 1 }));
        let row = RunAnswerRow {
            id: id.to_string(),
            status: "ok".to_owned(),
            changed_at: slot.as_millis(),
            answer: given.text.to_owned(),
            retrieval: "used".to_owned(),
            finish: if given.is_absent { "absent_overview" } else { "complete" }.to_owned(),
            served_model: "model-1".to_owned(),
            location: "none".to_owned(),
            is_query_cut: false,
            mention_position: counted.position.into(),
            list_rank: None,
            citation_count: given.cited.len() as i64,
            sentiment: (given.sentiment * 100.0).round() as i64,
            recommended: None,
            analysis_text: "Analysed.".to_owned(),
            analysis_mode: "builtin".to_owned(),
            analysis_version: 1,
            competitor_mentions: Value::from_iter(named).to_string(),
            citation_domains: json!(counted.citation_domains).to_string(),
            details: json!({ "citations": given.citations(), "retrieved": given.retrieved() }).to_string(),
        };
        set_answers(conn, &[row]).await.unwrap();
    }

    /// Asks an operation about the domain.
    async fn get(&self, app: &TestApp, operation: &str, query: &str) -> Reply {
        let path = format!("/api/ai-mentions/{operation}?domain={}&{query}", self.domain.host);
        app.get(&path).key(&self.account.key).await
    }
}
