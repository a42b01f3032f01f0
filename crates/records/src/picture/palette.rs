//! Colours: two tones for bits, a categorical set for enums, perceptually uniform maps for numbers and densities.

use super::style::{Background, Colours, Extent, Style};
use squeeze_compiler::ir::{Dimension, Rule, StateId, Type};
use squeeze_drawing::Linear;
use squeeze_engine::failure::Message;
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

/// The map magma of the same authors, backwards and without its ends: warm on white, and no pale green that paper swallows.
static LIGHT: Theme = Theme {
    ground: 0xffffff,
    words: 0x222222,
    bare: [0x12355b, 0xe8a05a],
    perceptual: &[
        0xfec488, 0xfea772, 0xfc8961, 0xf56b5c, 0xe75263, 0xd0416f, 0xb73779, 0x9c2e7f, 0x832681, 0x6a1c81, 0x51127c,
        0x36106b, 0x1d1147,
    ],
    diverging: &[0x1f5fa8, 0x6ea3d0, 0xb4c7da, 0xd2d2d2, 0xe3b9a5, 0xd97b5c, 0xa81f2d],
    grey: &[0xd0d0d0, 0x000000],
    rest: 0xbab6aa,
};

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito, "Color Universal Design", 2008), after the one of rest.
const CATEGORIES: [u32; 7] = [0xe8690b, 0x3d9be0, 0xf2c230, 0x12a67c, 0x9ad3f5, 0xd489b5, 0xf5f0a0];

/// The steps of a map between its ends: finer ones are not seen, and with letters a picture has few enough colours for a palette.
const STEPS: f32 = 191.0;

/// The maps of matplotlib 3.11 at 33 places each: viridis, magma, inferno and plasma by S. van der Walt and N. Smith, cividis by J. Nuñez, C. Anderton and
/// R. Renslow, twilight by B. Weber, coolwarm by K. Moreland.
#[rustfmt::skip]
static NAMED: [(&str, [u32; 33]); 7] = [
    ("viridis", [0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086, 0x3e4989, 0x3b528b, 0x375b8d, 0x33638d, 0x2f6b8e, 0x2c728e, 0x297a8e, 0x26828e, 0x23898e, 0x21918c, 0x1f988b, 0x1fa088, 0x22a785, 0x28ae80, 0x32b67a, 0x3fbc73, 0x4ec36b, 0x5ec962, 0x70cf57, 0x84d44b, 0x98d83e, 0xaddc30, 0xc2df23, 0xd8e219, 0xece51b, 0xfde725]),
    ("magma", [0x000004, 0x030312, 0x0a0822, 0x130d34, 0x1d1147, 0x29115a, 0x36106b, 0x440f76, 0x51127c, 0x5d177f, 0x6a1c81, 0x762181, 0x832681, 0x902a81, 0x9c2e7f, 0xaa337d, 0xb73779, 0xc43c75, 0xd0416f, 0xdc4869, 0xe75263, 0xef5d5e, 0xf56b5c, 0xf9795d, 0xfc8961, 0xfd9869, 0xfea772, 0xfeb67c, 0xfec488, 0xfed395, 0xfde2a3, 0xfcf0b2, 0xfcfdbf]),
    ("inferno", [0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2f0a5b, 0x3d0965, 0x4a0c6b, 0x57106e, 0x64156e, 0x71196e, 0x7d1e6d, 0x8a226a, 0x972766, 0xa32c61, 0xb0315b, 0xbc3754, 0xc73e4c, 0xd24644, 0xdb503b, 0xe45a31, 0xeb6628, 0xf1731d, 0xf68013, 0xf98e09, 0xfb9d07, 0xfcac11, 0xfbbc21, 0xf9cb35, 0xf5db4c, 0xf2ea69, 0xf3f68a, 0xfcffa4]),
    ("plasma", [0x0d0887, 0x220690, 0x310597, 0x3f049c, 0x4c02a1, 0x5901a5, 0x6600a7, 0x7201a8, 0x7e03a8, 0x8a09a5, 0x9511a1, 0xa01a9c, 0xaa2395, 0xb32c8e, 0xbc3587, 0xc43e7f, 0xcc4778, 0xd35171, 0xda5a6a, 0xe06363, 0xe66c5c, 0xeb7655, 0xf0804e, 0xf58b47, 0xf89540, 0xfba139, 0xfdac33, 0xfeb82c, 0xfdc527, 0xfcd225, 0xf8df25, 0xf4ed27, 0xf0f921]),
    ("cividis", [0x00224e, 0x00285b, 0x002e6a, 0x053371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c, 0x4b546c, 0x535a6d, 0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x767676, 0x7d7c78, 0x848279, 0x8c8878, 0x938e78, 0x9b9476, 0xa39a74, 0xaba072, 0xb4a76f, 0xbcae6c, 0xc4b468, 0xcdbb63, 0xd5c25e, 0xdec958, 0xe7d150, 0xf0d846, 0xf9e03a, 0xfee838]),
    ("twilight", [0xe2d9e2, 0xd7d7dd, 0xc4ced4, 0xacc2cc, 0x95b5c7, 0x81a6c3, 0x7297c1, 0x6887be, 0x6276ba, 0x5f64b5, 0x5e51ad, 0x5d3da1, 0x592a8f, 0x511b77, 0x45135c, 0x381145, 0x2f1436, 0x3a113a, 0x4a1342, 0x5f174a, 0x741e4f, 0x872750, 0x983550, 0xa64550, 0xb25652, 0xbb6958, 0xc27c63, 0xc89073, 0xcca389, 0xd1b6a3, 0xd8c7be, 0xdfd4d6, 0xe2d9e2]),
    ("coolwarm", [0x3b4cc0, 0x445acc, 0x4e68d8, 0x5875e1, 0x6282ea, 0x6c8ff1, 0x779af7, 0x82a6fb, 0x8db0fe, 0x98b9ff, 0xa3c2fe, 0xaec9fc, 0xb9d0f9, 0xc3d5f4, 0xccd9ed, 0xd5dbe5, 0xdddcdc, 0xe5d8d1, 0xecd3c5, 0xf1ccb8, 0xf5c4ac, 0xf7ba9f, 0xf7b093, 0xf6a586, 0xf4987a, 0xf08b6e, 0xeb7d62, 0xe46e56, 0xdd5f4b, 0xd44e41, 0xca3b37, 0xbe242e, 0xb40426]),
];

