//! The formats of patterns. Messages say where in the text something is wrong.

use super::ImportedPattern;
use squeeze_golly as golly;

type Result<T> = std::result::Result<T, String>;

/// The longest run, and the farthest coordinate.
const LONGEST: u64 = u32::MAX as u64;

/// Reads a text of any format. `plain` says that its file is named as a plain one; a tree has at most `most` live cells, which are counted before there are any.
pub(super) fn parse(text: &str, plain: bool, most: u64) -> Result<ImportedPattern> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if first.starts_with("#Life 1.06") {
        coordinates(text)
    } else if first.starts_with("#Life") || first.starts_with("#P") {
        blocks(text)
    } else if first.starts_with("#MCell") {
        cellebration(text)
    } else if first.starts_with("[M2]") {
        macrocells(text, most)
    } else if plain || first.starts_with('!') {
        plain_text(text)
    } else {
        run_lengths(text)
    }
}

/// A message about a place of the text, both numbers counted from 0.
fn at(line: usize, column: usize, problem: impl std::fmt::Display) -> String {
    format!("line {}, column {}: {problem}", line + 1, column + 1)
}

/// The count before a letter with one digit more.
fn counted(count: Option<u64>, letter: char) -> Option<u64> {
    let digit = u64::from(letter.to_digit(10)?);
    Some(count.unwrap_or(0) * 10 + digit).filter(|count| *count <= LONGEST)
}

