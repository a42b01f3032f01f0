//! Misprints in the papers: each formula as it is printed, as it must be, and a check of both.

use crate::emit::{BlockGrid, Fragment, MapUnit, Strategy, emit_maps};
use squeeze_compiler::geometry::{CompactSpace, Domain};
use std::sync::Arc;

/// A misprint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Erratum {
    /// Where it is.
    pub place: &'static str,
    /// The printed text.
    pub printed: &'static str,
    /// The correct text.
    pub corrected: &'static str,
    /// The check that was made.
    pub check: String,
    /// How often the printed text is right,
    pub printed_right: u64,
    /// and the correct one,
    pub corrected_right: u64,
    /// of this many.
    pub of: u64,
}

/// The level of the Sierpinski triangle on which formulas are checked.
const LEVEL: u32 = 6;

/// All of them, checked on the Sierpinski triangle and, where the scale must not be 2, on the carpet.
///
/// # Panics
/// If the triangle has no level 6: then the geometry is broken.
pub(crate) fn errata(
    triangle: &Arc<squeeze_compiler::ir::Fractal>,
    carpet: &Arc<squeeze_compiler::ir::Fractal>,
) -> Vec<Erratum> {
    let domain = |fractal: &Arc<_>, level| Domain::new(Arc::clone(fractal), level).expect("a small level");
    let small = domain(triangle, LEVEL);
    let inverts = |map: &dyn Fn([u64; 2]) -> [f64; 2]| {
        let space = CompactSpace::new(&small);
        let right = |c: &u64| {
            let ([x, y, _], [u, v, _]) = (small.lambda(*c), space.from_canonical(*c));
            let [found_x, found_y] = map([x, y]);
            (found_x - u as f64).abs() < 1e-9 && (found_y - v as f64).abs() < 1e-9
        };
        (0..small.cells()).filter(right).count() as u64
    };
    let nu = |theta: fn(u64, u32) -> u64, weight: fn(u32) -> f64, odd_to: usize| {
        move |point: [u64; 2]| {
            let mut omega = [0.0; 2];
            for mu in 1..=LEVEL {
                let axis = if mu % 2 == 1 { odd_to } else { 1 - odd_to };
                omega[axis] += weight(mu) * point.map(|x| theta(x, mu)).iter().sum::<u64>() as f64;
            }
            omega
        }
    };
    let digit = |x: u64, mu: u32| x % 2u64.pow(mu) / 2u64.pow(mu - 1);
    let printed_digit = |x: u64, mu: u32| x % 2u64.pow(mu) / 2u64.pow(mu);
    let weight = |mu: u32| 3f64.powi((mu as i32 - 1) / 2);
    let printed_weight = |mu: u32| 3f64.powf((f64::from(mu) - 1.0) / 2.0);
    let right = inverts(&nu(digit, weight, 0));
    let check = format!("ν(λ(ω)) = ω on the {} cells of the Sierpinski triangle, r = {LEVEL}", small.cells());
    let of_nu = |place, printed, corrected, printed_right| Erratum {
        place,
        printed,
        corrected,
        check: check.clone(),
        printed_right,
        corrected_right: right,
        of: small.cells(),
    };
    let mut errata = vec![
        of_nu(
            "2022, Eq. 6",
            "θ_μ = ⌊(ω mod s^μ) / s^μ⌋, which is always 0",
            "θ_μ = ⌊(ω mod s^μ) / s^(μ−1)⌋",
            inverts(&nu(printed_digit, weight, 0)),
        ),
        of_nu(
            "2022, Eqs. 9 and 10, and the sentence before them",
            "f_x = (μ−1) mod 2, f_y = μ mod 2: odd μ in y",
            "f_x = μ mod 2, f_y = (μ−1) mod 2: odd μ in x, as λ (Eq. 5) and §3.1 have it",
            inverts(&nu(digit, weight, 1)),
        ),
        of_nu("2022, Eq. 19", "Δ_μ = 3^((μ−1)/2)", "Δ_μ = 3^⌊(μ−1)/2⌋", inverts(&nu(digit, printed_weight, 0))),
        of_nu("2021, Eqs. 4 and 5", "τ = k^(μ/2), μ from 0", "τ = k^⌊μ/2⌋", inverts(&nu(digit, printed_weight, 0))),
    ];
    let whole = domain(carpet, 3);
    let levels = |value: f64| (value.fract() == 0.0 && value >= 0.0).then_some(value as u32);
    let fits = |r_b: Option<u32>, rho: u64| {
        let micro = rho.ilog(3);
        r_b.is_some_and(|r_b| 8u64.pow(r_b) * 8u64.pow(micro) == whole.cells())
    };
    let rhos = [3u64, 9, 27];
    errata.push(Erratum {
        place: "2022, §3.5",
        printed: "r_b = r − log_2 ρ, ρ any power of two",
        corrected: "r_b = r − log_s ρ, ρ a power of s",
        check: "k^(r_b) blocks of k^(log_s ρ) cells are the cells of the Sierpinski carpet, r = 3, ρ = 3, 9, 27"
            .to_owned(),
        printed_right: rhos.iter().filter(|rho| fits(levels(3.0 - (**rho as f64).log2()), **rho)).count() as u64,
        corrected_right: rhos.iter().filter(|rho| fits(3u32.checked_sub(rho.ilog(3)), **rho)).count() as u64,
        of: rhos.len() as u64,
    });
    let odd = domain(triangle, 3);
    let [width, height, _] = CompactSpace::new(&odd).extent();
    errata.push(Erratum {
        place: "2022, §3.1",
        printed: "the compact region is k^⌊r/2⌋ × k^⌈r/2⌉ (width × height)",
        corrected: "k^⌈r/2⌉ × k^⌊r/2⌋, since odd μ scale x",
        check: "width and height of what λ takes, Sierpinski triangle, r = 3".to_owned(),
        printed_right: u64::from((width, height) == (3, 9)),
        corrected_right: u64::from((width, height) == (9, 3)),
        of: 1,
    });
    errata.push(tensor_cores(triangle));
    errata
}

