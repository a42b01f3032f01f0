//! Which products of matrices compute a map exactly.
//!
//! Both maps are linear in the digits of a level: λ sums `τ_μ · s^{μ−1}` (2022, Eqs. 2 and 3), ν sums
//! `Δ_μ^ν · H_ν[θ_μ]` for each axis (Eqs. 12 and 13). As in Eqs. 15 and 16 the weights stand in the rows of A, one column a
//! level, and the digits in the columns of B, one column for each of eight maps.
//!
//! Tensor cores multiply small numbers only. The published program lets every number be what F16 makes of it, and goes wrong
//! without a word when a weight or a sum needs more than 11 bits. Here every weight is split into *limbs* that the
//! fragment holds exactly, each in a row of its own (A has rows to spare), and [`prove`] checks for the levels at hand that
//! every factor and every sum is exact:
//!
//! | fragment | factors | sums | limbs |
//! |---|---|---|---|
//! | U8 × U8 → S32, `m8n8k16` | integers up to 255 | integers below 2^31 | 8 bits |
//! | F16 × F16 → F32, `m16n8k8` and `m16n8k16` | integers up to 2048 | integers up to 2^24 | 11 bits |
//!
//! The last has the papers' A of 16 × 16, and of their B the eight columns that they use.
//!
//! All numbers are non-negative, so no partial sum exceeds the whole, in whatever order the hardware adds. Sums of limbs are
//! put together by integer arithmetic, which does not round.

/// A kind of matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fragment {
    /// `mma.sync.m8n8k16`, U8 × U8 → S32.
    U8,
    /// `mma.sync.m16n8k8`, F16 × F16 → F32.
    F16,
    /// `mma.sync.m16n8k16`, F16 × F16 → F32: A is the papers' fragment of 16 × 16.
    PapersF16,
}

impl Fragment {
    /// Rows of A.
    pub const fn rows(self) -> usize {
        match self {
            Fragment::U8 => 8,
            Fragment::F16 | Fragment::PapersF16 => 16,
        }
    }

    /// Columns of A: levels of one product.
    pub const fn levels(self) -> usize {
        match self {
            Fragment::U8 | Fragment::PapersF16 => 16,
            Fragment::F16 => 8,
        }
    }

    /// Bits of a limb.
    pub const fn limb_bits(self) -> u32 {
        match self {
            Fragment::U8 => 8,
            Fragment::F16 | Fragment::PapersF16 => 11,
        }
    }

    /// The largest integer up to which all are factors.
    pub(crate) const fn largest_factor(self) -> u64 {
        match self {
            Fragment::U8 => 255,
            Fragment::F16 | Fragment::PapersF16 => 2048,
        }
    }

    /// The largest integer up to which all are sums.
    pub const fn largest_sum(self) -> u64 {
        match self {
            Fragment::U8 => (1 << 31) - 1,
            Fragment::F16 | Fragment::PapersF16 => 1 << 24,
        }
    }
}

/// Why no fragment is exact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inexact {
    /// A digit that is no factor.
    #[error("digits go up to {digit}, and no fragment holds integers beyond 2048")]
    Digit {
        /// The largest digit.
        digit: u64,
    },
    /// A sum that is not exact.
    #[error("sums go up to {sum}, and those of F16 are exact up to 2^24 only")]
    Sum {
        /// The largest sum of one row.
        sum: u64,
    },
}

/// A row of A: one limb of the weights of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimbRow {
    /// Which output.
    pub output: usize,
    /// Which limb, the lowest first.
    pub limb: u32,
}

/// Products that compute some linear forms exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The fragment.
    pub fragment: Fragment,
    /// The rows in use; beyond [`Fragment::rows`] they go into further products.
    pub rows: Vec<LimbRow>,
    /// Per output, the weight of each level.
    weights: Vec<Vec<u64>>,
}

