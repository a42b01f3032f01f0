//! The head of `.npy`, the array file of numpy (NEP 1; numpy.lib.format): a magic word, a version, a length, and a Python dictionary of
//! three entries. Of the values that Python could write there, those are read that describe arrays of plain numbers.

use serde::Deserialize;
use squeeze_engine::failure;
use squeeze_host::files::{File, FileError, PendingFile};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// The most bytes of a dictionary; numpy itself reads 10 000.
const MOST_BYTES: u32 = 1 << 16;
/// The most dimensions; numpy has as many.
const MOST_AXES: usize = 64;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The contents of a head.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The type of the elements, such as `<f4`.
    #[serde(rename = "descr")]
    pub descriptor: String,
    /// Whether the first index changes fastest.
    #[serde(rename = "fortran_order")]
    pub fortran: bool,
    /// The number of elements along each axis.
    pub shape: Vec<u64>,
}

impl Header {
    /// Reads a head and leaves the reader before the first element.
    ///
    /// # Errors
    /// The defect, as a sentence.
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
        let header: Header = serde_json::from_str(&as_json(&text))
            .map_err(|error| format!("its head is not that of an array of numbers: {error}"))?;
        if header.shape.len() > MOST_AXES {
            return Err(format!("it has more than {MOST_AXES} axes"));
        }
        Ok(header)
    }

    /// Writes a file of `.npy`, which appears as a whole: the head of an array of rows, and what `elements` writes.
    ///
    /// # Errors
    /// If the file cannot be written, or what `elements` fails with.
    pub fn write(
        mut file: PendingFile,
        path: &Path,
        descriptor: &str,
        shape: &[u64],
        elements: impl FnOnce(&mut BufWriter<&mut File>) -> failure::Result<()>,
    ) -> failure::Result<()> {
        let failed = |error| FileError::writing(path, error);
        let header = Header { descriptor: descriptor.to_owned(), fortran: false, shape: shape.to_vec() };
        let mut out = BufWriter::with_capacity(1 << 20, file.file());
        out.write_all(&header.bytes()).map_err(failed)?;
        elements(&mut out)?;
        out.flush().map_err(failed)?;
        drop(out);
        Ok(file.finish(&[])?)
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

/// A dictionary of Python's as JSON: its strings and tuples, `True` and `False`, long integers of Python 2, and commas before closing brackets.
fn as_json(dictionary: &str) -> String {
    let json: String = dictionary.split_whitespace().collect();
    let words = [("'", "\""), ("(", "["), (")", "]"), ("True", "true"), ("False", "false"), ("L,", ",")];
    let json = words.iter().fold(json, |json, (python, own)| json.replace(python, own));
    json.replace("L]", "]").replace(",]", "]").replace(",}", "}")
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
            assert!(read(&dictionary).unwrap_err().contains("expected a string"), "{dictionary}");
        }
        for (dictionary, reason) in [
            ("", "EOF"),
            ("{'descr': '<f4', 'fortran_order': False}", "missing field `shape`"),
            ("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "duplicate field `descr`"),
            ("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "expected a boolean"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "expected u64"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "expected u64"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} {}", "trailing characters"),
            ("{'descr': '<f4", "EOF"),
            ("{'é': '<f4'}", "unknown field `é`"),
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
