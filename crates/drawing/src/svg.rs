//! Sheets as SVG.

use crate::font::{RAISED, parts};
use crate::marks::{Anchor, Mark, Place, Sheet, Stroke, Text, number, sharp};
use std::fmt::Write as _;

impl Sheet {
    /// The sheet as SVG, which depends on its marks alone.
    pub fn to_svg(&self) -> String {
        let [width, height] = self.size.map(number);
        let (on_paper, paper_height) = match self.paper {
            Some(paper) => (format!("{paper}mm"), format!("{}mm", number(paper * self.size[1] / self.size[0]))),
            None => (width.clone(), height.clone()),
        };
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{on_paper}\" height=\"{paper_height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#{:06x}\"/>\n",
            escaped(&self.title),
            self.ground
        );
        for mark in &self.marks {
            mark_of(&mut text, mark);
        }
        text + "</svg>\n"
    }
}

fn mark_of(out: &mut String, mark: &Mark) {
    // Writing to a string cannot fail.
    _ = match mark {
        Mark::Line { points, stroke } => match points[..] {
            [from, to] => {
                let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
                writeln!(out, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {}/>", style(stroke))
            }
            _ => writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>",
                list(points),
                style(stroke)
            ),
        },
        Mark::Disc { middle, radius, ink } => {
            let [x, y, radius] = [middle.0, middle.1, *radius].map(number);
            writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"#{ink:06x}\"/>")
        }
        Mark::Boxes { boxes, ink } => {
            let path: String = boxes
                .iter()
                .map(|one| one.map(number))
                .map(|[x, y, width, height]| format!("M{x} {y}h{width}v{height}h-{width}Z"))
                .collect();
            writeln!(out, "<path d=\"{path}\" fill=\"#{ink:06x}\"/>")
        }
        Mark::Area { corners, ink, opacity } => {
            let see_through =
                if *opacity < 1.0 { format!(" fill-opacity=\"{}\"", number(*opacity)) } else { String::new() };
            writeln!(out, "<polygon points=\"{}\" fill=\"#{ink:06x}\"{see_through}/>", list(corners))
        }
        Mark::Text(text) => text_of(out, text),
        Mark::Image { place, image } => {
            let [x, y, width, height] = place.map(number);
            writeln!(
                out,
                "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
                 href=\"data:image/png;base64,{}\"/>",
                base64(&sharp(image, *place).to_png())
            )
        }
    };
}

fn list(points: &[Place]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
    points.join(" ")
}

fn style(stroke: &Stroke) -> String {
    let mut style = format!("stroke=\"#{:06x}\" stroke-width=\"{}\"", stroke.ink, number(stroke.width));
    if stroke.opacity < 1.0 {
        _ = write!(style, " stroke-opacity=\"{}\"", number(stroke.opacity));
    }
    if !stroke.dashes.is_empty() {
        let dashes: Vec<String> = stroke.dashes.iter().copied().map(number).collect();
        _ = write!(style, " stroke-dasharray=\"{}\"", dashes.join(" "));
    }
    style
}

fn text_of(out: &mut String, text: &Text) -> std::fmt::Result {
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let [x, y, size] = [text.at.0, text.at.1, text.size].map(number);
    write!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"#{:06x}\"", text.ink)?;
    if text.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    if text.upwards {
        write!(out, " transform=\"rotate(-90 {x} {y})\"")?;
    }
    out.push('>');
    let (small, up) = (number(RAISED.0 * text.size), number(RAISED.1 * text.size));
    let mut was_raised = false;
    for (part, raised) in parts(&text.text) {
        let part = escaped(part);
        match (raised, was_raised) {
            (true, false) => write!(out, "<tspan dy=\"-{up}\" font-size=\"{small}\">{part}</tspan>")?,
            (true, true) => write!(out, "<tspan font-size=\"{small}\">{part}</tspan>")?,
            (false, true) => write!(out, "<tspan dy=\"{up}\">{part}</tspan>")?,
            (false, false) => out.push_str(&part),
        }
        was_raised = raised;
    }
    out.push_str("</text>\n");
    Ok(())
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML has no place for these, not even escaped.
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

/// Bytes as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for digit in 0..4 {
            let shown = DIGITS[(bits >> (18 - 6 * digit) & 63) as usize];
            text.push(if digit <= three.len() { shown.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_safe_and_exponents_raised() {
        let mut sheet = Sheet::new(10.0, 10.5, "a < b & \"c\"");
        sheet.text(Text::new((1.0, 2.004), Anchor::End, 10.0, 0, "10^{-3} m\u{1}^{2}"));
        let text = sheet.to_svg();
        assert!(text.contains("a &lt; b &amp; &quot;c&quot;") && text.contains("height=\"10.5\""), "{text}");
        assert!(
            text.contains("10<tspan dy=\"-3.5\" font-size=\"7.2\">-3</tspan><tspan dy=\"3.5\"> m </tspan>"),
            "{text}"
        );
        assert!(text.contains("y=\"2\"") && !text.contains('\u{1}'));
        sheet.paper = Some(85.0);
        assert!(sheet.to_svg().contains("width=\"85mm\" height=\"89.25mm\" viewBox=\"0 0 10 10.5\""));
    }

    #[test]
    fn bytes_become_text() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"], "the examples of RFC 4648");
    }
}
