//! Second stage: tone, further competitors, and what both change in the facts. Pure.
//! A model only proposes: names must stand in the answer, numbers must be in range, quotes must be said.

use std::collections::HashMap;

use super::facts::{Cited, assemble};
use super::{
    AnalysisMode, AnswerAnalysis, AnswerFacts, AnswerInput, CompetitorMention, SecondStage, ToneBasis,
    describe,
};
use crate::analysis::brand::{BrandKind, Brands, key};
use crate::analysis::candidates::{CandidateSearch, Candidates, FoundCompetitor};
use crate::analysis::citations::{Citation, SourceKind};
use crate::analysis::llm::{VerifiedReply, verify};
use crate::analysis::matcher::{BrandIndex, BrandNames, Hit, Matcher, ProseReading, longest};
use crate::analysis::prose;
use crate::analysis::tone::{self, BrandTone, ToneLanguage};
use crate::analysis::unknown::OWN;
use crate::providers::{Finish, Retrieval};
use crate::statistics::{CitationCounts, CountedAnswer, CountedCompetitor};

pub fn complete(input: &AnswerInput<'_>, brands: &Brands, stage: SecondStage<'_>) -> AnswerAnalysis {
    let prose = prose::read(input.text);
    let reading = ProseReading::of(&prose);
    let of_profile = brands.matcher().hits(&reading);
    let known = longest(of_profile.clone());
    let mut cited = Cited::of(input, brands);

    let language = ToneLanguage::of(&prose.text);
    let verified = stage.reply.map(|reply| verify(reply, &reading, brands, &cited.citations));
    let candidates = match &verified {
        Some(verified) => Candidates { accepted: verified.competitors(), pending: Vec::new() },
        None => CandidateSearch {
            reading: &reading,
            question: input.question,
            brands,
            hits: &known,
            citations: &cited.citations,
            language,
            seen_before: stage.seen_before,
        }
        .run(),
    };

    let found = &candidates.accepted;
    let hits = with_found(of_profile, found, &reading, brands);
    let first_new = brands.competitors().len() + 1;
    let named = |brand: BrandIndex| match brand.checked_sub(first_new) {
        Some(new) => found.get(new).map(|competitor| (&*competitor.name, BrandKind::Competitor)),
        None => brands.named(brand),
    };
    claim(&mut cited.citations, found);
    claim(&mut cited.retrieved, found);
    let facts = assemble(input.text, &prose, &hits, cited, named);

    let tones = language.map(|language| tone::tones(&prose, &hits, language)).unwrap_or_default();
    let own = own_tone(&facts, tones.get(&OWN), verified.as_ref());
    let indexes: HashMap<&str, BrandIndex> =
        hits.iter().filter_map(|hit| Some((named(hit.brand)?.0, hit.brand))).collect();
    let competitors = mentions(&facts, |name| {
        let brand = indexes.get(name).copied()?;
        let new = brand.checked_sub(first_new);
        let proposed = verified.as_ref().and_then(|verified| verified.sentiment_of(name));
        Some(Described {
            sentiment: proposed.or(tones.get(&brand).map(|tone| tone.score)),
            domain: new.and_then(|new| found.get(new)?.domain.clone()),
            is_new: new.is_some(),
        })
    });
    let summary = verified.as_ref().map_or("", |verified| &verified.summary);
    AnswerAnalysis {
        text: describe::describe(&facts, (own.sentiment, own.basis), &competitors, summary),
        sentiment: own.sentiment,
        tone_basis: own.basis,
        recommended: own.recommended,
        quote: own.quote,
        competitors,
        pending: candidates.pending.iter().map(|name| key(name)).collect(),
        mode: if verified.is_some() { AnalysisMode::Model } else { AnalysisMode::Builtin },
        facts,
    }
}

/// Adds the occurrences of new competitors to those of the profile's brands; the longest name wins among all.
fn with_found(
    mut hits: Vec<Hit>,
    found: &[FoundCompetitor],
    reading: &ProseReading<'_>,
    brands: &Brands,
) -> Vec<Hit> {
    let names: Vec<[String; 1]> = found.iter().map(|competitor| [competitor.name.clone()]).collect();
    let domains: Vec<Vec<String>> =
        found.iter().map(|competitor| competitor.domain.iter().cloned().collect()).collect();
    let new = names.iter().zip(&domains).map(|(names, domains)| BrandNames { names, domains });
    let matcher = Matcher::compile(new);
    let first = brands.competitors().len() + 1;
    hits.extend(matcher.hits(reading).into_iter().map(|hit| Hit { brand: hit.brand + first, ..hit }));
    longest(hits)
}

