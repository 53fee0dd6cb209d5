//! Writes a backup: the rows of one moment, then the objects. Other writers continue meanwhile.
//! An object that was replaced since that moment is left out: a reader of its row finds it missing and renders it again.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use futures::TryStreamExt;
use store::{Blobs, Db};

use super::archive::{Amounts, FORMAT, MANIFEST, Manifest, OBJECTS, ROWS, SECRET, Writer, is_kept};

/// Maximum number of rows of an entry; [`BYTES_OF_ENTRY`] limits its bytes.
const ROWS_OF_ENTRY: usize = 500;
const BYTES_OF_ENTRY: usize = 1 << 20;

/// Source of a backup.
pub struct BackupSource {
    pub db: Db,
    pub blobs: Blobs,
    /// None when the secret is a setting.
    pub secret_file: Option<PathBuf>,
}

pub async fn run(source: &BackupSource, file: &Path) -> anyhow::Result<Amounts> {
    let writer = Writer::create(file)?;
    match write_all(source, &writer).await {
        Ok(amounts) => writer.finish().await.map(|()| amounts),
        Err(error) if writer.is_broken() => Err(writer.finish().await.err().unwrap_or(error)),
        Err(error) => Err(error),
    }
}

async fn write_all(source: &BackupSource, writer: &Writer) -> anyhow::Result<Amounts> {
    let mut amounts = Amounts::default();
    let mut snapshot = source.db.snapshot().await?;
    let mut tables = snapshot.tables().await?;
    tables.retain(is_kept);
    let manifest = Manifest {
        glasshouse_backup: FORMAT,
        schema: snapshot.schema_version().await?,
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
        tables: tables.clone(),
    };
    writer.add(MANIFEST.to_owned(), serde_json::to_vec(&manifest)?).await?;
    if let Some(path) = &source.secret_file
        && path.exists()
    {
        let secret = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        writer.add(SECRET.to_owned(), secret).await?;
    }
    for table in &tables {
        let mut rows = snapshot.rows(table);
        let mut part = TableRows::of(&table.name);
        while let Some(row) = rows.try_next().await? {
            amounts.rows += 1;
            if let Some((name, bytes)) = part.add(&row) {
                writer.add(name, bytes).await?;
            }
        }
        if let Some((name, bytes)) = part.end() {
            writer.add(name, bytes).await?;
        }
    }
    drop(snapshot);
    let mut objects = source.blobs.list("")?;
    while let Some(object) = objects.try_next().await? {
        let Some(bytes) = source.blobs.get(&object.key).await? else { continue };
        writer.add(format!("{OBJECTS}{}", object.key), bytes.to_vec()).await?;
        amounts.objects += 1;
    }
    Ok(amounts)
}

/// Rows of a table that wait for their entry.
struct TableRows<'t> {
    table: &'t str,
    number: usize,
    rows: usize,
    text: String,
}

impl<'t> TableRows<'t> {
    fn of(table: &'t str) -> TableRows<'t> {
        TableRows { table, number: 0, rows: 0, text: String::new() }
    }

    /// Adds a row. Returns an entry when one is full.
    fn add(&mut self, row: &str) -> Option<(String, Vec<u8>)> {
        self.text.push(if self.rows == 0 { '[' } else { ',' });
        self.text.push_str(row);
        self.rows += 1;
        let is_full = self.rows == ROWS_OF_ENTRY || self.text.len() >= BYTES_OF_ENTRY;
        is_full.then(|| self.end()).flatten()
    }

    /// Returns the remaining rows, if there are any.
    fn end(&mut self) -> Option<(String, Vec<u8>)> {
        if self.rows == 0 {
            return None;
        }
        let mut text = std::mem::take(&mut self.text);
        text.push(']');
        let name = format!("{ROWS}{}/{:08}.json", self.table, self.number);
        self.number += 1;
        self.rows = 0;
        Some((name, text.into_bytes()))
    }
}
