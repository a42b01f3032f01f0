//! RLE, the run-length encoded patterns of programs for life-like automata (D. Buckingham; as Golly reads and writes it).

use squeeze_compiler::ir::Type;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{StateView, Window};

/// No line is longer, the head excepted.
const LINE: usize = 70;

/// A window of a 2-D field whose values take a byte, bits, u8 or variants, as RLE, of a rule as Golly reads it, with its grid, if that is known
/// ([`golly`](squeeze_golly)); holes have the state 0.
///
/// # Errors
/// If it does not fit in memory, or the field cannot be read.
pub fn of_window(field: StateView<'_>, window: &Window, rule: Option<&str>) -> Result<String> {
    let [width, height, _] = window.size;
    let values = super::dense(field, window, &[0])?;
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

/// The letters of a state: `b` and `o` where there are two, else `.`, `A` to `X` for 1 to 24, `pA` to `pX` for the next 24, and so on.
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
