//! Source files as the rules see them: text, and for Rust the flat list of paths, calls and attributes.
//! Used by every tidy rule. Works on tokens, so comments and strings never count as code; reads nothing itself.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use std::str::FromStr;

/// One file of the repository.
pub struct SourceFile {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// One violation of a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the workspace.
    pub path: String,
    /// Counted from 1; 0 when the finding is about the whole file.
    pub line: usize,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

/// A path such as `crate::accounts::queries` as the code names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePath {
    /// The names between `::`.
    pub segments: Vec<String>,
    /// First line, counted from 1.
    pub line: usize,
    /// Inside `#[cfg(test)]` or a `testing` feature.
    pub in_test: bool,
    /// Part of a `use` declaration.
    pub in_use: bool,
}

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// First line, counted from 1.
    pub line: usize,
    /// Number of lines from `fn` to the closing brace.
    pub lines: usize,
    /// Inside `#[cfg(test)]` or a `testing` feature.
    pub in_test: bool,
}

/// Everything that the rules ask about one Rust file.
#[derive(Debug, Default)]
pub struct RustFacts {
    /// Every function with a body, nested ones too.
    pub functions: Vec<Function>,
    /// Every path, `use` groups expanded.
    pub paths: Vec<CodePath>,
}

impl SourceFile {
    /// Makes a file.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile { path: path.into(), text: text.into() }
    }

    /// Returns true when the path ends in `.extension`.
    pub fn is(&self, extension: &str) -> bool {
        self.path.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'))
    }

    /// Returns the name of the file without its folder.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Makes a finding about this file.
    pub fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }

    /// Reads the tokens of a Rust file. A file that does not lex has no facts: the compiler says so better.
    pub fn rust_facts(&self) -> RustFacts {
        let mut facts = RustFacts::default();
        if let Ok(tokens) = TokenStream::from_str(&self.text) {
            let file_is_test =
                ["/tests/", "/testing", "/tests.rs"].iter().any(|part| self.path.contains(part));
            read_tokens(&tokens.into_iter().collect::<Vec<_>>(), file_is_test, &mut facts);
        }
        facts
    }
}

/// Walks one level of tokens: attributes decide what is test code, `use` groups are expanded, other groups descended into.
fn read_tokens(tokens: &[TokenTree], in_test: bool, facts: &mut RustFacts) {
    let mut at = 0;
    let mut item_is_test = false;
    while at < tokens.len() {
        let test = in_test || item_is_test;
        match &tokens[at] {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                if let Some((attribute, is_inner)) = attribute_at(tokens, at) {
                    let text: String = attribute.stream().to_string().split_whitespace().collect();
                    if text.starts_with("cfg(") && is_test_cfg(&text) {
                        item_is_test = true;
                        if is_inner {
                            return read_tokens(&tokens[at + 3..], true, facts);
                        }
                    }
                    at += if is_inner { 3 } else { 2 };
                    continue;
                }
                at += 1;
            }
            TokenTree::Ident(word) if word == "use" && starts_item(tokens, at) => {
                let end = at + tokens[at..].iter().take_while(|t| !is_punct(t, ';')).count();
                let line = word.span().start().line;
                expand_use(&tokens[at + 1..end], &[], line, test, facts);
                item_is_test = false;
                at = end + 1;
            }
            TokenTree::Ident(word) if word == "fn" => {
                facts.functions.extend(function_at(tokens, at, test));
                at += 1;
            }
            TokenTree::Ident(_) => at = read_path(tokens, at, test, facts),
            TokenTree::Group(group) => {
                read_tokens(&group.stream().into_iter().collect::<Vec<_>>(), test, facts);
                if group.delimiter() == Delimiter::Brace {
                    item_is_test = false;
                }
                at += 1;
            }
            TokenTree::Punct(end) if end.as_char() == ';' => {
                item_is_test = false;
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads the function whose `fn` is at this token. Returns `None` for a type such as `fn(u8) -> u8` and a method without a body.
fn function_at(tokens: &[TokenTree], at: usize, in_test: bool) -> Option<Function> {
    let TokenTree::Ident(name) = tokens.get(at + 1)? else { return None };
    let line = tokens[at].span().start().line;
    let body =
        tokens[at..].iter().take_while(|token| !is_punct(token, ';')).find_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        })?;
    let lines = body.span_close().end().line + 1 - line;
    Some(Function { name: name.to_string(), line, lines, in_test })
}

/// Finds the bracket group of the `#[…]` or `#![…]` (then `true`) that begins at this token.
pub fn attribute_at(tokens: &[TokenTree], at: usize) -> Option<(&Group, bool)> {
    match (tokens.get(at + 1), tokens.get(at + 2)) {
        (Some(TokenTree::Group(group)), _) if group.delimiter() == Delimiter::Bracket => Some((group, false)),
        (Some(bang), Some(TokenTree::Group(group)))
            if is_punct(bang, '!') && group.delimiter() == Delimiter::Bracket =>
        {
            Some((group, true))
        }
        _ => None,
    }
}

/// Returns true for `cfg(test)` and `cfg(any(test, feature = "testing"))`, false for `cfg(not(test))`.
fn is_test_cfg(condition: &str) -> bool {
    let names_test =
        condition.contains("(test") || condition.contains(",test") || condition.contains("\"testing\"");
    names_test && !condition.contains("not(")
}

/// Returns true for the `use` of a declaration, false for that of precise capturing (`impl Trait + use<'a>`).
fn starts_item(tokens: &[TokenTree], at: usize) -> bool {
    !matches!(tokens.get(at + 1), Some(next) if is_punct(next, '<'))
}

pub fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

/// Returns true when `::` begins at this token.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(first)) if first.as_char() == ':' && first.spacing() == Spacing::Joint)
        && matches!(tokens.get(at + 1), Some(second) if is_punct(second, ':'))
}

