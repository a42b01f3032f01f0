//! The legend of a picture: the names of an enum's variants, or the range of numbers; and its caption.

use super::blocks::Drawn;
use super::image::Image;
use super::palette::{Linear, ScaledMap, Shades, Theme};
use super::style::Style;
use font8x8::legacy::BASIC_LEGACY;
use squeeze_compiler::ir::{Rule, StateId, Type};

/// A glyph is so many pixels high and wide before it is enlarged.
const GLYPH: u32 = 8;
/// Narrower pictures have no legend: it would not be readable.
const LEAST_WIDTH: u32 = 160;
/// A line, in pixels before it is enlarged.
const LINE: u32 = 14;

/// The picture with a legend and a caption below it; single bits, whose colours explain themselves, get no legend.
pub(super) fn below(drawn: Drawn, rule: &Rule, state: StateId, shades: &Shades, style: &Style) -> Image {
    let Drawn { image, map } = drawn;
    if image.width < LEAST_WIDTH {
        return image;
    }
    let definition = rule.state(state);
    let theme = Theme::of(style.background);
    let image = match (definition.ty, shades, map) {
        (Type::Enum(id), Shades::Table(colours), _) => {
            let entries: Vec<_> =
                rule.enum_type(id).variants.iter().map(String::as_str).zip(colours.iter().copied()).collect();
            variants(image, &entries, theme)
        }
        (_, _, Some(map)) => numbers(image, &definition.name, &map, theme),
        _ => image,
    };
    match &style.caption {
        Some(text) => {
            let scale = enlargement(&image);
            let (mut image, top) = extended(image, 1, theme);
            write(&mut image, [GLYPH * scale / 2, top + 4 * scale], text, scale, theme);
            image
        }
        None => image,
    }
}

/// How much a legend is enlarged, by the width of the picture.
fn enlargement(image: &Image) -> u32 {
    (image.width / 400).max(1)
}

/// The picture with so many empty lines below it.
fn extended(mut image: Image, lines: u32, theme: &Theme) -> (Image, u32) {
    let top = image.height;
    image.height += (lines * LINE + 4) * enlargement(&image);
    let missing = 3 * image.width as usize * (image.height - top) as usize;
    let ground = theme.ground().to_srgb();
    image.pixels.extend(ground.iter().copied().cycle().take(missing));
    (image, top)
}

fn variants(image: Image, entries: &[(&str, Linear)], theme: &Theme) -> Image {
    let scale = enlargement(&image);
    let width = |name: &str| (2 * GLYPH + GLYPH * name.chars().count() as u32 + GLYPH) * scale;
    // The rows of the legend: entries as far as they fit.
    let mut rows: Vec<Vec<(&str, Linear)>> = vec![Vec::new()];
    let mut used = 0;
    for &(name, colour) in entries {
        if used + width(name) > image.width - GLYPH * scale && used > 0 {
            rows.push(Vec::new());
            used = 0;
        }
        used += width(name);
        rows.last_mut().expect("there is one from the beginning").push((name, colour));
    }
    let (mut image, top) = extended(image, rows.len() as u32, theme);
    for (row, entries) in rows.iter().enumerate() {
        let y = top + (4 + row as u32 * LINE) * scale;
        let mut x = GLYPH * scale / 2;
        for &(name, colour) in entries {
            fill(&mut image, [x, y], [GLYPH * scale; 2], |_| colour);
            write(&mut image, [x + (GLYPH + 4) * scale, y], name, scale, theme);
            x += width(name);
        }
    }
    image
}

fn numbers(image: Image, name: &str, map: &ScaledMap, theme: &Theme) -> Image {
    let [least, greatest] = map.range();
    let scale = enlargement(&image);
    let (mut image, top) = extended(image, 1, theme);
    let y = top + 4 * scale;
    let (left, right) = (format!("{name} = {}", short(least)), short(greatest));
    let margin = GLYPH * scale / 2;
    write(&mut image, [margin, y], &left, scale, theme);
    let extent = |text: &str| GLYPH * text.chars().count() as u32 * scale;
    let from = 2 * margin + extent(&left);
    let to = image.width.saturating_sub(2 * margin + extent(&right));
    if to > from {
        let length = to - from;
        fill(&mut image, [from, y], [length, GLYPH * scale], |x| map.along(f64::from(x) / f64::from(length)));
        write(&mut image, [to + margin, y], &right, scale, theme);
    }
    image
}

/// A number with four digits.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e6).contains(&size) => format!("{value:.3e}"),
        size => {
            let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{value:.decimals$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
    }
}

fn fill(image: &mut Image, [x, y]: [u32; 2], [width, height]: [u32; 2], colour: impl Fn(u32) -> Linear) {
    for dx in 0..width.min(image.width.saturating_sub(x)) {
        let colour = colour(dx).to_srgb();
        for dy in 0..height.min(image.height.saturating_sub(y)) {
            image.set(x + dx, y + dy, colour);
        }
    }
}

/// Writes as much as fits to the right of a place.
fn write(image: &mut Image, [x, y]: [u32; 2], text: &str, scale: u32, theme: &Theme) {
    let ink = Linear::from_srgb(theme.words);
    for (i, letter) in text.chars().enumerate() {
        let glyph = BASIC_LEGACY.get(letter as usize).unwrap_or(&BASIC_LEGACY['?' as usize]);
        for (row, bits) in glyph.iter().enumerate() {
            for column in (0..GLYPH).filter(|column| bits >> column & 1 == 1) {
                let at = [x + (GLYPH * i as u32 + column) * scale, y + row as u32 * scale];
                fill(image, at, [scale; 2], |_| ink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::Background;
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 1000.0, 0.25, -6.54321, 1e9].map(short), ["0", "1000", "0.25", "-6.543", "1.000e9"]);
    }

    #[test]
    fn a_legend_lies_below_and_names_all_variants() {
        let image = Image::filled(200, 100, Linear::from_srgb(0));
        let entries =
            [("rest", Linear::from_srgb(0xff0000)), ("a_very_long_name_that_wraps", Linear::from_srgb(0x00ff00))];
        let theme = Theme::of(Background::Dark);
        let with = variants(image, &entries, theme);
        assert_eq!((with.width, with.height), (200, 100 + 2 * LINE + 4));
        assert_eq!(with.pixels[..3 * 200 * 100], vec![0; 3 * 200 * 100]);
        assert_eq!([with.get(5, 105), with.get(5, 105 + LINE)], [[255, 0, 0], [0, 255, 0]]);
    }
}
