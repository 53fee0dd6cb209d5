//! Keys of cache entries.

use std::net::IpAddr;

/// Longest key, in bytes, that is built without an allocation.
const ON_STACK: usize = 128;

/// Key of a cache entry. Different keys of a type must never have the same bytes, or one would find the other's entry.
pub trait Key {
    /// Calls `f` with the key's bytes.
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R;
}

impl Key for [u8] {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(self)
    }
}

impl Key for str {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(self.as_bytes())
    }
}

impl Key for String {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(self.as_bytes())
    }
}

impl Key for u64 {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        f(&self.to_ne_bytes())
    }
}

impl Key for IpAddr {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            IpAddr::V4(address) => f(&address.octets()),
            IpAddr::V6(address) => f(&address.octets()),
        }
    }
}

impl<K: Key + ?Sized> Key for &K {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        (**self).with_bytes(f)
    }
}

/// Prefixed with the length of the first key, so that ("a", "bc") differs from ("ab", "c").
impl<A: Key, B: Key> Key for (A, B) {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        self.0.with_bytes(|first| {
            self.1.with_bytes(|second| {
                let length = first.len().to_ne_bytes();
                let mut room = [0; ON_STACK];
                let (middle, end) = (length.len() + first.len(), length.len() + first.len() + second.len());
                if end > ON_STACK {
                    return f(&[&length[..], first, second].concat());
                }
                room[..length.len()].copy_from_slice(&length);
                room[length.len()..middle].copy_from_slice(first);
                room[middle..end].copy_from_slice(second);
                f(&room[..end])
            })
        })
    }
}
