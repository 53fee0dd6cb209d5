//! The published example: ten runs, and all numbers of their report.

use assistants::providers::Provider;
use serde_json::json;

use super::{LAST, Sample, assert_has, payload, report_of, sample};

/// Returns the ten runs of the example.
pub fn runs() -> Vec<Sample> {
    use Provider::{Chatgpt, Gemini, GoogleAiOverview, Perplexity};
    let (n, own, p, q) = ("Notchly", "LumaDocs", "PaperTrail", "Quillbase");
    let [d14, d15, d16, d17] = [LAST - 3, LAST - 2, LAST - 1, LAST];
    vec![
        sample("A", Chatgpt, d14, &[n, own, q])
            .citing(&["notchly.com", "g2.com", "reddit.com"])
            .in_tone(0.40),
        sample("A", Chatgpt, d15, &[n, q]).citing(&["notchly.com", "g2.com"]),
        sample("A", Perplexity, d14, &[own, n])
            .citing(&["lumadocs.io", "g2.com", "techradar.com"])
            .in_tone(0.62),
        sample("A", Perplexity, d16, &[n, own, p])
            .citing(&["lumadocs.io", "g2.com", "reddit.com", "notchly.com"])
            .in_tone(0.10),
        sample("A", Gemini, d15, &[n]).citing(&["notchly.com", "youtube.com"]),
        sample("A", Gemini, d17, &[]).citing(&["youtube.com"]),
        sample("B", Chatgpt, d15, &[own]).citing(&["lumadocs.io"]).in_tone(0.80),
        sample("B", Perplexity, d16, &[own, p]).citing(&["lumadocs.io", "papertrail.app"]).in_tone(0.50),
        sample("B", Gemini, d16, &[p, own]).citing(&["papertrail.app"]).in_tone(-0.20),
        Sample { is_absent: true, ..sample("B", GoogleAiOverview, d17, &[]) },
    ]
}

#[test]
fn the_example_has_the_published_numbers() {
    let report = payload(&report_of(&runs()));

    assert_has(
        &report,
        &json!({
            "version": "v3", "analysisVersion": 1, "domain": "lumadocs.io",
            "brand": { "name": "LumaDocs", "siteUrl": "https://lumadocs.io", "aliases": ["Luma Docs"] },
            "period": { "from": "2026-11-11", "to": "2026-11-17", "days": 7,
                "previousFrom": "2026-11-04", "previousTo": "2026-11-10" },
            "coverage": { "promptCount": 2, "providerCount": 4, "runs": { "total": 10, "ok": 10, "error": 0, "pending": 0 },
                "responses": 9, "absentOverviews": 1, "informativeRate": 0.889, "verdict": "exploratory" },
            "stats": {
                "visibilityPercent": { "value": 66.7, "delta": null, "ci": [35.4, 87.9], "n": 9 },
                "shareOfVoice": { "value": 37.5, "delta": null, "n": 16 },
                "avgPosition": { "value": 1.5, "delta": null, "ci": null, "n": 6 },
                "avgSentiment": { "value": 0.37, "delta": null, "n": 6 },
                "citationRate": { "value": 44.4, "delta": null, "n": 9 },
                "recommendedPercent": { "value": null, "delta": null, "ci": null, "n": 0 },
                "totalMentions": 6, "totalCitations": 19, "firstPositionPercent": 33.3 },
            "quickSummary": {
                "tone": "caution",
                "headline": "LumaDocs appeared in 6 of 9 AI answers (66.7%); Notchly leads share of voice among competitors.",
                "bullets": [
                    { "id": "best_provider", "tone": "positive", "text": "Perplexity names LumaDocs in 3 of 3 answers." },
                    { "id": "worst_provider", "tone": "negative", "text": "Gemini names LumaDocs in 1 of 3 answers." },
                    { "id": "thin_sample", "tone": "neutral",
                        "text": "Fewer than 50 answers: read these rates as early signals." }] },
            "providerCount": 4,
            "sentiment": { "positive": 4, "neutral": 1, "negative": 1, "avg": 0.37 },
        }),
        "report",
    );
}