impl Product {
    /// Levels, and so columns of A in all.
    pub fn levels(&self) -> usize {
        self.weights.first().map_or(0, Vec::len)
    }

    /// How many products sum over the levels.
    pub(crate) fn chunks(&self) -> usize {
        self.levels().div_ceil(self.fragment.levels())
    }

    /// How many products share the rows.
    pub fn groups(&self) -> usize {
        self.rows.len().div_ceil(self.fragment.rows())
    }

    /// `mma` instructions for eight maps.
    pub fn instructions(&self) -> usize {
        self.chunks() * self.groups()
    }

    /// The element of A in a row and a level; 0 beyond both.
    pub fn element(&self, row: usize, level: usize) -> u64 {
        let Some(LimbRow { output, limb }) = self.rows.get(row) else { return 0 };
        let bits = self.fragment.limb_bits();
        self.weights[*output].get(level).map_or(0, |weight| limb_of(*weight, *limb, bits))
    }

    /// The weight of a row's sum in its output.
    pub(crate) fn radix(&self, row: usize) -> u64 {
        self.rows.get(row).map_or(0, |row| 1 << (row.limb * self.fragment.limb_bits()))
    }
}

fn limb_of(weight: u64, limb: u32, bits: u32) -> u64 {
    weight.checked_shr(limb * bits).unwrap_or(0) & ((1 << bits) - 1)
}

/// The products that compute `Σ_μ weights[output][μ] · digit_μ` for every output, for all digits up to `most[μ]`, by the first of some
/// fragments that is exact.
///
/// # Errors
/// If none is exact: why the last is not.
pub(crate) fn prove(fragments: &[Fragment], weights: &[Vec<u64>], most: &[u64]) -> Result<Product, Inexact> {
    let (last, before) = fragments.split_last().expect("a map has a fragment");
    let found = before.iter().find_map(|fragment| attempt(*fragment, weights, most).ok());
    found.map_or_else(|| attempt(*last, weights, most), Ok)
}

