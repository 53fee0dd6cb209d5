//! Detectors of actions: when each fires, and that it is silent otherwise.

use assistants::providers::{Provider, Retrieval};

use super::super::payload::{ActionKind, OwnPageInsight, ReportAction, SentimentExcerpt, SummaryTone};
use super::super::{OwnPage, ReportInput, build};
use super::{BUILT, LAST, Sample, input_of, report_of, sample};

const GPT: Provider = Provider::Chatgpt;
const PPLX: Provider = Provider::Perplexity;

/// Makes equal answers.
fn times(count: usize, of: &Sample) -> Vec<Sample> {
    vec![of.clone(); count]
}

fn kinds(samples: &[Sample]) -> Vec<ActionKind> {
    kinds_of(&report_of(samples).action_items)
}

fn kinds_of(actions: &[ReportAction]) -> Vec<ActionKind> {
    let mut kinds: Vec<ActionKind> = actions.iter().map(|action| action.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

fn actions_of(input: &ReportInput) -> Vec<ReportAction> {
    build(input, BUILT).unwrap().action_items
}

fn has(samples: &[Sample], kind: ActionKind) -> bool {
    kinds(samples).contains(&kind)
}

#[test]
fn a_prompt_that_no_assistant_names_the_brand_for_is_dead() {
    let four = times(4, &sample("A", GPT, LAST, &["Notchly"]));
    let five = times(5, &sample("A", GPT, LAST, &["Notchly"]));
    let silent = times(5, &sample("A", GPT, LAST, &[]));

    assert!(has(&five, ActionKind::DeadPrompt));
    assert!(!has(&four, ActionKind::DeadPrompt) && !has(&silent, ActionKind::DeadPrompt));
    let dead = report_of(&five);
    let action = dead.action_items.iter().find(|action| action.kind == ActionKind::DeadPrompt).unwrap();
    let difficulty = dead.prompt_insights[0].difficulty;
    assert_eq!((action.impact, &*action.id), (u32::try_from(100 - difficulty).unwrap(), "dead_prompt:A"));
}

#[test]
fn one_assistant_alone_is_said() {
    let mut samples = times(2, &sample("A", GPT, LAST, &["LumaDocs"]));
    samples.extend(times(4, &sample("A", PPLX, LAST, &[])));
    let alone = times(2, &sample("A", GPT, LAST, &["LumaDocs"]));

    assert!(has(&samples, ActionKind::SingleProvider));
    assert!(!has(&alone, ActionKind::SingleProvider));
}

#[test]
fn cited_and_not_named_is_the_counterpart_of_named_and_not_cited() {
    let cited = times(4, &sample("A", GPT, LAST, &["Notchly"]).citing(&["lumadocs.io"]));
    let named = times(4, &sample("A", GPT, LAST, &["LumaDocs"]).citing(&["g2.com"]));

    assert!(has(&cited, ActionKind::CitedNotNamed) && !has(&cited, ActionKind::NamedNotCited));
    assert!(has(&named, ActionKind::NamedNotCited) && !has(&named, ActionKind::CitedNotNamed));
}

#[test]
fn a_negative_tone_needs_three_mentions_and_brings_quotes() {
    let harsh = sample("A", GPT, LAST, &["LumaDocs"]).in_tone(-0.5);
    let mut input = input_of(&times(3, &harsh));
    input.excerpts = vec![SentimentExcerpt {
        run_id: "r".to_owned(),
        provider: "chatgpt".to_owned(),
        quote: "Avoid it.".to_owned(),
    }];

    let actions = actions_of(&input);

    let tone = actions.iter().find(|action| action.kind == ActionKind::NegativeTone).expect("an action");
    assert_eq!((tone.impact, &tone.evidence["quotes"]), (70, &serde_json::json!(["Avoid it."])));
    assert!(!has(&times(2, &harsh), ActionKind::NegativeTone));
    assert_eq!(build(&input, BUILT).unwrap().quick_summary.tone, SummaryTone::Negative);
}

#[test]
fn confirmed_changes_become_actions_and_open_ones_do_not() {
    let lost = [
        sample("A", GPT, LAST - 2, &["LumaDocs"]),
        sample("A", GPT, LAST - 1, &[]),
        sample("A", GPT, LAST, &[]),
    ];

    assert!(has(&lost, ActionKind::Lost));
    assert!(!has(&lost[..2], ActionKind::Lost));
    let action = report_of(&lost).action_items.into_iter().find(|a| a.kind == ActionKind::Lost).unwrap();
    assert_eq!(action.id, "lost:A:chatgpt:2026-11-16");
}

#[test]
fn a_competitor_rises_beyond_chance() {
    let both = sample("A", GPT, LAST, &["LumaDocs", "Notchly"]);
    let week_before = Sample { day: LAST - 8, ..sample("A", GPT, LAST, &["LumaDocs"]) };
    let many: Vec<Sample> = times(40, &week_before).into_iter().chain(times(40, &both)).collect();
    let few: Vec<Sample> = times(2, &week_before).into_iter().chain(times(2, &both)).collect();

    assert!(has(&many, ActionKind::CompetitorRising) && !has(&few, ActionKind::CompetitorRising));
}

#[test]
fn a_cited_page_with_errors_or_without_crawlers_needs_care() {
    let page = |errors, last: Option<&str>, is_crawling_known| OwnPage {
        insight: OwnPageInsight {
            url: "https://lumadocs.io/pricing".to_owned(),
            citations: 2,
            last_crawl_by_ai_bots: last.map(str::to_owned),
            open_issues: None,
            referrals: None,
        },
        errors,
        is_crawling_known,
    };
    let fires = |page: OwnPage| {
        let mut input = input_of(&[sample("A", GPT, LAST, &["LumaDocs"])]);
        input.own_pages = vec![page];
        kinds_of(&actions_of(&input)).contains(&ActionKind::NotIndexedPage)
    };

    assert!(fires(page(Some(1), Some("2026-11-16"), true)));
    assert!(fires(page(Some(0), None, true)));
    assert!(!fires(page(Some(0), Some("2026-11-16"), true)));
    assert!(!fires(page(None, None, false)));
}

#[test]
fn a_prompt_whose_answers_name_no_brand_tells_little() {
    let mut samples = times(4, &sample("A", GPT, LAST, &[]));
    samples.push(sample("A", GPT, LAST, &["Notchly"]));
    let informative: Vec<Sample> =
        times(3, &sample("A", GPT, LAST, &[])).into_iter().chain(times(2, &samples[4])).collect();

    assert!(has(&samples, ActionKind::UninformativePrompt));
    assert!(!has(&informative, ActionKind::UninformativePrompt));
}

#[test]
fn numbers_in_doubt_are_said_first() {
    let mut failing = times(3, &sample("A", GPT, LAST, &["LumaDocs"]));
    failing.push(Sample { is_error: true, ..sample("A", GPT, LAST, &[]) });
    let blind = Sample { retrieval: Retrieval::NotUsed, ..sample("A", GPT, LAST, &["LumaDocs"]) };
    let mut paused = input_of(&[sample("A", GPT, LAST, &["LumaDocs"])]);
    paused.paused.insert(GPT);

    assert_eq!(report_of(&failing).action_items[0].id, "measurement:errors:chatgpt");
    assert_eq!(report_of(&failing).provider_insights[0].health, "failing");
    assert_eq!(report_of(&[blind]).action_items[0].id, "measurement:not_retrieved:chatgpt");
    assert_eq!(actions_of(&paused)[0].id, "measurement:paused:chatgpt");
}

#[test]
fn a_gap_of_a_small_sample_counts_when_others_are_named() {
    let mut samples = times(2, &sample("A", PPLX, LAST, &["LumaDocs"]));
    samples.extend(times(2, &sample("A", GPT, LAST, &["Notchly"])));
    let mut silent = times(2, &sample("A", PPLX, LAST, &["LumaDocs"]));
    silent.extend(times(2, &sample("A", GPT, LAST, &[])));

    assert!(has(&samples, ActionKind::ProviderGap) && !has(&silent, ActionKind::ProviderGap));
}
