//! Keys: never in an error, a printed value or an answer, even when a server sends them back.

use assistants::providers::wire::write_request;
use assistants::providers::{AskState, AssistantQuestion, Matter, Persona, ProviderKey, Quirks};
use fakeai::{Fault, Vendor};

use crate::world::*;

fn secrets(vendor: Vendor) -> &'static [&'static str] {
    match vendor {
        Vendor::Dataforseo => &["0123456789abcdef", "c2hvcEBleGFtcGxlLmNvbTowMTIzNDU2Nzg5YWJjZGVm"],
        _ => &[KEY, "sk%2Dtest%2D0123456789abcdef"],
    }
}

fn assert_no_secret(vendor: Vendor, printed: &str) {
    for secret in secrets(vendor) {
        assert!(!printed.contains(secret), "{vendor:?}: {secret} in {printed}");
    }
}

#[tokio::test]
async fn a_key_that_the_server_sends_back_in_an_error_is_masked() {
    for vendor in Vendor::ALL {
        for status in [200, 400, 401, 429, 500, 307] {
            let world = World::new().await;
            let body = format!(
                r#"{{"error":{{"message":"bad key {} at https://x/?api_key={}"}}}}"#,
                secrets(vendor)[0],
                secrets(vendor)[1]
            );
            world.fails(Fault::Verbatim { status, headers: Vec::new(), body });

            let result = world.ask(&world.connection(vendor)).await;

            assert_no_secret(vendor, &format!("{result:?}"));
        }
    }
}

#[tokio::test]
async fn a_key_in_an_answer_is_masked_in_its_text_sources_and_raw_response() {
    let world = World::new().await;
    let body = format!(
        r#"{{"output":[{{"type":"message","content":[{{"type":"output_text","text":"Your key is {KEY}.",
        "annotations":[{{"type":"url_citation","url":"https://x.example/?k={KEY}","title":"{KEY}"}}]}}]}}],"model":"m","status":"completed"}}"#
    );
    world.fails(Fault::Verbatim { status: 200, headers: Vec::new(), body });

    let asked = world.ask(&world.connection(Vendor::Openai)).await.unwrap();

    assert_eq!(asked.answer.text, "Your key is ***.");
    assert_no_secret(Vendor::Openai, &format!("{asked:?} {}", asked.answer.raw));
}

#[tokio::test]
async fn an_unreachable_vendor_that_wants_its_key_in_the_address_is_named_without_it() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Serpapi);
    connection.base_url = Some("http://127.0.0.1:1/serpapi".parse().unwrap());

    let result = world.ask(&connection).await;

    assert_no_secret(Vendor::Serpapi, &format!("{result:?}"));
}

#[tokio::test]
async fn printed_requests_and_connections_show_no_key() {
    let world = World::new().await;
    let persona = Persona::default();
    for vendor in Vendor::ALL {
        let connection = world.connection(vendor);
        let question = AssistantQuestion { text: QUESTION, persona: &persona, run: None, now: now() };
        let state = AskState::new(&connection, Matter::Question(question), Quirks::default());

        let printed = format!("{connection:?} {state:?} {:?}", write_request(&state));

        assert_no_secret(vendor, &printed);
    }
    assert_eq!(format!("{:?}", ProviderKey::new(KEY).unwrap()), "***");
}

#[tokio::test]
async fn a_key_is_sent_in_a_header_but_for_the_vendor_that_wants_it_in_the_address() {
    let world = World::new().await;
    let persona = Persona::default();
    for vendor in Vendor::ALL {
        let connection = world.connection(vendor);
        let question = AssistantQuestion { text: QUESTION, persona: &persona, run: None, now: now() };
        let request =
            write_request(&AskState::new(&connection, Matter::Question(question), Quirks::default()));

        assert_eq!(request.key_parameter.is_some(), vendor == Vendor::Serpapi, "{vendor:?}");
        assert_eq!(
            request.headers.values().any(|value| value.is_sensitive()),
            vendor != Vendor::Serpapi,
            "{vendor:?}"
        );
        assert!(request.url.query().is_none_or(|query| !query.contains("key")), "{vendor:?}");
    }
}