/// Whether a line is the head of run lengths: `x = 3, y = 3, rule = B3/S23`.
fn is_head(line: &str) -> bool {
    line.strip_prefix(['x', 'X']).is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// The number that the head gives a name.
fn said(head: &str, name: &str) -> u64 {
    let entries = head.split(',').filter_map(|entry| entry.split_once('='));
    entries
        .filter(|(key, _)| key.trim().eq_ignore_ascii_case(name))
        .find_map(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}

/// Run lengths (D. Buckingham; as Golly reads and writes them).
fn run_lengths(text: &str) -> Result<ImportedPattern> {
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let mut pattern = ImportedPattern::default();
    let lines = || text.lines().enumerate().filter(|(_, line)| !is_comment(line) && !line.trim().is_empty());
    let mut begin = 0;
    if let Some((number, line)) = lines().next()
        && is_head(line.trim())
    {
        let head = line.trim();
        begin = number + 1;
        pattern.size = [said(head, "x"), said(head, "y")];
        if let Some((rule, grid)) = golly::rule_in_head(head) {
            (pattern.rule, pattern.grid) = (Some(rule.to_owned()), grid.map(str::to_owned));
        }
    }
    let mut letters = lines()
        .filter(|(number, _)| *number >= begin)
        .flat_map(|(number, line)| line.chars().enumerate().map(move |(column, letter)| (number, column, letter)))
        .filter(|(.., letter)| !letter.is_whitespace())
        .peekable();
    if letters.peek().is_none() && begin == 0 {
        return Err("it holds no pattern".to_owned());
    }
    let (mut x, mut y, mut count, mut live) = (0, 0, None::<u64>, 0);
    while let Some((line, column, letter)) = letters.next() {
        let state = match letter {
            '0'..='9' => {
                count = Some(counted(count, letter).ok_or_else(|| at(line, column, "this run is too long"))?);
                continue;
            }
            'b' | '.' => {
                x += count.take().unwrap_or(1);
                continue;
            }
            '$' => {
                y += count.take().unwrap_or(1);
                x = 0;
                continue;
            }
            '!' => return Ok(pattern),
            'o' => 1,
            'A'..='X' => state_of(0, letter),
            'p'..='y' => match letters.next_if(|(.., next)| next.is_ascii_uppercase() && *next <= 'X') {
                Some((.., next)) => state_of(letter as u32 - 'o' as u32, next),
                // Some old files have an `x` for a live cell.
                None if letter == 'x' => 1,
                None => return Err(at(line, column, no_state(letter))),
            },
            _ => return Err(at(line, column, no_state(letter))),
        };
        let state = u8::try_from(state)
            .map_err(|_| at(line, column, format!("the state {state} is too large; the largest is 255")))?;
        let run = count.take().unwrap_or(1);
        if run > 0 {
            pattern.add([x, y], run, state, &mut live).map_err(|problem| at(line, column, problem))?;
        }
        x += run;
    }
    if count.is_some() {
        return Err("it ends in the midst of a run, and has no `!` at its end".to_owned());
    }
    pattern.is_open = true;
    Ok(pattern)
}

/// The state of a letter from `A` to `X`, in this group of 24.
fn state_of(group: u32, letter: char) -> u32 {
    24 * group + 1 + (letter as u32 - 'A' as u32)
}

fn no_state(letter: char) -> String {
    format!(
        "`{letter}` stands for no state; valid are `b`, `o`, `.`, `A` to `X`, with `p` to `y` before them above 24, `$` and `!`"
    )
}

/// Live cells of a row of `.` and `*` or `O`.
fn row(line: &str, number: usize, mut live: impl FnMut(usize) -> Result<()>) -> Result<()> {
    for (column, letter) in line.trim_end().chars().enumerate() {
        match letter {
            '.' => {}
            '*' | 'O' | 'o' => live(column).map_err(|problem| at(number, column, problem))?,
            _ => {
                let problem = format!(
                    "`{letter}` stands for no state; valid are `.` for a dead cell, `O` and `*` for a live one"
                );
                return Err(at(number, column, problem));
            }
        }
    }
    Ok(())
}

/// Plain text: lines that begin with `!` are remarks, each other one is a row.
fn plain_text(text: &str) -> Result<ImportedPattern> {
    let (mut pattern, mut live, mut y) = (ImportedPattern::default(), 0, 0);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('!')) {
        row(line, number, |x| pattern.add([x as u64, y], 1, 1, &mut live))?;
        let width = line.trim_end().chars().count() as u64;
        y += 1;
        pattern.size = [pattern.size[0].max(width), if width > 0 { y } else { pattern.size[1] }];
    }
    Ok(pattern)
}

/// Cells at places that may lie below 0, with their states, moved so that a corner lies at the origin: the least of their own, if none is said.
fn moved(cells: &[([i64; 2], u8)], corner: Option<[i64; 2]>) -> Result<ImportedPattern> {
    let (mut pattern, mut live) = (ImportedPattern::default(), 0);
    let least = |axis: usize| cells.iter().map(|(place, _)| place[axis]).min().unwrap_or(0);
    let [left, top] = corner.unwrap_or_else(|| [0, 1].map(least));
    for &([x, y], state) in cells {
        pattern.add([(x - left) as u64, (y - top) as u64], 1, state, &mut live)?;
    }
    pattern.size = pattern.extent;
    Ok(pattern)
}

/// `-3 5`: two coordinates.
fn pair(text: &str) -> Option<[i64; 2]> {
    let mut words = text.split_whitespace();
    let mut number = || words.next()?.parse::<i64>().ok().filter(|number| number.unsigned_abs() <= LONGEST);
    let pair = [number()?, number()?];
    words.next().is_none().then_some(pair)
}

/// Life 1.05: blocks of rows, each at a place that `#P X Y` names, or below the one before.
fn blocks(text: &str) -> Result<ImportedPattern> {
    let (mut cells, mut rule) = (Vec::new(), None);
    let (mut corner, mut place, mut y) = (None::<[i64; 2]>, [0, 0], 0);
    for (number, line) in text.lines().enumerate() {
        if let Some(words) = line.strip_prefix("#P") {
            if !words.trim().is_empty() {
                place = pair(words).ok_or_else(|| at(number, 0, "a block begins with its place, such as `#P -3 5`"))?;
                y = 0;
            }
        } else if let Some(string) = line.strip_prefix("#R") {
            rule = Some(string.trim().to_owned()).filter(|rule| !rule.is_empty());
        } else if line.starts_with("#N") {
            rule = Some("B3/S23".to_owned());
        } else if !line.starts_with('#') {
            if line.trim().is_empty() {
                continue;
            }
            let [left, top] = corner.unwrap_or(place);
            corner = Some([left.min(place[0]), top.min(place[1])]);
            row(line, number, |x| {
                cells.push(([place[0] + x as i64, place[1] + y], 1));
                Ok(())
            })?;
            y += 1;
        }
    }
    Ok(ImportedPattern { rule, ..moved(&cells, corner)? })
}

/// Life 1.06: the coordinates of a live cell in each line.
fn coordinates(text: &str) -> Result<ImportedPattern> {
    let mut cells = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
    {
        let place = pair(line).ok_or_else(|| at(number, 0, "a line holds two coordinates, such as `-3 5`"))?;
        cells.push((place, 1));
    }
    moved(&cells, None)
}

/// The most live cells of a tree of squares, which may be far more than its text is long.
pub(super) const MOST_OF_TREE: u64 = 1 << 24;

/// A square of a tree: its side as a power of 2, its live cells, and what it is made of.
struct Square {
    level: u32,
    live: u64,
    parts: MacroCell,
}

enum MacroCell {
    /// The places of live cells and their states.
    Cells(Vec<([i64; 2], u8)>),
    /// The numbers of the four squares, in reading order; 0 is empty.
    Squares([usize; 4]),
}

/// Golly's macrocells: squares, each made of four squares above it in the file. The upper left live cells lie at the origin.
fn macrocells(text: &str, most: u64) -> Result<ImportedPattern> {
    let (mut named, mut grid) = (None, None);
    let mut squares = vec![Square { level: 0, live: 0, parts: MacroCell::Cells(Vec::new()) }];
    for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        if let Some(rule) = line.strip_prefix("#R") {
            if let Some((rule, of_rule)) = golly::split_grid(rule) {
                (named, grid) = (Some(rule.to_owned()), of_rule.map(str::to_owned));
            }
        } else if !line.starts_with('#') {
            squares.push(square(line, &squares).map_err(|problem| at(number, 0, problem))?);
        }
    }
    let mut cells = Vec::new();
    let mut open = vec![(squares.len() - 1, [0i64; 2])];
    if squares[squares.len() - 1].live > most {
        return Err(format!("it has more than {most} live cells"));
    }
    while let Some((number, [left, top])) = open.pop() {
        match &squares[number].parts {
            MacroCell::Cells(list) => cells.extend(list.iter().map(|([x, y], state)| ([left + x, top + y], *state))),
            MacroCell::Squares(parts) => {
                let half = 1 << (squares[number].level - 1);
                let lie = [[left, top], [left + half, top], [left, top + half], [left + half, top + half]];
                open.extend(parts.iter().copied().zip(lie).filter(|(part, _)| squares[*part].live > 0));
            }
        }
    }
    cells.sort_unstable_by_key(|&([x, y], _)| (y, x));
    Ok(ImportedPattern { rule: named, grid, ..moved(&cells, None)? })
}

