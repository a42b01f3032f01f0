//! How a picture is to look: background, colours, range of values, caption.

use super::palette;
use serde::{Deserialize, Serialize};
use squeeze_compiler::ir::{ColourMap, Rule, StateId};
use squeeze_engine::failure::Message;
use std::fmt;
use std::str::FromStr;

/// The colour of the background, and so of holes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// Nearly black; large values are light.
    Dark,
    /// White, for print; large values are dark. Readers that take a picture for values take dark pixels for cells.
    #[default]
    Light,
}

impl Background {
    /// All of them.
    pub const ALL: [Background; 2] = [Background::Dark, Background::Light];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Background::Dark => "dark",
            Background::Light => "light",
        }
    }
}

/// The colour map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Colours {
    /// The rule's own colours, else perceptual.
    #[default]
    OfRule,
    /// Lightness grows or falls evenly, from blue over green to yellow, or back.
    Perceptual,
    /// Blue below the middle of the range, red above it. Without a range the middle is 0.
    Diverging,
    /// A circle of hues of equal lightness. Values are taken modulo the range, which is 0 to 2π without one.
    Cyclic,
    /// Shades of grey.
    Grey,
    /// The direction of a vector as a hue, which its length takes away from grey. The state is the first component of the vector; the range is that of lengths.
    Direction,
    /// One of matplotlib's maps, by its name: viridis, magma, inferno, plasma and cividis are perceptual, coolwarm diverges, twilight is cyclic.
    Named(&'static str),
    /// The user's own, evenly spaced: colours such as `0x12355b`. For bits and enums, one for each value.
    Own(Vec<u32>),
}

impl FromStr for Colours {
    type Err = Message;

    fn from_str(text: &str) -> Result<Colours, Message> {
        let wrong = || {
            Message::users(format!(
                "`{text}` is not a colour map: valid are rule, perceptual, diverging, cyclic, grey, viridis, magma, inferno, plasma, cividis, twilight, coolwarm, direction, and two or more colours such as ffffff,d55e00"
            ))
        };
        match text {
            "rule" => Ok(Colours::OfRule),
            "perceptual" => Ok(Colours::Perceptual),
            "diverging" => Ok(Colours::Diverging),
            "cyclic" => Ok(Colours::Cyclic),
            "grey" | "gray" => Ok(Colours::Grey),
            "direction" => Ok(Colours::Direction),
            name if let Some((name, _)) = palette::named(name) => Ok(Colours::Named(name)),
            list => {
                let code = |word: &str| {
                    let digits = word.trim().trim_start_matches('#');
                    let valid = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                    valid.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
                };
                let codes: Option<Vec<u32>> = list.split(',').map(code).collect();
                codes.filter(|codes| codes.len() >= 2).map(Colours::Own).ok_or_else(wrong)
            }
        }
    }
}

impl Colours {
    /// Whether the middle of the map stands out, for values around 0.
    pub(super) fn diverge(&self) -> bool {
        matches!(self, Colours::Diverging | Colours::Named("coolwarm"))
    }

    /// Whether the ends of the map are one colour.
    pub(super) fn are_cyclic(&self) -> bool {
        matches!(self, Colours::Cyclic | Colours::Named("twilight"))
    }

    /// These colours, or the rule's if the choice is left to it.
    pub(super) fn chosen(&self, rule: &Rule, state: StateId) -> Colours {
        if *self != Colours::OfRule {
            return self.clone();
        }
        match rule.picture.as_ref().filter(|picture| picture.state == state) {
            None => Colours::Perceptual,
            Some(picture) if !picture.colours.is_empty() => Colours::Own(picture.colours.clone()),
            Some(picture) => match picture.map {
                ColourMap::Perceptual => Colours::Perceptual,
                ColourMap::Diverging => Colours::Diverging,
                ColourMap::Cyclic => Colours::Cyclic,
                ColourMap::Grey => Colours::Grey,
                ColourMap::Direction => Colours::Direction,
            },
        }
    }
}

impl fmt::Display for Colours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Colours::OfRule => f.write_str("rule"),
            Colours::Perceptual => f.write_str("perceptual"),
            Colours::Diverging => f.write_str("diverging"),
            Colours::Cyclic => f.write_str("cyclic"),
            Colours::Grey => f.write_str("grey"),
            Colours::Direction => f.write_str("direction"),
            Colours::Named(name) => f.write_str(name),
            Colours::Own(codes) => {
                let words: Vec<String> = codes.iter().map(|code| format!("{code:06x}")).collect();
                f.write_str(&words.join(","))
            }
        }
    }
}

/// Which values the two ends of the colour map stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Extent {
    /// The range of the values in the picture.
    #[default]
    Fit,
    /// The range of the values in the picture, widened to hold these two.
    AtLeast(f64, f64),
    /// These two values; what lies beyond takes the colour of the nearer end.
    Fixed(f64, f64),
}

impl FromStr for Extent {
    type Err = Message;

    fn from_str(text: &str) -> Result<Extent, Message> {
        if text == "fit" {
            return Ok(Extent::Fit);
        }
        let bounds = text.split_once(':').and_then(|(low, high)| {
            let number = |word: &str| word.trim().parse().ok().filter(|value: &f64| value.is_finite());
            Some((number(low)?, number(high)?))
        });
        match bounds {
            Some((low, high)) if low < high => Ok(Extent::Fixed(low, high)),
            _ => Err(Message::users(format!(
                "`{text}` is not a range: valid are LOW:HIGH with LOW < HIGH, such as 0:1, and fit"
            ))),
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Fit => f.write_str("fit"),
            Extent::AtLeast(low, high) | Extent::Fixed(low, high) => write!(f, "{low:?}:{high:?}"),
        }
    }
}

/// How a picture is to look.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Style {
    /// The colour map.
    pub colours: Colours,
    /// The values at its ends.
    pub extent: Extent,
    /// Numbers on a logarithmic scale; values that are not positive take the colour of the low end.
    pub logarithmic: bool,
    /// The background.
    pub background: Background,
    /// A line of text below the picture.
    pub caption: Option<String>,
    /// The width on paper, in millimetres.
    pub paper: Option<f64>,
    /// Ticks along the edges, in places of the grid.
    pub axes: bool,
    /// The label above the colour bar, in the place of the state's name with its unit.
    pub label: Option<String>,
    /// Quarter turns of a solid about the vertical, 0 to 3; 4 more show its lower side.
    pub turn: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_read_and_written() {
        for name in
            ["rule", "perceptual", "diverging", "cyclic", "grey", "direction", "viridis", "000000,ff8000,ffffff"]
        {
            assert_eq!(Colours::from_str(name).unwrap().to_string(), name);
        }
        assert_eq!(Colours::from_str("#00ff00, #0000ff"), Ok(Colours::Own(vec![0xff00, 0xff])));
        for wrong in ["jet", "", "ff0000", "12345,123456", "+12345,123456"] {
            assert!(Colours::from_str(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Extent::from_str("-1:2.5"), Ok(Extent::Fixed(-1.0, 2.5)));
        assert_eq!(Extent::from_str("fit"), Ok(Extent::Fit));
        assert_eq!(Extent::from_str(&Extent::Fixed(0.1, 1e30).to_string()), Ok(Extent::Fixed(0.1, 1e30)));
        for wrong in ["1:1", "2:1", "0:inf", "nan:1", "1", ""] {
            assert!(Extent::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
