//! Colours: two tones for bits, a categorical set for enums, perceptually uniform maps for numbers and densities.

use super::error::ViewError;
use super::style::{Background, Colours, Extent, Style};
use squeeze_compiler::ir::{Dimension, Rule, StateId, Type};
use squeeze_drawing::Linear;
use squeeze_engine::sample::Sample;

/// A value that is no finite number.
const NOT_FINITE: u32 = 0xff00ff;

/// The colours that go together on a background.
#[derive(Debug)]
pub(super) struct Theme {
    /// Holes, and what surrounds the picture.
    pub ground: u32,
    /// Words and frames.
    pub words: u32,
    /// The cells of a bare fractal, in two dimensions and in three: that is light, so that faces differ in their shade.
    bare: [u32; 2],
    /// From the least value to the greatest: lightness grows evenly, or falls. The low end stands out from the ground.
    perceptual: &'static [u32],
    diverging: &'static [u32],
    grey: &'static [u32],
    /// The first variant of an enum, mostly the state of rest: it is quiet.
    rest: u32,
}

/// After the shape of the viridis map (S. van der Walt and N. Smith, 2015), without its darkest quarter.
static DARK: Theme = Theme {
    ground: 0x0c111b,
    words: 0xc9d1de,
    bare: [0x6ab7d8, 0xe8a05a],
    perceptual: &[0x3b528b, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725],
    diverging: &[0x4cb8ff, 0x3f82c4, 0x40587f, 0x4b4b52, 0x86503f, 0xd0683f, 0xff9a5c],
    grey: &[0x3c4048, 0xffffff],
    rest: 0x3d4f73,
};

/// The same map backwards and without its lightest quarter.
static LIGHT: Theme = Theme {
    ground: 0xffffff,
    words: 0x222222,
    bare: [0x12355b, 0xe8a05a],
    perceptual: &[0xa8d8a0, 0x5ec9a0, 0x28ae80, 0x21918c, 0x2c728e, 0x3b528b, 0x472d7b, 0x440154],
    diverging: &[0x1f5fa8, 0x6ea3d0, 0xb4c7da, 0xd2d2d2, 0xe3b9a5, 0xd97b5c, 0xa81f2d],
    grey: &[0xd0d0d0, 0x000000],
    rest: 0xbab6aa,
};

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito, "Color Universal Design", 2008), after the one of rest.
const CATEGORIES: [u32; 7] = [0xe8690b, 0x3d9be0, 0xf2c230, 0x12a67c, 0x9ad3f5, 0xd489b5, 0xf5f0a0];

impl Theme {
    pub(super) fn of(background: Background) -> &'static Theme {
        match background {
            Background::Dark => &DARK,
            Background::Light => &LIGHT,
        }
    }

    /// The colour of a bare fractal's cells.
    pub(super) fn bare(&self, dimension: Dimension) -> Linear {
        Linear::from_srgb(self.bare[usize::from(dimension == Dimension::Three)])
    }

    pub(super) fn ground(&self) -> Linear {
        Linear::from_srgb(self.ground)
    }

    /// A colour over the ground, with the opacity of a cover that is a part of the largest. Its root is taken, so that what is sparse stays
    /// visible.
    pub(super) fn covered(&self, colour: Linear, cover: f32) -> Linear {
        self.ground().mix(colour, cover.sqrt())
    }

    /// The colour of a variant. Beyond the eighth the colours repeat, each time darker.
    fn category(&self, variant: usize) -> Linear {
        let all = CATEGORIES.len() + 1;
        let code = match variant % all {
            0 => self.rest,
            place => CATEGORIES[place - 1],
        };
        Linear::from_srgb(code).dimmed(0.6f32.powi((variant / all) as i32))
    }

    fn points(&self, colours: &Colours) -> Vec<Linear> {
        match colours {
            Colours::OfRule | Colours::Perceptual => self.perceptual.iter().copied().map(Linear::from_srgb).collect(),
            Colours::Diverging => self.diverging.iter().copied().map(Linear::from_srgb).collect(),
            Colours::Grey => self.grey.iter().copied().map(Linear::from_srgb).collect(),
            Colours::Cyclic => (0..=24).map(|i| Linear::of_hue(f64::from(i) / 24.0)).collect(),
            Colours::Own(codes) => codes.iter().copied().map(Linear::from_srgb).collect(),
        }
    }
}

