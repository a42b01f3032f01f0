//! Moving the lanes of bit columns for superblocks at the border of the level-(r−T) fractal.
//!
//! Every word of the result is the OR of some source words, each rotated and masked. For columns of 256 bits, the
//! usual case, all words take their first term at once, then their second, and so on, in vector registers. In longer columns words that
//! follow each other often come from words that follow each other, by the same rotation: those are moved together.

use squeeze_compiler::Off;
#[cfg(target_arch = "x86_64")]
use squeeze_compiler::Speciality;
use squeeze_compiler::layout::columns::Shape;
use squeeze_compiler::layout::permutation::{LanePermutation, Term};

/// A lane permutation as word operations.
pub(super) struct BitMoves {
    /// The terms of words of 32 bits.
    runs: Vec<Run>,
    /// The masks of the runs, run by run.
    masks: Vec<u32>,
    /// The same in 64-bit words, one term of each of the four words a step, if a column has 256 bits.
    #[cfg(target_arch = "x86_64")]
    steps: Option<Vec<Step>>,
}

/// Terms of consecutive words, from consecutive words.
struct Run {
    result: u32,
    source: u32,
    words: u32,
    rotate: u32,
}

/// One term of each 64-bit word of a 256-bit column.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Step {
    word: [u64; 4],
    rotate: [u64; 4],
    mask: [u64; 4],
}

impl BitMoves {
    pub(super) fn new(
        permutation: &LanePermutation,
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "it chooses vectors"))] shape: Shape,
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "it chooses vectors"))] off: Off,
    ) -> BitMoves {
        let (runs, masks) = runs(&permutation.terms(32));
        BitMoves {
            runs,
            masks,
            #[cfg(target_arch = "x86_64")]
            steps: (shape.words == 8
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && off.allows(Speciality::WordSteps))
            .then(|| steps(&permutation.terms(64))),
        }
    }

    /// Moves the lanes of one plane: `4 · W` bytes to as many. Lanes that come from nowhere become 0.
    pub(super) fn apply(&self, source: &[u8], result: &mut [u8]) {
        #[cfg(target_arch = "x86_64")]
        if let (Some(steps), Ok(source), Ok(result)) =
            (&self.steps, <&[u8; 32]>::try_from(source), <&mut [u8; 32]>::try_from(&mut *result))
        {
            // SAFETY: the steps exist only if the processor has AVX-512F and VL.
            unsafe { apply_256(steps, source, result) };
            return;
        }
        let (source, result) = (source.as_chunks::<4>().0, result.as_chunks_mut::<4>().0);
        result.as_flattened_mut().fill(0);
        let mut masks = self.masks.as_slice();
        for run in &self.runs {
            let (own, behind) = masks.split_at(run.words as usize);
            let source = &source[run.source as usize..][..own.len()];
            let result = &mut result[run.result as usize..][..own.len()];
            match run.rotate {
                0 => move_run(source, own, result, |word| word),
                rotate => move_run(source, own, result, |word| word.rotate_left(rotate)),
            }
            masks = behind;
        }
    }
}

/// Adds the terms of a run to the result.
#[inline(always)]
fn move_run(source: &[[u8; 4]], masks: &[u32], result: &mut [[u8; 4]], turned: impl Fn(u32) -> u32) {
    for ((source, mask), result) in source.iter().zip(masks).zip(result) {
        let word = u32::from_le_bytes(*result) | turned(u32::from_le_bytes(*source)) & mask;
        *result = word.to_le_bytes();
    }
}

/// The terms of all words as runs, and the runs' masks.
fn runs(terms: &[Vec<Term>]) -> (Vec<Run>, Vec<u32>) {
    let of_word =
        |(result, terms): (u32, &Vec<Term>)| -> Vec<(u32, Term)> { terms.iter().map(|t| (result, *t)).collect() };
    let mut all: Vec<(u32, Term)> = (0..).zip(terms).flat_map(of_word).collect();
    all.sort_by_key(|(result, term)| (term.rotate, term.word.wrapping_sub(*result), *result));
    let mut runs: Vec<Run> = Vec::new();
    for &(result, term) in &all {
        match runs.last_mut() {
            Some(run)
                if run.rotate == term.rotate
                    && run.result + run.words == result
                    && run.source + run.words == term.word =>
            {
                run.words += 1;
            }
            _ => runs.push(Run { result, source: term.word, words: 1, rotate: term.rotate }),
        }
    }
    (runs, all.iter().map(|(_, term)| term.mask as u32).collect())
}

