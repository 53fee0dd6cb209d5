//! Addresses of files that are not pages, by their extension. Shared by the render decision and imported logs. Pure.

/// Extensions of files that are never pages. A name that is not here (`/v1.2`, `/node.io`) is a page.
const STATIC_EXTENSIONS: [&str; 80] = [
    "js",
    "mjs",
    "cjs",
    "map",
    "css",
    "less",
    "scss",
    "json",
    "jsonld",
    "xml",
    "rss",
    "atom",
    "txt",
    "pdf",
    "doc",
    "docx",
    "xls",
    "xlsx",
    "ppt",
    "pptx",
    "csv",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "avif",
    "svg",
    "ico",
    "bmp",
    "tif",
    "tiff",
    "heic",
    "mp3",
    "wav",
    "ogg",
    "oga",
    "flac",
    "aac",
    "m4a",
    "mp4",
    "m4v",
    "webm",
    "mov",
    "avi",
    "wmv",
    "flv",
    "mkv",
    "mpg",
    "mpeg",
    "woff",
    "woff2",
    "ttf",
    "otf",
    "eot",
    "zip",
    "gz",
    "tgz",
    "bz2",
    "xz",
    "7z",
    "rar",
    "tar",
    "exe",
    "dmg",
    "iso",
    "apk",
    "msi",
    "bin",
    "wasm",
    "torrent",
    "swf",
    "psd",
    "ai",
    "dat",
    "webmanifest",
    "ics",
    "vcf",
    "eps",
    "jxl",
];

/// Returns true when the last path segment, decoded once, has an extension of files that are not pages, in any case.
pub fn is_static_asset(path: &str) -> bool {
    let Some(segment) = path.rsplit('/').next() else { return false };
    let segment: Vec<u8> = percent_encoding::percent_decode_str(segment).collect();
    let Some(dot) = segment.iter().rposition(|byte| *byte == b'.') else { return false };
    let extension = segment[dot + 1..].to_ascii_lowercase();
    STATIC_EXTENSIONS.iter().any(|known| known.as_bytes() == extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_the_extension_of_the_last_segment() {
        for path in ["/app.js", "/a/photo.JPG", "/sitemap.xml", "/x%2Ecss"] {
            assert!(is_static_asset(path), "{path}");
        }
        for path in ["/", "/shoes", "/v1.2", "/node.io", "/app.js/", "/a.css/b", ""] {
            assert!(!is_static_asset(path), "{path}");
        }
    }
}