/// How the values of a field become colours.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shades {
    /// One colour for each value 0, 1, …; a block takes the mean colour of its cells.
    Table(Vec<Linear>),
    /// The part of a block's cells that are set, on a map.
    Density(Map),
    /// The mean of a block's cells, on a map.
    Numbers(Map),
}

/// What is summed up for a mean, with the numbers that it needs.
pub(super) enum Light {
    /// Three numbers for each value.
    OfTable(Vec<[f64; 3]>),
    /// The value itself.
    OfValues,
}

impl Light {
    pub(super) fn sample(&self) -> Sample<'_> {
        match self {
            Light::OfTable(table) => Sample::Table(table),
            Light::OfValues => Sample::Value,
        }
    }
}

impl Shades {
    /// The shades for a state.
    ///
    /// # Errors
    /// If the style asks for a scale, and the state is no number; if a logarithmic scale has no beginning.
    pub(super) fn of(rule: &Rule, state: StateId, style: &Style) -> Result<Shades, ViewError> {
        let theme = Theme::of(style.background);
        let definition = rule.state(state);
        if let (true, Extent::Fixed(low, _)) = (style.logarithmic, style.extent)
            && low <= 0.0
        {
            return Err(ViewError::Logarithm(low));
        }
        let numbers = !matches!(definition.ty, Type::Bit | Type::Enum(_));
        if !numbers && style.logarithmic {
            return Err(ViewError::NoScale("--log", definition.name.clone()));
        }
        let colours = style.colours.chosen(rule, state);
        let map = Map {
            points: theme.points(&colours),
            extent: style.extent,
            logarithmic: style.logarithmic,
            symmetric: colours == Colours::Diverging,
            cyclic: colours == Colours::Cyclic,
        };
        Ok(match definition.ty {
            Type::Bit => Shades::Density(Map { symmetric: false, cyclic: false, ..map }),
            Type::Enum(_) if matches!(style.extent, Extent::Fixed(..)) => {
                return Err(ViewError::NoScale("--range", definition.name.clone()));
            }
            Type::Enum(id) => {
                let colour = |variant: usize| match &colours {
                    Colours::Own(codes) => Linear::from_srgb(codes[variant % codes.len()]),
                    _ => theme.category(variant),
                };
                Shades::Table((0..rule.enum_type(id).variants.len()).map(colour).collect())
            }
            Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64 | Type::F32 | Type::F64 => Shades::Numbers(map),
        })
    }

    /// What is summed up for a mean.
    pub(super) fn light(&self) -> Light {
        match self {
            Shades::Table(table) => Light::OfTable(table.iter().map(|colour| colour.0.map(f64::from)).collect()),
            Shades::Density(_) => Light::OfTable(vec![[0.0; 3], [1.0, 0.0, 0.0]]),
            Shades::Numbers(_) => Light::OfValues,
        }
    }

    /// These shades with the ends of their map fixed.
    pub(super) fn over(&self, [low, high]: [f64; 2]) -> Shades {
        let fixed = |map: &Map| Map { extent: Extent::Fixed(low, high), ..map.clone() };
        match self {
            Shades::Table(table) => Shades::Table(table.clone()),
            Shades::Density(map) => Shades::Density(fixed(map)),
            Shades::Numbers(map) => Shades::Numbers(fixed(map)),
        }
    }

    /// The colours of means, and the map with the values at its ends. `single` says that every mean is of one cell.
    pub(super) fn of_means(&self, means: &[[f64; 3]], single: bool) -> (Vec<Linear>, Option<ScaledMap>) {
        let (map, least) = match self {
            Shades::Table(_) => return (means.iter().map(|mean| Linear(mean.map(|v| v as f32))).collect(), None),
            Shades::Density(map) => (map, Some(0.0)),
            Shades::Numbers(map) => (map, None),
        };
        let values = means.iter().map(|[mean, ..]| *mean);
        let scaled = match (least, map.extent) {
            (Some(least), Extent::Fit | Extent::AtLeast(..)) => {
                let (low, high) = if single { (least, 1.0) } else { inner_range(values.clone()) };
                let (low, high) = match map.extent {
                    Extent::AtLeast(before_low, before_high) => (low.min(before_low), high.max(before_high)),
                    _ => (low, high),
                };
                // Equal densities are shown as a part of the whole.
                if low < high { map.scaled(low, high) } else { map.scaled(least, 1.0) }
            }
            _ => map.over(values.clone()),
        };
        let colours = values.map(|value| scaled.colour(value)).collect();
        let legend = !(single && least.is_some()) && scaled.low <= scaled.high;
        (colours, legend.then_some(scaled))
    }
}

