//! Answers between a provider, the analysis and a run's row: one form for those that have just come and those that are kept.
//! Pure. Used by asking, by the second stage and by analysing again.

use std::collections::HashSet;

use assistants::analysis::llm::{ModelReply, read_reply};
use assistants::analysis::{
    self, AnalysisMode, AnswerAnalysis, AnswerFacts, AnswerInput, BrandKind, BrandSpan, Brands, Citation,
    SecondStage, SourceKind, ToneBasis,
};
use assistants::providers::{Answer, Finish, LocationSent, Provider, Retrieval, Source};
use assistants::statistics::{CitationCounts, CountedAnswer, CountedCompetitor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::model::{PromptRunId, PromptRunStatus};
use crate::queries::answers::{ComparedRow, RunAnswerRow, StoredRunRow};
use crate::sums::CountedParts;
use platform::clock::Timestamp;

/// Results of the analysis that have no column of their own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RunDetails {
    pub citations: Vec<Citation>,
    pub retrieved: Vec<Citation>,
    pub queries: Vec<String>,
    pub spans: Vec<BrandSpan>,
    pub competitors: Vec<RunCompetitor>,
    /// Sentence that shows the tone.
    pub quote: Option<String>,
    pub tone_basis: Option<ToneBasis>,
    /// Reply of the analysing model, so that analysing again asks no model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

/// A competitor in an answer, as it is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCompetitor {
    pub name: String,
    /// 0: cited, not named.
    pub rank: u32,
    pub count: u32,
    pub is_cited: bool,
    pub sentiment: Option<f64>,
}

/// An answer as it came, without what was found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    pub provider: Provider,
    pub question: String,
    pub text: String,
    pub citations: Vec<Source>,
    pub retrieved: Vec<Source>,
    pub queries: Vec<String>,
    pub retrieval: Retrieval,
    pub finish: Finish,
    /// Empty: the response does not say.
    pub served_model: String,
    pub location: LocationSent,
    pub is_query_cut: bool,
}

/// A name that an answer has and the profile does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveredBrand {
    pub name: String,
    pub domain: Option<String>,
}

/// An answer with everything that was found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysedAnswer {
    pub row: RunAnswerRow,
    pub counted: CountedAnswer,
    pub details: RunDetails,
    pub discovered: Vec<DiscoveredBrand>,
    /// Keys of names that count when another answer has them too.
    pub pending: Vec<String>,
}

impl KeptAnswer {
    /// Takes an answer that has just come.
    pub fn of_answer(provider: Provider, question: &str, answer: Answer) -> KeptAnswer {
        KeptAnswer {
            provider,
            question: question.to_owned(),
            text: answer.text,
            citations: answer.citations,
            retrieved: answer.retrieved,
            queries: answer.queries,
            retrieval: answer.retrieval,
            finish: answer.finish,
            served_model: answer.served_model.unwrap_or_default(),
            location: answer.location,
            is_query_cut: answer.query_cut,
        }
    }

    /// Takes an answer that is kept. None: a newer version wrote the row.
    pub fn of_row(row: &StoredRunRow, question: &str) -> Option<KeptAnswer> {
        let details = details_of(&row.answer);
        let sources = |citations: Vec<Citation>| {
            citations
                .into_iter()
                .map(|citation| Source { url: citation.url, title: citation.title })
                .collect()
        };
        Some(KeptAnswer {
            provider: row.provider.parse().ok()?,
            question: question.to_owned(),
            text: row.answer.answer.clone(),
            citations: sources(details.citations),
            retrieved: sources(details.retrieved),
            queries: details.queries,
            retrieval: parse(&row.answer.retrieval)?,
            finish: parse(&row.answer.finish)?,
            served_model: row.answer.served_model.clone(),
            location: parse(&row.answer.location)?,
            is_query_cut: row.answer.is_query_cut,
        })
    }

