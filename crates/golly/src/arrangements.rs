//! Letters behind counts (A. Hensel): how the live neighbours lie, up to turning and mirroring. `B2-a/S12` is born of two neighbours that do not touch.

/// The letters, in the order of their arrangements.
pub(super) const LETTERS: &str = "ceaiknjqrytwz";

/// Arrangements of one to four neighbours, one of each kind. Beyond four the letter says where none are. Bits are places in reading order, from 1 at the
/// upper left to 256, and 16 is the cell itself.
const ARRANGEMENTS: [&[u16]; 4] = [
    &[1, 2],
    &[5, 10, 3, 40, 33, 68],
    &[69, 42, 11, 7, 98, 13, 14, 70, 41, 97],
    &[325, 170, 15, 45, 99, 71, 106, 102, 43, 101, 105, 78, 108],
];

/// All neighbours.
const ALL: u16 = 511 - 16;

/// For each count of neighbours the set of letters, as bits.
pub(super) type Letters = [u16; 9];

/// The set of all letters that a count has; 0 and 8 have one arrangement and no letter.
fn all_of(count: usize) -> u16 {
    match count.min(8 - count) {
        0 => 1,
        few => (1 << ARRANGEMENTS[few - 1].len()) - 1,
    }
}

/// These neighbours turned and mirrored in all ways.
fn images(bits: u16) -> Vec<u16> {
    let moved = |bits: u16, to: fn(usize, usize) -> usize| {
        (0..9).filter(|place| bits >> place & 1 == 1).fold(0, |image, place| image | 1 << to(place % 3, place / 3))
    };
    let mut images = vec![bits];
    for _ in 0..3 {
        images.push(moved(images[images.len() - 1], |x, y| 3 * x + 2 - y));
    }
    let mirrored: Vec<u16> = images.iter().map(|bits| moved(*bits, |x, y| 3 * y + 2 - x)).collect();
    images.extend(mirrored);
    images
}

/// The number of these neighbours, and the number of the letter for their arrangement.
fn lettered(neighbours: u16) -> (usize, usize) {
    let count = neighbours.count_ones() as usize;
    let few = if count > 4 { ALL ^ neighbours } else { neighbours };
    let letter = match few.count_ones() as usize {
        0 => 0,
        ones => {
            let images = images(few);
            let kinds = ARRANGEMENTS[ones - 1];
            kinds.iter().position(|kind| images.contains(kind)).expect("each arrangement has a letter")
        }
    };
    (count, letter)
}

/// Whether these neighbours are among the arrangements.
pub(super) fn holds(letters: &Letters, neighbours: u16) -> bool {
    let (count, letter) = lettered(neighbours);
    letters[count] >> letter & 1 == 1
}

/// The arrangements with which live and dead ones exchanged are not among these.
pub(super) fn dual(letters: &Letters) -> Letters {
    let mut dual = [0; 9];
    for neighbours in (0..=ALL).filter(|neighbours| neighbours & !ALL == 0 && !holds(letters, ALL ^ neighbours)) {
        let (count, letter) = lettered(neighbours);
        dual[count] |= 1 << letter;
    }
    dual
}

/// The counts and letters of one part of a rule, `2-a34q`, where cells have `most` neighbours.
pub(super) fn parse(part: &str, most: u32) -> Result<Letters, String> {
    let mut letters = [0; 9];
    let mut rest = part.chars().peekable();
    while let Some(digit) = rest.next() {
        let count = digit.to_digit(10).ok_or_else(|| format!("`{digit}` is no count of neighbours"))?;
        if count > most {
            return Err(format!("{count} neighbours are too many: a cell has {most}"));
        }
        let count = count as usize;
        let is_without = rest.next_if_eq(&'-').is_some();
        let mut set = 0;
        while let Some(letter) = rest.next_if(char::is_ascii_lowercase) {
            let number = LETTERS.find(letter).filter(|number| all_of(count) >> number & 1 == 1 && all_of(count) > 1);
            let valid = || match all_of(count).count_ones() as usize {
                1 => "none".to_owned(),
                valid => LETTERS[..valid].to_owned(),
            };
            set |=
                1 << number.ok_or_else(|| format!("`{letter}` is no arrangement of {count}; valid are {}", valid()))?;
        }
        letters[count] |= match (is_without, set) {
            (true, set) => all_of(count) & !set,
            (false, 0) => all_of(count),
            (false, set) => set,
        };
    }
    Ok(letters)
}

/// Whether letters say no more than counts do: each count has all of its arrangements or none.
pub(super) fn are_counts(letters: &Letters) -> bool {
    (0..9).all(|count| [0, all_of(count)].contains(&letters[count]))
}

/// A part as Golly writes it: the letters or those that are left out, whichever are fewer, in the order of the alphabet.
pub(super) fn canonical(letters: &Letters) -> String {
    let sorted = |set: u16| {
        let mut letters: Vec<char> = LETTERS
            .chars()
            .enumerate()
            .filter(|(number, _)| set >> number & 1 == 1)
            .map(|(_, letter)| letter)
            .collect();
        letters.sort_unstable();
        letters.into_iter().collect::<String>()
    };
    let part = |(count, &set): (usize, &u16)| match set {
        0 => String::new(),
        set if set == all_of(count) => count.to_string(),
        set => {
            let (with, without) = (sorted(set), sorted(all_of(count) & !set));
            if with.len() <= without.len() + 1 { format!("{count}{with}") } else { format!("{count}-{without}") }
        }
    };
    letters.iter().enumerate().map(part).collect()
}
