//! Doc comments of Rust, JavaScript, TypeScript and Svelte files, and the rules about their first words.
//! Used by `tidy::ratchet`, which counts the comments that begin otherwise. Pure.

use super::source::{SourceFile, attribute_at, is_punct};
use proc_macro2::{Spacing, TokenStream, TokenTree};
use std::str::FromStr;

/// Openings that leave the reader to guess the noun or the verb.
const RIDDLES: &[&str] = &[
    "What", "Who", "Whose", "How", "Whether", "Where", "When", "Those", "These", "Its", "Their", "There",
    "The same", "Likewise",
];

/// Words in "s" at the start of a function's doc that are no verbs.
const NOT_VERBS: &[&str] = &[
    "Address",
    "Addresses",
    "Always",
    "As",
    "Browsers",
    "Bytes",
    "Certificates",
    "Characters",
    "Class",
    "Days",
    "Domains",
    "Elements",
    "Entries",
    "Errors",
    "Fields",
    "Files",
    "Headers",
    "Hosts",
    "Ids",
    "Items",
    "Its",
    "Jobs",
    "Kinds",
    "Lanes",
    "Letters",
    "Lines",
    "Links",
    "Milliseconds",
    "Pages",
    "Parts",
    "Paths",
    "Pieces",
    "Process",
    "Progress",
    "Properties",
    "Responses",
    "Rows",
    "Scripts",
    "Seconds",
    "Segments",
    "Sentences",
    "Settings",
    "Snapshots",
    "Sources",
    "Statistics",
    "Status",
    "Templates",
    "Texts",
    "This",
    "Types",
    "Values",
    "Words",
    "Years",
];

/// Openings of a type's, a field's or a constant's doc that begin a sentence or half of one, not a noun phrase.
const NOT_NOUNS: &[&str] = &[
    "Adds", "As", "At", "Because", "Begins", "Brings", "Builds", "By", "Carries", "Collects", "Decides",
    "Declares", "Deletes", "Does", "Finds", "Forgets", "From", "Gives", "Goes", "Has", "Holds", "If", "In",
    "Is", "It", "Keeps", "Leads", "Looks", "Makes", "Of", "On", "Opens", "Or", "Puts", "Reads", "Removes",
    "Replaces", "Returns", "Says", "Sends", "So", "Speaks", "Takes", "Tells", "That", "They", "To", "Which",
    "Why", "With", "Writes",
];

/// The thing that a doc comment describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Function,
    /// A type, a field or a constant.
    Noun,
    /// A file, a module, a variant or a field without a name.
    Other,
}

/// A doc comment's line, counted from 1, its first words and its subject.
#[derive(Debug, PartialEq, Eq)]
struct Doc {
    line: usize,
    opening: String,
    subject: Subject,
}

/// The rule that a doc comment breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Begins with one of `RIDDLES`.
    Riddle,
    /// A function's doc without a verb, or a type's, field's or constant's that is no noun phrase.
    Form,
}

/// Finds the doc comments of a file that begin with a riddle or in the wrong form: line, first words, fault.
pub fn faults(file: &SourceFile) -> Vec<(usize, String, Fault)> {
    let docs = if file.is("rs") { docs_of_rust(&file.text) } else { docs_of_script(file) };
    docs.into_iter().filter_map(|doc| fault(&doc).map(|fault| (doc.line, doc.opening, fault))).collect()
}