    pub fn input(&self) -> AnswerInput<'_> {
        AnswerInput {
            question: &self.question,
            text: &self.text,
            citations: &self.citations,
            retrieved: &self.retrieved,
            provider: self.provider,
        }
    }

    /// Analyses the answer to the end, with a model's reply or without.
    pub fn complete(
        &self,
        run: &PromptRunId,
        brands: &Brands,
        seen_before: &HashSet<String>,
        reply: Option<&str>,
    ) -> AnalysedAnswer {
        let read: Option<ModelReply> = reply.and_then(|text| read_reply(text).ok());
        let stage = SecondStage { reply: read.as_ref(), seen_before };
        let analysis = analysis::complete(&self.input(), brands, stage);
        let counted = analysis.counted(self.retrieval, self.finish);
        let details = self.details(&analysis, &counted, reply.filter(|_| read.is_some()));
        let discovered = analysis.competitors.iter().filter(|competitor| competitor.is_new);
        AnalysedAnswer {
            discovered: discovered
                .map(|competitor| DiscoveredBrand {
                    name: competitor.name.clone(),
                    domain: competitor.domain.clone(),
                })
                .collect(),
            pending: analysis.pending.clone(),
            row: RunAnswerRow {
                sentiment: hundredths(analysis.sentiment),
                recommended: analysis.recommended,
                analysis_text: analysis.text.clone(),
                analysis_mode: text_of(&analysis.mode),
                details: serde_json::to_string(&details).expect("details are plain data"),
                ..self.row(run, PromptRunStatus::Ok, &analysis.facts)
            },
            counted,
            details,
        }
    }

    /// Writes the row of an answer of which only the first stage is done.
    pub fn first_stage(&self, run: &PromptRunId, brands: &Brands) -> (AnswerFacts, RunAnswerRow) {
        let facts = analysis::facts(&self.input(), brands);
        let details = RunDetails {
            citations: facts.citations.clone(),
            retrieved: facts.retrieved.clone(),
            queries: self.queries.clone(),
            spans: facts.spans.clone(),
            ..RunDetails::default()
        };
        let row = RunAnswerRow {
            details: serde_json::to_string(&details).expect("details are plain data"),
            ..self.row(run, PromptRunStatus::Answered, &facts)
        };
        (facts, row)
    }

    fn details(&self, analysis: &AnswerAnalysis, counted: &CountedAnswer, reply: Option<&str>) -> RunDetails {
        let competitors = counted.competitors.iter().map(|competitor| RunCompetitor {
            name: competitor.name.clone(),
            rank: competitor.rank,
            count: competitor.occurrences,
            is_cited: competitor.is_cited,
            sentiment: competitor.sentiment,
        });
        RunDetails {
            citations: analysis.facts.citations.clone(),
            retrieved: analysis.facts.retrieved.clone(),
            queries: self.queries.clone(),
            spans: analysis.facts.spans.clone(),
            competitors: competitors.collect(),
            quote: analysis.quote.clone(),
            tone_basis: Some(analysis.tone_basis),
            reply: reply.map(str::to_owned),
        }
    }

    fn row(&self, run: &PromptRunId, status: PromptRunStatus, facts: &AnswerFacts) -> RunAnswerRow {
        let competitors = facts.brands.iter().filter(|brand| brand.kind == BrandKind::Competitor);
        let competitors: Vec<Value> =
            competitors.map(|brand| json!({ "name": brand.name, "count": brand.count })).collect();
        RunAnswerRow {
            id: run.to_string(),
            status: status.as_str().to_owned(),
            changed_at: 0,
            answer: self.text.clone(),
            retrieval: text_of(&self.retrieval),
            finish: text_of(&self.finish),
            served_model: self.served_model.clone(),
            location: text_of(&self.location),
            is_query_cut: self.is_query_cut,
            mention_position: facts.position.into(),
            list_rank: facts.list_rank.map(i64::from),
            citation_count: i64::try_from(facts.citations.len()).unwrap_or(i64::MAX),
            sentiment: 0,
            recommended: None,
            analysis_text: String::new(),
            analysis_mode: String::new(),
            analysis_version: 0,
            competitor_mentions: Value::from(competitors).to_string(),
            citation_domains: json!(facts.citation_domains).to_string(),
            details: String::new(),
        }
    }
}

impl AnalysedAnswer {
    /// Stamps the row with the version of the domain's analysis and the time.
    pub fn stamped(mut self, analysis_version: i64, now: Timestamp) -> AnalysedAnswer {
        self.row.analysis_version = analysis_version;
        self.row.changed_at = now.as_millis();
        self
    }

    pub fn parts(&self) -> CountedParts<'_> {
        CountedParts {
            answer: &self.counted,
            citations: &self.details.citations,
            retrieved: &self.details.retrieved,
            queries: &self.details.queries,
            served_model: &self.row.served_model,
        }
    }

    pub fn mode(&self) -> Option<AnalysisMode> {
        parse(&self.row.analysis_mode)
    }
}

/// Reads the details of a row. Those of a newer version count as none.
pub fn details_of(row: &RunAnswerRow) -> RunDetails {
    serde_json::from_str(&row.details).unwrap_or_default()
}

/// Reads what of a kept row is counted.
pub fn counted_of(row: &RunAnswerRow, details: &RunDetails) -> CountedAnswer {
    let of_kind = |kind| details.citations.iter().filter(|citation| citation.kind == kind).count() as u64;
    let competitors = details.competitors.iter().map(|competitor| CountedCompetitor {
        name: competitor.name.clone(),
        rank: competitor.rank,
        occurrences: competitor.count,
        is_cited: competitor.is_cited,
        sentiment: competitor.sentiment,
    });
    CountedAnswer {
        position: u32::try_from(row.mention_position).unwrap_or_default(),
        sentiment: tone_of(row.sentiment),
        recommended: row.recommended,
        competitors: competitors.collect(),
        citations: CitationCounts {
            own: of_kind(SourceKind::Own),
            competitor: of_kind(SourceKind::Competitor),
            third_party: of_kind(SourceKind::ThirdParty),
        },
        citation_domains: serde_json::from_str(&row.citation_domains).unwrap_or_default(),
        retrieval: parse(&row.retrieval).unwrap_or(Retrieval::Unknown),
        is_absent: row.finish == text_of(&Finish::AbsentOverview),
    }
}

/// Reads what another answer is compared with: rank, tone, named competitors and cited domains.
pub fn compared_of(row: &ComparedRow) -> CountedAnswer {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let named: Vec<Named> = serde_json::from_str(&row.competitor_mentions).unwrap_or_default();
    let competitors = named.into_iter().zip(1..).map(|(named, rank)| CountedCompetitor {
        name: named.name,
        rank,
        occurrences: 1,
        is_cited: false,
        sentiment: None,
    });
    CountedAnswer {
        position: u32::try_from(row.mention_position).unwrap_or_default(),
        sentiment: tone_of(row.sentiment),
        recommended: None,
        competitors: competitors.collect(),
        citations: CitationCounts::default(),
        citation_domains: serde_json::from_str(&row.citation_domains).unwrap_or_default(),
        retrieval: Retrieval::Unknown,
        is_absent: false,
    }
}

fn tone_of(hundredths: i64) -> f64 {
    f64::from(i32::try_from(hundredths).unwrap_or_default()) / 100.0
}

fn hundredths(tone: f64) -> i64 {
    (tone.clamp(-1.0, 1.0) * 100.0).round() as i64
}

/// Returns the text of an enum that is a text in JSON.
pub fn text_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Reads an enum that is a text in JSON.
pub fn parse<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(Value::String(text.to_owned())).ok()
}
