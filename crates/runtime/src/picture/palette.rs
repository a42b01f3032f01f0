//! Colours: ink on paper for bits, a categorical set for enums, a perceptually uniform ramp for numbers.

use crate::state::field::Sample;
use squeeze_compiler::ir::{Dimension, Rule, Type};

/// A colour as intensities of red, green and blue light from 0 to 1, in which means may be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear(pub [f32; 3]);

impl Linear {
    /// From sRGB as the web writes it, such as `0x1b3a4b`.
    pub fn from_srgb(code: u32) -> Linear {
        Linear([16, 8, 0].map(|shift| {
            let v = (code >> shift & 255) as f32 / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        }))
    }

    /// To sRGB bytes.
    pub fn to_srgb(self) -> [u8; 3] {
        self.0.map(|v| {
            let v = v.clamp(0.0, 1.0);
            let v = if v <= 0.0031308 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
            (255.0 * v + 0.5) as u8
        })
    }

    /// The colour a part of the way to another.
    pub fn mix(self, other: Linear, part: f32) -> Linear {
        Linear(std::array::from_fn(|i| self.0[i] + part * (other.0[i] - self.0[i])))
    }

    /// The colour under less light.
    pub fn dimmed(self, light: f32) -> Linear {
        Linear(self.0.map(|v| v * light))
    }
}

/// What surrounds the cells: holes, and the ground behind a solid.
pub const GROUND: u32 = 0xffffff;
/// A bit that is set.
const INK: u32 = 0x12355b;
/// A bit that is not: a cell all the same, so it must stand out from the holes.
const PAPER: u32 = 0xe9d8a6;
/// A bare solid.
const CLAY: u32 = 0xe8a05a;
/// A value that is no finite number.
const NOT_FINITE: u32 = 0xff00ff;

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito, "Color Universal Design", 2008), in
/// an order in which the first, which is mostly the state of rest, is the quietest.
const CATEGORIES: [u32; 8] = [0xe4e0d6, 0xd55e00, 0x0072b2, 0xe69f00, 0x009e73, 0x56b4e9, 0xcc79a7, 0xf0e442];

/// How the values of a field become colours.
#[derive(Clone, Debug, PartialEq)]
pub enum Shades {
    /// One colour for each value 0, 1, …; a block takes the mean colour of its cells.
    Table(Vec<Linear>),
    /// A ramp from the least to the greatest mean of a block.
    Ramp,
}

/// What is summed up for a mean, with the numbers that it needs.
pub(super) enum Light {
    /// The light of each value's colour.
    OfColours(Vec<[f64; 3]>),
    /// The value itself.
    OfValues,
}

impl Light {
    pub(super) fn sample(&self) -> Sample<'_> {
        match self {
            Light::OfColours(table) => Sample::Table(table),
            Light::OfValues => Sample::Value,
        }
    }
}

impl Shades {
    /// What is summed up for a mean.
    pub(super) fn light(&self) -> Light {
        match self {
            Shades::Table(table) => Light::OfColours(table.iter().map(|colour| colour.0.map(f64::from)).collect()),
            Shades::Ramp => Light::OfValues,
        }
    }

    /// The colours of means, and the range of values that they span.
    pub(super) fn of_means(&self, means: &[[f64; 3]]) -> (Vec<Linear>, Option<[f64; 2]>) {
        match self {
            Shades::Table(_) => (means.iter().map(|mean| Linear(mean.map(|v| v as f32))).collect(), None),
            Shades::Ramp => {
                let means: Vec<f64> = means.iter().map(|[mean, ..]| *mean).collect();
                let ramp = ScaledRamp::over(&means);
                (means.iter().map(|&mean| ramp.colour(mean)).collect(), ramp.range())
            }
        }
    }

    /// The shades for values of a type.
    pub fn of(rule: &Rule, ty: Type) -> Shades {
        match ty {
            Type::Bit => Shades::Table(vec![Linear::from_srgb(PAPER), Linear::from_srgb(INK)]),
            Type::Enum(id) => Shades::Table((0..rule.enum_type(id).variants.len()).map(category).collect()),
            Type::U8 | Type::I32 | Type::U32 | Type::F32 | Type::F64 => Shades::Ramp,
        }
    }
}