/// Reads `a::b::c` that begins at an identifier; gives the index after it.
fn read_path(tokens: &[TokenTree], start: usize, in_test: bool, facts: &mut RustFacts) -> usize {
    let mut segments = Vec::new();
    let mut at = start;
    let line = tokens[start].span().start().line;
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        segments.push(name.to_string());
        at += 1;
        if !(is_separator(tokens, at) && matches!(tokens.get(at + 2), Some(TokenTree::Ident(_)))) {
            break;
        }
        at += 2;
    }
    facts.paths.push(CodePath { segments, line, in_test, in_use: false });
    at
}

/// Expands `crate::{a::{b, c}, d as e}` into its paths.
fn expand_use(tokens: &[TokenTree], prefix: &[String], line: usize, in_test: bool, facts: &mut RustFacts) {
    for branch in tokens.split(|token| is_punct(token, ',')) {
        let mut segments = prefix.to_vec();
        let mut has_group = false;
        for token in branch {
            match token {
                TokenTree::Ident(word) if word == "as" => break,
                TokenTree::Ident(word) => segments.push(word.to_string()),
                TokenTree::Group(group) => {
                    has_group = true;
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    expand_use(&inner, &segments, group.span_open().start().line, in_test, facts);
                }
                TokenTree::Punct(star) if star.as_char() == '*' => segments.push("*".to_owned()),
                _ => {}
            }
        }
        if !has_group && !branch.is_empty() {
            let line = branch.first().map_or(line, |token| token.span().start().line);
            facts.paths.push(CodePath { segments, line, in_test, in_use: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(code: &str) -> Vec<String> {
        let facts = SourceFile::new("crates/x/src/lib.rs", code).rust_facts();
        facts.paths.iter().map(|p| p.segments.join("::")).collect()
    }

    #[test]
    fn nested_use_groups_become_single_paths() {
        let code = "use crate::{accounts::{queries, service::Accounts as A}, clock::*};";

        let found = paths(code);

        assert_eq!(
            found,
            ["crate::accounts::queries", "crate::accounts::service::Accounts", "crate::clock::*"]
        );
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        let code = "// axum::Router\nconst A: &str = \"axum::Router\";";

        let found = paths(code);

        assert!(!found.iter().any(|path| path.contains("axum")));
    }

    #[test]
    fn paths_inside_macros_and_bodies_are_seen() {
        let code = "fn f() { on_engine!(tx, |c| sqlx::query(\"select 1\")); }";

        let found = paths(code);

        assert!(found.contains(&"sqlx::query".to_owned()));
    }

    #[test]
    fn only_the_item_after_a_test_attribute_is_test_code() {
        let code = "#[cfg(test)]\nmod tests { fn a() { b() } }\nfn c() { d() }";

        let facts = SourceFile::new("crates/x/src/lib.rs", code).rust_facts();

        let functions: Vec<_> = facts.functions.iter().map(|f| (f.name.as_str(), f.in_test)).collect();
        assert_eq!(functions, [("a", true), ("c", false)]);
    }
}
