//! Text of SVG.

use std::fmt::Write as _;

/// A picture that is being written.
pub struct Svg {
    text: String,
    size: [f64; 2],
    marks: Vec<Mark>,
}

/// Something on a page, as it was asked for. `style` are attributes of SVG.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// A line through points.
    Line { points: Vec<(f64, f64)>, style: String },
    /// What a path encloses.
    Area { path: String, style: String },
    /// A text.
    Text { at: (f64, f64), anchor: Anchor, size: f64, style: String, text: String },
}

/// Where a text stands beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

impl Svg {
    /// A white page of this size. What `title` says is read out by those who cannot see the picture.
    pub fn new(width: f64, height: f64, title: &str) -> Svg {
        let size = [width, height];
        let [width, height] = size.map(number);
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
            escaped(title)
        );
        Svg { text, size, marks: Vec::new() }
    }

    /// Its width and height.
    pub(super) fn size(&self) -> [f64; 2] {
        self.size
    }

    /// What lies on the page, from the bottom up.
    pub(super) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// A straight line. `style` are further attributes.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        self.marks.push(Mark::Line { points: vec![from, to], style: style.to_owned() });
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        _ = writeln!(self.text, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {style}/>");
    }

    /// A line through points.
    pub fn polyline(&mut self, points: &[(f64, f64)], style: &str) {
        self.marks.push(Mark::Line { points: points.to_vec(), style: style.to_owned() });
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
        _ = writeln!(self.text, "<polyline points=\"{}\" fill=\"none\" {style}/>", points.join(" "));
    }

    /// A path in the notation of SVG.
    pub fn path(&mut self, path: &str, style: &str) {
        self.marks.push(Mark::Area { path: path.to_owned(), style: style.to_owned() });
        _ = writeln!(self.text, "<path d=\"{path}\" {style}/>");
    }

    /// A text. `^{…}` in it is raised.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, size: f64, style: &str, text: &str) {
        self.marks.push(Mark::Text { at, anchor, size, style: style.to_owned(), text: text.to_owned() });
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let ([x, y], size_text) = ([at.0, at.1].map(number), number(size));
        _ = write!(self.text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{size_text}\" {style}>");
        let (up, small) = (number(0.35 * size), number(0.72 * size));
        let mut rest = text;
        let mut raised = false;
        while let Some((before, after)) = rest.split_once("^{") {
            let (inside, after) = after.split_once('}').unwrap_or((after, ""));
            self.span(before, raised, &up);
            _ = write!(self.text, "<tspan dy=\"-{up}\" font-size=\"{small}\">{}</tspan>", escaped(inside));
            (raised, rest) = (true, after);
        }
        self.span(rest, raised, &up);
        self.text.push_str("</text>\n");
    }

    /// A part of a text, back on the line if what stands before it is raised.
    fn span(&mut self, text: &str, after_raised: bool, up: &str) {
        match text.is_empty() {
            true => {}
            false if after_raised => _ = write!(self.text, "<tspan dy=\"{up}\">{}</tspan>", escaped(text)),
            false => self.text.push_str(&escaped(text)),
        }
    }

    /// The whole.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// A length with at most two digits behind the point.
pub fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // No negative zero.
    format!("{}", rounded + 0.0)
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

/// About how wide a text is. What a letter takes differs between fonts; this errs on the wide side.
pub fn width_of(text: &str, size: f64) -> f64 {
    let mut raised = false;
    let mut before = ' ';
    let mut ems = 0.0;
    for letter in text.chars() {
        match letter {
            '{' if before == '^' => raised = true,
            '}' if raised => raised = false,
            '^' => {}
            letter => ems += if raised { 0.72 } else { 1.0 } * ems_of(letter),
        }
        before = letter;
    }
    ems * size
}

fn ems_of(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' | '[' | ']' => {
            0.33
        }
        'r' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '%' => 0.92,
        'A'..='Z' | '×' | '=' | '+' | '<' | '>' | '–' => 0.7,
        _ => 0.6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_safe_and_exponents_raised() {
        let mut svg = Svg::new(10.0, 10.5, "a < b & \"c\"");
        svg.text((1.0, 2.004), Anchor::End, 10.0, "", "10^{-3} m\u{1}^{2}");
        let text = svg.finish();
        assert!(text.contains("a &lt; b &amp; &quot;c&quot;") && text.contains("height=\"10.5\""), "{text}");
        assert!(
            text.contains("10<tspan dy=\"-3.5\" font-size=\"7.2\">-3</tspan><tspan dy=\"3.5\"> m </tspan>"),
            "{text}"
        );
        assert!(text.contains("y=\"2\"") && !text.contains('\u{1}'));
        assert!(width_of("10^{3}", 10.0) < width_of("10^3}", 10.0));
    }

    #[test]
    fn lengths_are_short() {
        assert_eq!([0.0, -0.001, 2.5, 1.0 / 3.0, 1e6].map(number), ["0", "0", "2.5", "0.33", "1000000"]);
    }
}
