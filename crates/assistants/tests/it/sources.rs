//! Sources of answers over real sockets: cited and found apart, and Gemini's links resolved.

use std::time::Duration;

use assistants::providers::{Persona, Retrieval};
use fakeai::{Fault, Scenario, Vendor};
use serde_json::json;

use crate::world::*;

#[tokio::test]
async fn every_vendor_s_answer_has_citations_queries_and_its_model() {
    for vendor in Vendor::ALL {
        let world = World::with_vendor_names().await;
        world.vendors.set_scenario(Scenario { fault: Some(Fault::MaxUsesExceeded), ..Scenario::default() });

        let answer = world.ask(&world.connection(vendor)).await.unwrap().answer;

        assert!(answer.text.len() > 500 && answer.text.contains("Notchly"), "{vendor:?}: {}", answer.text);
        assert!((3..=12).contains(&answer.citations.len()), "{vendor:?}: {:?}", answer.citations);
        assert_eq!(answer.retrieval, Retrieval::Used, "{vendor:?}");
        let names_queries = !matches!(vendor, Vendor::Chat | Vendor::Dataforseo | Vendor::Serpapi);
        assert_eq!(!answer.queries.is_empty(), names_queries, "{vendor:?}");
        let names_model = !matches!(vendor, Vendor::Dataforseo | Vendor::Serpapi);
        assert_eq!(answer.served_model.is_some(), names_model, "{vendor:?}");
        for source in answer.citations.iter().chain(&answer.retrieved) {
            assert!(!source.url.contains("vertexaisearch"), "{vendor:?}: {source:?}");
        }
        let is_cited = |url: &str| answer.citations.iter().any(|source| source.url == url);
        assert!(answer.retrieved.iter().all(|source| !is_cited(&source.url)), "{vendor:?}");
    }
}

#[tokio::test]
async fn an_answer_of_ai_mode_cites_its_references() {
    let world = World::new().await;
    for vendor in [Vendor::Dataforseo, Vendor::Serpapi] {
        let answer = world.ask(&world.ai_mode(vendor)).await.unwrap().answer;

        assert!(answer.text.len() > 500 && answer.text.contains("Notchly"), "{vendor:?}: {}", answer.text);
        assert!((3..=12).contains(&answer.citations.len()), "{vendor:?}: {:?}", answer.citations);
        assert_eq!((answer.retrieval, answer.served_model), (Retrieval::Used, None), "{vendor:?}");
    }
}

#[tokio::test]
async fn a_link_that_leads_nowhere_becomes_the_domain_in_its_title() {
    for fault in [Fault::LinkGone, Fault::LinkLoops] {
        let world = World::with_vendor_names().await;
        world.vendors.set_scenario(Scenario {
            question: Some("/grounding-api-redirect/".to_owned()),
            fault: Some(fault.clone()),
            ..Scenario::default()
        });

        let answer = world.ask(&world.connection(Vendor::Gemini)).await.unwrap().answer;

        assert!(!answer.citations.is_empty(), "{fault:?}");
        for source in &answer.citations {
            assert_eq!(source.url, format!("https://{}/", source.title), "{fault:?}");
        }
    }
}

#[tokio::test]
async fn links_that_hang_end_after_eight_seconds() {
    let world = World::with_vendor_names().await;
    world.vendors.set_scenario(Scenario {
        question: Some("/grounding-api-redirect/".to_owned()),
        fault: Some(Fault::LinkHangs),
        ..Scenario::default()
    });
    let connection = world.connection(Vendor::Gemini);
    let stop_the_clock = async {
        while !world.vendors.counts().keys().any(|path| path.contains("redirect")) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::pause();
    };

    let (asked, ()) = tokio::join!(world.ask(&connection), stop_the_clock);

    assert!(
        asked
            .unwrap()
            .answer
            .citations
            .iter()
            .all(|source| source.url == format!("https://{}/", source.title))
    );
}

#[tokio::test]
async fn links_are_never_resolved_where_the_guard_says_no() {
    // Without static names the link's host would be asked of DNS, which this test's network does not have.
    let world = World::new().await;

    let answer = world.ask(&world.connection(Vendor::Gemini)).await.unwrap().answer;

    assert!(answer.citations.iter().all(|source| source.url == format!("https://{}/", source.title)));
}

#[tokio::test]
async fn searching_can_be_switched_off() {
    for vendor in [Vendor::Openai, Vendor::Perplexity, Vendor::Gemini, Vendor::Anthropic, Vendor::Chat] {
        let world = World::new().await;
        let mut connection = world.connection(vendor);
        connection.search = false;

        let answer = world.ask(&connection).await.unwrap().answer;

        assert_eq!(answer.retrieval, Retrieval::Off, "{vendor:?}");
        assert!(answer.citations.is_empty() && answer.queries.is_empty(), "{vendor:?}");
    }
}

#[tokio::test]
async fn google_s_search_suggestions_are_dropped() {
    let world = World::new().await;

    let answer = world.ask(&world.connection(Vendor::Gemini)).await.unwrap().answer;

    let raw = answer.raw.to_string();
    assert!(
        raw.contains("groundingChunks") && !raw.contains("searchEntryPoint") && !raw.contains("chip"),
        "{raw}"
    );
}

#[tokio::test]
async fn a_long_question_is_cut_for_a_search_engine_and_the_answer_says_so() {
    let world = World::new().await;
    let long = "which tool is best for prerendering ".repeat(20);

    for vendor in [Vendor::Dataforseo, Vendor::Serpapi, Vendor::Openai] {
        let asked = world.ask_about(&world.connection(vendor), &long, &Persona::default()).await.unwrap();
        assert_eq!(asked.answer.query_cut, vendor != Vendor::Openai, "{vendor:?}");
    }
}

#[tokio::test]
async fn questions_in_five_languages_are_answered_in_them() {
    let world = World::new().await;
    let german = Persona::from_json(&json!({ "country": "AT", "language": "de-AT" })).unwrap();

    for (question, word) in [
        ("Was ist das beste Werkzeug für Teams?", "Vergleich"),
        ("Quel est le meilleur outil pour une équipe ?", "Comment choisir"),
        ("¿Cuál es la mejor herramienta para equipos?", "Cómo elegir"),
        ("チーム向けの最適なツールは?", "選び方"),
    ] {
        for vendor in Vendor::ALL {
            let asked = world.ask_about(&world.connection(vendor), question, &german).await.unwrap();
            let is_absent = asked.answer.text.is_empty();
            let is_in_language =
                asked.answer.text.contains(word) || asked.answer.text.contains("So treffen Sie");
            assert!(is_absent || is_in_language, "{vendor:?} {question}: {}", asked.answer.text);
        }
    }
}
