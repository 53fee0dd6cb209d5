//! Blocks of an overview or of an answer of AI Mode as markdown. Pure; nesting is cut off at a depth that no page has.

use serde_json::Value;

use crate::providers::wire::json::{as_count, list, text};

/// Deepest nesting that is written.
const MAX_DEPTH: usize = 8;
/// Maximum number of links of one block that are written.
const MAX_LINKS: usize = 50;
/// Maximum number of reference numbers that are kept.
const MAX_NUMBERS: usize = 200;

/// Writes SerpApi's blocks: paragraphs, headings, lists, tables, parts that open, comparisons.
pub fn blocks_to_markdown(blocks: &[Value]) -> String {
    let mut parts = Vec::new();
    add_blocks(blocks, 0, &mut parts);
    parts.join("\n\n")
}

fn add_blocks(blocks: &[Value], depth: usize, parts: &mut Vec<String>) {
    if depth >= MAX_DEPTH {
        return;
    }
    for block in blocks {
        match text(block, "type") {
            "heading" => add_part(parts, "## ", &linked(block)),
            "list" => {
                let mut lines = Vec::new();
                add_items(list(block, "list"), 0, &mut lines);
                add_part(parts, "", &lines.join("\n"));
            }
            "table" => add_part(parts, "", &table(list(block, "table"))),
            "comparison" => add_part(parts, "", &comparison(block)),
            "code_block" => add_part(parts, "", &code(text(block, "language"), text(block, "code"))),
            "expandable" => {
                add_part(parts, "## ", &one_line(text(block, "title")));
                add_blocks(list(block, "text_blocks"), depth + 1, parts);
            }
            _ => {
                add_part(parts, "", &linked(block));
                add_blocks(list(block, "text_blocks"), depth + 1, parts);
            }
        }
    }
}

fn add_part(parts: &mut Vec<String>, mark: &str, text: &str) {
    if !text.is_empty() {
        parts.push(format!("{mark}{text}"));
    }
}

fn add_items(items: &[Value], depth: usize, lines: &mut Vec<String>) {
    if depth >= MAX_DEPTH {
        return;
    }
    for item in items {
        let (title, snippet) = (text(item, "title").trim().trim_end_matches(':'), linked(item));
        let line = match (title.is_empty(), snippet.is_empty()) {
            (false, false) => format!("{title}: {snippet}"),
            _ => format!("{title}{snippet}"),
        };
        if !line.is_empty() {
            lines.push(format!("{}- {line}", "  ".repeat(depth)));
        }
        add_items(list(item, "list"), depth + 1, lines);
        let mut inner = Vec::new();
        add_blocks(list(item, "text_blocks"), depth + 1, &mut inner);
        lines.extend(
            inner.iter().map(|part| format!("{}{}", "  ".repeat(depth + 1), part.replace('\n', " "))),
        );
    }
}

/// Returns the text of a block, with its linked words as links.
fn linked(block: &Value) -> String {
    let mut written = one_line(text(block, "snippet"));
    for link in list(block, "snippet_links").iter().take(MAX_LINKS) {
        let (label, target) = (text(link, "text"), text(link, "link"));
        let is_plain =
            !label.is_empty() && !label.contains(['[', ']']) && !target.contains([' ', '(', ')', '<']);
        let is_web = target.starts_with("https://") || target.starts_with("http://");
        let is_linked = written.contains(&format!("[{label}]("));
        if is_plain && is_web && !is_linked {
            written = written.replacen(label, &format!("[{label}]({target})"), 1);
        }
    }
    written
}