/// A map of matplotlib's, by its name.
pub(super) fn named(name: &str) -> Option<&'static (&'static str, [u32; 33])> {
    NAMED.iter().find(|(known, _)| *known == name)
}

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

    /// A colour over the ground, with the opacity of a cover that is a part of the largest. The opacity is its square root, so that sparse parts stay
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
            Colours::Cyclic | Colours::Direction => (0..=24).map(|i| Linear::of_hue(f64::from(i) / 24.0)).collect(),
            Colours::Named(name) => {
                named(name).into_iter().flat_map(|(_, points)| *points).map(Linear::from_srgb).collect()
            }
            Colours::Own(codes) => codes.iter().copied().map(Linear::from_srgb).collect(),
        }
    }
}

/// How the values of a field become colours.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shades {
    /// One colour for each value 0, 1, …; a block takes the mean colour of its cells.
    Table(Vec<[f64; 3]>),
    /// The part of a block's cells that are set, on a map.
    Density(ColourScale),
    /// The mean of a block's cells, on a map.
    Numbers(ColourScale),
    /// The mean of the vectors of a block's cells, whose second component is this state, on a map of their directions and lengths.
    Vectors(StateId, ColourScale),
}

impl Shades {
    /// The shades for a state.
    ///
    /// # Errors
    /// If the style asks for a scale, and the state is no number; if a logarithmic scale has no beginning.
    pub(super) fn of(rule: &Rule, state: StateId, style: &Style) -> Result<Shades, Message> {
        let theme = Theme::of(style.background);
        let definition = rule.state(state);
        if let (true, Extent::Fixed(low, _)) = (style.logarithmic, style.extent)
            && low <= 0.0
        {
            let what = format!("a logarithmic scale needs a positive range, and it begins at {low}");
            return Err(Message::users(what));
        }
        let no_scale =
            |flag| Message::users(format!("{flag} has no effect on `{}`: it is not a number", definition.name));
        let numbers = !matches!(definition.ty, Type::Bit | Type::Enum(_));
        if !numbers && style.logarithmic {
            return Err(no_scale("--log"));
        }
        let colours = style.colours.chosen(rule, state);
        let map = ColourScale {
            points: theme.points(&colours),
            extent: style.extent,
            logarithmic: style.logarithmic,
            symmetric: colours.diverge(),
            cyclic: colours.are_cyclic(),
            still: None,
        };
        if colours == Colours::Direction {
            let Some((_, second)) = rule.vector_of(state) else {
                let what = "it is not the first component of a vector; for angles there is `cyclic`";
                return Err(Message::users(format!("`direction` has no effect on `{}`: {what}", definition.name)));
            };
            let still = theme.grey.first().copied().map(Linear::from_srgb);
            return Ok(Shades::Vectors(second, ColourScale { still, ..map }));
        }
        Ok(match definition.ty {
            Type::Bit => Shades::Density(ColourScale { symmetric: false, cyclic: false, ..map }),
            Type::Enum(_) if matches!(style.extent, Extent::Fixed(..)) => {
                return Err(no_scale("--range"));
            }
            Type::Enum(id) => {
                let colour = |variant: usize| match &colours {
                    Colours::Own(codes) => Linear::from_srgb(codes[variant % codes.len()]),
                    _ => theme.category(variant),
                };
                let colours = (0..rule.enum_type(id).variants.len()).map(colour);
                Shades::Table(colours.map(|colour| colour.0.map(f64::from)).collect())
            }
            Type::U8 | Type::U16 | Type::I32 | Type::U32 | Type::I64 | Type::F32 | Type::F64 => Shades::Numbers(map),
        })
    }