/// Decides which rule a doc comment breaks, if any.
fn fault(doc: &Doc) -> Option<Fault> {
    let begins_with = |words: &&str| {
        doc.opening.strip_prefix(*words).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    if RIDDLES.iter().any(begins_with) {
        return Some(Fault::Riddle);
    }
    let first: String = doc.opening.chars().take_while(|letter| letter.is_ascii_alphabetic()).collect();
    let fits = match doc.subject {
        Subject::Function => first.ends_with('s') && !NOT_VERBS.contains(&first.as_str()),
        Subject::Noun => !NOT_NOUNS.contains(&first.as_str()),
        Subject::Other => true,
    };
    (!fits).then_some(Fault::Form)
}

/// Lists the docs of a Rust file. Returns none for a file that does not lex.
fn docs_of_rust(text: &str) -> Vec<Doc> {
    let mut docs = Vec::new();
    if let Ok(tokens) = TokenStream::from_str(text) {
        read_docs(tokens, &mut docs);
    }
    docs
}

/// Collects the docs of one level of tokens and of the groups in it.
fn read_docs(tokens: TokenStream, docs: &mut Vec<Doc>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    // The first line of a run of `///` or `//!`.
    let mut outer: Option<(usize, String)> = None;
    let mut has_inner = false;
    let mut is_help = false;
    while at < tokens.len() {
        if is_punct(&tokens[at], '#')
            && let Some((attribute, is_inner)) = attribute_at(&tokens, at)
        {
            is_help |= is_command_line(attribute.stream());
            if let Some(opening) = doc_text(attribute.stream()) {
                let line = attribute.span_open().start().line;
                if !is_inner {
                    outer.get_or_insert((line, opening));
                } else if !has_inner {
                    has_inner = true;
                    docs.push(Doc { line, opening, subject: Subject::Other });
                }
            }
            at += if is_inner { 3 } else { 2 };
            continue;
        }
        if let Some((line, opening)) = outer.take() {
            let subject = if is_help { Subject::Other } else { subject_of(&tokens[at..]) };
            docs.push(Doc { line, opening, subject });
        }
        is_help = false;
        if let TokenTree::Group(group) = &tokens[at] {
            read_docs(group.stream(), docs);
        }
        at += 1;
    }
}

/// Reads the text of `doc = "…"`. Returns `None` for another attribute and for an empty line.
fn doc_text(attribute: TokenStream) -> Option<String> {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(text)] = tokens.as_slice() else {
        return None;
    };
    let text = text.to_string();
    let text = text.trim_start_matches(['r', '#']).trim_matches('"').trim();
    (*name == "doc" && !text.is_empty()).then(|| text.to_owned())
}

/// Decides whether an attribute makes the doc a help text of the command line, which begins with a verb: `#[arg(…)]`,
/// `#[derive(Args)]`.
fn is_command_line(attribute: TokenStream) -> bool {
    let text = attribute.to_string();
    let derives = |name: &str| text.starts_with("derive") && text.contains(name);
    text.starts_with("arg") || derives("Args") || derives("Parser")
}

/// Decides what an item's first tokens, without attributes, declare.
fn subject_of(item: &[TokenTree]) -> Subject {
    for (at, token) in item.iter().enumerate() {
        match token {
            TokenTree::Ident(word) => match word.to_string().as_str() {
                "fn" => return Subject::Function,
                "struct" | "enum" | "union" | "trait" | "type" | "static" => return Subject::Noun,
                "const" if !matches!(item.get(at + 1), Some(TokenTree::Ident(next)) if next == "fn" || next == "unsafe") =>
                {
                    return Subject::Noun;
                }
                "pub" | "async" | "const" | "unsafe" | "extern" => {}
                _ => {
                    let is_field = matches!(item.get(at + 1), Some(TokenTree::Punct(colon))
                        if colon.as_char() == ':' && colon.spacing() == Spacing::Alone);
                    return if is_field { Subject::Noun } else { Subject::Other };
                }
            },
            // The `(crate)` of `pub(crate)`, the `"C"` of `extern "C"`.
            TokenTree::Group(_) | TokenTree::Literal(_) => {}
            TokenTree::Punct(_) => return Subject::Other,
        }
    }
    Subject::Other
}

/// Lists the header and the `/** … */` comments of a script or a component.
fn docs_of_script(file: &SourceFile) -> Vec<Doc> {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let mut docs = Vec::new();
    if let Some(header) = lines
        .first()
        .and_then(|line| ["//", "<!--", "/*"].iter().find_map(|mark| line.strip_prefix(mark)))
        .filter(|header| !header.starts_with('*'))
    {
        docs.push(Doc { line: 1, opening: header.trim().to_owned(), subject: Subject::Other });
    }
    for (start, _) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("/**")) {
        let end = start + lines[start..].iter().take_while(|line| !line.contains("*/")).count();
        let text = |line: &&str| {
            line.trim_start_matches("/**").trim_end_matches("*/").trim_start_matches('*').trim().to_owned()
        };
        let opening = lines[start..=end.min(lines.len() - 1)].iter().map(text).find(|text| !text.is_empty());
        // A type alone, such as `@type {Element[]}`, is no text.
        let Some(opening) = opening.filter(|opening| !opening.starts_with('@')) else { continue };
        let item = lines.get(end + 1).copied().unwrap_or_default();
        docs.push(Doc { line: start + 1, opening, subject: subject_of_line(item) });
    }
    docs
}

