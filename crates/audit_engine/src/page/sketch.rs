//! Fingerprints of a page's main text: one that is equal for equal texts, one that is similar for similar texts.
//! Used to find duplicates without keeping texts. Pure.

use std::num::NonZeroU64;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bins of a sketch.
const BINS: usize = 128;
/// Words (Chinese and Japanese: characters) of a shingle.
const SHINGLE: usize = 5;
/// Bins of a band. Two sketches with an equal band share a bucket.
const BAND: usize = 8;
/// Buckets that a sketch is put into.
pub const BANDS: usize = BINS / BAND;

/// One-permutation minhash of a text's shingles.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<u16>", try_from = "Vec<u16>")]
pub struct Sketch([u16; BINS]);

impl From<Sketch> for Vec<u16> {
    fn from(sketch: Sketch) -> Vec<u16> {
        sketch.0.to_vec()
    }
}

impl TryFrom<Vec<u16>> for Sketch {
    type Error = &'static str;

    fn try_from(bins: Vec<u16>) -> Result<Sketch, &'static str> {
        bins.try_into().map(Sketch).map_err(|_| "a sketch has 128 bins")
    }
}

/// Returns a short hash of a text, for joining equal titles and the like. Never 0, so that an `Option` of it takes no
/// more memory.
pub fn short_hash(text: &str) -> NonZeroU64 {
    NonZeroU64::new(xxh3_64(text.as_bytes())).unwrap_or(NonZeroU64::MAX)
}

/// Factor of a shingle's hash, for each further word and for all of them.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const STEPS: u64 = STEP.wrapping_pow(SHINGLE as u32);

/// Collector of the shingles of a text, whose words are given in order.
pub struct Shingles {
    last: [u64; SHINGLE],
    /// Hash of the last words, from which that of the oldest can be taken out again.
    rolling: u64,
    count: usize,
    smallest: [u64; BINS],
}

impl Default for Shingles {
    fn default() -> Shingles {
        Shingles { last: [0; SHINGLE], rolling: 0, count: 0, smallest: [u64::MAX; BINS] }
    }
}

impl Shingles {
    pub fn add(&mut self, word: &str) {
        self.add_unit(xxh3_64(word.as_bytes()));
    }

    /// Adds each letter and digit of a text that is written without spaces.
    pub fn add_characters(&mut self, text: &str) {
        let characters = text.chars().filter(|c| c.is_alphanumeric());
        characters.for_each(|c| self.add_unit(xxh3_64(&u32::from(c).to_le_bytes())));
    }

    fn add_unit(&mut self, unit: u64) {
        let oldest = std::mem::replace(&mut self.last[self.count % SHINGLE], unit);
        self.rolling =
            self.rolling.wrapping_mul(STEP).wrapping_add(unit).wrapping_sub(oldest.wrapping_mul(STEPS));
        self.count += 1;
        if self.count < SHINGLE {
            return;
        }
        let hash = mixed(self.rolling);
        let bin = (hash % BINS as u64) as usize;
        self.smallest[bin] = self.smallest[bin].min(hash / BINS as u64);
    }

    /// Returns the sketch. Returns `None` when there were too few words for a shingle.
    pub fn finish(&self) -> Option<Sketch> {
        (self.count >= SHINGLE).then(|| Sketch(fill_empty_bins(&self.smallest)))
    }
}

/// Mixes a number so that each bit depends on all bits of the input (the finalizer of SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

impl Sketch {
    /// Estimates which share of all shingles two texts have in common (Jaccard).
    pub fn likeness(&self, other: &Sketch) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(one, two)| one == two).count();
        equal as f64 / BINS as f64
    }

    /// Buckets in which texts that are alike meet.
    pub fn bands(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.chunks(BAND).enumerate().map(|(index, band)| {
            let mut bytes = [0; 2 * BAND];
            bytes
                .chunks_exact_mut(2)
                .zip(band)
                .for_each(|(two, bin)| two.copy_from_slice(&bin.to_le_bytes()));
            xxh3_64_with_seed(&bytes, index as u64)
        })
    }
}

/// Fills each bin without a shingle with the value of the next filled bin, marked with the distance.
fn fill_empty_bins(smallest: &[u64; BINS]) -> [u16; BINS] {
    let mut bins = [0; BINS];
    for (index, bin) in bins.iter_mut().enumerate() {
        let distance =
            (0..BINS).find(|distance| smallest[(index + distance) % BINS] != u64::MAX).unwrap_or_default();
        let value =
            smallest[(index + distance) % BINS].wrapping_add((distance as u64).wrapping_mul(0x9E37_79B9));
        *bin = (xxh3_64(&value.to_le_bytes()) & 0xFFFF) as u16;
    }
    bins
}

#[cfg(test)]
mod tests {
    use crate::page::Measures;

    fn text(words: usize, changed: &[usize]) -> String {
        let word =
            |index: usize| if changed.contains(&index) { format!("x{index}") } else { format!("w{index}") };
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_estimate_is_near_the_true_likeness() {
        let base = text(1000, &[]);
        // Five words apart change 25 of 996 shingles: 971 of 1021 are common.
        let near = text(1000, &[100, 300, 500, 700, 900]);
        let far = text(1000, &(0..1000).step_by(4).collect::<Vec<_>>());

        let sketches = [&base, &near, &far].map(|text| Measures::of(text).sketch.unwrap());

        assert!((sketches[0].likeness(&sketches[1]) - 0.951).abs() < 0.06);
        assert!(sketches[0].likeness(&sketches[2]) < 0.1);
        assert_eq!(sketches[0].likeness(&sketches[0]), 1.0);
    }

    #[test]
    fn case_makes_no_other_text() {
        assert_eq!(Measures::of("Hand Made").hash, Measures::of("hand made").hash);
        assert_ne!(Measures::of("hand made").hash, Measures::of("handmade").hash);
    }

    #[test]
    fn a_text_of_four_words_has_no_sketch() {
        assert_eq!(Measures::of("one two three four").sketch, None);
    }
}