    /// The quantity that a block averages over its cells.
    pub(super) fn sample(&self) -> Sample<'_> {
        match self {
            Shades::Table(table) => Sample::Table(table),
            Shades::Density(_) => Sample::Table(&[[0.0; 3], [1.0, 0.0, 0.0]]),
            Shades::Numbers(_) | Shades::Vectors(..) => Sample::Value,
        }
    }

    /// These shades with the ends of their map fixed.
    pub(super) fn over(&self, [low, high]: [f64; 2]) -> Shades {
        let fixed = |map: &ColourScale| ColourScale { extent: Extent::Fixed(low, high), ..map.clone() };
        match self {
            Shades::Table(table) => Shades::Table(table.clone()),
            Shades::Density(map) => Shades::Density(fixed(map)),
            Shades::Numbers(map) => Shades::Numbers(fixed(map)),
            Shades::Vectors(second, map) => Shades::Vectors(*second, fixed(map)),
        }
    }

    /// The map that gives means their colours, over the range that suits them; none of a table. `single` says that every mean is of one cell.
    pub(super) fn scaled(&self, means: &[[f64; 3]], single: bool) -> Option<ScaledMap> {
        let (map, least) = match self {
            Shades::Table(_) => return None,
            Shades::Density(map) => (map, Some(0.0)),
            Shades::Numbers(map) | Shades::Vectors(_, map) => (map, None),
        };
        let values = means.iter().map(|mean| map.value(mean));
        Some(match (least, map.extent) {
            (Some(least), Extent::Fit | Extent::AtLeast(..)) => {
                let (low, high) = if single { (least, 1.0) } else { inner_range(values) };
                let (low, high) = match map.extent {
                    Extent::AtLeast(before_low, before_high) => (low.min(before_low), high.max(before_high)),
                    _ => (low, high),
                };
                // Equal densities are shown as a part of the whole.
                if low < high { map.scaled(low, high) } else { map.scaled(least, 1.0) }
            }
            _ => map.over(values),
        })
    }

    /// The colours of means, and the map with the values at its ends. `single` says that every mean is of one cell.
    pub(super) fn of_means(&self, means: &[[f64; 3]], single: bool) -> (Vec<Linear>, Option<ScaledMap>) {
        let Some(scaled) = self.scaled(means, single) else { return (means.iter().map(linear).collect(), None) };
        let colours = means.iter().map(|mean| scaled.colour(mean)).collect();
        let legend = !(single && matches!(self, Shades::Density(_))) && scaled.low <= scaled.high;
        (colours, legend.then_some(scaled))
    }
}

