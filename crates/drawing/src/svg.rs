//! Sheets as SVG.

use crate::font::{RAISED, parts};
use crate::marks::{Anchor, Mark, Paint, Sheet, Stroke, TextMark, at, end, number, sharp};
use base64::prelude::{BASE64_STANDARD, Engine};
use std::fmt::Write as _;
use zeno::{Command, Point};

impl Sheet {
    /// The sheet as SVG: equal marks give equal texts.
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
        Mark::Path { path, paint } => writeln!(out, "<path d=\"{}\" {}/>", shape(path), painted(paint)),
        Mark::Text(text) => text_of(out, text),
        Mark::Image { place, image } => {
            let [x, y, width, height] = place.map(number);
            writeln!(
                out,
                "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
                 href=\"data:image/png;base64,{}\"/>",
                BASE64_STANDARD.encode(sharp(image, *place).to_png())
            )
        }
    };
}

/// A path in the notation of SVG.
fn shape(path: &[Command]) -> String {
    let (mut out, mut here) = (String::new(), Point::default());
    for command in path {
        out += &match *command {
            Command::MoveTo(end) => format!("M{}", at(end)),
            Command::LineTo(end) if end.y == here.y => format!("H{}", number(end.x.into())),
            Command::LineTo(end) if end.x == here.x => format!("V{}", number(end.y.into())),
            Command::LineTo(end) => format!("L{}", at(end)),
            Command::QuadTo(control, end) => format!("Q{} {}", at(control), at(end)),
            Command::CurveTo(first, second, end) => format!("C{} {} {}", at(first), at(second), at(end)),
            Command::Close => "Z".to_owned(),
        };
        here = end(*command, here);
    }
    out
}

fn painted(paint: &Paint) -> String {
    let part = |name: &str, opacity: f64| match opacity {
        1.0 => String::new(),
        _ => format!(" {name}-opacity=\"{}\"", number(opacity)),
    };
    match paint {
        Paint::Fill(ink, opacity) => format!("fill=\"#{ink:06x}\"{}", part("fill", *opacity)),
        Paint::Line(Stroke { ink, width, opacity, dashes }) => {
            let dashes = match dashes {
                [] => String::new(),
                _ => format!(
                    " stroke-dasharray=\"{}\"",
                    dashes.iter().copied().map(number).collect::<Vec<_>>().join(" ")
                ),
            };
            format!(
                "fill=\"none\" stroke=\"#{ink:06x}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}{dashes}",
                number(*width),
                part("stroke", *opacity)
            )
        }
    }
}

fn text_of(out: &mut String, text: &TextMark) -> std::fmt::Result {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_safe_and_exponents_raised() {
        let mut sheet = Sheet::new(10.0, 10.5, "a < b & \"c\"");
        sheet.text(TextMark::new((1.0, 2.004), Anchor::End, 10.0, 0, "10^{-3} m\u{1}^{2}"));
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
}
