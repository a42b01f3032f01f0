//! RLE, the run-length encoded patterns of programs for life-like automata (D. Buckingham; as Golly reads and writes it).

use super::Result;
use crate::state::field::Field;
use crate::state::window::Window;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::golly;
use squeeze_compiler::ir::Type;

/// No line is longer, the head excepted.
const LINE: usize = 70;

/// A window of a 2-D field whose values take a byte, bits, u8 or variants, as RLE, of a rule in Golly's notation if that is known; holes
/// have the state 0.
///
/// # Errors
/// [`ExportError::TooLarge`](super::ExportError::TooLarge), or if the field cannot be read.
pub fn of_window(domain: &Domain, field: &dyn Field, window: &Window, rule: Option<&str>) -> Result<String> {
    let [width, height, _] = window.size;
    let values = super::dense(domain, field, window, &[0])?;
    let two_states = field.ty() == Type::Bit;
    let rule = rule.map_or_else(String::new, |rule| format!(", rule = {rule}"));
    let mut text = format!("x = {width}, y = {height}{rule}\n");
    let mut line = String::new();
    let mut add = |count: u64, letter: &str| {
        let word = if count == 1 { letter.to_owned() } else { format!("{count}{letter}") };
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
                    add(std::mem::take(&mut ends), "$");
                }
                add(run as u64, &letter(value, two_states));
            }
            at += run;
        }
        ends += 1;
    }
    add(1, "!");
    text.push_str(&line);
    text.push('\n');
    Ok(text)
}

/// What stands for a state: `b` and `o` where there are two, else `.`, `A` to `X` for 1 to 24, `pA` to `pX` for the next 24, and so on.
fn letter(state: u8, two_states: bool) -> String {
    match (state, two_states) {
        (0, true) => "b".to_owned(),
        (_, true) => "o".to_owned(),
        (0, false) => ".".to_owned(),
        (state, false) => {
            let (row, column) = ((state - 1) / 24, (state - 1) % 24);
            let prefix = if row == 0 { String::new() } else { char::from(b'o' + row).to_string() };
            format!("{prefix}{}", char::from(b'A' + column))
        }
    }
}

/// A pattern that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The rule that its head names, without a size of the grid behind a `:`.
    pub rule: Option<String>,
    /// Rows of cells in a state other than 0: the place of the first one, and how many there are.
    pub runs: Vec<([u64; 2], u64)>,
    /// The state of each row.
    pub states: Vec<u8>,
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
    let Some(head) = lines.next_if(|line| line.starts_with('x')) else {
        return Err("it has no head such as `x = 3, y = 3`".to_owned());
    };
    let mut pattern = Pattern { rule: golly::rule_of_pattern(head).map(str::to_owned), ..Pattern::default() };
    // The letter before the one of a state above 24.
    let mut prefix = None::<u8>;
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
            'p'..='y' if prefix.is_none() => {
                prefix = Some(letter as u8 - b'o');
                continue;
            }
            'b' | '.' if prefix.is_none() => x += count.unwrap_or(1),
            'o' | 'A'..='X' if letter != 'o' || prefix.is_none() => {
                let column = if letter == 'o' { 0 } else { letter as u32 - 'A' as u32 };
                let state = 1 + 24 * u32::from(prefix.take().unwrap_or(0)) + column;
                let Ok(state) = u8::try_from(state) else {
                    return Err(format!("the state {state} in it is too large; the largest is 255"));
                };
                let run = count.unwrap_or(1);
                live += run;
                if live > MOST {
                    return Err("it has too many live cells".to_owned());
                }
                if run > 0 {
                    pattern.runs.push(([x, y], run));
                    pattern.states.push(state);
                    x += run;
                    pattern.extent = [pattern.extent[0].max(x), y + 1];
                }
            }
            '$' if prefix.is_none() => {
                y += count.unwrap_or(1);
                x = 0;
            }
            '!' if prefix.is_none() => return Ok(pattern),
            ' ' | '\t' => continue,
            other => {
                return Err(format!(
                    "`{other}` stands for no state; valid are `b`, `o`, `.`, `A` to `X`, with `p` to `y` before them above 24, `$` and `!`"
                ));
            }
        }
        count = None;
    }
    Err("it has no `!` at its end".to_owned())
}
