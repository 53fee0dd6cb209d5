//! The pages of a large batch, kept in the object store while they become jobs a thousand at a time.
//! A list never changes once it is written, so a process that takes over sees the same one.

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use store::{BlobError, Blobs};
use url::Url;

use crate::jobs::BatchId;

const COMPRESSION_LEVEL: i32 = 3;
/// What a list may unpack to: a million addresses of the greatest length are less.
const MAX_BYTES: usize = 1 << 30;

/// Why a list could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum PageListError {
    /// The object store failed.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// It is not there, or not what was written.
    #[error("the list of pages is missing or damaged")]
    Damaged,
}

fn key(batch: &BatchId) -> String {
    format!("batches/{batch}.txt.zst")
}

/// Writes a list: one address per line.
pub async fn write(blobs: &Blobs, batch: &BatchId, pages: &[Url]) -> Result<(), PageListError> {
    let text: Vec<&str> = pages.iter().map(Url::as_str).collect();
    let packed = zstd::bulk::compress(text.join("\n").as_bytes(), COMPRESSION_LEVEL);
    blobs.put(&key(batch), Bytes::from(packed.map_err(|_| PageListError::Damaged)?)).await?;
    Ok(())
}

/// Reads a part of a list, and how long the whole is.
pub async fn read(
    blobs: &Blobs,
    batch: &BatchId,
    from: usize,
    most: usize,
) -> Result<(Vec<Url>, usize), PageListError> {
    let packed = blobs.get(&key(batch)).await?.ok_or(PageListError::Damaged)?;
    let size =
        zstd::zstd_safe::get_frame_content_size(&packed).ok().flatten().ok_or(PageListError::Damaged)?;
    let size = usize::try_from(size).ok().filter(|size| *size <= MAX_BYTES).ok_or(PageListError::Damaged)?;
    let text = zstd::bulk::decompress(&packed, size).map_err(|_| PageListError::Damaged)?;
    let text = String::from_utf8(text).map_err(|_| PageListError::Damaged)?;
    let lines: Vec<&str> = text.lines().collect();
    let part = lines.iter().skip(from).take(most).filter_map(|line| Url::parse(line).ok());
    Ok((part.collect(), lines.len()))
}

/// Batches that have a list, and when each was written, epoch milliseconds.
pub type ListedBatches = BoxStream<'static, Result<(BatchId, i64), BlobError>>;

/// Every list that is kept: its batch, and when it was written in epoch milliseconds.
pub fn list(blobs: &Blobs) -> Result<ListedBatches, BlobError> {
    let named = blobs.list("batches")?.try_filter_map(|object| {
        let batch = object.key.strip_prefix("batches/").and_then(|name| name.strip_suffix(".txt.zst"));
        let batch = batch.map(|id| (BatchId::from(id.to_owned()), object.modified_ms));
        std::future::ready(Ok(batch))
    });
    Ok(named.boxed())
}

/// Deletes a list. One that stays behind costs space and nothing else.
pub async fn delete(blobs: &Blobs, batch: &BatchId) {
    if let Err(error) = blobs.delete(&key(batch)).await {
        tracing::warn!(error = &error as &dyn std::error::Error, %batch, "a list of pages could not be deleted");
    }
}