/// Writes a block of code between fences. A fence within the code would end the block, so such a code is left out.
fn code(language: &str, code: &str) -> String {
    let is_word = language.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let language = if is_word { language } else { "" };
    match code.trim_end() {
        "" => String::new(),
        code if code.contains("```") => String::new(),
        code => format!("```{language}\n{code}\n```"),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table(rows: &[Value]) -> String {
    let cells = |row: &Value| -> Vec<String> {
        let cells = row.as_array().map_or(&[][..], Vec::as_slice);
        cells.iter().map(|cell| cell.as_str().unwrap_or_else(|| text(cell, "snippet")).to_owned()).collect()
    };
    rows_to_markdown(rows.iter().map(cells).collect())
}

fn comparison(block: &Value) -> String {
    let names = |values: &[Value]| -> Vec<String> {
        values.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
    };
    let head = std::iter::once(String::new()).chain(names(list(block, "product_labels"))).collect();
    let rows = list(block, "comparison").iter().map(|row| {
        std::iter::once(text(row, "feature").to_owned()).chain(names(list(row, "values"))).collect::<Vec<_>>()
    });
    rows_to_markdown(std::iter::once(head).chain(rows).collect())
}

/// Writes a table with pipes; the first row is its head.
fn rows_to_markdown(rows: Vec<Vec<String>>) -> String {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if width == 0 {
        return String::new();
    }
    let line = |row: &Vec<String>| {
        let cell = |at: usize| row.get(at).map_or(String::new(), |cell| one_line(cell).replace('|', "\\|"));
        format!("| {} |", (0..width).map(cell).collect::<Vec<_>>().join(" | "))
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.insert(1, format!("|{}", " --- |".repeat(width)));
    lines.join("\n")
}

/// Collects the numbers of the references in the order of the text, each once.
pub fn references_in(blocks: &[Value]) -> Vec<u64> {
    let mut numbers = Vec::new();
    add_references(blocks, 0, &mut numbers);
    numbers
}

fn add_references(blocks: &[Value], depth: usize, numbers: &mut Vec<u64>) {
    if depth >= MAX_DEPTH {
        return;
    }
    for block in blocks {
        for number in list(block, "reference_indexes").iter().filter_map(as_count) {
            if numbers.len() < MAX_NUMBERS && !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        add_references(list(block, "list"), depth + 1, numbers);
        add_references(list(block, "text_blocks"), depth + 1, numbers);
    }
}

/// Writes DataForSEO's elements and the components of those that open, for answers that come without markdown.
pub fn elements_to_markdown(elements: &[Value]) -> String {
    let mut parts = Vec::new();
    for element in elements {
        add_element(element, &mut parts);
        list(element, "components").iter().for_each(|component| add_element(component, &mut parts));
    }
    parts.join("\n\n")
}

fn add_element(element: &Value, parts: &mut Vec<String>) {
    match text(element, "type") {
        "ai_overview_video_element" => {}
        "ai_overview_code_block_element" => {
            add_part(parts, "", &code(text(element, "code_type"), text(element, "text")));
        }
        _ => {
            add_part(parts, "## ", &one_line(text(element, "title")));
            let written = [text(element, "markdown"), text(element, "text")];
            add_part(parts, "", written.into_iter().find(|text| !text.is_empty()).unwrap_or_default().trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_block_becomes_markdown() {
        let blocks = json!([
            { "type": "paragraph", "snippet": "Notchly is often\nnamed.", "reference_indexes": [0] },
            { "type": "heading", "snippet": "Options" },
            { "type": "list", "list": [
                { "title": "LumaDocs:", "snippet": "LumaDocs is good for teams", "reference_indexes": [1],
                  "snippet_links": [{ "text": "LumaDocs", "link": "https://lumadocs.io" }], "list": [{ "snippet": "Cheap" }] },
                { "snippet": "Quillbase" } ] },
            { "type": "table", "table": [["Tool", "Price"], ["Notchly", "$49|mo"]] },
            { "type": "comparison", "product_labels": ["A", "B"], "comparison": [{ "feature": "f", "values": ["v"] }] },
            { "type": "expandable", "title": "More", "text_blocks": [{ "type": "paragraph", "snippet": "Inside" }] },
            { "type": "code_block", "language": "bash", "code": "npx notchly\n" },
            { "type": "code_block", "language": "bash", "code": "```" },
            { "type": "new_kind", "snippet": "Still read" },
            { "type": "video" },
        ]);

        let markdown = blocks_to_markdown(blocks.as_array().unwrap());

        let expected = "Notchly is often named.\n\n## Options\n\n- LumaDocs: [LumaDocs](https://lumadocs.io) is good for teams\n  - Cheap\n- Quillbase\n\n\
            | Tool | Price |\n| --- | --- |\n| Notchly | $49\\|mo |\n\n|  | A | B |\n| --- | --- | --- |\n| f | v |  |\n\n## More\n\nInside\n\n```bash\nnpx notchly\n```\n\nStill read";
        assert_eq!(markdown, expected);
        assert_eq!(references_in(blocks.as_array().unwrap()), [0, 1]);
    }

    #[test]
    fn nesting_ends_at_a_depth() {
        let mut block = json!({ "type": "paragraph", "snippet": "deepest" });
        for _ in 0..20 {
            block = json!({ "type": "expandable", "title": "t", "text_blocks": [block], "reference_indexes": [7] });
        }

        let markdown = blocks_to_markdown(&[block.clone()]);

        assert_eq!(markdown.matches("## t").count(), MAX_DEPTH);
        assert!(!markdown.contains("deepest"));
        assert_eq!(references_in(&[block]), [7]);
    }
}
