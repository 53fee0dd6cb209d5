//! Places of an answer where names of products and companies stand: heads of lists, headings, table cells, bold text,
//! link labels. Used by the candidates. Pure.

use std::ops::Range;

use super::names::head;
use crate::analysis::prose::{BlockKind, MarkKind, Prose, TableCell};

/// Longest text of a place that holds a name, in bytes.
const MAX_SPOT_BYTES: usize = 160;

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
    /// Stands alone: bold text or a link label in a paragraph.
    None,
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
        if !matches!(mark.kind, MarkKind::Strong | MarkKind::Emphasis | MarkKind::LinkLabel(_)) {
            continue;
        }
        // A link in brackets names a source: "(TechRadar)".
        let is_source = matches!(mark.kind, MarkKind::LinkLabel(_))
            && prose.text[..mark.range.start].ends_with(['(', '[']);
        if mark.range.len() <= MAX_SPOT_BYTES && !is_source {
            let block = &prose.blocks[prose.block_at(mark.range.start)];
            let is_lead = block.kind == BlockKind::Paragraph
                && block.item.is_none()
                && mark.kind == MarkKind::Strong
                && mark.range.start == block.range.start;
            let group = if is_lead { SpotGroup::Leads } else { SpotGroup::None };
            push(prose, mark.range.clone(), group, &mut spots);
        }
    }
    spots.sort_by_key(|spot| spot.at);
    spots
}

/// Adds the head of a list item; in `Best value: Notchly` also what follows the label.
fn push_item<'a>(prose: &'a Prose, text: Range<usize>, list: usize, spots: &mut Vec<Spot<'a>>) {
    let content = &prose.text[text.clone()];
    let window = content.floor_char_boundary(MAX_SPOT_BYTES);
    push(prose, text.start..text.start + window, SpotGroup::List(list), spots);
    if let Some(colon) = content[..window].find(": ") {
        push(prose, text.start + colon + 2..text.start + window, SpotGroup::None, spots);
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
                ("Gamma", SpotGroup::None),
                ("Epsilon", SpotGroup::List(0)),
                ("Best value", SpotGroup::List(0)),
                ("Best value", SpotGroup::None),
                ("Zeta", SpotGroup::None),
                ("Eta", SpotGroup::Columns(0)),
                ("Theta", SpotGroup::Rows(0)),
            ]
        );
    }
}