#[cfg(target_arch = "x86_64")]
fn steps(terms: &[Vec<Term>]) -> Vec<Step> {
    let count = terms.iter().map(Vec::len).max().unwrap_or(0);
    let step = |s: usize| {
        let term = |word: usize| terms[word].get(s).copied().unwrap_or_default();
        Step {
            word: std::array::from_fn(|i| u64::from(term(i).word)),
            rotate: std::array::from_fn(|i| u64::from(term(i).rotate)),
            mask: std::array::from_fn(|i| term(i).mask),
        }
    };
    (0..count).map(step).collect()
}

/// # Safety
/// The processor must have AVX-512F and AVX-512VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn apply_256(steps: &[Step], source: &[u8; 32], result: &mut [u8; 32]) {
    use std::arch::x86_64::{
        _mm256_load_si256, _mm256_loadu_si256, _mm256_permutexvar_epi64, _mm256_rolv_epi64, _mm256_setzero_si256,
        _mm256_storeu_si256, _mm256_ternarylogic_epi64,
    };
    /// Bits of (a & b) | c.
    const AND_OR: i32 = 0xEA;
    // SAFETY: the arrays have 32 bytes, those of a step are aligned to 32.
    unsafe {
        let column = _mm256_loadu_si256(source.as_ptr().cast());
        let mut moved = _mm256_setzero_si256();
        for step in steps {
            let words = _mm256_permutexvar_epi64(_mm256_load_si256(step.word.as_ptr().cast()), column);
            let words = _mm256_rolv_epi64(words, _mm256_load_si256(step.rotate.as_ptr().cast()));
            moved = _mm256_ternarylogic_epi64::<AND_OR>(words, _mm256_load_si256(step.mask.as_ptr().cast()), moved);
        }
        _mm256_storeu_si256(result.as_mut_ptr().cast(), moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::geometry::Domain;
    use squeeze_compiler::layout::Layout;
    use squeeze_compiler::layout::permutation::{ABSENT, Wraps};
    use squeeze_compiler::text::source::Sources;
    use squeeze_compiler::{NoFiles, check, shipped};

    /// Every wrap of every shipped fractal at several widths moves lanes as its list of sources says.
    #[test]
    fn moves_agree_with_the_list_of_sources() {
        for (name, text) in shipped::FRACTALS {
            let mut sources = Sources::new();
            let root = sources.add(*name, *text);
            let library = check(&mut sources, root, &mut NoFiles).expect("shipped fractals are sound");
            let fractal = library.fractal(None).expect("one");
            for lane_digits in 0..=5 {
                let domain = Domain::new(fractal.clone(), 6).expect("small");
                let Ok(layout) = Layout::new(&domain, lane_digits, 1) else { continue };
                let shape = Shape::of(&layout);
                let bytes = 4 * shape.words;
                let source: Vec<u8> =
                    (0..bytes as u64).map(|i| squeeze_compiler::numbers::digest::mix(i) as u8).collect();
                for permutation in Wraps::new(&layout).all() {
                    let mut result = vec![0xAA; bytes];
                    BitMoves::new(permutation, shape, Off::none()).apply(&source, &mut result);
                    for lane in 0..32 * shape.words {
                        let from = permutation.sources.get(lane).copied().unwrap_or(ABSENT);
                        let bit = |bytes: &[u8], lane: usize| bytes[lane / 8] >> (lane % 8) & 1;
                        let expected = if from == ABSENT { 0 } else { bit(&source, from as usize) };
                        assert_eq!(bit(&result, lane), expected, "{name} T={lane_digits} lane {lane}");
                    }
                }
            }
        }
    }
}
