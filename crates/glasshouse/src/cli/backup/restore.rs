//! Restores a backup: checks the whole file before any change, then writes the objects, then all rows in one
//! transaction, so that an interrupted restore leaves the database unchanged.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use futures::TryStreamExt;
use store::dump::Table;
use store::{Blobs, Db, Tx};

use super::archive::{Amounts, ArchiveReader, FORMAT, MANIFEST, Manifest, OBJECTS, ROWS, SECRET, is_kept};

/// Destination of a restore.
pub struct RestoreTarget {
    pub db: Db,
    pub blobs: Blobs,
    /// None when the secret is a setting.
    pub secret_file: Option<PathBuf>,
}

/// Contents of an undamaged file.
pub struct BackupContents {
    manifest: Manifest,
    secret: Option<Vec<u8>>,
}

/// Reads a file to its end. Fails with the reason when the file is damaged.
pub async fn examine(file: &Path) -> anyhow::Result<BackupContents> {
    let mut reader = ArchiveReader::open(file, &[MANIFEST, SECRET])?;
    let first = reader.next().await?.filter(|(name, _)| name == MANIFEST);
    let Some((_, manifest)) = first else { bail!("{} is no backup", file.display()) };
    let manifest = serde_json::from_slice::<serde_json::Value>(&manifest)?;
    let format = manifest["glasshouse_backup"].as_u64().unwrap_or(0);
    if format == 0 || format > u64::from(FORMAT) {
        bail!("{} was made by a newer version of this program, or is no backup", file.display());
    }
    let manifest: Manifest = serde_json::from_value(manifest)?;
    let mut secret = None;
    while let Some((name, bytes)) = reader.next().await? {
        secret = (name == SECRET).then_some(bytes).or(secret);
    }
    Ok(BackupContents { manifest, secret })
}

/// Writes the contents of the file to the target.
pub async fn run(
    file: &Path,
    contents: &BackupContents,
    target: &RestoreTarget,
    replace: bool,
) -> anyhow::Result<Amounts> {
    let BackupContents { manifest, secret } = contents;
    check_schema(manifest, &target.db).await?;
    if !replace && !is_empty(manifest, target).await? {
        bail!("the target is not empty: restore into an empty one, or add --replace to delete what is there");
    }
    let secret = secret.as_deref().zip(target.secret_file.as_deref());
    if let Some((secret, path)) = secret
        && !replace
        && std::fs::read(path).is_ok_and(|present| present.trim_ascii() != secret.trim_ascii())
    {
        bail!("{} is another secret than the backup's: remove it, or add --replace", path.display());
    }

    let mut amounts = Amounts { objects: write_objects(file, target).await?, ..Amounts::default() };
    let mut tx = target.db.write().await?;
    for table in manifest.tables.iter().rev() {
        tx.clear(table).await?;
    }
    amounts.rows = write_rows(file, manifest, &mut tx).await?;
    if let Some((secret, path)) = secret {
        write_secret(path, secret).with_context(|| format!("cannot write {}", path.display()))?;
    }
    tx.commit_durably().await?;
    Ok(amounts)
}

async fn check_schema(manifest: &Manifest, db: &Db) -> anyhow::Result<()> {
    let mut tx = db.write().await?;
    let ours = tx.schema_version().await?;
    let Manifest { schema, made_by, .. } = manifest;
    if *schema > ours {
        bail!("the backup was made by a newer version of this program ({made_by}): use that one");
    }
    // The changes that migrations make to rows would be missing.
    if *schema < ours {
        bail!("the backup has an older schema: restore it with version {made_by}, then upgrade");
    }
    let mut tables = tx.tables().await?;
    tables.retain(is_kept);
    let mut theirs = manifest.tables.clone();
    let by_name = |a: &Table, b: &Table| a.name.cmp(&b.name);
    tables.sort_by(by_name);
    theirs.sort_by(by_name);
    if tables != theirs {
        bail!("the backup has other tables than this version of the program");
    }
    Ok(())
}

/// Returns true when the target has no data beyond a fresh installation.
async fn is_empty(manifest: &Manifest, target: &RestoreTarget) -> anyhow::Result<bool> {
    if target.blobs.list("")?.try_next().await?.is_some() {
        return Ok(false);
    }
    let mut tx = target.db.write().await?;
    for table in &manifest.tables {
        if !tx.is_empty(table).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn write_objects(file: &Path, target: &RestoreTarget) -> anyhow::Result<u64> {
    let mut reader = ArchiveReader::open(file, &[OBJECTS])?;
    let mut count = 0;
    while let Some((name, bytes)) = reader.next().await? {
        let key = name.strip_prefix(OBJECTS).unwrap_or_default();
        target
            .blobs
            .put(key, bytes.into())
            .await
            .with_context(|| format!("cannot write the object {key}"))?;
        count += 1;
    }
    Ok(count)
}

async fn write_rows(file: &Path, manifest: &Manifest, tx: &mut Tx) -> anyhow::Result<u64> {
    let mut reader = ArchiveReader::open(file, &[ROWS])?;
    let mut count = 0;
    while let Some((name, bytes)) = reader.next().await? {
        let of = name.strip_prefix(ROWS).and_then(|name| name.split_once('/')).map(|(table, _)| table);
        let table = manifest.tables.iter().find(|table| Some(table.name.as_str()) == of);
        let table = table.ok_or_else(|| anyhow!("the backup has rows of an unknown table ({name})"))?;
        let rows = String::from_utf8(bytes).with_context(|| format!("{name} is damaged"))?;
        let parsed: Vec<&serde_json::value::RawValue> =
            serde_json::from_str(&rows).with_context(|| format!("{name} is damaged"))?;
        count += parsed.len() as u64;
        tx.load(table, &rows).await.with_context(|| format!("cannot write the rows of {}", table.name))?;
    }
    Ok(count)
}

fn write_secret(path: &Path, secret: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(secret)?;
    file.sync_all()
}