/// Decides what a line of a script declares. A field that holds a function is `Other`: its doc may be either.
fn subject_of_line(line: &str) -> Subject {
    let mut rest = line;
    while let Some((word, tail)) = rest.split_once(' ')
        && ["export", "default", "async", "static", "private", "declare"].contains(&word)
    {
        rest = tail;
    }
    let is_name = |letter: &char| letter.is_alphanumeric() || "_$#".contains(*letter);
    let name: String = rest.chars().take_while(is_name).collect();
    let after = rest[name.len()..].trim_start_matches('?');
    let is_function = match rest.strip_prefix("const ").and_then(|rest| rest.split_once(" = ")) {
        Some((_, value)) => {
            let value = value.trim_start_matches("async ");
            let is_arrow = value.split_once(" =>").is_some_and(|(name, _)| name.chars().all(|c| is_name(&c)));
            value.starts_with("function")
                || value == "("
                || value.starts_with('(') && value.contains("=>")
                || is_arrow
        }
        None => name == "function" || !name.is_empty() && after.starts_with(['(', '<']),
    };
    match is_function {
        true => Subject::Function,
        false if line.contains("=>") => Subject::Other,
        false => Subject::Noun,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, Fault)> {
        faults(&SourceFile::new(path, text)).into_iter().map(|(line, _, fault)| (line, fault)).collect()
    }

    fn in_rust(text: &str) -> Vec<(usize, Fault)> {
        found("crates/x/src/a.rs", text)
    }

    #[test]
    fn a_riddle_at_the_start_of_any_doc_is_found() {
        let text = "//! What a page says.\n/// Whether it fits.\npub fn fits() {}\n/// The same for reading.\nmod a {}\nenum B {\n/// Its end.\nC }";

        assert_eq!(in_rust(text), [1, 2, 4, 7].map(|line| (line, Fault::Riddle)));
    }

    #[test]
    fn a_riddle_further_on_and_a_longer_word_are_fine() {
        let text =
            "//! Pages: what they say.\n//! What is on them.\n/// Whatever a client sends.\npub struct A;\n";

        assert_eq!(in_rust(text), []);
    }

    #[test]
    fn a_functions_doc_begins_with_a_verb() {
        let good = "/// Returns the age.\n#[must_use]\npub(crate) const fn a() {}\ntrait B {\n/// Waits.\nasync fn b(); }";
        let bad = "/// The age.\npub fn a() {}\nimpl B {\n/// Pages without a title.\npub async fn b() {}\n/// `None` at the end.\nfn c() {} }";

        assert_eq!(in_rust(good), []);
        assert_eq!(in_rust(bad), [1, 4, 6].map(|line| (line, Fault::Form)));
    }

    #[test]
    fn a_types_a_fields_and_a_constants_doc_is_a_noun_phrase() {
        let good = "/// Age of a page, in seconds.\npub struct A {\n/// Pages without a title.\npub(crate) b: u8 }\n/// Longest wait.\nconst C: u8 = 1;";
        let bad = "/// Keeps pages.\npub struct A {\n/// It is old.\nb: u8 }\n/// By name.\nstatic C: u8 = 1;\n/// Reads pages.\npub trait D {}";

        assert_eq!(in_rust(good), []);
        assert_eq!(in_rust(bad), [1, 3, 5, 7].map(|line| (line, Fault::Form)));
    }

    #[test]
    fn a_variant_may_be_a_sentence() {
        assert_eq!(
            in_rust("/// Commands.\nenum A {\n/// Deletes a domain.\nB(u8),\n/// It failed.\nC { d: u8 } }"),
            []
        );
    }

    #[test]
    fn help_of_the_command_line_may_begin_with_a_verb() {
        let help = "/// Reads a backup.\n#[derive(clap::Args)]\nstruct A {\n/// Deletes old rows.\n#[arg(long)]\nb: bool }";

        assert_eq!(in_rust(help), []);
        assert_eq!(in_rust(&help.replace("Deletes", "What it deletes:")), [(4, Fault::Riddle)]);
    }

    #[test]
    fn scripts_and_components_follow_both_rules() {
        let good = "// Ages of pages.\n/** Returns the age. */\nexport function a() {}\n/**\n * Waits.\n */\nconst b = async (c) => {\n/** Ids of rows. */\nd: string[];\n/** Reads a row. */\nf: (g: number) => void;\n/** Rows by id. */\nconst h = list.map((i) => i);\n/** @type {Element} */\nlet e;\n";
        let bad = "<!-- What a page says. -->\n/** The age. */\nexport async function a() {}\n/**\n * Age of a page.\n */\nconst b = (c) => c;\n/** Sum of a list. */\nadd?(c: number): void;\n/** Where it is. */\nd: string;\n";

        assert_eq!(found("crates/browser/page-script/src/a.js", good), []);
        let expected =
            [(1, Fault::Riddle), (2, Fault::Form), (4, Fault::Form), (8, Fault::Form), (10, Fault::Riddle)];
        assert_eq!(found("web/src/a.svelte", bad), expected);
    }
}