/// Whether F16 holds a whole number exactly: 11 significant bits, at most 65504.
pub(crate) fn is_f16(value: u64) -> bool {
    let significant = (u64::BITS - value.leading_zeros()).saturating_sub(value.trailing_zeros());
    significant <= 11 && value <= 65504
}

/// The first level of the triangle at which blocks of side ρ have a coordinate that F16 does not hold, for λ and for ν.
pub(crate) fn first_wrong_level(rho: u64) -> [u32; 2] {
    // λ gives coordinates of blocks up to 2^r_b − 1; ν one of its axes up to 3^⌈r_b/2⌉ − 1. Every number up to there is taken.
    let first = |most: &dyn Fn(u32) -> u64| {
        (1u32..).find(|r_b| !(0..most(*r_b)).all(is_f16)).unwrap_or(u32::MAX - 63) + rho.ilog2()
    };
    [first(&|r_b| 1 << r_b), first(&|r_b| 3u64.pow(r_b.div_ceil(2)))]
}

/// For how many of the levels and ρ the products of the strategy's maps are proved exact, and of how many.
pub(crate) fn proved(
    triangle: &Arc<squeeze_compiler::ir::Fractal>,
    strategy: Strategy,
    levels: std::ops::RangeInclusive<u32>,
) -> (u64, u64) {
    let (mut exact, mut all) = (0, 0);
    for level in levels {
        let Ok(domain) = Domain::new(Arc::clone(triangle), level) else { continue };
        for rho in [16, 32] {
            let grid = BlockGrid::new(&domain, strategy, Some(MapUnit::Wmma), Some(rho));
            all += 1;
            // Maps without a proof of exactness are not emitted.
            exact += u64::from(grid.is_ok_and(|grid| emit_maps(&grid).is_ok()));
        }
    }
    (exact, all)
}

fn tensor_cores(triangle: &Arc<squeeze_compiler::ir::Fractal>) -> Erratum {
    let r_b = 12u32;
    let all = 1u64 << r_b;
    // As limbs of 8 bits the weights 2^(μ−1) are factors that U8 holds, and sums are put together as integers.
    let limbs = |value: u64| {
        let bits = Fragment::U8.limb_bits();
        let sums = (0..2).map(|limb| {
            let weights = (0..r_b).filter(|mu| mu / bits == limb && value >> mu & 1 == 1);
            (limb, weights.map(|mu| 1u64 << (mu - limb * bits)).sum::<u64>())
        });
        sums.map(|(limb, sum)| sum.min(Fragment::U8.largest_sum()) << (limb * bits)).sum::<u64>()
    };
    let proved_all = proved(triangle, Strategy::Squeeze, 5..=8);
    let exact =
        if proved_all.0 == proved_all.1 { (0..all).filter(|value| limbs(*value) == *value).count() as u64 } else { 0 };
    Erratum {
        place: "2022, §3.6",
        printed: "“the F16/FP32 configuration provided correct results”",
        corrected: "only while every weight is exact in F16 and every sum in the accumulator; here weights are split into limbs, and a map is \
                    only printed if the products are proved exact",
        check: format!(
            "coordinates of the 2^{r_b} places along an axis of blocks, accumulated in F16 as the published code does, and by limbs"
        ),
        printed_right: (0..all).filter(|value| is_f16(*value)).count() as u64,
        corrected_right: exact,
        of: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_records::resolve;

    #[test]
    fn what_is_printed_is_wrong_and_what_is_corrected_is_right() {
        let [triangle, carpet] =
            ["sierpinski_triangle", "sierpinski_carpet"].map(|name| resolve::fractal(name).unwrap());
        let errata = errata(&triangle, &carpet);
        assert_eq!(errata.len(), 7);
        for erratum in errata {
            assert_eq!(erratum.corrected_right, erratum.of, "{erratum:?}");
            assert!(erratum.printed_right < erratum.of, "{erratum:?}");
        }
    }

    #[test]
    fn f16_ends_at_2048_and_maps_there() {
        assert!(
            is_f16(0)
                && is_f16(2048)
                && !is_f16(2049)
                && is_f16(2050)
                && !is_f16(4097)
                && is_f16(65504)
                && !is_f16(65536)
        );
        assert_eq!(
            (first_wrong_level(16), first_wrong_level(32), first_wrong_level(1)),
            ([16, 17], [17, 18], [12, 13])
        );
        let triangle = resolve::fractal("sierpinski_triangle").unwrap();
        assert_eq!(proved(&triangle, Strategy::Lambda, 5..=20), (32, 32));
    }
}
