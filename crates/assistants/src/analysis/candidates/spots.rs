//! Places of an answer where names of products and companies stand: heads of lists, headings, table cells, bold text,
//! link labels. Used by the candidates. Pure.

use std::ops::Range;

use super::names::{head, leading_name};
use crate::analysis::prose::{BlockKind, Mark, MarkKind, Prose, TableCell};

/// Longest text of a place that holds a name, in bytes.
const MAX_SPOT_BYTES: usize = 160;
/// Marks within one another that are looked at.
const NESTED_MARKS: usize = 4;

/// A text that may be a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot<'a> {
    pub name: &'a str,
    /// Byte of the prose where the name begins.
    pub at: usize,
    pub group: SpotGroup,
}

/// Places that hold names of one kind, if any of them does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpotGroup {
    /// Stands alone: a link label that names a source, or the bold head of a list item.
    None,
    /// Bold, emphasised and linked text within sentences.
    Marked,
    /// Texts behind a label: `Best value: Notchly`.
    Labelled,
    /// Heads of one list.
    List(usize),
    /// Headings of one level.
    Headings(u8),
    /// Bold texts at the start of paragraphs.
    Leads,
    /// First cells of a table's rows.
    Rows(usize),
    /// Headers of a table's columns.
    Columns(usize),
}

/// Finds the places of names, in the order of the text.
pub fn spots(prose: &Prose) -> Vec<Spot<'_>> {
    let mut spots = Vec::new();
    for (at, block) in prose.blocks.iter().enumerate() {
        let text = block.range.clone();
        match (block.kind, block.item) {
            (BlockKind::Heading(level), _) => push(prose, text, SpotGroup::Headings(level), &mut spots),
            (BlockKind::Cell(TableCell { table, row: 0, column }), _) if column > 0 => {
                push(prose, text, SpotGroup::Columns(table), &mut spots);
            }
            (BlockKind::Cell(TableCell { table, row, column: 0 }), _) if row > 0 => {
                push(prose, text, SpotGroup::Rows(table), &mut spots);
            }
            (BlockKind::Paragraph, Some(item)) if prose.items[item].blocks.start == at => {
                push_item(prose, text, prose.items[item].list, &mut spots);
            }
            _ => {}
        }
    }
    for mark in &prose.marks {
        if matches!(mark.kind, MarkKind::Strong | MarkKind::Emphasis | MarkKind::LinkLabel(_))
            && mark.range.len() <= MAX_SPOT_BYTES
        {
            push_mark(prose, mark, &mut spots);
        }
    }
    spots.sort_by_key(|spot| spot.at);
    spots
}

/// Adds bold, emphasised or linked text, and what follows it when it is a label.
fn push_mark<'a>(prose: &'a Prose, mark: &Mark, spots: &mut Vec<Spot<'a>>) {
    let at = prose.block_at(mark.range.start);
    let block = &prose.blocks[at];
    // A link in brackets names a source: "(TechRadar)".
    let is_source =
        matches!(mark.kind, MarkKind::LinkLabel(_)) && prose.text[..mark.range.start].ends_with(['(', '[']);
    if is_source || block.kind != BlockKind::Paragraph {
        return;
    }
    let starts = !prose.text[block.range.start..mark.range.start].contains(char::is_alphanumeric);
    let is_head = block.item.is_some_and(|item| prose.items[item].blocks.start == at);
    let group = match (starts, is_head, mark.kind) {
        (true, true, _) => SpotGroup::None,
        (true, false, MarkKind::Strong) if block.item.is_none() => SpotGroup::Leads,
        _ => SpotGroup::Marked,
    };
    push(prose, mark.range.clone(), group, spots);
    if starts && !is_head {
        push_labelled(prose, mark.range.end, block.range.end, spots);
    }
}

/// Adds the head of a list item, and what follows the head when it is a label.
fn push_item<'a>(prose: &'a Prose, text: Range<usize>, list: usize, spots: &mut Vec<Spot<'a>>) {
    let content = &prose.text[text.clone()];
    let window = content.floor_char_boundary(MAX_SPOT_BYTES);
    // A mark at the start of an item is the item's head, whatever follows.
    // Marks stand in the order of their ends.
    let first = prose.marks.partition_point(|mark| mark.range.end <= text.start);
    let marked = prose.marks[first..].iter().take(NESTED_MARKS).find(|mark| {
        text.contains(&mark.range.start)
            && matches!(mark.kind, MarkKind::Strong | MarkKind::Emphasis | MarkKind::LinkLabel(_))
            && mark.range.len() <= MAX_SPOT_BYTES
            && !prose.text[text.start..mark.range.start].contains(char::is_alphanumeric)
    });
    match marked {
        Some(mark) => {
            push(prose, mark.range.clone(), SpotGroup::List(list), spots);
            push_labelled(prose, mark.range.end, text.end, spots);
        }
        None => {
            push(prose, text.start..text.start + window, SpotGroup::List(list), spots);
            if let Some(colon) = content[..window].find(": ") {
                push_labelled(prose, text.start + colon, text.end, spots);
            }
        }
    }
}

/// Adds the name behind a label that ends at this byte.
fn push_labelled<'a>(prose: &'a Prose, label_end: usize, block_end: usize, spots: &mut Vec<Spot<'a>>) {
    let rest = &prose.text[label_end..block_end];
    let is_label = prose.text[..label_end].trim_end().ends_with([':', '：']) || rest.starts_with([':', '：']);
    let name = leading_name(rest.trim_start_matches([':', '：', ' ', '*']));
    if is_label && !name.is_empty() {
        let at = label_end + (name.as_ptr() as usize - rest.as_ptr() as usize);
        spots.push(Spot { name, at, group: SpotGroup::Labelled });
    }
}

fn push<'a>(prose: &'a Prose, range: Range<usize>, group: SpotGroup, spots: &mut Vec<Spot<'a>>) {
    let text = &prose.text[range.clone()];
    let end = text.floor_char_boundary(MAX_SPOT_BYTES);
    let name = head(&text[..end]);
    if !name.is_empty() {
        let at = range.start + (name.as_ptr() as usize - text.as_ptr() as usize);
        spots.push(Spot { name, at, group });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::prose::read;

    #[test]
    fn names_are_looked_for_where_answers_put_them() {
        let markdown = "## 1. Alpha\n\n**Beta** is good, see [Gamma](https://gamma.example) ([Delta](https://d.example)).\n\n\
                        1. Epsilon – x\n2. *Best value*: Zeta\n\n| Tool | Eta |\n|---|---|\n| Theta | 3 |\n";

        let prose = read(markdown);
        let found: Vec<(&str, SpotGroup)> =
            spots(&prose).iter().map(|spot| (spot.name, spot.group)).collect();

        assert_eq!(
            found,
            [
                ("Alpha", SpotGroup::Headings(2)),
                ("Beta", SpotGroup::Leads),
                ("Gamma", SpotGroup::Marked),
                ("Epsilon", SpotGroup::List(0)),
                ("Best value", SpotGroup::List(0)),
                ("Best value", SpotGroup::None),
                ("Zeta", SpotGroup::Labelled),
                ("Eta", SpotGroup::Columns(0)),
                ("Theta", SpotGroup::Rows(0)),
            ]
        );
    }
}