/// A line of a tree: rows of `.` and `*`, or a level and four numbers, of states at level 1 and of squares above it.
fn square(line: &str, squares: &[Square]) -> Result<Square> {
    if line.starts_with(['.', '*', '$']) {
        let mut cells = Vec::new();
        for (y, row) in (0i64..).zip(line.trim_end().split('$')) {
            for (x, letter) in (0i64..).zip(row.chars()) {
                match letter {
                    '*' if x < 8 && y < 8 => cells.push(([x, y], 1)),
                    '.' if x < 8 && y < 8 => {}
                    _ => return Err(format!("`{letter}` lies outside of a square of 8 × 8 `.` and `*`")),
                }
            }
        }
        return Ok(Square { level: 3, live: cells.len() as u64, parts: MacroCell::Cells(cells) });
    }
    let wrong = || format!("`{line}` is no square: valid are rows of `.`, `*` and `$`, and a level and four numbers");
    let numbers: Option<Vec<usize>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[level, a, b, c, d]) = numbers.as_deref() else { return Err(wrong()) };
    // Coordinates are counted in 64 bits.
    let level = u32::try_from(level).ok().filter(|level| (1..=62).contains(level)).ok_or_else(wrong)?;
    if level == 1 {
        let mut cells = Vec::new();
        for (place, state) in [[0, 0], [1, 0], [0, 1], [1, 1]].into_iter().zip([a, b, c, d]) {
            let state =
                u8::try_from(state).map_err(|_| format!("the state {state} is too large; the largest is 255"))?;
            cells.extend((state > 0).then_some((place, state)));
        }
        return Ok(Square { level, live: cells.len() as u64, parts: MacroCell::Cells(cells) });
    }
    let part = |number: usize| squares.get(number).filter(|square| number == 0 || square.level + 1 == level);
    let parts = [a, b, c, d];
    let live = parts.iter().try_fold(0u64, |live, number| Some(live.saturating_add(part(*number)?.live)));
    let live = live.ok_or_else(|| format!("`{line}` names a square that is not before it, or of another size"))?;
    Ok(Square { level, live, parts: MacroCell::Squares(parts) })
}

