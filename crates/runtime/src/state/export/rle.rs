//! RLE, the run-length encoded patterns of programs for life-like automata (D. Buckingham; as Golly reads and writes it).

use super::Result;
use crate::state::field::Field;
use crate::state::window::Window;
use squeeze_compiler::geometry::Domain;

/// No line is longer, the head excepted.
const LINE: usize = 70;

/// A window of a 2-D field of bits as RLE; holes are dead.
///
/// # Errors
/// [`ExportError::TooLarge`](super::ExportError::TooLarge), or if the field cannot be read.
pub fn of_window(domain: &Domain, field: &dyn Field, window: &Window) -> Result<String> {
    let [width, height, _] = window.size;
    let values = super::dense(domain, field, window, &[0])?;
    let mut text = format!("x = {width}, y = {height}\n");
    let mut line = String::new();
    let mut add = |count: u64, letter: char| {
        let word = if count == 1 { letter.to_string() } else { format!("{count}{letter}") };
        if line.len() + word.len() > LINE {
            text.push_str(&line);
            text.push('\n');
            line.clear();
        }
        line.push_str(&word);
    };
    // Ends of rows are counted until something follows them.
    let mut ends = 0;
    for row in values.chunks(width as usize) {
        let mut at = 0;
        while let Some(&value) = row.get(at) {
            let run = row[at..].iter().take_while(|&&other| other == value).count();
            let trails = at + run == row.len() && value == 0;
            if !trails {
                if ends > 0 {
                    add(std::mem::take(&mut ends), '$');
                }
                add(run as u64, if value == 0 { 'b' } else { 'o' });
            }
            at += run;
        }
        ends += 1;
    }
    add(1, '!');
    text.push_str(&line);
    text.push('\n');
    Ok(text)
}

/// A pattern that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Rows of live cells: the place of the first one, and how many there are.
    pub runs: Vec<([u64; 2], u64)>,
    /// The smallest width and height that hold all of them.
    pub extent: [u64; 2],
}

/// Reads a pattern. It takes no more memory than its text does, however large it is.
///
/// # Errors
/// What is wrong with the text, as part of a sentence.
pub fn parse(text: &str) -> Result<Pattern, String> {
    /// The longest run.
    const LONGEST: u64 = u32::MAX as u64;
    /// The most live cells.
    const MOST: u64 = 1 << 28;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    if lines.next_if(|line| line.starts_with('x')).is_none() {
        return Err("it has no head such as `x = 3, y = 3`".to_owned());
    }
    let mut pattern = Pattern::default();
    let (mut x, mut y, mut count, mut live) = (0u64, 0u64, None::<u64>, 0);
    for letter in lines.flat_map(str::chars) {
        match letter {
            '0'..='9' => {
                let digit = u64::from(letter as u8 - b'0');
                let next = count.unwrap_or(0) * 10 + digit;
                if next > LONGEST {
                    return Err("a run in it is too long".to_owned());
                }
                count = Some(next);
                continue;
            }
            'b' | '.' => x += count.unwrap_or(1),
            'o' | 'A' => {
                let run = count.unwrap_or(1);
                live += run;
                if live > MOST {
                    return Err("it has too many live cells".to_owned());
                }
                if run > 0 {
                    pattern.runs.push(([x, y], run));
                    x += run;
                    pattern.extent = [pattern.extent[0].max(x), y + 1];
                }
            }
            '$' => {
                y += count.unwrap_or(1);
                x = 0;
            }
            '!' => return Ok(pattern),
            ' ' | '\t' => continue,
            other => return Err(format!("`{other}` stands for no state of a bit; valid are `b`, `o`, `$` and `!`")),
        }
        count = None;
    }
    Err("it has no `!` at its end".to_owned())
}
