//! Pictures in terminals, by the protocol of kitty or as sixels, where the terminal says that it shows them.

use crate::terminal::TerminalScreen;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureProtocol {
    /// Bytes of red, green and blue as base64, which the terminal enlarges.
    Kitty,
    /// Six rows at once, a colour after the other (DEC VT340).
    Sixel,
}

/// Pictures of a terminal: their protocol, and the pixels of a letter.
pub(crate) type ShownPictures = (PictureProtocol, [u64; 2]);

/// A picture of kitty's protocol that asks for an answer, the size of a letter in pixels, and what the terminal is: all of them answer the last one.
const QUESTION: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c";
/// The longest wait for the answers.
const PATIENCE: Duration = Duration::from_millis(600);
/// The most letters of base64 in a piece.
const PIECE: usize = 4096;
/// The most pixels of a letter along a side that are believed.
const LARGEST: u64 = 200;

/// Asks a terminal whether it shows pictures; what was typed meanwhile is lost.
pub(crate) fn ask(screen: &mut dyn TerminalScreen) -> Option<ShownPictures> {
    if !screen.write(QUESTION) {
        return None;
    }
    let mut bytes = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        bytes.extend(screen.keys()?);
        if let Some(found) = answered(&String::from_utf8_lossy(&bytes)) {
            return found;
        }
    }
    None
}

/// What the answers say; nothing if the last one is not there yet.
fn answered(text: &str) -> Option<Option<ShownPictures>> {
    let between = |begin: &str, end: char| {
        let rest = text.split_once(begin)?.1;
        Some(rest.split_once(end)?.0.split(';').map(str::to_owned).collect::<Vec<_>>())
    };
    let kind = between("\x1b[?", 'c')?;
    let letter = between("\x1b[6;", 't').and_then(|sides| {
        let [height, width] = sides.try_into().ok()?;
        let sides = [width.parse().ok()?, height.parse().ok()?];
        sides.iter().all(|side| (1..=LARGEST).contains(side)).then_some(sides)
    });
    let protocol = match () {
        () if text.contains("\x1b_Gi=31;OK") => Some(PictureProtocol::Kitty),
        () if kind.iter().skip(1).any(|feature| feature == "4") => Some(PictureProtocol::Sixel),
        () => None,
    };
    Some(protocol.zip(letter))
}

/// A picture of kitty's protocol with these colours of pixels in reading order, over some columns and rows of letters; the one before goes.
pub(crate) fn kitty(pixels: &[[u8; 3]], [width, height]: [u64; 2], [columns, rows]: [u64; 2]) -> String {
    let letters = base64(pixels.as_flattened());
    let mut head = format!("a=T,f=24,s={width},v={height},c={columns},r={rows},i=1,p=1,q=2,C=1,");
    let (mut text, mut pieces) = (String::new(), letters.as_bytes().chunks(PIECE).peekable());
    while let Some(piece) = pieces.next() {
        let more = u8::from(pieces.peek().is_some());
        _ = write!(text, "\x1b_G{head}m={more};{}\x1b\\", String::from_utf8_lossy(piece));
        head.clear();
    }
    text
}