fn attempt(fragment: Fragment, weights: &[Vec<u64>], most: &[u64]) -> Result<Product, Inexact> {
    if let Some(digit) = most.iter().copied().max().filter(|digit| *digit > fragment.largest_factor()) {
        return Err(Inexact::Digit { digit });
    }
    let bits = fragment.limb_bits();
    let mut rows = Vec::new();
    for (output, weights) in weights.iter().enumerate() {
        let largest = weights.iter().copied().max().unwrap_or(0);
        let limbs = (u64::BITS - largest.leading_zeros()).div_ceil(bits);
        for limb in 0..limbs {
            let products = weights.iter().zip(most).map(|(weight, digit)| limb_of(*weight, limb, bits) * digit);
            let sum = products.fold(0u64, u64::saturating_add);
            if sum > fragment.largest_sum() {
                return Err(Inexact::Sum { sum });
            }
            rows.push(LimbRow { output, limb });
        }
    }
    Ok(Product { fragment, rows, weights: weights.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integer rounded to F16: 11 significant bits, nearest, ties to even.
    fn half(v: u64) -> f32 {
        let excess = (u64::BITS - v.leading_zeros()).saturating_sub(11);
        let (unit, rest) = (1u64 << excess, v & ((1 << excess) - 1));
        let down = v - rest;
        let up = rest * 2 > unit || rest * 2 == unit && down / unit % 2 == 1;
        if up { (down + unit) as f32 } else { down as f32 }
    }

    /// The results of the fragments, in the hardware's own numbers.
    fn run(product: &Product, outputs: usize, digits: &[u64]) -> Vec<u64> {
        let mut sums = vec![0u64; outputs];
        for row in 0..product.rows.len() {
            let factors = (0..product.levels()).map(|level| (product.element(row, level), digits[level]));
            let sum = match product.fragment {
                Fragment::U8 => factors
                    .map(|(a, b)| i32::from(u8::try_from(a).unwrap()) * i32::from(u8::try_from(b).unwrap()))
                    .try_fold(0i32, i32::checked_add)
                    .unwrap() as u64,
                Fragment::F16 | Fragment::PapersF16 => factors.fold(0f32, |sum, (a, b)| sum + half(a) * half(b)) as u64,
            };
            sums[product.rows[row].output] += sum * product.radix(row);
        }
        sums
    }

    fn exact(weights: &[Vec<u64>], digits: &[u64]) -> Vec<u64> {
        weights.iter().map(|weights| weights.iter().zip(digits).map(|(w, d)| w * d).sum()).collect()
    }

    const ALL: [Fragment; 2] = [Fragment::U8, Fragment::F16];

    #[test]
    fn what_is_proved_is_exact() {
        for (k, levels) in [(3u64, 20usize), (2, 63), (8, 20), (12, 16), (256, 7), (257, 7), (1024, 6), (2049, 2)] {
            let weights: Vec<Vec<u64>> = (0..2)
                .map(|axis| {
                    let of = |mu: usize| if mu % 2 == axis { k.pow((mu / 2) as u32) } else { 0 };
                    (0..levels).map(of).collect()
                })
                .collect();
            let most = vec![k - 1; levels];
            let product = prove(&ALL, &weights, &most).unwrap();
            assert_eq!(product.fragment == Fragment::U8, k <= 256);
            let papers = prove(&[Fragment::PapersF16], &weights, &most).unwrap();
            assert_eq!(papers.fragment, Fragment::PapersF16);
            let mut seed = 1u64;
            for turn in 0..1000 {
                let mut digit = || {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    if turn == 0 { k - 1 } else { (seed >> 33) % k }
                };
                let digits: Vec<u64> = (0..levels).map(|_| digit()).collect();
                for product in [&product, &papers] {
                    assert_eq!(run(product, 2, &digits), exact(&weights, &digits), "k = {k}, {levels} levels");
                }
            }
        }
    }

    /// 3^7 = 2187 has twelve bits: without limbs F16 holds 2188, and a sum beyond 2048 may be off.
    #[test]
    fn the_published_encoding_is_not_exact() {
        assert_ne!(half(3u64.pow(7)), 2187.0);
        let product = prove(&ALL, &[vec![3u64.pow(7)]], &[2]).unwrap();
        assert_eq!((product.rows.len(), product.element(0, 0), product.element(1, 0)), (2, 2187 % 256, 2187 / 256));
        // Their own fragment takes two limbs from there on, and one below.
        for (power, limbs) in [(6, 1), (7, 2)] {
            assert_eq!(prove(&[Fragment::PapersF16], &[vec![3u64.pow(power)]], &[2]).unwrap().rows.len(), limbs);
        }
    }

    #[test]
    fn what_cannot_be_proved_is_refused() {
        assert_eq!(prove(&ALL, &[vec![1, 3000]], &[2999, 2999]), Err(Inexact::Digit { digit: 2999 }));
        let weights = vec![(1 << 11) - 1; 9];
        for fragments in [&ALL[..], &[Fragment::PapersF16]] {
            let refused = prove(fragments, std::slice::from_ref(&weights), &[2048; 9]);
            assert!(matches!(refused, Err(Inexact::Sum { sum }) if sum > 1 << 24));
        }
    }

    #[test]
    fn eight_maps_of_sixteen_levels_take_one_instruction() {
        let weights =
            |axis: usize| (0..16).map(|mu| if mu % 2 == axis { 3u64.pow(mu as u32 / 2) } else { 0 }).collect();
        let weights = [weights(0), weights(1)];
        let product = prove(&ALL, &weights, &[2; 16]).unwrap();
        assert_eq!((product.fragment, product.rows.len(), product.instructions()), (Fragment::U8, 4, 1));
        let product = prove(&[Fragment::PapersF16], &weights, &[2; 16]).unwrap();
        assert_eq!((product.rows.len(), product.instructions()), (4, 1));
    }
}