/// A colour that was summed up for a mean.
pub(super) fn linear(light: &[f64; 3]) -> Linear {
    Linear(light.map(|v| v as f32))
}

/// The range of all values but one of 500 at either end: a few dense blocks shall not darken all others.
fn inner_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    range_between(values, |last| [last / 500, last * 499 / 500])
}

/// The range of values without this many of a thousand at either end; 0 to 0 if there are none.
pub(super) fn range_without(values: impl Iterator<Item = f64>, of_thousand: usize) -> (f64, f64) {
    range_between(values, |last| [last * of_thousand / 1000, last - last * of_thousand / 1000])
}

/// The values that have these numbers among all in ascending order, given the number of the last one.
fn range_between(values: impl Iterator<Item = f64>, ends: impl FnOnce(usize) -> [usize; 2]) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let [low, high] = ends(values.len() - 1);
    let high = *values.select_nth_unstable_by(high, f64::total_cmp).1;
    let low = *values.select_nth_unstable_by(low, f64::total_cmp).1;
    (low, high)
}

/// A colour map, and how it is laid over values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColourScale {
    points: Vec<Linear>,
    extent: Extent,
    logarithmic: bool,
    symmetric: bool,
    cyclic: bool,
    /// The colour of a vector without a length, if the values are those of vectors.
    still: Option<Linear>,
}

impl ColourScale {
    /// The value of a mean that has a place in the range: of a vector its length.
    pub(super) fn value(&self, [x, y, _]: &[f64; 3]) -> f64 {
        if self.still.is_some() { x.hypot(*y) } else { *x }
    }

    /// The map over the range of the finite ones among these values, unless another range is asked for.
    fn over(&self, values: impl Iterator<Item = f64>) -> ScaledMap {
        let (low, high) = match self.extent {
            Extent::Fixed(low, high) => (low, high),
            _ if self.cyclic => (0.0, std::f64::consts::TAU),
            Extent::Fit | Extent::AtLeast(..) => {
                let valid = values.filter(|value| self.has_place(*value));
                let before = match self.extent {
                    Extent::AtLeast(low, high) => (low, high),
                    _ => (f64::INFINITY, f64::NEG_INFINITY),
                };
                let (low, high) = valid.fold(before, |(low, high), v| (v.min(low), v.max(high)));
                if self.symmetric && low < 0.0 && high > 0.0 {
                    let most = high.max(-low);
                    (-most, most)
                } else if self.still.is_some() && !self.logarithmic {
                    (0.0, high.max(0.0))
                } else {
                    (low, high)
                }
            }
        };
        self.scaled(low, high)
    }

    /// Whether a value has a place on the map: it is finite, and has a logarithm where the map needs one.
    pub(super) fn has_place(&self, value: f64) -> bool {
        value.is_finite() && (!self.logarithmic || value > 0.0)
    }

    fn scaled(&self, low: f64, high: f64) -> ScaledMap {
        ScaledMap { map: self.clone(), low, high }
    }

    /// All colours that values may have: the steps of the map, and that of values that are not finite.
    pub(super) fn palette(&self) -> Vec<Linear> {
        let map = self.scaled(0.0, 1.0);
        let steps = (0..=STEPS as u32).map(|step| map.along(f64::from(step) / f64::from(STEPS)));
        steps.chain([Linear::from_srgb(NOT_FINITE)]).collect()
    }
}

/// A colour map over a range of values.
#[derive(Clone, Debug)]
pub(super) struct ScaledMap {
    map: ColourScale,
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

    /// The colour of a mean: that of the low end if all values are equal, magenta if it is not finite.
    pub(super) fn colour(&self, mean: &[f64; 3]) -> Linear {
        let Some(part) = self.place_of(mean) else { return Linear::from_srgb(NOT_FINITE) };
        let Some(still) = self.map.still else { return self.along(part) };
        let [x, y, _] = mean;
        still.mix(self.along((y.atan2(*x) / std::f64::consts::TAU).rem_euclid(1.0)), part as f32)
    }

    /// Whether its values are lengths of vectors.
    pub(super) fn is_of_vectors(&self) -> bool {
        self.map.still.is_some()
    }

