//! Splitting of a log into lines, and of a JSON array into its elements. Never keeps more than the start of a long one.

use std::io::{self, BufRead};

/// Maximum bytes of a line or element; the rest is skipped. Vercel's lines are the longest: they contain the output of functions.
const MAX_RECORD_BYTES: usize = 512 * 1024;

/// Splitter of a log. A log whose first byte begins a list of JSON objects has a record for each object, every other log one for each line.
#[derive(Debug, Default)]
pub(super) struct RecordSplitter {
    form: Form,
    /// Number of open brackets of the element.
    depth: usize,
    in_text: bool,
    is_escaped: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Nothing was read yet.
    #[default]
    Unknown,
    /// The first byte was an opening bracket.
    Opened,
    Lines,
    Array,
}

impl RecordSplitter {
    /// Reads more of a record. Returns whether the record ended, and the number of bytes.
    pub(super) fn read(&mut self, log: &mut impl BufRead, record: &mut Vec<u8>) -> io::Result<(bool, u64)> {
        let mut bytes = 0;
        loop {
            let available = match log.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok((false, bytes));
            }
            let (consumed, is_whole) = match self.form {
                Form::Lines => take_line(available, record),
                _ => self.take_bytes(available, record),
            };
            bytes += consumed as u64;
            log.consume(consumed);
            if is_whole {
                return Ok((true, bytes));
            }
        }
    }

    /// Takes bytes until a record ends, or until the log turns out to have lines. Returns their number, and true when a record ended.
    fn take_bytes(&mut self, available: &[u8], record: &mut Vec<u8>) -> (usize, bool) {
        for (at, byte) in available.iter().copied().enumerate() {
            match self.form {
                Form::Unknown if byte == b'[' => {
                    record.push(byte);
                    self.form = Form::Opened;
                }
                Form::Opened if byte.is_ascii_whitespace() => {}
                Form::Opened if matches!(byte, b'{' | b']') => {
                    record.clear();
                    self.form = Form::Array;
                    self.take_byte(byte, record);
                }
                Form::Array => {
                    if self.take_byte(byte, record) {
                        return (at + 1, true);
                    }
                }
                Form::Unknown | Form::Opened | Form::Lines => {
                    self.form = Form::Lines;
                    return (at, false);
                }
            }
        }
        (available.len(), false)
    }

    /// Takes a byte of an array. Returns true when an element ended. Text between elements is an element that ends with its line.
    fn take_byte(&mut self, byte: u8, record: &mut Vec<u8>) -> bool {
        if self.depth == 0 && byte != b'{' {
            let is_separator =
                record.is_empty() && matches!(byte, b',' | b'[' | b']' | b' ' | b'\t' | b'\r' | b'\n');
            let is_end = byte == b'\n' && !record.is_empty();
            if !is_separator && !is_end {
                push(record, &[byte]);
            }
            return is_end;
        }
        push(record, &[byte]);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_text => self.is_escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth += 1,
            b'}' | b']' if !self.in_text => self.depth -= 1,
            _ => {}
        }
        self.depth == 0
    }
}

/// Takes bytes until the end of a line. Returns their number, and true when the line ended.
fn take_line(available: &[u8], line: &mut Vec<u8>) -> (usize, bool) {
    let end = available.iter().position(|byte| *byte == b'\n');
    let piece = &available[..end.unwrap_or(available.len())];
    push(line, piece);
    (piece.len() + usize::from(end.is_some()), end.is_some())
}

fn push(record: &mut Vec<u8>, piece: &[u8]) {
    let room = MAX_RECORD_BYTES.saturating_sub(record.len());
    record.extend_from_slice(&piece[..piece.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a log that arrives in pieces of so many bytes. Returns its records, the last one without its end too.
    fn split(text: &str, piece: usize) -> Vec<String> {
        let (mut splitter, mut record, mut records) = (RecordSplitter::default(), Vec::new(), Vec::new());
        let mut log = io::BufReader::with_capacity(piece, text.as_bytes());
        loop {
            let (is_whole, _) = splitter.read(&mut log, &mut record).expect("a text can be read");
            if !is_whole && record.is_empty() {
                return records;
            }
            records.push(String::from_utf8(std::mem::take(&mut record)).expect("the bytes of a text"));
            if !is_whole {
                return records;
            }
        }
    }

    #[test]
    fn an_array_is_split_into_its_objects_and_every_other_log_into_its_lines() {
        let object = r#"{"a":["]",{"b":"\"}\\"}],"c":{}}"#;
        let cut = r#"{"a":["#;

        for (text, records) in [
            (format!("[{object},{object}]"), vec![object, object]),
            (format!("[\n {object}\n,{object}\n]\n[{object}]\n"), vec![object, object, object]),
            (format!("[{object},{cut}"), vec![object, cut]),
            (format!("[{object},\nnonsense\n{object}]"), vec![object, "nonsense", object]),
            (format!("{object}\n{object}\n{cut}"), vec![object, object, cut]),
            ("[error] a\nb\n".to_owned(), vec!["[error] a", "b"]),
            ("a\n\nb".to_owned(), vec!["a", "", "b"]),
            ("[]".to_owned(), vec![]),
            (String::new(), vec![]),
        ] {
            for piece in [1, 7, 4096] {
                assert_eq!(split(&text, piece), records, "{text} by {piece}");
            }
        }
    }

    #[test]
    fn of_a_record_without_an_end_only_the_beginning_is_kept() {
        for begin in ["[{\"a\":\"", "a"] {
            let records = split(&(begin.to_owned() + &"x".repeat(2 * MAX_RECORD_BYTES)), 4096);

            assert_eq!(records.iter().map(String::len).collect::<Vec<_>>(), [MAX_RECORD_BYTES]);
        }
    }
}
