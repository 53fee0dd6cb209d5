//! Properties of sums: the order of answers changes nothing, shares add up, rates are monotone.

use assistants::providers::Retrieval;
use assistants::statistics::{
    AnswerSums, CitationCounts, CountedAnswer, CountedCompetitor, PairSums, difficulty, strength,
    top_competitors,
};
use proptest::prelude::*;

fn answers() -> impl Strategy<Value = Vec<CountedAnswer>> {
    let competitor = (0..6usize, 0..4u32, any::<bool>(), -1.0..=1.0f64);
    let answer = (
        prop::option::of(0..5u32),
        -1.0..=1.0f64,
        prop::option::of(any::<bool>()),
        prop::collection::vec(competitor, 0..5),
        (0..4u64, 0..4u64, 0..4u64),
        any::<bool>(),
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(answer.prop_map(answer_of), 0..12)
}

type Parts = (Option<u32>, f64, Option<bool>, Vec<(usize, u32, bool, f64)>, (u64, u64, u64), bool, bool);

fn answer_of((own, sentiment, recommended, competitors, cited, searched, is_absent): Parts) -> CountedAnswer {
    let mut named: Vec<CountedCompetitor> = Vec::new();
    for (name, occurrences, is_cited, tone) in competitors {
        let name = format!("Competitor {name}");
        if named.iter().all(|other| other.name != name) {
            let rank = if occurrences == 0 { 0 } else { named.len() as u32 + 2 };
            named.push(CountedCompetitor { name, rank, occurrences, is_cited, sentiment: Some(tone) });
        }
    }
    CountedAnswer {
        position: own.map_or(0, |rank| rank + 1),
        sentiment: if own.is_some() { sentiment } else { 0.0 },
        recommended,
        competitors: named,
        citations: CitationCounts { own: cited.0, competitor: cited.1, third_party: cited.2 },
        citation_domains: Vec::new(),
        retrieval: if searched { Retrieval::Used } else { Retrieval::NotUsed },
        is_absent,
    }
}

fn sum(answers: &[CountedAnswer]) -> AnswerSums {
    let mut sums = AnswerSums::default();
    answers.iter().for_each(|answer| sums.add(answer));
    sums
}

proptest! {
    #[test]
    fn shares_of_voice_add_up_to_a_hundred(answers in answers()) {
        let sums = sum(&answers);

        let total: f64 =
            sums.share_of_voice() + sums.competitors.keys().map(|name| sums.competitor_share(name)).sum::<f64>();

        let rounding = 0.05 * (sums.competitors.len() + 1) as f64 + 1e-9;
        prop_assert!(sums.voices() == 0 && total == 0.0 || (total - 100.0).abs() <= rounding, "{}", total);
    }

    #[test]
    fn the_order_of_answers_changes_nothing(answers in answers(), cut in 0..12usize) {
        let mut turned = answers.clone();
        turned.reverse();
        let (left, right) = answers.split_at(cut.min(answers.len()));
        let mut parts = sum(right);
        parts.merge(&sum(left));

        prop_assert_eq!(sum(&turned), sum(&answers));
        prop_assert_eq!(parts, sum(&answers));
    }

    #[test]
    fn sums_equal_a_recount(answers in answers()) {
        let sums = sum(&answers);
        let given: Vec<&CountedAnswer> = answers.iter().filter(|answer| !answer.is_absent).collect();
        let count = |is_counted: &dyn Fn(&&&CountedAnswer) -> bool| given.iter().filter(is_counted).count() as u64;

        prop_assert_eq!(sums.responses, given.len() as u64);
        prop_assert_eq!(sums.absent_overviews, (answers.len() - given.len()) as u64);
        prop_assert_eq!(sums.mentions, count(&|answer| answer.position > 0));
        prop_assert_eq!(sums.own_cited, count(&|answer| answer.citations.own > 0));
        prop_assert_eq!(sums.positive + sums.neutral + sums.negative, sums.mentions);
        prop_assert_eq!(sums.recommended_known, count(&|answer| answer.recommended.is_some()));
        prop_assert_eq!(sums.citations.total(), given.iter().map(|answer| answer.citations.total()).sum::<u64>());
        for (name, competitor) in &sums.competitors {
            let naming = count(&|answer| answer.competitors.iter().any(|other| other.name == *name && other.rank > 0));
            prop_assert_eq!(competitor.responses, naming);
            prop_assert!(competitor.ahead_of_own <= competitor.responses);
        }
    }

    #[test]
    fn a_further_mention_never_lowers_a_rate(answers in answers(), at in 0..12usize) {
        let before = sum(&answers);
        let mut named = answers.clone();
        if let Some(answer) = named.get_mut(at) && !answer.is_absent {
            answer.position = answer.position.max(1);
        }
        let after = sum(&named);

        prop_assert!(after.visibility_percent() >= before.visibility_percent());
        prop_assert!(after.share_of_voice() >= before.share_of_voice());
        let (low, high) = (before.visibility_interval(), after.visibility_interval());
        prop_assert!(low.is_none() || low.unwrap().low <= high.unwrap().low);
    }

    #[test]
    fn scores_and_means_stay_in_their_range(answers in answers()) {
        let mut sums = sum(&answers);
        for pair in answers.windows(2) {
            sums.pairs.add(&pair[0], &pair[1]);
        }

        let difficulty = difficulty(&sums, |name| name.len() % 2 == 0);

        let is_in_range = (sums.responses < 3 && difficulty == -1) || (0..=100).contains(&difficulty);
        prop_assert!(is_in_range, "difficulty");
        prop_assert!((-1.0..=1.0).contains(&sums.avg_sentiment()));
        prop_assert!(sums.mentions == 0 || sums.avg_position() >= 1.0);
        for name in sums.competitors.keys() {
            prop_assert!(strength(&sums, name, false) <= 100 && strength(&sums, name, true) <= 100);
        }
        prop_assert!(top_competitors(&sums, |_| None).len() <= 5);
    }
}

#[test]
fn an_overview_that_was_not_shown_is_no_response() {
    let absent =
        CountedAnswer { is_absent: true, ..answer_of((Some(0), 0.5, None, vec![], (1, 1, 1), true, true)) };

    let mut sums = AnswerSums::of(&absent);
    sums.merge(&AnswerSums::of_error());

    assert_eq!((sums.responses, sums.mentions, sums.absent_overviews, sums.errors), (0, 0, 1, 1));
    assert_eq!(sums.visibility_percent(), 0.0);
    assert_eq!(sums.citations.total(), 0);
}

#[test]
fn a_pair_that_reaches_into_an_earlier_day_is_kept_apart() {
    let named =
        |name: usize| answer_of((None, 0.0, None, vec![(name, 1, false, 0.0)], (0, 0, 0), true, false));
    let mut earlier_pairs = PairSums::default();
    earlier_pairs.add(&named(1), &named(2));
    let mut day = sum(&[named(2), named(2), named(2)]);
    day.pairs.add(&named(2), &named(2));

    let within = assistants::statistics::difficulty_parts(&day, |_| false).stability;
    day.earlier_pairs = earlier_pairs;
    let across = assistants::statistics::difficulty_parts(&day, |_| false).stability;

    assert_eq!((within, across), (1.0, 0.5));
}
