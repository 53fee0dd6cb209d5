//! The catalogue keeps its promises: every check fires on its bad example and is silent on its good one.

use std::collections::HashSet;

use super::*;
use crate::testing::audit_listing;

#[tokio::test(start_paused = true)]
async fn every_check_fires_on_its_bad_example_and_is_silent_on_its_good_one() {
    let mut wrong = Vec::new();
    for id in CheckId::all() {
        let check = id.check();
        if !audit_listing(check.bad).await.issue_breakdown.contains_key(check.id) {
            wrong.push(format!("{} is silent on its bad example", check.id));
        }
        if audit_listing(check.good).await.issue_breakdown.contains_key(check.id) {
            wrong.push(format!("{} fires on its good example", check.id));
        }
    }

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn ids_that_name_their_category_are_in_it() {
    for (start, category) in
        [("JS_", "javascript"), ("SPA_", "javascript"), ("AI_", "ai"), ("ROBOTS_AI_", "ai"), ("LLMS_", "ai")]
    {
        for id in CheckId::all().filter(|id| id.check().id.starts_with(start)) {
            assert_eq!(id.category().name, category, "{}", id.check().id);
        }
    }
}

#[test]
fn every_entry_is_complete_and_its_id_stands_once() {
    let mut ids = HashSet::new();

    for check in CheckId::all().map(CheckId::check) {
        let texts = [check.title, check.why, check.fix, check.source, check.bad, check.good];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", check.id);
        assert!(check.source.starts_with("https://"), "{}", check.id);
        assert!(ids.insert(check.id), "{}", check.id);
    }
}

#[test]
fn evidence_keeps_twenty_short_examples_and_counts_all() {
    let mut evidence = Evidence::default();

    (0..50).for_each(|_| evidence.add("https://site.example/", "é".repeat(1000), ""));

    assert_eq!((evidence.count, evidence.examples.len()), (50, MAX_EXAMPLES));
    assert_eq!(evidence.examples[0].text.chars().count(), MAX_EXAMPLE_CHARS + 1);
}

#[test]
fn the_document_of_the_catalogue_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/audit-checks.md");
    let written = std::fs::read_to_string(path).unwrap();

    assert!(written == document(), "write it anew: glasshouse audit --describe > docs/audit-checks.md");
}