/// Takes kitty's pictures away.
pub(crate) const WITHOUT_KITTY: &str = "\x1b_Ga=d,q=2\x1b\\";

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, i| word << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// A picture as sixels, each pixel of which is a square of `enlarge` × `enlarge`. Colours are exact as far as 256 hundredths of each part are enough.
pub(crate) fn sixel(pixels: &[[u8; 3]], [width, height]: [u64; 2], enlarge: u64) -> String {
    let near = |colour: [u8; 3]| colour.map(|part| (u16::from(part) * 5 + 127) / 255 * 20);
    let exact = |colour: [u8; 3]| colour.map(|part| (u16::from(part) * 100 + 127) / 255);
    let mut numbers: BTreeMap<[u16; 3], usize> = BTreeMap::new();
    pixels.iter().for_each(|colour| _ = numbers.insert(exact(*colour), 0));
    let few = numbers.len() <= 256;
    let named = |colour: [u8; 3]| if few { exact(colour) } else { near(colour) };
    numbers = pixels.iter().map(|colour| (named(*colour), 0)).collect();
    let mut text = format!("\x1bP0;1q\"1;1;{};{}", width * enlarge, height * enlarge);
    for (number, ([r, g, b], at)) in numbers.iter_mut().enumerate() {
        *at = number;
        _ = write!(text, "#{number};2;{r};{g};{b}");
    }
    let all: Vec<usize> = pixels.iter().map(|colour| numbers[&named(*colour)]).collect();
    let rows = height * enlarge;
    for band in (0..rows).step_by(6) {
        // For each colour of the band the sixels of all columns.
        let mut columns: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for bit in 0..6.min(rows - band) {
            let y = (band + bit) / enlarge;
            for (x, number) in all[(y * width) as usize..][..width as usize].iter().enumerate() {
                columns.entry(*number).or_insert_with(|| vec![0; width as usize])[x] |= 1 << bit;
            }
        }
        for (number, column) in columns {
            _ = write!(text, "#{number}");
            for alike in column.chunk_by(|a, b| a == b) {
                _ = write!(text, "!{}{}", alike.len() as u64 * enlarge, char::from(63 + alike[0]));
            }
            text.push('$');
        }
        text.push('-');
    }
    text + "\x1b\\"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_terminals_are_read() {
        let letter = "\x1b[6;18;9t";
        for (text, found) in [
            ("", None),
            ("\x1b[?62;4", None),
            ("\x1b[?62;22c", Some(None)),
            ("\x1b[6;18;9t\x1b[?62;22c", Some(None)),
            ("\x1b[?62;4c", Some(None)),
            ("\x1b[6;0;9t\x1b[?62;4c", Some(None)),
            ("\x1b[6;18;9t\x1b[?62;4;22c", Some(Some((PictureProtocol::Sixel, [9, 18])))),
            ("\x1b[6;18;9t\x1b[?4;22c", Some(None)),
            ("\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1b[6;18;9t\x1b[?62c", Some(None)),
        ] {
            assert_eq!(answered(text), found, "{text:?}");
        }
        let text = format!("\x1b_Gi=31;OK\x1b\\{letter}\x1b[?62;4c");
        assert_eq!(answered(&text), Some(Some((PictureProtocol::Kitty, [9, 18]))));
    }

    #[test]
    fn pictures_of_kitty_have_all_bytes() {
        assert_eq!([&b""[..], b"M", b"Ma", b"Man"].map(base64), ["", "TQ==", "TWE=", "TWFu"]);
        let pixels = vec![[1, 2, 3]; 2000];
        let text = kitty(&pixels, [50, 40], [10, 4]);
        let pieces: Vec<&str> =
            text.split_terminator("\x1b\\").map(|piece| piece.strip_prefix("\x1b_G").unwrap()).collect();
        assert_eq!(pieces.len(), 2);
        assert!(pieces[0].starts_with("a=T,f=24,s=50,v=40,c=10,r=4,i=1,p=1,q=2,C=1,m=1;AQIDAQID"));
        assert!(pieces[1].starts_with("m=0;AQID"));
        let letters: usize = pieces.iter().map(|piece| piece.split_once(';').unwrap().1.len()).sum();
        assert_eq!(letters, 8000);
    }

    /// The colours, in hundredths, of a picture of sixels.
    fn read_sixels(text: &str) -> Vec<Vec<[u16; 3]>> {
        let text = text.strip_prefix("\x1bP0;1q\"1;1;").unwrap().strip_suffix("\x1b\\").unwrap();
        let (head, rest) = text.split_once('#').unwrap();
        let [width, height]: [usize; 2] =
            head.split(';').map(|side| side.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap();
        let (mut palette, mut now, mut x, mut y) = (BTreeMap::new(), 0, 0, 0);
        let mut grid = vec![vec![[999; 3]; width]; height];
        let (mut number, mut marks) =
            (String::new(), format!("#{rest}").chars().collect::<Vec<_>>().into_iter().peekable());
        let mut digits = |marks: &mut std::iter::Peekable<std::vec::IntoIter<char>>, more: &str| {
            number.clear();
            while let Some(mark) = marks.next_if(|mark| mark.is_ascii_digit() || more.contains(*mark)) {
                number.push(mark);
            }
            number.split(';').map(|part| part.parse().unwrap()).collect::<Vec<u16>>()
        };
        while let Some(mark) = marks.next() {
            match mark {
                '#' => {
                    let numbers = digits(&mut marks, ";");
                    now = numbers[0];
                    if let [_, 2, colour @ ..] = &numbers[..] {
                        palette.insert(now, <[u16; 3]>::try_from(colour).unwrap());
                    }
                }
                '$' => x = 0,
                '-' => (x, y) = (0, y + 6),
                '!' => {
                    let count = usize::from(digits(&mut marks, "")[0]);
                    let bits = marks.next().unwrap() as u8 - 63;
                    for bit in (0..6).filter(|bit| bits >> bit & 1 == 1) {
                        grid[y + bit][x..x + count].fill(palette[&now]);
                    }
                    x += count;
                }
                other => panic!("{other:?}"),
            }
        }
        grid
    }

    #[test]
    fn sixels_have_all_pixels() {
        for (count, tolerance) in [(7, 0), (1000, 10)] {
            let [width, height, enlarge] = [23usize, 17, 3];
            let colour =
                |at: usize| [at % count % 256, at % count / 4 % 256, 255 - at % count % 256].map(|part| part as u8);
            let pixels: Vec<[u8; 3]> = (0..width * height).map(|at| colour(at * 7)).collect();
            let grid = read_sixels(&sixel(&pixels, [width as u64, height as u64], enlarge as u64));
            assert_eq!((grid.len(), grid[0].len()), (height * enlarge, width * enlarge));
            for (y, row) in grid.iter().enumerate() {
                for (x, seen) in row.iter().enumerate() {
                    let wanted =
                        pixels[y / enlarge * width + x / enlarge].map(|part| (u16::from(part) * 100 + 127) / 255);
                    assert!(
                        seen.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= tolerance),
                        "{x}, {y}: {seen:?}, {wanted:?}"
                    );
                }
            }
        }
    }
}
