//! Memory that hostile sitemaps take, measured in a process of its own, so this file has one test.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up fails, which is what unwrap says")]

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::LazyLock;

use bytes::Bytes;
use crawler::sitemap::{FileProblem, SiteHosts, Sitemap, SitemapError, SitemapLimits, read_site};
use futures::stream::{self, BoxStream, StreamExt};
use url::Url;

type Body = BoxStream<'static, io::Result<Bytes>>;

/// Makes a long address. No two begin alike, so that the packed list saves nothing.
fn address(file: &str, n: usize) -> String {
    static NOISE: LazyLock<String> = LazyLock::new(|| {
        let hash = |n: usize| {
            n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        (1..10_000).fold(String::new(), |mut noise, n| {
            write!(noise, "{:016x}", hash(n)).unwrap();
            noise
        })
    });
    let from = n * 7 % 100_000;
    format!("https://shop.example/{}{n}/{file}", &NOISE[from..from + 950])
}

/// Makes a file of long entries, written while it is read.
fn long_entries(around: (&'static str, &'static str), name: String, count: usize) -> Body {
    let (root, entry) = around;
    let parts = (0..count.div_ceil(100)).map(move |part| {
        let entries = (part * 100..(part + 1) * 100)
            .map(|n| format!("<{entry}><loc>{}</loc></{entry}>", address(&name, n)));
        Ok(Bytes::from(entries.collect::<String>()))
    });
    let start = stream::once(async move { Ok(Bytes::from(format!("<{root}>"))) });
    let end = stream::once(async move { Ok(Bytes::from(format!("</{root}>"))) });
    start.chain(stream::iter(parts)).chain(end).boxed()
}

/// Makes indexes that name thousands of others, which name thousands of lists of long addresses.
async fn indexes_of_indexes(url: Url) -> Result<Body, String> {
    let name = url.path().len().to_string();
    Ok(match url.path().len() {
        0..20 => long_entries(("sitemapindex", "sitemap"), name, 20_000),
        _ => long_entries(("urlset", "url"), url.path()[1..20].to_owned(), 20_000),
    })
}

/// Makes a gigabyte without an end of line.
async fn one_line(_: Url) -> Result<Body, String> {
    let piece = Bytes::from(vec![b'a'; 64 << 10]);
    let start = stream::once(async { Ok(Bytes::from_static(b"https://shop.example/")) });
    Ok(start.chain(stream::iter((0..16 << 10).map(move |_| Ok(piece.clone())))).boxed())
}

/// Makes some megabytes that unpack to gigabytes of empty entries.
async fn gzip_bomb(_: Url) -> Result<Body, String> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(b"<urlset>").unwrap();
    let start = Bytes::from(packer.finish().unwrap());
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all("<url><loc/></url>".repeat(4 << 10).as_bytes()).unwrap();
    let member = Bytes::from(packer.finish().unwrap());
    let members = (0..50_000).map(move |_| Ok(member.clone()));
    Ok(stream::once(async { Ok(start) }).chain(stream::iter(members)).boxed())
}

async fn read<F: Future<Output = Result<Body, String>>>(
    open: impl Fn(Url) -> F,
    file_bytes: u64,
) -> Result<Sitemap, SitemapError> {
    let start = Url::parse("https://shop.example/sitemap.xml").unwrap();
    let limits = SitemapLimits { file_bytes, ..SitemapLimits::default() };
    read_site(open, &start, &SiteHosts::of("shop.example"), limits).await
}

/// Returns the peak memory of the process since `forget_peak`, in megabytes.
fn peak_mb() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sitemap_makes_its_reader_hold_more_than_its_memory() {
    // What a process of this kind has before it reads anything.
    forget_peak();
    let before = peak_mb();

    let indexes = read(indexes_of_indexes, 50 << 20).await.unwrap();
    let of_indexes = peak_mb() - before;
    let (pages, is_cut) = (indexes.pages.len(), indexes.is_cut);
    drop(indexes);
    let line = read(one_line, 50 << 20).await;
    let bomb = read(gzip_bomb, 4 << 20).await;
    let in_all = peak_mb() - before;

    assert!(is_cut && pages > 5_000, "{pages}");
    // Buffers of the allocator (one arena a thread), of the test's own files and of unoptimised code come on top.
    assert!(of_indexes < 128 && in_all < 128, "{of_indexes} and {in_all} MB");
    assert_eq!(line.unwrap_err().code(), "parse_failed");
    let bomb = bomb.unwrap();
    assert!(bomb.is_cut && bomb.pages.is_empty());
    assert!(!bomb.files.iter().any(|file| matches!(file.outcome, Err(FileProblem::Fetch(_)))));
}