#[test]
fn the_example_has_the_published_insights() {
    let report = payload(&report_of(&runs()));

    assert_has(
        &report["providerInsights"],
        &json!([
            { "provider": "chatgpt", "responses": 3, "mentions": 2, "visibilityPercent": 66.7, "ci": [20.8, 93.9],
                "avgPosition": 1.5, "avgSentiment": 0.6, "citationRate": 33.3, "shareOfVoice": 33.3, "verdict": "thin_sample" },
            { "provider": "gemini", "responses": 3, "mentions": 1, "visibilityPercent": 33.3, "ci": [6.1, 79.2],
                "avgPosition": 2.0, "avgSentiment": -0.2, "citationRate": 0.0, "shareOfVoice": 33.3 },
            { "provider": "google_ai_overview", "responses": 0, "mentions": 0, "visibilityPercent": null, "ci": null,
                "avgPosition": null, "avgSentiment": null, "absentOverviews": 1, "verdict": "no_data" },
            { "provider": "perplexity", "responses": 3, "mentions": 3, "visibilityPercent": 100.0, "ci": [43.8, 100.0],
                "avgPosition": 1.33, "avgSentiment": 0.41, "citationRate": 100.0, "shareOfVoice": 42.9 }]),
        "providers",
    );
    assert_has(
        &report["promptInsights"],
        &json!([
            { "promptId": "A", "visibilityPercent": 50.0, "ci": [18.8, 81.2], "avgPosition": 1.67, "difficulty": 33,
                "topCompetitor": "Notchly", "topCompetitorSharePct": 45.5 },
            { "promptId": "B", "visibilityPercent": 100.0, "avgPosition": 1.33, "difficulty": 23,
                "topCompetitor": "PaperTrail", "topCompetitorSharePct": 40.0 }]),
        "prompts",
    );
    let share = |name: &str, responses, share, strength, position, ahead, prompts: &[&str]| {
        json!({ "name": name, "responses": responses, "sharePct": share, "strength": strength, "avgPosition": position,
            "aheadOfYou": ahead, "promptIds": prompts, "status": "tracked", "deltaSharePct": null })
    };
    assert_has(
        &report["competitorLandscape"],
        &json!({ "ownResponses": 6, "ownSharePct": 37.5, "newEntrants": [], "droppedOut": [], "competitors": [
            share("Notchly", 5, 31.3, 63, 1.2, 4, &["A"]),
            share("PaperTrail", 3, 18.8, 41, 2.0, 1, &["A", "B"]),
            share("Quillbase", 2, 12.5, 26, 2.5, 1, &["A"])] }),
        "landscape",
    );
}

#[test]
fn the_example_has_the_published_sources_and_actions() {
    let report = payload(&report_of(&runs()));

    let site = |domain: &str, kind: &str, responses, share| json!({ "domain": domain, "kind": kind, "responses": responses, "sharePct": share });
    assert_has(
        &report["citationSources"],
        &json!({ "total": 19, "ownPct": 21.1, "competitorPct": 31.6, "thirdPartyPct": 47.4, "domains": [
            site("g2.com", "third_party", 4, 21.1),
            site("lumadocs.io", "own", 4, 21.1),
            site("notchly.com", "competitor", 4, 21.1),
            site("papertrail.app", "competitor", 2, 10.5),
            site("reddit.com", "third_party", 2, 10.5),
            site("youtube.com", "third_party", 2, 10.5),
            site("techradar.com", "third_party", 1, 5.3)] }),
        "sources",
    );
    assert_has(
        &report["citationOpportunities"],
        &json!([
            { "domain": "g2.com", "gapResponses": 1, "citations": 4, "promptIds": ["A"], "providers": ["chatgpt"],
                "topUrls": ["https://g2.com/page"], "competitorsSeen": ["Notchly", "Quillbase"], "score": 70 },
            { "domain": "youtube.com", "gapResponses": 1, "citations": 2, "promptIds": ["A"], "providers": ["gemini"],
                "competitorsSeen": ["Notchly"], "score": 50 }]),
        "opportunities",
    );
    assert_has(
        &report["actionItems"],
        &json!([
            { "id": "source_opportunity:g2.com", "impact": 70, "severity": "high" },
            { "id": "provider_gap:A:gemini", "kind": "provider_gap", "severity": "high", "impact": 50,
                "title": "Gemini skips you on “prompt A”",
                "evidence": { "responses": 2, "mentions": 0, "competitors": ["Notchly"] },
                "promptIds": ["A"], "providers": ["gemini"], "domains": ["notchly.com", "youtube.com"] }]),
        "actions",
    );
}

#[test]
fn the_example_has_every_day_and_its_change() {
    let report = payload(&report_of(&runs()));

    let empty = |date: &str| {
        json!({ "date": date, "responses": 0, "mentions": 0, "visibilityPercent": null, "ci": null, "ma7": null,
            "shareOfVoice": null, "avgPosition": null, "avgSentiment": null, "citationRate": null, "byProvider": {} })
    };
    let day = |date: &str, counts: [u64; 2], rates: [f64; 2], means: [f64; 2], cites: f64| {
        json!({ "date": date, "responses": counts[0], "mentions": counts[1], "visibilityPercent": rates[0],
            "shareOfVoice": rates[1], "avgPosition": means[0], "avgSentiment": means[1], "citationRate": cites })
    };
    assert_has(
        &report["trendData"],
        &json!([
            empty("2026-11-11"), empty("2026-11-12"), empty("2026-11-13"),
            day("2026-11-14", [2, 2], [100.0, 40.0], [1.5, 0.51], 50.0),
            day("2026-11-15", [3, 1], [33.3, 25.0], [1.0, 0.8], 33.3),
            day("2026-11-16", [3, 3], [100.0, 42.9], [1.67, 0.13], 66.7),
            { "date": "2026-11-17", "responses": 1, "mentions": 0, "visibilityPercent": 0.0, "ma7": 66.7,
                "shareOfVoice": null, "avgPosition": null, "avgSentiment": null, "citationRate": 0.0,
                "byProvider": { "gemini": { "responses": 1, "mentions": 0, "visibilityPercent": 0.0 } } }]),
        "days",
    );
    assert_has(
        &report["changes"],
        &json!([{ "type": "lost", "promptId": "A", "provider": "chatgpt", "date": "2026-11-15", "from": 2, "to": 0,
            "confirmed": false }]),
        "changes",
    );
}