/// Mirek's Cellebration: lines `#L` hold run lengths, in which `a` to `j` stand before states above 24.
fn cellebration(text: &str) -> Result<ImportedPattern> {
    let mut pattern = ImportedPattern::default();
    let (mut board, mut wraps) = (None, false);
    let (mut named, mut numbers, mut is_table) = (None, String::new(), false);
    let (mut x, mut y, mut live) = (0, 0, 0);
    for (number, line) in text.lines().enumerate() {
        if let Some(rule) = line.strip_prefix("#RULE") {
            // A long rule takes several lines.
            numbers.push_str(rule.trim());
        } else if let Some(game) = line.strip_prefix("#GAME") {
            is_table = game.trim().eq_ignore_ascii_case("rules table");
        } else if let Some(name) = line.strip_prefix("#GOLLY") {
            named = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        } else if let Some(sides) = line.strip_prefix("#BOARD") {
            let side = |side: &str| side.trim().parse::<u32>().ok();
            board = sides.split_once(['x', 'X']).and_then(|(width, height)| Some((side(width)?, side(height)?)));
        } else if let Some(answer) = line.strip_prefix("#WRAP") {
            wraps = answer.trim() == "1";
        }
        let Some(runs) = line.strip_prefix("#L") else { continue };
        let mut count = None::<u64>;
        let mut letters = runs.chars().enumerate().map(|(column, letter)| (column + 2, letter)).peekable();
        while let Some((column, letter)) = letters.next() {
            let state = match letter {
                _ if letter.is_whitespace() => continue,
                '0'..='9' => {
                    count = Some(counted(count, letter).ok_or_else(|| at(number, column, "this run is too long"))?);
                    continue;
                }
                '.' => {
                    x += count.take().unwrap_or(1);
                    continue;
                }
                '$' => {
                    y += count.take().unwrap_or(1);
                    x = 0;
                    continue;
                }
                'A'..='X' => Some(state_of(0, letter)),
                'a'..='j' => letters
                    .next_if(|(_, next)| next.is_ascii_uppercase() && *next <= 'X')
                    .map(|(_, next)| state_of(1 + letter as u32 - 'a' as u32, next)),
                _ => None,
            };
            let state = state.and_then(|state| u8::try_from(state).ok()).ok_or_else(|| {
                let valid = "valid are `.`, `A` to `X`, with `a` to `j` before them above 24, and `$`";
                at(number, column, format!("`{letter}` stands for no state up to 255; {valid}"))
            })?;
            let run = count.take().unwrap_or(1);
            if run > 0 {
                pattern.add([x, y], run, state, &mut live).map_err(|problem| at(number, column, problem))?;
            }
            x += run;
        }
    }
    let known = is_table.then(|| golly::canonical(&numbers)).flatten();
    pattern.rule = named.or(known).or_else(|| (!numbers.is_empty()).then_some(numbers));
    if let Some((width, height)) = board {
        pattern.grid = Some(format!("{}{width},{height}", if wraps { 'T' } else { 'P' }));
    }
    Ok(pattern)
}
