//! The golden file: ten runs and every number that must come out of them.

use assistants::providers::Retrieval;
use assistants::statistics::{
    AnswerSums, CitationCounts, CountedAnswer, CountedCompetitor, PairSums, difficulty, difficulty_parts,
    top_competitors,
};
use serde_json::{Value, json};

const OWN: &str = "LumaDocs";
const OWN_DOMAIN: &str = "lumadocs.io";

fn golden() -> Value {
    serde_json::from_str(include_str!("data/golden.json")).unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn counted(run: &Value, competitors: &Value) -> CountedAnswer {
    let brands = texts(&run["brands"]);
    let domains = texts(&run["citedDomains"]);
    let rank = |name: &str| brands.iter().position(|brand| *brand == name).map_or(0, |at| at as u32 + 1);
    let known = competitors.as_object().unwrap();
    let competitor_domains: Vec<&str> = known.values().map(|domain| domain.as_str().unwrap()).collect();
    let count = |is_counted: &dyn Fn(&&&str) -> bool| domains.iter().filter(is_counted).count() as u64;
    CountedAnswer {
        position: rank(OWN),
        sentiment: run["sentiment"].as_f64().unwrap_or(0.0),
        recommended: None,
        competitors: known
            .iter()
            .map(|(name, domain)| CountedCompetitor {
                name: name.clone(),
                rank: rank(name),
                occurrences: (rank(name) > 0).into(),
                is_cited: domains.contains(&domain.as_str().unwrap()),
                sentiment: None,
            })
            .filter(|competitor| competitor.rank > 0 || competitor.is_cited)
            .collect(),
        citations: CitationCounts {
            own: count(&|domain| **domain == OWN_DOMAIN),
            competitor: count(&|domain| competitor_domains.contains(*domain)),
            third_party: count(&|domain| **domain != OWN_DOMAIN && !competitor_domains.contains(*domain)),
        },
        citation_domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
        retrieval: Retrieval::Used,
        is_absent: run["absentOverview"].as_bool().unwrap(),
    }
}

/// Sums of the runs that are wanted, with the pairs of consecutive answers of a prompt and provider.
fn sums(golden: &Value, is_wanted: impl Fn(&Value) -> bool) -> AnswerSums {
    let mut sums = AnswerSums::default();
    let mut last: Vec<(String, CountedAnswer)> = Vec::new();
    for run in golden["runs"].as_array().unwrap().iter().filter(|run| is_wanted(run)) {
        let answer = counted(run, &golden["competitors"]);
        let target = format!("{} {}", run["promptId"], run["provider"]);
        let mut pairs = PairSums::default();
        if let Some((_, before)) = last.iter().rev().find(|(of, _)| *of == target) {
            pairs.add(before, &answer);
        }
        sums.add(&answer);
        sums.merge(&AnswerSums { pairs, ..AnswerSums::default() });
        last.push((target, answer));
    }
    sums
}

/// Returns the numbers of a set of runs in the form of the golden file.
fn numbers(sums: &AnswerSums, competitors: &Value) -> Value {
    let site_url = |name: &str| Some(format!("https://{}", competitors[name].as_str()?));
    let interval = sums.visibility_interval().unwrap();
    let parts = difficulty_parts(sums, |_| true);
    let four = |value: f64| (value * 10_000.0).round() / 10_000.0;
    let named: serde_json::Map<String, Value> = competitors
        .as_object()
        .unwrap()
        .keys()
        .map(|name| {
            (name.clone(), json!(sums.competitors.get(name).map_or(0, |competitor| competitor.responses)))
        })
        .collect();
    json!({
        "responses": sums.responses,
        "mentions": sums.mentions,
        "visibilityPercent": sums.visibility_percent(),
        "wilson": [interval.low, interval.high],
        "avgPosition": sums.avg_position(),
        "avgSentiment": sums.avg_sentiment(),
        "citationRate": sums.citation_rate(),
        "totalCitations": sums.citations.total(),
        "competitorResponses": named,
        "den": sums.voices(),
        "shareOfVoice": sums.share_of_voice(),
        "topCompetitorSharePct": sums.top_competitor_share(),
        "topCompetitors": top_competitors(sums, site_url),
        "difficulty": difficulty(sums, |_| true),
        "parts": {
            "T": four(parts.strength),
            "S": four(parts.stability),
            "C": four(parts.competitor_citations),
            "B": four(parts.crowding),
            "v": four(parts.visibility),
        },
    })
}

#[test]
fn every_golden_number_comes_out() {
    let golden = golden();

    let of_prompt =
        |prompt: &str| numbers(&sums(&golden, |run| run["promptId"] == prompt), &golden["competitors"]);
    let all = sums(&golden, |_| true);

    assert_eq!(of_prompt("A"), golden["expected"]["promptA"]);
    assert_eq!(of_prompt("B"), golden["expected"]["promptB"]);
    assert_eq!(numbers(&all, &golden["competitors"]), golden["expected"]["summary"]);
}

#[test]
fn the_numbers_of_the_golden_report_come_out() {
    let golden = golden();
    let report = &golden["reportExample"];
    let all = sums(&golden, |_| true);

    let of_provider = |provider: &Value| sums(&golden, |run| run["provider"] == *provider);

    for insight in report["providerInsights"].as_array().unwrap() {
        let sums = of_provider(&insight["provider"]);
        let interval = sums.visibility_interval().map(|interval| json!([interval.low, interval.high]));
        assert_eq!(json!(interval), insight["ci"]);
        assert_eq!(json!(sums.responses), insight["responses"]);
        assert_eq!(json!(sums.absent_overviews), insight["absentOverviews"]);
        assert_eq!(sums.avg_position(), insight["avgPosition"].as_f64().unwrap());
        assert_eq!(sums.avg_sentiment(), insight["avgSentiment"].as_f64().unwrap());
        assert_eq!(sums.share_of_voice(), insight["shareOfVoice"].as_f64().unwrap());
    }
    for competitor in report["competitorLandscape"]["competitors"].as_array().unwrap() {
        let name = competitor["name"].as_str().unwrap();
        assert_eq!(json!(all.competitor_share(name)), competitor["sharePct"]);
        assert_eq!(json!(all.competitors[name].avg_position()), competitor["avgPosition"]);
        assert_eq!(json!(all.competitors[name].ahead_of_own), competitor["aheadOfYou"]);
    }
    assert_eq!(json!(all.first_position_percent()), report["stats"]["firstPositionPercent"]);
    assert_eq!(json!([all.positive, all.neutral, all.negative]), json!([4, 1, 1]));
    assert_eq!(all.informative, 8);
}
