//! The pages of a large batch, kept in the object store while they become jobs a thousand at a time. Ten thousand
//! pages make an object, so that the bytes read grow linearly with the pages, not quadratically.
//! A list never changes once it is written, so a process that takes over reads the same list.

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use store::packed::{pack, unpack};
use store::{BlobError, Blobs};
use url::Url;

use super::model::PAGES_PER_PART;
use platform::jobs::BatchId;

/// Pages of an object; what is fed at once never lies in two of them.
const PAGES: usize = PAGES_PER_PART * 10;
/// Largest unpacked size of an object: ten thousand addresses of the greatest length.
const MAX_BYTES: usize = 256 << 20;

/// Reason why a list could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum PageListError {
    /// The object store failed.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// It is not there, or not what was written.
    #[error("the list of pages is missing or damaged")]
    Damaged,
}

fn folder(batch: &BatchId) -> String {
    format!("batches/{batch}")
}

fn key(batch: &BatchId, from: usize) -> String {
    format!("{}/{:06}.txt.zst", folder(batch), from / PAGES)
}

/// Writes a list: one address per line.
pub async fn write(
    blobs: &Blobs,
    batch: &BatchId,
    pages: impl Iterator<Item = Url> + Send,
) -> Result<(), PageListError> {
    let mut pages = pages.peekable();
    let mut from = 0;
    while pages.peek().is_some() {
        let mut text = String::new();
        for page in pages.by_ref().take(PAGES) {
            text.push_str(page.as_str());
            text.push('\n');
        }
        blobs.put(&key(batch, from), Bytes::from(pack(text.as_bytes()))).await?;
        from += PAGES;
    }
    Ok(())
}

/// Reads the pages of a list from one place on, as many as are fed at once.
pub async fn read(blobs: &Blobs, batch: &BatchId, from: usize) -> Result<Vec<Url>, PageListError> {
    let packed = blobs.get(&key(batch, from)).await?.ok_or(PageListError::Damaged)?;
    let text = unpack(&packed, MAX_BYTES).map_err(|_| PageListError::Damaged)?;
    let text = String::from_utf8(text).map_err(|_| PageListError::Damaged)?;
    text.lines()
        .skip(from % PAGES)
        .take(PAGES_PER_PART)
        .map(|line| Url::parse(line).map_err(|_| PageListError::Damaged))
        .collect()
}

/// Batches that have a list, and when each was written, epoch milliseconds.
pub type ListedBatches = BoxStream<'static, Result<(BatchId, i64), BlobError>>;

/// Lists every stored object of a list: its batch, and the time of writing in epoch milliseconds.
pub fn list(blobs: &Blobs) -> Result<ListedBatches, BlobError> {
    let named = blobs.list("batches")?.try_filter_map(|object| {
        let batch = object.key.strip_prefix("batches/").and_then(|name| name.split_once('/'));
        let batch = batch.map(|(id, _)| (BatchId::from(id.to_owned()), object.modified_ms));
        std::future::ready(Ok(batch))
    });
    Ok(named.boxed())
}

/// Deletes a list. One that stays behind costs space and nothing else.
pub async fn delete(blobs: &Blobs, batch: &BatchId) {
    if let Err(error) = delete_all(blobs, batch).await {
        tracing::warn!(error = &error as &dyn std::error::Error, %batch, "a list of pages could not be deleted");
    }
}

async fn delete_all(blobs: &Blobs, batch: &BatchId) -> Result<(), BlobError> {
    let keys: Vec<String> = blobs.list(&folder(batch))?.map_ok(|object| object.key).try_collect().await?;
    blobs.delete_many(keys.iter().map(String::as_str)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    #[tokio::test]
    async fn what_is_read_for_a_part_does_not_grow_with_the_list() {
        let app = TestApp::new().await;
        let (blobs, batch) = (&app.state.platform.blobs, BatchId::from("batch".to_owned()));
        let page = |n: usize| Url::parse(&format!("https://shop.example/{n:06}")).unwrap();
        let count = 5 * PAGES + PAGES_PER_PART + 1;

        write(blobs, &batch, (0..count).map(page)).await.unwrap();
        let mut fed = Vec::new();
        for from in (0..count).step_by(PAGES_PER_PART) {
            fed.extend(read(blobs, &batch, from).await.unwrap());
        }
        let objects: Vec<_> = blobs.list(&folder(&batch)).unwrap().try_collect().await.unwrap();
        let mut most_pages = 0;
        for object in &objects {
            let packed = blobs.get(&object.key).await.unwrap().unwrap();
            let text = unpack(&packed, MAX_BYTES).unwrap();
            most_pages = most_pages.max(text.iter().filter(|byte| **byte == b'\n').count());
        }

        assert_eq!(fed, (0..count).map(page).collect::<Vec<_>>());
        assert_eq!((objects.len(), most_pages), (6, PAGES));
    }
}
