//! Visits as files for other programs: CSV, and Parquet with a group of rows for each day. Pure. Written one day at a time, so
//! that no process holds a year in memory.

use std::fmt::Write as _;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::crawlers::CrawlerIndex;
use super::model::{Day, ServedBy, Verified, VisitKey, start_of};

const CSV_HEAD: &str = "day,path,crawler,provider,verified,servedBy,status,visits\n";
/// Columns of [`CSV_HEAD`] in Parquet.
const PARQUET_SCHEMA: &str = "message visits {
    required int32 day (date);
    required binary path (string);
    required binary crawler (string);
    required binary provider (string);
    required binary verified (string);
    required binary servedBy (string);
    required int32 status;
    required int64 visits;
}";

/// Row of an export: visits that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportRow {
    pub day: Day,
    pub path: Arc<str>,
    /// Id of the crawler.
    pub crawler: String,
    /// Id of the company that runs the crawler.
    pub provider: String,
    /// Result of the check of the crawler's identity.
    pub verified: Verified,
    /// Source of the answers.
    pub served: ServedBy,
    /// Status of the answers.
    pub status: u16,
    pub visits: u64,
}

/// Returns the rows of a day, sorted.
pub fn rows(visits: Vec<(VisitKey, u64)>) -> Vec<ExportRow> {
    let row = |(key, visits): (VisitKey, u64)| ExportRow {
        day: key.day,
        path: key.path,
        provider: CrawlerIndex::shared().provider_of(&key.crawler).to_owned(),
        crawler: key.crawler.into_owned(),
        verified: key.verified,
        served: key.served,
        status: key.status,
        visits,
    };
    let mut rows: Vec<ExportRow> = visits.into_iter().map(row).collect();
    rows.sort_unstable();
    rows
}

/// Exported file that is being written.
pub enum ExportFile {
    /// Comma-separated, quoted where necessary.
    Csv,
    /// Parquet, version 1, compressed with Snappy.
    Parquet(Box<SerializedFileWriter<Vec<u8>>>),
}

impl ExportFile {
    /// Starts a Parquet file.
    pub fn parquet() -> Result<ExportFile, ParquetError> {
        let schema = Arc::new(parse_message_type(PARQUET_SCHEMA)?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
        Ok(ExportFile::Parquet(Box::new(writer)))
    }

    /// Returns the first bytes of the file.
    pub fn head(&mut self) -> Result<Vec<u8>, ParquetError> {
        match self {
            ExportFile::Csv => Ok(CSV_HEAD.as_bytes().to_vec()),
            ExportFile::Parquet(writer) => taken(writer),
        }
    }

    /// Adds rows. Returns the bytes that were written.
    pub fn add(&mut self, rows: &[ExportRow]) -> Result<Vec<u8>, ParquetError> {
        match self {
            ExportFile::Csv => Ok(csv(rows).into_bytes()),
            ExportFile::Parquet(_) if rows.is_empty() => Ok(Vec::new()),
            ExportFile::Parquet(writer) => {
                let mut group = writer.next_row_group()?;
                write_columns(&mut group, rows)?;
                group.close()?;
                taken(writer)
            }
        }
    }

    /// Ends the file. Returns its last bytes.
    pub fn end(&mut self) -> Result<Vec<u8>, ParquetError> {
        match self {
            ExportFile::Csv => Ok(Vec::new()),
            ExportFile::Parquet(writer) => {
                writer.finish()?;
                taken(writer)
            }
        }
    }
}

/// Returns the bytes since the last call. The writer tracks offsets itself and needs none of the bytes again.
fn taken(writer: &mut SerializedFileWriter<Vec<u8>>) -> Result<Vec<u8>, ParquetError> {
    writer.flush()?;
    Ok(std::mem::take(writer.inner_mut()))
}

fn csv(rows: &[ExportRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let day = start_of(row.day).day();
        let (verified, served) = (row.verified.as_str(), row.served.as_str());
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "{day},{},{},{},{verified},{served},{},{}",
            field(&row.path),
            field(&row.crawler),
            field(&row.provider),
            row.status,
            row.visits
        );
    }
    text
}

fn field(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

fn write_columns(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[ExportRow],
) -> Result<(), ParquetError> {
    let texts = |text: fn(&ExportRow) -> &str| -> Vec<ByteArray> {
        rows.iter().map(text).map(ByteArray::from).collect()
    };
    let columns = [
        texts(|row| &row.path),
        texts(|row| &row.crawler),
        texts(|row| &row.provider),
        texts(|row| row.verified.as_str()),
        texts(|row| row.served.as_str()),
    ];
    write_numbers(group, rows.iter().map(|row| row.day as i32))?;
    for column in &columns {
        let mut writer = group.next_column()?.ok_or_else(no_column)?;
        writer.typed::<ByteArrayType>().write_batch(column, None, None)?;
        writer.close()?;
    }
    write_numbers(group, rows.iter().map(|row| i32::from(row.status)))?;
    let visits: Vec<i64> = rows.iter().map(|row| row.visits as i64).collect();
    let mut writer = group.next_column()?.ok_or_else(no_column)?;
    writer.typed::<Int64Type>().write_batch(&visits, None, None)?;
    writer.close()
}

fn write_numbers(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    numbers: impl Iterator<Item = i32>,
) -> Result<(), ParquetError> {
    let numbers: Vec<i32> = numbers.collect();
    let mut writer = group.next_column()?.ok_or_else(no_column)?;
    writer.typed::<Int32Type>().write_batch(&numbers, None, None)?;
    writer.close()
}

fn no_column() -> ParquetError {
    ParquetError::General("the schema has fewer columns than are written".to_owned())
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    fn row(day: Day, path: &str, visits: u64) -> ExportRow {
        ExportRow {
            day,
            path: path.into(),
            crawler: "gptbot".to_owned(),
            provider: "openai".to_owned(),
            verified: Verified::Yes,
            served: ServedBy::Cache,
            status: 200,
            visits,
        }
    }

    #[test]
    fn csv_quotes_what_would_be_taken_for_more_than_text() {
        let mut file = ExportFile::Csv;

        let text =
            [file.head(), file.add(&[row(20_000, "/a,\"b\"", 3)]), file.end()].map(Result::unwrap).concat();

        let expected = "day,path,crawler,provider,verified,servedBy,status,visits\n\
                        2024-10-04,\"/a,\"\"b\"\"\",gptbot,openai,yes,cache,200,3\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn a_parquet_file_in_pieces_is_read_back_as_one() {
        let mut file = ExportFile::parquet().unwrap();
        let days = [vec![row(20_000, "/a", 3), row(20_000, "/ü", 1)], vec![], vec![row(20_001, "/a", 9)]];

        let mut bytes = file.head().unwrap();
        days.iter().for_each(|rows| bytes.extend(file.add(rows).unwrap()));
        bytes.extend(file.end().unwrap());

        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let rows: Vec<String> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(reader.num_row_groups(), 2);
        assert_eq!(
            rows[1],
            "{day: 2024-10-04, path: \"/ü\", crawler: \"gptbot\", provider: \"openai\", verified: \"yes\", \
             servedBy: \"cache\", status: 200, visits: 1}"
        );
        assert_eq!(rows.len(), 3);
    }
}
