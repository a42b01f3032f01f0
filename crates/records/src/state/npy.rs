//! The head of `.npy`, the array file of numpy (NEP 1; numpy.lib.format): a magic word, a version, a length, and a Python dictionary of
//! three entries. Of the values that Python could write there, those are read that describe arrays of plain numbers.

use std::io::{self, Read};

/// The most bytes of a dictionary; numpy itself reads 10 000.
const MOST_BYTES: u32 = 1 << 16;
/// The most dimensions; numpy has as many.
const MOST_AXES: usize = 64;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The type of the elements, such as `<f4`.
    pub descriptor: String,
    /// Whether the first index changes fastest.
    pub fortran: bool,
    /// The number of elements along each axis.
    pub shape: Vec<u64>,
}

impl Header {
    /// Reads a head and leaves the reader before the first element.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn read(reader: &mut impl Read) -> Result<Header, String> {
        let mut next = |bytes: &mut [u8]| {
            reader.read_exact(bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => "it ends within its head".to_owned(),
                _ => error.to_string(),
            })
        };
        let mut begin = [0; 8];
        next(&mut begin)?;
        if begin[..6] != *MAGIC {
            return Err("it does not begin as files of numpy do".to_owned());
        }
        let mut length = [0; 4];
        match begin[6] {
            1 => next(&mut length[..2])?,
            2 | 3 => next(&mut length)?,
            other => return Err(format!("it has the version {other}; 1, 2 and 3 are read")),
        }
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(format!("its head has {length} bytes; at most {MOST_BYTES} are read"));
        }
        let mut text = vec![0; length as usize];
        next(&mut text)?;
        let text = String::from_utf8(text).map_err(|_| "its head is not text".to_owned())?;
        Parser(&text).header()
    }

    /// The head as numpy writes it: elements begin at a multiple of 64 bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let shape = match self.shape.as_slice() {
            [one] => format!("({one},)"),
            all => format!("({})", all.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        };
        let fortran = if self.fortran { "True" } else { "False" };
        let mut text = format!("{{'descr': '{}', 'fortran_order': {fortran}, 'shape': {shape}, }}", self.descriptor);
        let before = MAGIC.len() + 4;
        let padded = (before + text.len() + 1).next_multiple_of(64);
        text.extend(std::iter::repeat_n(' ', padded - before - text.len() - 1));
        text.push('\n');
        // Names of types and numbers of 64 bits keep it far below 2^16 bytes.
        let length = (text.len() as u16).to_le_bytes();
        [&MAGIC[..], &[1, 0], &length, text.as_bytes()].concat()
    }
}

/// What is left of a dictionary.
struct Parser<'a>(&'a str);

