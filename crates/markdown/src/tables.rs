//! Tables of GFM: rows of one line each, and a header. Used by the walk. Pure.

/// Maximum number of columns that a cell spans or that it occupies in later rows: each is an empty cell in the text.
const MAX_SPAN: usize = 32;
/// Maximum number of empty cells that spans add to a table. Later cells of the table cover one column and one row.
const MAX_EMPTY_CELLS: usize = 100_000;

/// Columns and rows that a cell covers.
#[derive(Debug, Clone, Copy)]
pub struct CellSpan {
    pub columns: usize,
    pub rows: usize,
}

/// A table, row by row.
#[derive(Debug, Default)]
pub struct TableText {
    rows: Vec<Vec<String>>,
    /// True when all cells of the first row are headers. `None` before its first cell.
    has_header: Option<bool>,
    /// Rows below the current one that a cell of it reaches into, by column.
    covered: Vec<usize>,
    /// Empty cells that spans have added.
    empty_cells: usize,
}

impl TableText {
    /// Begins a row.
    pub fn start_row(&mut self) {
        self.end_row();
        self.rows.push(Vec::new());
    }

    /// Appends a cell to the row, behind cells of earlier rows that reach into it.
    pub fn push(&mut self, text: String, span: CellSpan, is_header: bool) {
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        self.skip_covered();
        if self.rows.len() == 1 {
            self.has_header = Some(is_header && self.has_header != Some(false));
        }
        let row = self.rows.last_mut().expect("a row was pushed");
        let start = row.len();
        row.push(text);
        if self.empty_cells >= MAX_EMPTY_CELLS {
            return;
        }
        row.resize(start + span.columns.clamp(1, MAX_SPAN), String::new());
        self.empty_cells += row.len() - start - 1;
        for column in start..row.len().min(MAX_SPAN) {
            if self.covered.len() <= column {
                self.covered.resize(column + 1, 0);
            }
            self.covered[column] = span.rows.saturating_sub(1);
        }
    }

    fn skip_covered(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        while self.empty_cells < MAX_EMPTY_CELLS
            && let Some(left) = self.covered.get_mut(row.len()).filter(|left| **left > 0)
        {
            *left -= 1;
            self.empty_cells += 1;
            row.push(String::new());
        }
    }

    fn end_row(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        let reached = row.len().min(self.covered.len());
        self.covered[reached..].iter_mut().for_each(|left| *left = left.saturating_sub(1));
        row.truncate(row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1));
        if row.is_empty() {
            self.rows.pop();
        }
        if self.rows.is_empty() {
            self.has_header = None;
        }
    }

    /// Returns the lines of the table. Empty for a table without text. A table without a header has an empty one.
    pub fn finish(mut self) -> String {
        self.end_row();
        let Some(columns) = self.rows.iter().map(Vec::len).max() else { return String::new() };
        let mut rows = self.rows.iter().peekable();
        let mut header = rows.next_if(|_| self.has_header == Some(true)).cloned().unwrap_or_default();
        header.resize(columns, String::new());
        let mut text = line(&header);
        text.push_str("\n|");
        text.push_str(&" --- |".repeat(columns));
        for row in rows {
            text.push('\n');
            text.push_str(&line(row));
        }
        text
    }
}

fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}