/// The range of all values but one of 500 at either end: a few dense blocks shall not darken all others.
fn inner_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let last = values.len() - 1;
    let high = *values.select_nth_unstable_by(last * 499 / 500, f64::total_cmp).1;
    let low = *values.select_nth_unstable_by(last / 500, f64::total_cmp).1;
    (low, high)
}

/// A colour map, and how it is laid over values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    points: Vec<Linear>,
    extent: Extent,
    logarithmic: bool,
    symmetric: bool,
    cyclic: bool,
}

impl Map {
    /// The map over the range of the finite ones among these values, unless another range is asked for.
    fn over(&self, values: impl Iterator<Item = f64>) -> ScaledMap {
        let (low, high) = match self.extent {
            Extent::Fixed(low, high) => (low, high),
            _ if self.cyclic => (0.0, std::f64::consts::TAU),
            Extent::Fit | Extent::AtLeast(..) => {
                let valid = values.filter(|value| value.is_finite() && (!self.logarithmic || *value > 0.0));
                let before = match self.extent {
                    Extent::AtLeast(low, high) => (low, high),
                    _ => (f64::INFINITY, f64::NEG_INFINITY),
                };
                let (low, high) = valid.fold(before, |(low, high), v| (v.min(low), v.max(high)));
                if self.symmetric && low < 0.0 && high > 0.0 {
                    let most = high.max(-low);
                    (-most, most)
                } else {
                    (low, high)
                }
            }
        };
        self.scaled(low, high)
    }

    fn scaled(&self, low: f64, high: f64) -> ScaledMap {
        ScaledMap { map: self.clone(), low, high }
    }
}

/// A colour map over a range of values.
#[derive(Clone, Debug)]
pub(super) struct ScaledMap {
    map: Map,
    low: f64,
    high: f64,
}

impl ScaledMap {
    /// Whether colours go along the logarithms of values.
    pub(super) fn is_logarithmic(&self) -> bool {
        self.map.logarithmic
    }

    /// The values at the ends of the map.
    pub(super) fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// The colour of a value: that of the low end if all values are equal, magenta if it is not finite.
    pub(super) fn colour(&self, value: f64) -> Linear {
        if !value.is_finite() {
            return Linear::from_srgb(NOT_FINITE);
        }
        let (value, low, high) = match self.map.logarithmic {
            true if value <= 0.0 => (self.low.ln(), self.low.ln(), self.high.ln()),
            true => (value.ln(), self.low.ln(), self.high.ln()),
            false => (value, self.low, self.high),
        };
        // Halves, because the range of two large numbers may overflow.
        let range = high / 2.0 - low / 2.0;
        let part = if range > 0.0 { (value / 2.0 - low / 2.0) / range } else { 0.0 };
        let part = if self.map.cyclic { part.rem_euclid(1.0) } else { part.clamp(0.0, 1.0) };
        self.along(part)
    }

