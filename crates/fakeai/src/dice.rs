//! Repeatable chance: numbers that depend on the seed and on named things only. Used by everything that varies. Pure.

use xxhash_rust::xxh3::Xxh3;

/// Source of numbers that are the same for the same seed and the same things.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64, things: &[&str]) -> Dice {
        let mut hash = Xxh3::with_seed(seed);
        for thing in things {
            hash.update(thing.as_bytes());
            // Apart from each other: "ab", "c" is not "a", "bc".
            hash.update(&[0]);
        }
        Dice(hash.digest())
    }

    pub fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("below a usize")
    }

    pub fn one_of<'a, T: ?Sized>(&mut self, things: &[&'a T]) -> &'a T {
        things[self.below(things.len())]
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns an identifier of 24 hexadecimal digits.
    pub fn id(&mut self) -> String {
        format!("{:016x}{:08x}", self.next(), self.next() >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_things_give_the_same_numbers() {
        let roll = |seed, things: &[&str]| Dice::new(seed, things).next();

        assert_eq!(roll(1, &["a", "b"]), roll(1, &["a", "b"]));
        assert_ne!(roll(1, &["a", "b"]), roll(2, &["a", "b"]));
        assert_ne!(roll(1, &["ab", "c"]), roll(1, &["a", "bc"]));
    }

    #[test]
    fn numbers_spread_over_their_range() {
        let mut dice = Dice::new(7, &[]);

        let mean = (0..10_000).map(|_| dice.unit()).sum::<f64>() / 10_000.0;

        assert!((0.48..0.52).contains(&mean), "{mean}");
        assert!((0..1_000).all(|_| dice.below(3) < 3));
    }
}
