//! Codes of second factors by RFC 6238: SHA-1, six digits, half a minute, one step either side. Pure.

use ring::hmac;
use subtle::ConstantTimeEq;

use platform::clock::Timestamp;

/// Bytes of a secret: as many as the hash has.
pub(super) const SECRET_BYTES: usize = 20;
const STEP_MS: i64 = 30_000;
const DIGITS: usize = 6;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns the number of the half minute of a time.
fn step_of(now: Timestamp) -> i64 {
    now.as_millis().div_euclid(STEP_MS)
}

fn code_of_step(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag[tag.len() - 1] & 0xf);
    let four = [tag[offset] & 0x7f, tag[offset + 1], tag[offset + 2], tag[offset + 3]];
    format!("{:0DIGITS$}", u32::from_be_bytes(four) % 1_000_000)
}

/// Finds the step whose code this is: the present one, the one before or the one after. Looks at all three whatever matches.
pub(super) fn find_step(secret: &[u8], code: &str, now: Timestamp) -> Option<i64> {
    let present = step_of(now);
    let mut found = None;
    for step in [present - 1, present, present + 1] {
        if bool::from(code_of_step(secret, step).as_bytes().ct_eq(code.as_bytes())) {
            found = Some(step);
        }
    }
    found
}

/// Computes the code that an authenticator shows at a time, of a secret in base32. For tests.
#[cfg(any(test, feature = "testing"))]
pub fn code_at(secret: &str, now: Timestamp) -> String {
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in secret.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter).expect("a letter of base32");
        (buffer, bits) = ((buffer << 5) | value as u32, bits + 5);
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits) as u8);
            buffer &= (1 << bits) - 1;
        }
    }
    code_of_step(&bytes, step_of(now))
}

/// Writes bytes in base32 without padding, as authenticators read secrets.
pub(super) fn base32(bytes: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let letter =
        |start: usize| (start..start + 5).fold(0_usize, |value, at| value << 1 | usize::from(bit(at)));
    (0..bytes.len() * 8).step_by(5).map(|start| char::from(ALPHABET[letter(start)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_rfc() {
        let rfc = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_234_567_890, "005924"),
            (20_000_000_000, "353130"),
        ];

        for (seconds, code) in rfc {
            assert_eq!(code_of_step(SECRET, step_of(Timestamp::from_millis(seconds * 1_000))), code);
        }
    }

    #[test]
    fn a_code_is_right_for_one_step_either_side() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000);
        let code = code_of_step(SECRET, step_of(at(600)));

        assert_eq!(find_step(SECRET, &code, at(600)), Some(20));
        assert_eq!(find_step(SECRET, &code, at(570)), Some(20));
        assert_eq!(find_step(SECRET, &code, at(659)), Some(20));
        assert_eq!(find_step(SECRET, &code, at(569)), None);
        assert_eq!(find_step(SECRET, &code, at(660)), None);
    }

    #[test]
    fn a_secret_is_written_in_base32() {
        assert_eq!(base32(SECRET), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(base32(b"foob"), "MZXW6YQ");
        assert_eq!(code_at(&base32(SECRET), Timestamp::from_millis(59_000)), "287082");
    }
}