    /// The colour a part of the way along the map.
    pub(super) fn along(&self, part: f64) -> Linear {
        let points = &self.map.points;
        let along = part as f32 * (points.len() - 1) as f32;
        let below = (along as usize).min(points.len() - 2);
        points[below].mix(points[below + 1], along - below as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(style: &Style) -> Map {
        Map {
            points: Theme::of(style.background).points(&style.colours),
            extent: style.extent,
            logarithmic: style.logarithmic,
            symmetric: style.colours == Colours::Diverging,
            cyclic: style.colours == Colours::Cyclic,
        }
    }

    fn luminance(Linear([r, g, b]): Linear) -> f32 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Linear, b: Linear) -> f32 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn srgb_survives_the_way_through_light() {
        for code in CATEGORIES.into_iter().chain(DARK.perceptual.iter().copied()).chain([0, 0xffffff, 0x010203]) {
            let [_, r, g, b] = code.to_be_bytes();
            assert_eq!(Linear::from_srgb(code).to_srgb(), [r, g, b]);
        }
    }

    #[test]
    fn lightness_runs_one_way_and_both_ends_stand_out() {
        for background in Background::ALL {
            let style = Style { background, ..Style::default() };
            let scaled = map(&style).over([f64::NAN, -2.0, 6.0, f64::INFINITY].into_iter());
            assert_eq!(scaled.range(), [-2.0, 6.0]);
            assert_eq!(scaled.colour(f64::NAN).to_srgb(), [0xff, 0x00, 0xff]);
            let mut steps: Vec<f32> = (0..=80).map(|i| luminance(scaled.colour(-2.0 + f64::from(i) / 10.0))).collect();
            if background == Background::Light {
                steps.reverse();
            }
            assert!(steps.is_sorted(), "{steps:?}");
            let (ground, low, high) = (Theme::of(background).ground(), scaled.along(0.0), scaled.along(1.0));
            assert!(contrast(low, ground) > 1.5 && contrast(low, high) > 4.5 && contrast(high, ground) > 9.0);
        }
    }

    #[test]
    fn every_map_stands_out_from_its_background() {
        for background in Background::ALL {
            let ground = Theme::of(background).ground();
            for colours in [Colours::Perceptual, Colours::Diverging, Colours::Cyclic, Colours::Grey] {
                let style = Style { background, colours, ..Style::default() };
                let scaled = map(&style).over([0.0, 1.0].into_iter());
                let least = (0..=20).map(|i| contrast(scaled.along(f64::from(i) / 20.0), ground)).fold(9.0, f32::min);
                assert!(least > 1.4, "{style:?}: {least}");
            }
        }
    }

    #[test]
    fn ranges_logarithms_and_circles() {
        let one = |style: Style, value: f64| map(&style).over([0.5, 8.0].into_iter()).colour(value);
        let log = Style { logarithmic: true, ..Style::default() };
        assert_eq!(one(log.clone(), 2.0), map(&log).scaled(0.5, 8.0).along(0.5));
        assert_eq!(one(log, -1.0), map(&Style::default()).scaled(0.0, 1.0).along(0.0));
        let fixed = Style { extent: Extent::Fixed(0.0, 1.0), ..Style::default() };
        assert_eq!(one(fixed, 7.0).to_srgb(), [0xfd, 0xe7, 0x25]);
        let cyclic = Style { colours: Colours::Cyclic, ..Style::default() };
        let (a, b) = (one(cyclic.clone(), 1.0), one(cyclic, 1.0 + std::f64::consts::TAU));
        assert!(a.0.iter().zip(b.0).all(|(a, b)| (a - b).abs() < 1e-5));
        let diverging = Style { colours: Colours::Diverging, ..Style::default() };
        assert_eq!(map(&diverging).over([-1.0, 3.0].into_iter()).range(), [-3.0, 3.0]);
    }

    #[test]
    fn equal_values_have_one_colour() {
        let scaled = map(&Style::default()).over([3.0].into_iter());
        assert_eq!(scaled.colour(3.0), scaled.along(0.0));
        assert_eq!(map(&Style::default()).over([f64::NAN].into_iter()).colour(f64::NAN).to_srgb(), [0xff, 0x00, 0xff]);
    }

    #[test]
    fn densities_fill_the_map() {
        let shades = Shades::Density(map(&Style::default()));
        let means: Vec<[f64; 3]> = (0..1000).map(|i| [f64::from(i) / 1e4, 0.0, 0.0]).collect();
        let (colours, scaled) = shades.of_means(&means, false);
        let [low, high] = scaled.unwrap().range();
        assert!((0.0..0.001).contains(&low) && (0.09..0.1).contains(&high));
        assert_eq!(colours[999].to_srgb(), [0xfd, 0xe7, 0x25]);
        assert!(shades.of_means(&means[..1], true).1.is_none(), "the two colours of bits explain themselves");
    }

    #[test]
    fn variants_differ_in_colour() {
        for background in Background::ALL {
            let theme = Theme::of(background);
            let colours: Vec<[u8; 3]> = (0..16).map(|variant| theme.category(variant).to_srgb()).collect();
            assert!((0..16).all(|a| (0..a).all(|b| colours[a] != colours[b])), "{colours:?}");
        }
    }
}
