//! Objects by key, in a folder or an S3-compatible bucket. Used for snapshots and archives.
//! Knows no key layout of any feature; a key it was given never leaves the configured folder or prefix.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, ObjectStore, ObjectStoreExt, PutMode, PutPayload, RetryConfig};
use uuid::Uuid;

/// Longest key. S3 allows 1024 bytes, prefix included; a file system 255 per segment.
const MAX_KEY_BYTES: usize = 512;
const MAX_SEGMENT_BYTES: usize = 200;

/// Location of the object store (settings `storage.object_store_url` and `storage.s3_*`).
#[derive(Clone, Default)]
pub struct BlobConfig {
    /// `file:PATH` or `s3://bucket/prefix`.
    pub url: String,
    /// Address of the S3 service; none: Amazon's for the region.
    pub s3_endpoint: Option<String>,
    /// Region to sign for; none: the environment's, else `us-east-1`, which services without regions accept.
    pub s3_region: Option<String>,
    /// Key pair; none: the environment's or the machine's own credentials.
    pub s3_access_key_id: Option<String>,
    /// Secret of the key pair.
    pub s3_secret_access_key: Option<String>,
    /// True when the endpoint may be plain HTTP.
    pub s3_allow_http: bool,
}

/// Entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobInfo {
    /// Key to get it with.
    pub key: String,
    /// Length of the object.
    pub size_bytes: u64,
    /// Time of the last write, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// An object operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The key is empty, too long, or has characters that not every store keeps as they are.
    #[error("{0:?} is not a valid object key")]
    BadKey(String),
    /// The settings cannot be used.
    #[error("storage.object_store_url is not usable: {0}")]
    BadUrl(String),
    /// The store cannot be reached or refused the operation.
    #[error("the object store did not do its work")]
    Store(#[from] object_store::Error),
    /// The bytes that were read differ from those that were written.
    #[error("the object store returned other bytes than were written")]
    Corrupt,
}

/// The object store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs(Arc<dyn ObjectStore>);

impl Blobs {
    /// Opens the store; makes the folder when missing. A bucket is not contacted before the first use.
    pub fn open(config: &BlobConfig) -> Result<Blobs, BlobError> {
        if let Some(path) = config.url.strip_prefix("file:") {
            return open_folder(FilePath::new(path.strip_prefix("//").unwrap_or(path)));
        }
        if let Some(location) = config.url.strip_prefix("s3://") {
            return open_bucket(location, config);
        }
        Err(BlobError::BadUrl("it must start with file: or s3://".to_owned()))
    }