/// The colour of a bare fractal's cells. That of a solid is light, so that its faces differ in their shade.
pub fn bare(dimension: Dimension) -> Linear {
    Linear::from_srgb(match dimension {
        Dimension::Two => INK,
        Dimension::Three => CLAY,
    })
}

/// The colour of a variant. Beyond the eighth the colours repeat, each time darker.
fn category(variant: usize) -> Linear {
    let round = (variant / CATEGORIES.len()) as i32;
    Linear::from_srgb(CATEGORIES[variant % CATEGORIES.len()]).dimmed(0.6f32.powi(round))
}

/// Control points of the ramp for numbers: lightness grows evenly from a dark violet over blue and green to yellow,
/// after the shape of the viridis map (S. van der Walt and N. Smith, 2015).
const RAMP: [u32; 9] = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];

/// The ramp over a range of values.
#[derive(Clone, Debug)]
pub struct ScaledRamp {
    points: [Linear; RAMP.len()],
    least: f64,
    greatest: f64,
}

impl ScaledRamp {
    /// The ramp over the range of the finite ones among these values.
    pub fn over(values: &[f64]) -> ScaledRamp {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let (least, greatest) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), v| (v.min(least), v.max(greatest)));
        ScaledRamp { points: RAMP.map(Linear::from_srgb), least, greatest }
    }

    /// The least and the greatest value; `None` if none is finite.
    pub fn range(&self) -> Option<[f64; 2]> {
        (self.least <= self.greatest).then_some([self.least, self.greatest])
    }

    /// The colour of a value: the lowest if all values are equal, magenta if it is not finite.
    pub fn colour(&self, value: f64) -> Linear {
        if !value.is_finite() {
            return Linear::from_srgb(NOT_FINITE);
        }
        // Halves, because the range of two large numbers may overflow.
        let range = self.greatest / 2.0 - self.least / 2.0;
        let part = if range > 0.0 { ((value / 2.0 - self.least / 2.0) / range).clamp(0.0, 1.0) } else { 0.0 };
        let along = part as f32 * (RAMP.len() - 1) as f32;
        let below = (along as usize).min(RAMP.len() - 2);
        self.points[below].mix(self.points[below + 1], along - below as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_survives_the_way_through_light() {
        for code in CATEGORIES.into_iter().chain(RAMP).chain([INK, PAPER, GROUND, 0]) {
            let [_, r, g, b] = code.to_be_bytes();
            assert_eq!(Linear::from_srgb(code).to_srgb(), [r, g, b]);
        }
    }

    #[test]
    fn the_ramp_spans_the_finite_values_and_grows_lighter() {
        let ramp = ScaledRamp::over(&[f64::NAN, -2.0, 6.0, f64::INFINITY]);
        assert_eq!(ramp.colour(-2.0).to_srgb(), [0x44, 0x01, 0x54]);
        assert_eq!(ramp.colour(6.0).to_srgb(), [0xfd, 0xe7, 0x25]);
        assert_eq!(ramp.colour(f64::NAN).to_srgb(), [0xff, 0x00, 0xff]);
        let luminance = |value: f64| {
            let Linear([r, g, b]) = ramp.colour(value);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let steps: Vec<f32> = (0..=80).map(|i| luminance(-2.0 + f64::from(i) / 10.0)).collect();
        assert!(steps.is_sorted(), "{steps:?}");
    }

    #[test]
    fn a_ramp_over_equal_or_no_values_is_of_one_colour() {
        assert_eq!(ScaledRamp::over(&[3.0]).colour(3.0).to_srgb(), [0x44, 0x01, 0x54]);
        assert_eq!(ScaledRamp::over(&[f64::NAN]).colour(f64::NAN).to_srgb(), [0xff, 0x00, 0xff]);
    }

    #[test]
    fn variants_differ_in_colour() {
        let colours: Vec<[u8; 3]> = (0..16).map(|variant| category(variant).to_srgb()).collect();
        assert!((0..16).all(|a| (0..a).all(|b| colours[a] != colours[b])), "{colours:?}");
    }
}
