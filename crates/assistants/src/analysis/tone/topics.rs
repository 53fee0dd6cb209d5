//! Brand that each block of an answer is about, from the lists, tables and headings around it.
//! Used by the tone analyser for sentences that name nobody. Pure.

use std::collections::HashMap;
use std::ops::Range;

use super::Naming;
use super::lexicon::{Cue, CueKind};
use crate::analysis::matcher::BrandIndex;
use crate::analysis::prose::{BlockKind, MarkKind, Prose, TableCell};

/// Bytes from the start of a list item within which its brand is named.
const HEAD_BYTES: usize = 48;

/// Subject of a block, for sentences that name no brand.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Topic {
    pub brand: Option<BrandIndex>,
    /// Tone of the words that introduce the block, such as `Drawbacks:`; 0 when there are none.
    pub lean: f64,
}

/// Names and tone words of one block; ranges in folded bytes.
pub struct BlockView<'a> {
    pub range: Range<usize>,
    pub namings: &'a [Naming],
    pub cues: &'a [Cue],
    pub text: &'a str,
}

/// Topics of the blocks of an answer, as they are read one after the other.
pub struct Topics<'a> {
    prose: &'a Prose,
    section: Option<(u8, BrandIndex)>,
    /// Announces what follows: a heading, or a paragraph that ends with a colon.
    intro: Topic,
    items: HashMap<usize, Topic>,
    rows: HashMap<(usize, usize), BrandIndex>,
    columns: HashMap<(usize, usize), BrandIndex>,
}

impl<'a> Topics<'a> {
    pub fn of(prose: &'a Prose) -> Topics<'a> {
        let (rows, columns) = (HashMap::new(), HashMap::new());
        Topics { prose, section: None, intro: Topic::default(), items: HashMap::new(), rows, columns }
    }

    pub fn next(&mut self, block: usize, view: &BlockView<'_>) -> Topic {
        match (self.prose.blocks[block].kind, self.prose.blocks[block].item) {
            (BlockKind::Heading(level), _) => self.heading(level, view),
            (BlockKind::Cell(cell), _) => self.cell(cell, view),
            (BlockKind::Paragraph, Some(item)) => self.item(block, item, view),
            (BlockKind::Paragraph, None) => self.paragraph(block, view),
        }
    }

    fn heading(&mut self, level: u8, view: &BlockView<'_>) -> Topic {
        self.items.clear();
        match sole_brand(view.namings) {
            Some(brand) => self.section = Some((level, brand)),
            None if view.namings.is_empty() && self.section.is_some_and(|(above, _)| level > above) => {}
            None => self.section = None,
        }
        self.intro = Topic { brand: self.section_brand(), lean: lean(view.cues) };
        Topic { brand: sole_brand(view.namings), lean: 0.0 }
    }

    fn paragraph(&mut self, block: usize, view: &BlockView<'_>) -> Topic {
        let text = view.text.trim_end();
        let is_label = text.len() <= 80 && self.is_bold(block);
        if is_label && let Some(brand) = sole_brand(view.namings) {
            // A paragraph of bold text alone is a heading.
            self.section = Some((7, brand));
        }
        let brand = sole_brand(view.namings).or(self.section_brand());
        let announces = is_label || text.ends_with([':', '：']);
        let lean = if announces { lean(view.cues) } else { 0.0 };
        let topic =
            Topic { brand: self.section_brand(), lean: if announces { 0.0 } else { self.intro.lean } };
        self.intro =
            if announces { Topic { brand, lean } } else { Topic { brand: self.section_brand(), lean: 0.0 } };
        topic
    }

    fn item(&mut self, block: usize, item: usize, view: &BlockView<'_>) -> Topic {
        if self.prose.items[item].blocks.start != block {
            return self.items.get(&item).copied().unwrap_or(self.intro);
        }
        let parent = (0..item).rev().find(|above| self.prose.items[*above].blocks.contains(&block));
        let inherited = parent.and_then(|parent| self.items.get(&parent).copied()).unwrap_or(self.intro);
        let head = view.namings.iter().find(|naming| naming.range.start <= view.range.start + HEAD_BYTES);
        let topic = match head {
            Some(naming) => Topic { brand: Some(naming.brand), lean: 0.0 },
            None => inherited,
        };
        let announces = view.text.trim_end().ends_with([':', '：']);
        let for_children = Topic { lean: if announces { lean(view.cues) } else { topic.lean }, ..topic };
        self.items.insert(item, for_children);
        topic
    }

    fn cell(&mut self, cell: TableCell, view: &BlockView<'_>) -> Topic {
        if let Some(brand) = sole_brand(view.namings) {
            match cell.row {
                0 => self.columns.insert((cell.table, cell.column), brand),
                _ if cell.column == 0 => self.rows.insert((cell.table, cell.row), brand),
                _ => None,
            };
        }
        let row = self.rows.get(&(cell.table, cell.row));
        let column = self.columns.get(&(cell.table, cell.column)).filter(|_| cell.row > 0);
        Topic { brand: row.or(column).copied(), lean: 0.0 }
    }

    fn section_brand(&self) -> Option<BrandIndex> {
        self.section.map(|(_, brand)| brand)
    }

    /// Decides whether a block is bold from start to end, a colon aside.
    fn is_bold(&self, block: usize) -> bool {
        let range = &self.prose.blocks[block].range;
        let text = self.prose.block_text(block).trim_end_matches([':', ' ']);
        self.prose.marks.iter().any(|mark| {
            mark.kind == MarkKind::Strong
                && mark.range.start == range.start
                && mark.range.end >= range.start + text.len()
        })
    }
}

/// Returns the brand that is named when it is the only one.
fn sole_brand(namings: &[Naming]) -> Option<BrandIndex> {
    let first = namings.first()?.brand;
    namings.iter().all(|naming| naming.brand == first).then_some(first)
}

/// Returns −1, 0 or 1: the tone of the words of an announcement.
fn lean(cues: &[Cue]) -> f64 {
    let weights = cues.iter().filter_map(|cue| match cue.kind {
        CueKind::Weight(weight) => Some(weight),
        _ => None,
    });
    let sum: f64 = weights.sum();
    if sum.abs() < 1.0 { 0.0 } else { sum.signum() }
}