    /// Writes an object, replacing what was there. Readers see the old bytes or the new ones, never a mixture.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<(), BlobError> {
        self.0.put(&path_of(key)?, PutPayload::from_bytes(bytes)).await?;
        Ok(())
    }

    /// Writes an object unless the key is taken. Returns true when it was written: of two concurrent writers, one gets true.
    pub async fn put_if_absent(&self, key: &str, bytes: Bytes) -> Result<bool, BlobError> {
        let written =
            self.0.put_opts(&path_of(key)?, PutPayload::from_bytes(bytes), PutMode::Create.into()).await;
        match written {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads an object whole.
    pub async fn get(&self, key: &str) -> Result<Option<Bytes>, BlobError> {
        match self.0.get(&path_of(key)?).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes an object. One that is not there is fine.
    pub async fn delete(&self, key: &str) -> Result<(), BlobError> {
        match self.0.delete(&path_of(key)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes objects in as few requests as the store allows. Those that are not there are fine; stops at the first error.
    pub async fn delete_many(&self, keys: impl IntoIterator<Item = &str>) -> Result<(), BlobError> {
        let paths = keys.into_iter().map(path_of).collect::<Result<Vec<Path>, BlobError>>()?;

        let mut deletions = self.0.delete_stream(stream::iter(paths).map(Ok).boxed());
        while let Some(deleted) = deletions.next().await {
            match deleted {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Lists the objects below a prefix of whole segments (`a/b` finds `a/b/c`, not `a/bc`), in no order; empty: all.
    pub fn list(&self, prefix: &str) -> Result<BoxStream<'static, Result<BlobInfo, BlobError>>, BlobError> {
        let prefix = if prefix.is_empty() { None } else { Some(path_of(prefix.trim_end_matches('/'))?) };
        let found = self.0.list(prefix.as_ref()).map_err(BlobError::from).map_ok(|object| BlobInfo {
            key: object.location.to_string(),
            size_bytes: object.size,
            modified_ms: object.last_modified.timestamp_millis(),
        });
        Ok(found.boxed())
    }

    /// Writes, reads and deletes a small object, to check that the store can be used.
    pub async fn check(&self) -> Result<(), BlobError> {
        let key = format!("check/{}", Uuid::now_v7());
        let written = Bytes::from(key.clone());

        self.put(&key, written.clone()).await?;
        let read = self.get(&key).await?;
        self.delete(&key).await?;

        if read == Some(written) { Ok(()) } else { Err(BlobError::Corrupt) }
    }

    /// Asks for an object that is never there, to check that the store answers. Writes nothing.
    pub async fn check_reads(&self) -> Result<(), BlobError> {
        self.get("check/nothing").await.map(drop)
    }
}

fn open_folder(folder: &FilePath) -> Result<Blobs, BlobError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| BlobError::BadUrl(format!("could not make {}: {error}", folder.display())))?;
    // An object that was reported as written must survive a power cut, as it does in a bucket.
    let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
    Ok(Blobs(Arc::new(store)))
}

fn open_bucket(location: &str, config: &BlobConfig) -> Result<Blobs, BlobError> {
    let (bucket, prefix) = location.split_once('/').unwrap_or((location, ""));
    if bucket.is_empty() {
        return Err(BlobError::BadUrl("s3:// needs the name of a bucket".to_owned()));
    }
    // The client asks for the process's provider; somebody else may have installed it first.
    let _ = rustls::crypto::ring::default_provider().install_default();

    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        .with_allow_http(config.s3_allow_http)
        .with_client_options(
            ClientOptions::new()
                .with_allow_http(config.s3_allow_http)
                .with_connect_timeout(Duration::from_secs(5))
                .with_timeout(Duration::from_secs(60)),
        )
        .with_retry(RetryConfig {
            max_retries: 3,
            retry_timeout: Duration::from_secs(20),
            ..RetryConfig::default()
        });
    if let Some(endpoint) = &config.s3_endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(region) = &config.s3_region {
        builder = builder.with_region(region);
    }
    if let (Some(id), Some(secret)) = (&config.s3_access_key_id, &config.s3_secret_access_key) {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret);
    }
    let store = builder.build()?;

    let prefix = prefix.trim_end_matches('/');
    if prefix.is_empty() {
        return Ok(Blobs(Arc::new(store)));
    }
    let prefix = path_of(prefix).map_err(|error| BlobError::BadUrl(error.to_string()))?;
    Ok(Blobs(Arc::new(PrefixStore::new(store, prefix))))
}

/// Checks a key: segments of `A-Z a-z 0-9 . _ - =`, separated by single slashes, none of them `.` or `..`.
fn path_of(key: &str) -> Result<Path, BlobError> {
    let is_safe = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'=');
    let is_segment = |segment: &str| {
        (1..=MAX_SEGMENT_BYTES).contains(&segment.len())
            && segment != "."
            && segment != ".."
            && segment.bytes().all(is_safe)
    };
    if key.len() > MAX_KEY_BYTES || !key.split('/').all(is_segment) {
        return Err(BlobError::BadKey(key.to_owned()));
    }
    Path::parse(key).map_err(|_| BlobError::BadKey(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::S3Server;

    /// Runs a test on a folder and on a bucket below a prefix.
    async fn for_each_store(test: impl AsyncFn(&Blobs)) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file:{}", folder.path().join("made/here").display());
        test(&Blobs::open(&BlobConfig { url, ..BlobConfig::default() }).unwrap()).await;

        let server = S3Server::start().await;
        test(&Blobs::open(&server.config("some/prefix")).unwrap()).await;
    }

    async fn keys(blobs: &Blobs, prefix: &str) -> Vec<String> {
        let mut keys: Vec<String> =
            blobs.list(prefix).unwrap().map_ok(|blob| blob.key).try_collect().await.unwrap();
        keys.sort();
        keys
    }

    #[tokio::test]
    async fn what_is_put_is_got_until_it_is_replaced_or_deleted() {
        for_each_store(async |blobs| {
            let absent = blobs.get("a/b").await.unwrap();
            blobs.put("a/b", Bytes::from_static(b"one")).await.unwrap();
            let first = blobs.get("a/b").await.unwrap();
            blobs.put("a/b", Bytes::from_static(b"two")).await.unwrap();
            let second = blobs.get("a/b").await.unwrap();
            blobs.delete("a/b").await.unwrap();
            let gone = blobs.get("a/b").await.unwrap();

            assert_eq!((absent, gone), (None, None));
            assert_eq!((first.unwrap().as_ref(), second.unwrap().as_ref()), (&b"one"[..], &b"two"[..]));
        })
        .await;
    }

    #[tokio::test]
    async fn put_if_absent_never_replaces() {
        for_each_store(async |blobs| {
            let first = blobs.put_if_absent("once", Bytes::from_static(b"one")).await.unwrap();
            let second = blobs.put_if_absent("once", Bytes::from_static(b"two")).await.unwrap();

            assert_eq!((first, second), (true, false));
            assert_eq!(blobs.get("once").await.unwrap().unwrap(), Bytes::from_static(b"one"));
        })
        .await;
    }

    // On the folder only: of several at the same instant the test server of S3 lets all through; real services do not.
    #[tokio::test]
    async fn of_many_that_put_if_absent_at_once_exactly_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file:{}", folder.path().display());
        let blobs = Blobs::open(&BlobConfig { url, ..BlobConfig::default() }).unwrap();
        let values: Vec<Bytes> = (0..8).map(|n| Bytes::from(format!("value {n}"))).collect();

        let puts = values.iter().map(|value| blobs.put_if_absent("once", value.clone()));
        let written: Vec<bool> = futures::future::try_join_all(puts).await.unwrap();
        let kept = blobs.get("once").await.unwrap().unwrap();

        let winners: Vec<&Bytes> = values.iter().zip(&written).filter(|(_, w)| **w).map(|(v, _)| v).collect();
        assert_eq!(winners, [&kept]);
    }

    #[tokio::test]
    async fn deleting_what_is_not_there_is_fine() {
        for_each_store(async |blobs| {
            blobs.put("here/1", Bytes::new()).await.unwrap();
            blobs.put("here/2", Bytes::new()).await.unwrap();

            blobs.delete("nowhere").await.unwrap();
            blobs.delete_many(["here/1", "here/9", "here/2"]).await.unwrap();

            assert_eq!(keys(blobs, "").await, Vec::<String>::new());
        })
        .await;
    }

    #[tokio::test]
    async fn a_listing_has_the_keys_below_a_prefix_with_their_sizes() {
        for_each_store(async |blobs| {
            for key in ["a/1", "a/b/2", "ab/3"] {
                blobs.put(key, Bytes::from_static(b"12345")).await.unwrap();
            }

            let sizes: Vec<u64> =
                blobs.list("a").unwrap().map_ok(|b| b.size_bytes).try_collect().await.unwrap();

            assert_eq!(keys(blobs, "a/").await, ["a/1", "a/b/2"]);
            assert_eq!(keys(blobs, "").await, ["a/1", "a/b/2", "ab/3"]);
            assert_eq!(sizes, [5, 5]);
        })
        .await;
    }

    #[tokio::test]
    async fn a_key_that_could_leave_its_place_is_refused() {
        for_each_store(async |blobs| {
            let long = "x".repeat(600);
            for key in
                ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a b", "a\\b", "a%2e", "ä", "a\0", &long]
            {
                let refused = blobs.put(key, Bytes::new()).await;

                assert!(matches!(refused, Err(BlobError::BadKey(_))), "{key:?}: {refused:?}");
            }
        })
        .await;
    }

    #[tokio::test]
    async fn the_check_passes_on_a_store_that_works_and_leaves_nothing() {
        for_each_store(async |blobs| {
            blobs.check().await.unwrap();

            assert_eq!(keys(blobs, "").await, Vec::<String>::new());
        })
        .await;
    }

    #[tokio::test]
    async fn the_check_fails_where_no_store_answers() {
        let server = S3Server::start().await;
        let mut wrong_key = server.config("");
        wrong_key.s3_secret_access_key = Some("another".to_owned());
        let mut nobody = server.config("");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        nobody.s3_endpoint = Some(format!("http://127.0.0.1:{port}"));

        assert!(Blobs::open(&wrong_key).unwrap().check().await.is_err());
        assert!(Blobs::open(&nobody).unwrap().check().await.is_err());
    }

    #[test]
    fn an_address_that_cannot_be_used_says_why() {
        for url in ["", "ftp://x", "s3://", "s3:///prefix", "s3://bucket/bad prefix"] {
            let opened = Blobs::open(&BlobConfig { url: url.to_owned(), ..BlobConfig::default() });

            assert!(matches!(opened, Err(BlobError::BadUrl(_))), "{url}: {opened:?}");
        }
    }
}
