//! Descriptions of a page's failed scripts and requests. Used by reports about pages that show nothing. Pure.

use url::{Position, Url};

use crate::{ConsoleMessage, FailedRequest};

/// Maximum number of sentences.
const MOST: usize = 10;
/// Maximum characters of a sentence.
const MOST_CHARACTERS: usize = 200;

/// Returns a sentence for each failure of the page at an address: its requests first, then its scripts.
///
/// `GET /api/prices answered 401`. Queries are left out, since they may hold secrets.
pub fn describe_problems(page: &Url, failed: &[FailedRequest], console: &[ConsoleMessage]) -> Vec<String> {
    let exceptions = console.iter().filter(|message| message.level == "exception");
    let mut sentences: Vec<String> = Vec::new();
    for sentence in
        failed.iter().map(|request| describe_request(page, request)).chain(exceptions.map(describe_exception))
    {
        let sentence: String = sentence.chars().take(MOST_CHARACTERS).collect();
        if sentences.len() < MOST && !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}

fn describe_request(page: &Url, request: &FailedRequest) -> String {
    let url = Url::parse(&request.url).ok();
    let address = match &url {
        Some(url) if url.origin() == page.origin() => url.path(),
        Some(url) => &url[..Position::AfterPath],
        None => &request.url,
    };
    match request.status {
        0 => format!("{} {address} got no answer", request.method),
        1..400 => format!("{} {address} broke off", request.method),
        status => format!("{} {address} answered {status}", request.method),
    }
}

fn describe_exception(message: &ConsoleMessage) -> String {
    let line = message.text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("Uncaught ").trim_start_matches("(in promise) ");
    format!("a script failed: {line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(method: &str, url: &str, status: u16) -> FailedRequest {
        FailedRequest { method: method.into(), url: url.into(), status }
    }

    fn message(level: &str, text: &str) -> ConsoleMessage {
        ConsoleMessage { level: level.into(), text: text.into() }
    }

    #[test]
    fn requests_are_described_by_method_path_and_status_and_scripts_by_their_first_line() {
        let page = "https://shop.test/shoes".parse().unwrap();
        let requests = [
            failed("GET", "https://shop.test/api/prices?token=secret", 401),
            failed("POST", "https://api.test/graphql?x", 503),
            failed("GET", "https://shop.test/app.js", 0),
            failed("GET", "https://shop.test/list", 200),
        ];
        let console = [
            message("error", "not described"),
            message("exception", "Uncaught (in promise) TypeError: a is undefined\n    at x.js"),
        ];

        assert_eq!(
            describe_problems(&page, &requests, &console),
            [
                "GET /api/prices answered 401",
                "POST https://api.test/graphql answered 503",
                "GET /app.js got no answer",
                "GET /list broke off",
                "a script failed: TypeError: a is undefined",
            ]
        );
    }

    #[test]
    fn descriptions_are_bounded_in_number_and_length() {
        let page = "https://shop.test/".parse().unwrap();
        let equal = vec![failed("GET", "https://shop.test/a", 500); 20];
        let many: Vec<_> = (0..20)
            .map(|n| failed("GET", &format!("https://shop.test/{n}{}", "é".repeat(500)), 500))
            .collect();

        assert_eq!(describe_problems(&page, &equal, &[]).len(), 1);
        let sentences = describe_problems(&page, &many, &[]);
        assert_eq!((sentences.len(), sentences[0].chars().count()), (MOST, MOST_CHARACTERS));
    }
}