impl<'a> Parser<'a> {
    fn header(mut self) -> Result<Header, String> {
        let (mut descriptor, mut fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.take('}') {
            let key = self.string()?;
            self.expect(':')?;
            let before = match key {
                "descr" => descriptor.replace(self.string()?.to_owned()).is_some(),
                "fortran_order" => fortran.replace(self.boolean()?).is_some(),
                "shape" => shape.replace(self.numbers()?).is_some(),
                _ => return Err("its head has an entry that is not known".to_owned()),
            };
            if before {
                return Err(format!("its head says `{key}` twice"));
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        let lacks = |key: &str| format!("its head does not say `{key}`");
        let header = Header {
            descriptor: descriptor.ok_or_else(|| lacks("descr"))?,
            fortran: fortran.ok_or_else(|| lacks("fortran_order"))?,
            shape: shape.ok_or_else(|| lacks("shape"))?,
        };
        if self.skip().is_empty() { Ok(header) } else { Err("something follows its head's dictionary".to_owned()) }
    }

    fn skip(&mut self) -> &'a str {
        self.0 = self.0.trim_ascii_start();
        self.0
    }

    fn take(&mut self, letter: char) -> bool {
        match self.skip().strip_prefix(letter) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, letter: char) -> Result<(), String> {
        if self.take(letter) { Ok(()) } else { Err(format!("its head lacks a `{letter}`")) }
    }

    fn string(&mut self) -> Result<&'a str, String> {
        let text = self.skip();
        let quote = text.chars().next().filter(|letter| matches!(letter, '\'' | '"'));
        let quote = quote.ok_or("its head has something else than a string, as arrays of records have")?;
        let (string, rest) = text[1..].split_once(quote).ok_or("a string in its head does not end")?;
        self.0 = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        let text = self.skip();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = text.strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err("its `fortran_order` is neither True nor False".to_owned())
    }

    fn numbers(&mut self) -> Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            let text = self.skip();
            let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
            let number = text[..digits].parse().map_err(|_| "its `shape` has something else than numbers")?;
            if numbers.len() == MOST_AXES {
                return Err(format!("it has more than {MOST_AXES} axes"));
            }
            numbers.push(number);
            self.0 = &text[digits..];
            // As Python 2 writes long integers.
            self.take('L');
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dictionary: &str) -> Vec<u8> {
        [&MAGIC[..], &[2, 0], &(dictionary.len() as u32).to_le_bytes(), dictionary.as_bytes()].concat()
    }

    fn read(dictionary: &str) -> Result<Header, String> {
        Header::read(&mut &file(dictionary)[..])
    }

    #[test]
    fn what_is_written_is_read() {
        for shape in [vec![], vec![7], vec![3, 4], vec![u64::MAX, 0, 2]] {
            let header = Header { descriptor: "<f4".to_owned(), fortran: shape.len() == 2, shape };
            let bytes = header.bytes();
            assert!(bytes.len().is_multiple_of(64) && bytes.ends_with(b"\n"));
            let mut rest = &[&bytes[..], b"elements"].concat()[..];
            assert_eq!(Header::read(&mut rest).unwrap(), header);
            assert_eq!(rest, b"elements");
        }
        let other = read("{\"shape\" : ( 3L , ),'fortran_order':True,'descr':'|u1'}  \n").unwrap();
        assert_eq!(other, Header { descriptor: "|u1".to_owned(), fortran: true, shape: vec![3] });
    }

    #[test]
    fn what_is_no_plain_array_is_refused_at_once() {
        let nested = |open: &str, close: &str, count: usize| {
            let (open, close) = (open.repeat(count), close.repeat(count));
            format!("{{'descr': {open}{close}, 'fortran_order': False, 'shape': (1,)}}")
        };
        for dictionary in [nested("[", "]", 26), nested("(", ",)", 8000), nested("{1:", "}", 8000)] {
            assert!(read(&dictionary).unwrap_err().contains("records"));
        }
        for (dictionary, reason) in [
            ("", "lacks a `{`"),
            ("{'descr': '<f4', 'fortran_order': False}", "does not say `shape`"),
            ("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "twice"),
            ("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "neither True nor False"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "something else than numbers"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "something else"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} {}", "follows"),
            ("{'descr': '<f4", "does not end"),
            ("{'é': '<f4'}", "not known"),
        ] {
            let found = read(dictionary).unwrap_err();
            assert!(found.contains(reason), "{dictionary}: {found}");
        }
        let axes = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({})}}", "1,".repeat(65));
        assert!(read(&axes).unwrap_err().contains("axes"));
        let mut long = file("{}");
        long[8..12].fill(0xff);
        assert!(Header::read(&mut &long[..]).unwrap_err().contains("4294967295 bytes"));
        assert!(Header::read(&mut &b"\x93NUMPY\x09\0"[..]).unwrap_err().contains("version 9"));
        assert!(Header::read(&mut &b"PK\x03\x04...."[..]).unwrap_err().contains("begin"));
        assert!(Header::read(&mut &MAGIC[..]).unwrap_err().contains("ends"));
    }
}
