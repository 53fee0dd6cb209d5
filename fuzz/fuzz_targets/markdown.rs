//! Fuzzes Markdown of pages: of any document it is CommonMark without HTML and bounded in size. Of a document that is
//! well formed, a parser reads exactly the letters, in no elements that the document does not have, as htmd does.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/markdown/tests/it/oracle.rs"]
mod oracle;

fuzz_target!(|input: (&str, Vec<(u8, &str)>)| {
    let (html, parts) = input;
    oracle::check_any(html);
    oracle::check(&oracle::document(parts.iter().copied()));
    oracle::check_words(&parts);
});