    /// How far along the range the value of a mean lies, as [`place`](Self::place) says.
    pub(super) fn place_of(&self, mean: &[f64; 3]) -> Option<f64> {
        self.place(self.map.value(mean))
    }

    /// The number of a value's colour among [`ColourScale::palette`].
    pub(super) fn number(&self, value: f64) -> u8 {
        self.place(value).map_or(STEPS + 1.0, |part| (part as f32 * STEPS).round()) as u8
    }

    /// How far along the map the colour of a value lies: nowhere if it is not finite.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() {
            return None;
        }
        let (value, low, high) = match self.map.logarithmic {
            true if value <= 0.0 => (self.low.ln(), self.low.ln(), self.high.ln()),
            true => (value.ln(), self.low.ln(), self.high.ln()),
            false => (value, self.low, self.high),
        };
        // Halves, because the range of two large numbers may overflow.
        let range = high / 2.0 - low / 2.0;
        let part = if range > 0.0 { (value / 2.0 - low / 2.0) / range } else { 0.0 };
        Some(if self.map.cyclic { part.rem_euclid(1.0) } else { part.clamp(0.0, 1.0) })
    }

    /// The colour a part of the way along the map.
    pub(super) fn along(&self, part: f64) -> Linear {
        let points = &self.map.points;
        let along = (part as f32 * STEPS).round() / STEPS * (points.len() - 1) as f32;
        let below = (along as usize).min(points.len() - 2);
        points[below].mix(points[below + 1], along - below as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(style: &Style) -> ColourScale {
        ColourScale {
            points: Theme::of(style.background).points(&style.colours),
            extent: style.extent,
            logarithmic: style.logarithmic,
            symmetric: style.colours.diverge(),
            cyclic: style.colours.are_cyclic(),
            still: None,
        }
    }

    fn of(value: f64) -> [f64; 3] {
        [value, 0.0, 0.0]
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
            assert_eq!(scaled.colour(&of(f64::NAN)).to_srgb(), [0xff, 0x00, 0xff]);
            let mut steps: Vec<f32> =
                (0..=80).map(|i| luminance(scaled.colour(&of(-2.0 + f64::from(i) / 10.0)))).collect();
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
    fn maps_have_the_colours_of_their_names() {
        // As matplotlib has them at 0.3 of the way, between two places of ours.
        for (name, wanted) in [
            ("viridis", [0x35, 0x5f, 0x8d]),
            ("magma", [0x64, 0x1a, 0x80]),
            ("inferno", [0x6a, 0x17, 0x6e]),
            ("plasma", [0x8f, 0x0d, 0xa4]),
            ("cividis", [0x4f, 0x57, 0x6c]),
            ("twilight", [0x5f, 0x58, 0xb0]),
            ("coolwarm", [0x9e, 0xbe, 0xff]),
        ] {
            let style = Style { colours: Colours::Named(name), ..Style::default() };
            let found = map(&style).scaled(0.0, 1.0).along(0.3).to_srgb();
            assert!(found.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 4), "{name}: {found:?}, not {wanted:?}");
        }
        assert!(Colours::Named("coolwarm").diverge() && Colours::Named("twilight").are_cyclic());
    }

    #[test]
    fn ranges_logarithms_and_circles() {
        let one = |style: Style, value: f64| map(&style).over([0.5, 8.0].into_iter()).colour(&of(value));
        let dark = || Style { background: Background::Dark, ..Style::default() };
        let log = Style { logarithmic: true, ..dark() };
        assert_eq!(one(log.clone(), 2.0), map(&log).scaled(0.5, 8.0).along(0.5));
        assert_eq!(one(log, -1.0), map(&dark()).scaled(0.0, 1.0).along(0.0));
        let fixed = Style { extent: Extent::Fixed(0.0, 1.0), ..dark() };
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
        assert_eq!(scaled.colour(&of(3.0)), scaled.along(0.0));
        assert_eq!(
            map(&Style::default()).over([f64::NAN].into_iter()).colour(&of(f64::NAN)).to_srgb(),
            [0xff, 0x00, 0xff]
        );
    }

    #[test]
    fn densities_fill_the_map() {
        let shades = Shades::Density(map(&Style { background: Background::Dark, ..Style::default() }));
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