/// Gives the sources of new competitors to them.
fn claim(citations: &mut [Citation], found: &[FoundCompetitor]) {
    for citation in citations.iter_mut().filter(|citation| citation.kind == SourceKind::ThirdParty) {
        let owner = found.iter().find(|competitor| competitor.domain.as_ref() == Some(&citation.domain));
        if let Some(owner) = owner {
            citation.kind = SourceKind::Competitor;
            citation.owner = Some(owner.name.clone());
        }
    }
}

/// Tone towards the own brand.
struct OwnTone {
    sentiment: f64,
    basis: ToneBasis,
    recommended: Option<bool>,
    quote: Option<String>,
}

fn own_tone(facts: &AnswerFacts, lexicon: Option<&BrandTone>, verified: Option<&VerifiedReply>) -> OwnTone {
    if !facts.mentioned {
        return OwnTone { sentiment: 0.0, basis: ToneBasis::None, recommended: None, quote: None };
    }
    if let Some(model) = verified.and_then(|verified| verified.own.as_ref()) {
        return OwnTone {
            sentiment: model.sentiment,
            basis: ToneBasis::Model,
            recommended: Some(model.recommended),
            quote: Some(model.quote.clone()),
        };
    }
    match lexicon {
        Some(tone) => OwnTone {
            sentiment: tone.score,
            basis: ToneBasis::Lexicon,
            recommended: tone.recommended,
            quote: tone.quote.clone(),
        },
        None => OwnTone { sentiment: 0.0, basis: ToneBasis::None, recommended: None, quote: None },
    }
}

/// Facts about a competitor besides its occurrences.
struct Described {
    sentiment: Option<f64>,
    domain: Option<String>,
    is_new: bool,
}

fn mentions(facts: &AnswerFacts, described: impl Fn(&str) -> Option<Described>) -> Vec<CompetitorMention> {
    let competitors = facts.brands.iter().filter(|brand| brand.kind == BrandKind::Competitor);
    competitors
        .filter_map(|brand| {
            let Described { sentiment, domain, is_new } = described(&brand.name)?;
            let name = brand.name.clone();
            Some(CompetitorMention { name, count: brand.count, rank: brand.rank, sentiment, domain, is_new })
        })
        .collect()
}

impl AnswerAnalysis {
    /// Returns the part of the analysis that is counted and compared.
    pub fn counted(&self, retrieval: Retrieval, finish: Finish) -> CountedAnswer {
        let of_kind =
            |kind| self.facts.citations.iter().filter(|citation| citation.kind == kind).count() as u64;
        let is_cited =
            |name: &str| self.facts.citations.iter().any(|citation| citation.owner.as_deref() == Some(name));
        let mut competitors: Vec<CountedCompetitor> = self
            .competitors
            .iter()
            .map(|competitor| CountedCompetitor {
                name: competitor.name.clone(),
                rank: competitor.rank,
                occurrences: competitor.count,
                is_cited: is_cited(&competitor.name),
                sentiment: competitor.sentiment,
            })
            .collect();
        for citation in self.facts.citations.iter().filter(|citation| citation.kind == SourceKind::Competitor)
        {
            if let Some(name) =
                citation.owner.as_ref().filter(|name| competitors.iter().all(|c| c.name != **name))
            {
                let (name, sentiment) = (name.clone(), None);
                competitors.push(CountedCompetitor {
                    name,
                    rank: 0,
                    occurrences: 0,
                    is_cited: true,
                    sentiment,
                });
            }
        }
        CountedAnswer {
            position: self.facts.position,
            sentiment: self.sentiment,
            recommended: self.recommended,
            competitors,
            citations: CitationCounts {
                own: of_kind(SourceKind::Own),
                competitor: of_kind(SourceKind::Competitor),
                third_party: of_kind(SourceKind::ThirdParty),
            },
            citation_domains: self.facts.citation_domains.clone(),
            retrieval,
            is_absent: finish == Finish::AbsentOverview,
        }
    }
}
