//! Properties of reports: same bytes for the same runs, shares that add up, intervals around rates.

use proptest::prelude::*;

use super::super::payload::{SampleVerdict, VisibilityReport};
use super::super::{build, canonical};
use super::golden::runs;
use super::{BUILT, LAST, Sample, input_of, report_of, sample};
use assistants::providers::Provider;
use platform::clock::Timestamp;

fn any_sample() -> impl Strategy<Value = Sample> {
    let brands = prop::sample::subsequence(vec!["LumaDocs", "Notchly", "PaperTrail", "Quillbase"], 0..=4)
        .prop_shuffle();
    let sites = prop::sample::subsequence(vec!["lumadocs.io", "notchly.com", "g2.com", "reddit.com"], 0..=4);
    let provider = prop::sample::select(Provider::ALL.to_vec());
    let prompt = prop::sample::select(vec!["A", "B", "C"]);
    (prompt, provider, LAST - 13..=LAST, brands, sites, -100..=100_i32).prop_map(
        |(prompt, provider, day, brands, sites, tone)| {
            sample(prompt, provider, day, &brands).citing(&sites).in_tone(f64::from(tone) / 100.0)
        },
    )
}

fn rates(report: &VisibilityReport) -> Vec<(f64, [f64; 2])> {
    let of_providers = report.provider_insights.iter().filter_map(|p| Some((p.visibility_percent?, p.ci?)));
    let of_prompts = report.prompt_insights.iter().filter_map(|p| Some((p.visibility_percent?, p.ci?)));
    let of_days = report.trend_data.iter().filter_map(|day| Some((day.visibility_percent?, day.ci?)));
    of_providers.chain(of_prompts).chain(of_days).collect()
}

proptest! {
    // A report is long: fewer cases than usual.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_order_of_everything_in_the_input_changes_no_byte(
        samples in prop::collection::vec(any_sample(), 1..30), seed in 0..1_000_usize,
    ) {
        let mut input = input_of(&samples);
        let Some(report) = build(&input, BUILT) else { return Ok(()) };

        let turns = seed % input.days.len();
        input.days.rotate_left(turns);
        input.answers.reverse();
        input.targets.reverse();
        input.pages.reverse();
        input.competitors.reverse();
        input.prompts.reverse();

        prop_assert_eq!(canonical(&report), canonical(&build(&input, BUILT).unwrap()));
    }

    #[test]
    fn shares_add_up_and_rates_lie_in_their_intervals(samples in prop::collection::vec(any_sample(), 1..30)) {
        let Some(report) = build(&input_of(&samples), BUILT) else { return Ok(()) };

        let landscape = &report.competitor_landscape;
        if let Some(own) = landscape.own_share_pct {
            let total = own + landscape.competitors.iter().map(|c| c.share_pct).sum::<f64>();
            prop_assert!((total - 100.0).abs() < 0.3, "{total}");
        }
        let sources = &report.citation_sources;
        if sources.total > 0 {
            let total: f64 = sources.domains.iter().map(|site| site.share_pct).sum();
            prop_assert!((total - 100.0).abs() < 0.3, "{total}");
        }
        for (rate, [low, high]) in rates(&report) {
            prop_assert!(low <= rate + 0.05 && rate <= high + 0.05, "{rate} in {low} to {high}");
        }
        prop_assert_eq!(report.trend_data.len(), 7);
    }
}

#[test]
fn the_time_of_building_is_no_part_of_the_hash() {
    let input = input_of(&runs());
    let later = Timestamp::from_millis(BUILT.as_millis() + 600_000);

    let (first, second) = (build(&input, BUILT).unwrap(), build(&input, later).unwrap());

    assert_eq!(first.content_hash, second.content_hash);
    assert_ne!(first.generated_at, second.generated_at);
    assert_eq!(first.generated_at, "2026-11-18T00:05:00.000Z");
}

#[test]
fn the_canonical_form_has_its_keys_in_order_and_no_spaces_between() {
    let text = canonical(&report_of(&runs()));

    assert!(text.starts_with(r#"{"actionItems":["#), "{}", &text[..40]);
    assert!(text.contains(r#""period":{"days":7,"from":"2026-11-11","previousFrom":"#));
    assert!(text.contains(r#""ci":[35.4,87.9]"#));
}

#[test]
fn no_run_that_ended_well_is_no_report() {
    let failed = Sample { is_error: true, ..sample("A", Provider::Chatgpt, LAST, &[]) };
    let old = sample("A", Provider::Chatgpt, LAST - 7, &["LumaDocs"]);

    assert!(build(&input_of(&[failed, old]), BUILT).is_none());
}

#[test]
fn a_difference_from_the_week_before_needs_five_answers() {
    let with = |count: i64| {
        let before = (0..count).map(|at| sample("A", Provider::Chatgpt, LAST - 8 - at, &["LumaDocs"]));
        let samples: Vec<Sample> = before.chain([sample("A", Provider::Chatgpt, LAST, &[])]).collect();
        report_of(&samples).stats.visibility_percent.delta
    };

    assert_eq!((with(4), with(5)), (None, Some(-100.0)));
}

#[test]
fn a_large_sample_is_no_longer_exploratory() {
    let of = |count: usize, providers: usize| {
        let samples: Vec<Sample> =
            (0..count).map(|at| sample("A", Provider::ALL[at % providers], LAST, &["LumaDocs"])).collect();
        report_of(&samples).coverage.verdict
    };

    assert_eq!(of(49, 1), SampleVerdict::Exploratory);
    assert_eq!(of(50, 1), SampleVerdict::Ok);
    let mut uneven: Vec<Sample> = vec![sample("A", Provider::Chatgpt, LAST, &["LumaDocs"]); 60];
    uneven.push(sample("A", Provider::Gemini, LAST, &[]));
    assert_eq!(report_of(&uneven).coverage.verdict, SampleVerdict::ThinSample);
}
