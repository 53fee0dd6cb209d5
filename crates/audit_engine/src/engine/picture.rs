//! Width and height of a picture by its first bytes: PNG, JPEG, GIF, WebP and AVIF. Pure; the bytes are untrusted.

/// Reads width and height in pixels. Returns `None` when the bytes do not contain them.
pub fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?))
    } else if bytes.starts_with(b"GIF8") {
        Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?))
    } else if bytes.starts_with(b"\xFF\xD8") {
        jpeg(bytes)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        webp(bytes)
    } else if bytes.get(4..12) == Some(b"ftypavif") {
        avif(bytes)
    } else {
        None
    }
}

fn big(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at + length)?;
    Some(digits.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at + length)?;
    Some(digits.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Walks from segment to segment until the one that begins the picture.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1).filter(|_| bytes.get(at) == Some(&0xFF))?;
        match marker {
            0xFF => at += 1,
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?));
            }
            _ => at += 2 + big(bytes, at + 2, 2)? as usize,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        b"VP8 " => Some((little(bytes, 26, 2)? & 0x3FFF, little(bytes, 28, 2)? & 0x3FFF)),
        b"VP8L" => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        _ => None,
    }
}

/// Reads the first box with an image's extent.
fn avif(bytes: &[u8]) -> Option<(u32, u32)> {
    let at = bytes.windows(4).position(|name| name == b"ispe")?;
    Some((big(bytes, at + 8, 4)?, big(bytes, at + 12, 4)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::size;

    #[test]
    fn sizes_are_read_from_each_kind_of_picture() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\xB0\0\0\x02\x76";
        let gif = b"GIF89a\xB0\x04\x76\x02";
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xC0\0\x11\x08\x02\x76\x04\xB0";
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\xAF\x04\0\x75\x02\0";
        let avif = b"\0\0\0\x1Cftypavif\0\0\0\x14ispe\0\0\0\0\0\0\x04\xB0\0\0\x02\x76";

        for picture in [&png[..], gif, jpeg, webp, avif] {
            assert_eq!(size(picture), Some((1200, 630)));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fail(start in 0_usize..5, rest in prop::collection::vec(any::<u8>(), 0..80)) {
            let starts: [&[u8]; 5] = [b"\x89PNG\r\n\x1a\n", b"GIF8", b"\xFF\xD8\xFF", b"RIFF\0\0\0\0WEBPVP8L", b"\0\0\0\x1Cftypavif"];

            let _ = size(&[starts[start], &rest].concat());
        }
    }
}
