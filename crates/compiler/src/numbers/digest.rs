//! The digest of a field: a sum over its cells of a hash of (canonical index, value), modulo 2^64.
//!
//! A sum does not depend on the order of its terms, so any layout, thread count or number of devices gives the same
//! digest, and digests of disjoint sets of cells add up.

use crate::ir::Value;

/// SplitMix64's output function of `v + 0x9E3779B97F4A7C15` (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
pub const fn mix(v: u64) -> u64 {
    let v = v.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let v = (v ^ (v >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let v = (v ^ (v >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    v ^ (v >> 31)
}

/// The term of the cell with canonical index `c` in the digest of a field, if its value has these
/// [`bits`](Value::bits).
pub const fn term(c: u64, bits: u64) -> u64 {
    mix(mix(c) ^ bits)
}

/// The digest of the values of cells `first`, `first + 1`, …: a whole field if `first` is 0 and no cell is missing.
pub fn digest(first: u64, values: impl IntoIterator<Item = Value>) -> u64 {
    let mut sum = 0u64;
    for (c, value) in (first..).zip(values) {
        sum = sum.wrapping_add(term(c, value.bits()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of SplitMix64 seeded with 0 are the mixes of multiples of its increment.
    #[test]
    fn mix_is_splitmix64() {
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(0x9E37_79B9_7F4A_7C15), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(mix(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2)), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn parts_add_up() {
        let values: Vec<Value> = (0..100).map(Value::U32).collect();
        let whole = digest(0, values.iter().copied());
        let parts = digest(0, values[..37].iter().copied()).wrapping_add(digest(37, values[37..].iter().copied()));
        assert_eq!(whole, parts);
        assert_ne!(whole, digest(1, values.iter().copied()));
    }

    #[test]
    fn every_nan_is_one() {
        let nans = [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)];
        let digests = nans.map(|v| digest(0, [Value::F32(v)]));
        assert_eq!(digests, [term(0, 0x7fc0_0000); 3]);
        assert_ne!(digest(0, [Value::F32(0.0)]), digest(0, [Value::F32(-0.0)]));
    }
}
