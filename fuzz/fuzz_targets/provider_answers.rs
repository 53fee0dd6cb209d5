//! Fuzzes responses of AI providers: any bytes are an answer or a failure, and neither shows the key.
#![no_main]

use assistants::providers::wire::{ProviderResponse, ReadOutcome, read_check, read_response};
use assistants::providers::{
    ApiStyle, AskState, AssistantQuestion, Finish, Matter, SearchVendor, Persona, Progress, Provider,
    ProviderConnection, ProviderKey, Quirks,
};
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;

const KEY: &str = "login:0123456789abcdef";
const SECRET: &str = "0123456789abcdef";
const STATUSES: [u16; 8] = [200, 200, 200, 400, 401, 404, 429, 500];

fn connection(choice: u8) -> ProviderConnection {
    let mut connection = ProviderConnection::new(Provider::ALL[usize::from(choice) % Provider::ALL.len()]);
    connection.key = ProviderKey::new(KEY).ok();
    match choice / 5 % 3 {
        1 => connection.vendor = SearchVendor::Serpapi,
        2 if connection.provider != Provider::GoogleAiOverview => connection.style = ApiStyle::Chat,
        _ => {}
    }
    connection
}

fuzz_target!(|data: &[u8]| {
    let [choice, status, step, body @ ..] = data else { return };
    let connection = connection(*choice);
    let persona = Persona::default();
    let question = AssistantQuestion { text: "best tool?", persona: &persona, run: None, now: Timestamp::UNIX_EPOCH };
    let mut state = AskState::new(&connection, Matter::Question(question), Quirks::default());
    state.progress = Progress {
        is_doubled: step & 1 == 1,
        page_token: (step & 2 == 2).then(|| "token".to_owned()),
        restarts: u32::from(step >> 6),
        ..Progress::default()
    };
    let status = StatusCode::from_u16(STATUSES[usize::from(*status) % STATUSES.len()]).expect("a status of the list");
    let headers = HeaderMap::new();
    let response = ProviderResponse { status, headers: &headers, body };

    let _ = read_check(&connection, &response, Timestamp::UNIX_EPOCH);
    match read_response(&state, &response).outcome {
        ReadOutcome::Answer(answer) => {
            assert_eq!(answer.text.is_empty(), answer.finish == Finish::AbsentOverview);
            assert!(!answer.text.contains('\0') && !answer.text.contains(SECRET));
            let sources = answer.citations.iter().chain(&answer.retrieved);
            assert!(sources.clone().all(|source| source.url.starts_with("http")));
            assert!(answer.citations.len() <= 200 && answer.retrieved.len() <= 200);
        }
        ReadOutcome::Failure(failure) => {
            assert!(!failure.detail.contains(SECRET) && failure.detail.chars().count() <= 300);
        }
        ReadOutcome::Next { .. } | ReadOutcome::Without(_) => {}
    }
});
