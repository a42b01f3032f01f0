//! Inputs of rules, from files.
//!
//! A `.npy` holds numbers along one dimension. Of `u8` any other file is text, a value for each byte up to the last line's end, or FASTA if it begins with
//! `>`: the letters of its first record, or of `FILE#name`. Of other types it is a text of numbers with blanks or line ends between them.

use crate::state::TypeNames;
use crate::state::npy::Header;
use crate::texts::number_of;
use squeeze_compiler::ir::{Rule, Type, Value};
use squeeze_engine::failure::{Error, Message, Result};
use squeeze_engine::params::list;
use squeeze_host::files::{self, Bounded, Links};
use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most bytes of a file's values: records hold them as text.
const MOST_BYTES: u64 = 1 << 24;

/// A rule with the values of its inputs that `settings` of the form `NAME=FILE` name.
///
/// # Errors
/// If the rule has no such input, one is given twice or not at all, or a file cannot be read or holds no such values.
#[doc(hidden)]
pub fn with_inputs(rule: &Arc<Rule>, settings: &[String]) -> Result<Arc<Rule>> {
    let mut given = Arc::clone(rule);
    let names: Vec<&str> = rule.named_inputs().map(|(_, state)| state.name.as_str()).collect();
    for (number, setting) in settings.iter().enumerate() {
        let Some((name, file)) = setting.split_once('=').map(|(name, file)| (name.trim(), file)) else {
            let what = Message::users(format!("`{setting}` is not of the form `NAME=FILE`"));
            let name = names.first().unwrap_or(&"a");
            return Err(what.with_help(format!("write `--input {name}={setting}`")).into());
        };
        let known = rule.named_inputs().find(|(_, state)| state.name == name);
        let Some((_, state)) = known else {
            let help = match names.as_slice() {
                [] => "it has no inputs: leave out `--input`".to_owned(),
                [only] => format!("its input is `{only}`"),
                names => format!("its inputs are {}", list(names)),
            };
            return Err(Message::users(format!("the rule `{}` has no input `{name}`", rule.name))
                .with_help(help)
                .into());
        };
        if settings[..number].iter().any(|other| other.split_once('=').is_some_and(|(other, _)| other.trim() == name)) {
            return Err(Message::users(format!("the input `{name}` is given twice")).into());
        }
        let (path, record) = path_of(file);
        if path.as_os_str().is_empty() {
            let what = Message::users(format!("`{setting}` names no file"));
            return Err(what.with_help(format!("write `--input {name}=FILE`")).into());
        }
        let values = InputFile { path: &path, record, name, ty: state.ty }.read()?;
        given = Arc::new(given.with_input(name, values));
    }
    let missing = given.named_inputs().find(|(input, _)| input.values.is_none());
    match missing.filter(|_| !settings.is_empty()) {
        Some((_, state)) => {
            let what = format!("the rule `{}` reads the input `{}`, which is not given", rule.name, state.name);
            Err(Message::users(what).with_help(format!("`--input {}=FILE` gives it", state.name)).into())
        }
        None => Ok(given),
    }
}

/// The file that is named, and the record in it, if one is.
fn path_of(file: &str) -> (PathBuf, Option<&str>) {
    match file.rsplit_once('#') {
        Some((path, record)) if !Path::new(file).exists() => (PathBuf::from(path), Some(record)),
        _ => (PathBuf::from(file), None),
    }
}

/// A file with the values of an input.
struct InputFile<'a> {
    path: &'a Path,
    /// The name of a record of FASTA.
    record: Option<&'a str>,
    name: &'a str,
    ty: Type,
}

impl InputFile<'_> {
    fn read(&self) -> Result<Vec<Value>> {
        let is_array = self.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
        let values = match (is_array, self.record) {
            (true, Some(_)) => {
                return Err(self.wrong("is an array and has no records", "leave out what stands behind `#`"));
            }
            (true, None) => self.array()?,
            (false, _) => self.text(&files::read(self.path, MOST_BYTES, Links::Followed)?)?,
        };
        if values.is_empty() {
            return Err(self.wrong("holds no values", self.expected()));
        }
        Ok(values)
    }

    /// The form that is expected, in words.
    fn expected(&self) -> String {
        let ty = self.names().own;
        match self.ty {
            Type::U8 => format!("`{}: u8` is a text, FASTA, or an array of numpy along one dimension", self.name),
            _ => format!("`{}: {ty}` is a text of numbers, or an array of numpy along one dimension", self.name),
        }
    }

    fn wrong(&self, what: impl Display, help: impl Into<String>) -> Error {
        Message::users(format!("`{}` {what}", self.path.display())).with_help(help).into()
    }

    /// The error at a place of a text, counted from 1.
    fn wrong_at(&self, bytes: &[u8], at: usize, what: impl Display, help: impl Into<String>) -> Error {
        let before = &bytes[..at];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let column = 1 + String::from_utf8_lossy(&before[begin..]).chars().count();
        Message::users(format!("{}:{line}:{column}: {what}", self.path.display())).with_help(help).into()
    }

    fn text(&self, bytes: &[u8]) -> Result<Vec<Value>> {
        if self.ty != Type::U8 {
            return match self.record {
                Some(_) => {
                    Err(self.wrong("has no records", "records are of FASTA, whose letters are an input of `u8`"))
                }
                None => self.numbers(bytes),
            };
        }
        if bytes.starts_with(b">") {
            return self.letters(bytes);
        }
        if let Some(record) = self.record {
            let help = format!("FASTA begins with `>`; `{}` alone takes the whole text", self.path.display());
            return Err(self.wrong(format!("is no FASTA, and has no record `{record}`"), help));
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Ok(text.iter().map(|byte| Value::U8(*byte)).collect())
    }

    /// Numbers with blanks between them.
    fn numbers(&self, bytes: &[u8]) -> Result<Vec<Value>> {
        let text = str::from_utf8(bytes)
            .map_err(|error| self.wrong_at(bytes, error.valid_up_to(), "this is not text in UTF-8", self.expected()))?;
        let mut values = Vec::new();
        for word in text.split_ascii_whitespace() {
            let value = number_of(self.ty, word).ok_or_else(|| {
                let at = word.as_ptr().addr() - text.as_ptr().addr();
                let shown: String = word.chars().take(40).collect();
                let what = format!("`{shown}` is no value of `{}: {}`", self.name, self.names().own);
                self.wrong_at(bytes, at, what, self.valid())
            })?;
            values.push(value);
        }
        Ok(values)
    }

    /// The values that there are, in words.
    fn valid(&self) -> String {
        match Value::range(self.ty) {
            Some((least, most)) => {
                format!("valid are whole numbers from {least} to {most}, with blanks or line ends between them")
            }
            None => "valid are numbers such as 0.5 or -1e-3, with blanks or line ends between them".to_owned(),
        }
    }

    /// The letters of a record of FASTA.
    fn letters(&self, bytes: &[u8]) -> Result<Vec<Value>> {
        let mut names = Vec::new();
        let (mut is_wanted, mut found) = (false, None);
        let mut at = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let begin = at;
            at += line.len();
            if let Some(head) = line.strip_prefix(b">") {
                if is_wanted && self.record.is_none() {
                    break;
                }
                let head = String::from_utf8_lossy(head);
                let name = head.split_ascii_whitespace().next().unwrap_or_default().to_owned();
                is_wanted = found.is_none() && self.record.is_none_or(|wanted| wanted == name);
                if is_wanted {
                    found = Some((begin, Vec::new()));
                }
                names.push(name);
                continue;
            }
            let Some((_, values)) = found.as_mut().filter(|_| is_wanted) else { continue };
            for (i, byte) in line.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()) {
                if !byte.is_ascii_alphabetic() && !matches!(byte, b'*' | b'-' | b'.') {
                    let what = "this is no letter of a sequence";
                    return Err(self.wrong_at(bytes, begin + i, what, "a record of FASTA is of letters, `*` and `-`"));
                }
                values.push(Value::U8(*byte));
            }
        }
        match (found, self.record) {
            (Some((begin, values)), _) if values.is_empty() => {
                Err(self.wrong_at(bytes, begin, "this record has no letters", "its letters follow in the next lines"))
            }
            (Some((_, values)), _) => Ok(values),
            (None, record) => {
                let what = format!("has no record `{}`", record.unwrap_or_default());
                Err(self.wrong(what, format!("its records are {}", list(&names))))
            }
        }
    }

    fn array(&self) -> Result<Vec<Value>> {
        let mut file = Bounded::open(self.path, u64::MAX, Links::Followed)?;
        let unread = |reason: String| self.wrong(format!("cannot be read: {reason}"), self.expected());
        let header = Header::read(&mut file).map_err(unread)?;
        let &[length] = header.shape.as_slice() else {
            let what = format!("holds an array of the shape {:?}", header.shape);
            return Err(self.wrong(what, self.expected()));
        };
        let found = ArrayNumber::of(&header.descriptor);
        let Some(number) = found.filter(|number| number.kind != 'f' || self.ty.is_float()) else {
            let what = format!("holds {}, and `{}` is of type `{}`", header.descriptor, self.name, self.names().own);
            return Err(
                self.wrong(what, format!("`numpy.save` of `array.astype(\"{}\")` is such a file", self.names().numpy))
            );
        };
        let size = number.size as u64;
        if length.checked_mul(size).is_none_or(|bytes| bytes > MOST_BYTES) {
            let most = MOST_BYTES / size;
            return Err(
                self.wrong(format!("holds {length} values"), format!("an input has at most {most} of this type"))
            );
        }
        let mut bytes = vec![0; (length * size) as usize];
        file.read_exact(&mut bytes).map_err(|_| unread("it ends before its last value".to_owned()))?;
        let values = bytes.chunks_exact(number.size).enumerate().map(|(index, bytes)| {
            number.value(bytes, self.ty).map_err(|text| {
                let what = format!(
                    "holds {text} at index {index}, which does not fit in `{}: {}`",
                    self.name,
                    self.names().own
                );
                self.wrong(what, self.valid())
            })
        });
        values.collect()
    }

    /// The names of the type.
    fn names(&self) -> TypeNames {
        TypeNames::of(self.ty)
    }
}

/// The type of an array's numbers.
#[derive(Clone, Copy)]
struct ArrayNumber {
    /// `u`, `i` or `f`.
    kind: char,
    size: usize,
    swapped: bool,
}

impl ArrayNumber {
    /// The type that numpy writes so, if it is of numbers. A letter counts as a byte.
    fn of(descriptor: &str) -> Option<ArrayNumber> {
        let swapped = descriptor.starts_with('>');
        let (kind, size) = match descriptor.trim_start_matches(['<', '>', '|', '=']) {
            "u1" | "S1" => ('u', 1),
            "i1" => ('i', 1),
            "u2" => ('u', 2),
            "i2" => ('i', 2),
            "u4" => ('u', 4),
            "i4" => ('i', 4),
            "u8" => ('u', 8),
            "i8" => ('i', 8),
            "f4" => ('f', 4),
            "f8" => ('f', 8),
            _ => return None,
        };
        Some(ArrayNumber { kind, size, swapped })
    }

    /// The value with these bytes in a type, or how it is written if it does not fit.
    fn value(self, bytes: &[u8], ty: Type) -> Result<Value, String> {
        let mut wide = [0; 8];
        wide[..self.size].copy_from_slice(bytes);
        if self.swapped {
            wide[..self.size].reverse();
        }
        let bits = u64::from_le_bytes(wide);
        if self.kind == 'f' {
            let value = if self.size == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
            return match ty {
                Type::F64 => Ok(Value::F64(value)),
                _ if value.is_finite() && !(value as f32).is_finite() => Err(value.to_string()),
                _ => Ok(Value::F32(value as f32)),
            };
        }
        let shift = 64 - 8 * self.size as u32;
        let whole = if self.kind == 'i' { i128::from((bits << shift) as i64 >> shift) } else { i128::from(bits) };
        let float = whole as f64;
        match (ty, Value::range(ty)) {
            (_, Some((least, most))) if (least..=most).contains(&whole) => Ok(Value::whole(ty, whole)),
            (Type::F64, _) if float as i128 == whole => Ok(Value::F64(float)),
            (Type::F32, _) if float as f32 as i128 == whole => Ok(Value::F32(float as f32)),
            _ => Err(whole.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    const RULE: &str = "rule r { input a: u8 along x  input n: i32 along y  input v: f32 along x  state s: f32  next s = f32(a) + f32(n) + v }";

    #[test]
    fn files_give_values_or_say_why_not() {
        let place = tempfile::tempdir().unwrap();
        let (rule, _) = resolve::rule_of_text("<rule>", RULE, None).unwrap();
        let npy = |descriptor: &str, shape: &str, bytes: &[u8]| {
            let head = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}");
            let mut all = b"\x93NUMPY\x01\0".to_vec();
            all.extend((head.len() as u16 + 1).to_le_bytes());
            all.extend([head.as_bytes(), b"\n", bytes].concat());
            all
        };
        let read = |ty: usize, file: &str, bytes: &[u8]| {
            std::fs::write(place.path().join(file.split('#').next().unwrap()), bytes).unwrap();
            let (_, state) = rule.named_inputs().nth(ty).unwrap();
            let full = place.path().join(file).display().to_string();
            let (path, record) = path_of(&full);
            let found = InputFile { path: &path, record, name: &state.name, ty: state.ty }.read();
            let shown = |values: Vec<Value>| values.iter().map(|value| value.as_text()).collect::<Vec<_>>().join(" ");
            found.map(shown).map_err(|error| error.to_string().replace(&place.path().display().to_string(), ""))
        };
        let (a, n, v) = (0, 1, 2);
        for (ty, file, bytes, values) in [
            (a, "t", &b"ab\nc\n"[..], "97 98 10 99"),
            (a, "t", b"ab\r\n", "97 98"),
            (a, "t", b"\xff", "255"),
            (a, "f", b">one first\nAC\nG-\n\n>two\r\nT\r\nT\r\n", "65 67 71 45"),
            (a, "f#two", b">one\nAC\n>two\r\nT\r\nT\r\n", "84 84"),
            (n, "t", b" 1 -2\n\n3", "1 -2 3"),
            (v, "t", b"1 -2.5e1 inf", "1.0 -25.0 inf"),
            (a, "a.npy", &npy("|u1", "(2,)", &[7, 8]), "7 8"),
            (a, "a.npy", &npy("|S1", "(2,)", b"xy"), "120 121"),
            (a, "a.npy", &npy("<i8", "(1,)", &[9, 0, 0, 0, 0, 0, 0, 0]), "9"),
            (n, "a.npy", &npy(">i2", "(2,)", &[0, 1, 255, 255]), "1 -1"),
            (v, "a.npy", &npy("<f8", "(1,)", &0.1f64.to_le_bytes()), "0.1"),
            (v, "a.npy", &npy("<i4", "(1,)", &3i32.to_le_bytes()), "3.0"),
        ] {
            assert_eq!(read(ty, file, bytes).as_deref(), Ok(values), "{file}");
        }
        for (ty, file, bytes, reason) in [
            (a, "t", &b"\n"[..], "`/t` holds no values"),
            (a, "t#two", b"AC", "`/t` is no FASTA, and has no record `two`"),
            (a, "f#three", b">one\nAC\n>two\nT\n", "`/f` has no record `three`"),
            (a, "f", b">one\n>two\nT\n", "/f:1:1: this record has no letters"),
            (a, "f", b">one\nAC\nA7\n", "/f:3:2: this is no letter of a sequence"),
            (n, "t", b"1 2\n 3 x4", "/t:2:4: `x4` is no value of `n: i32`"),
            (n, "t", b"2147483648", "/t:1:1: `2147483648` is no value of `n: i32`"),
            (n, "t", b"1.0", "/t:1:1: `1.0` is no value of `n: i32`"),
            (n, "t", b"1 \xff", "/t:1:3: this is not text in UTF-8"),
            (v, "t", b"1e99", "/t:1:1: `1e99` is no value of `v: f32`"),
            (
                a,
                "a.npy",
                &npy("<i4", "(2,)", &[1, 0, 0, 0, 44, 1, 0, 0]),
                "`/a.npy` holds 300 at index 1, which does not fit in `a: u8`",
            ),
            (n, "a.npy", &npy("<f4", "(1,)", &[0; 4]), "`/a.npy` holds <f4, and `n` is of type `i32`"),
            (v, "a.npy", &npy("<f8", "(1,)", &1e300f64.to_le_bytes()), "which does not fit in `v: f32`"),
            (v, "a.npy", &npy("<c8", "(1,)", &[0; 8]), "`/a.npy` holds <c8"),
            (a, "a.npy", &npy("|u1", "(1, 2)", &[0; 2]), "`/a.npy` holds an array of the shape [1, 2]"),
            (a, "a.npy", &npy("|u1", "(3,)", &[0; 2]), "it ends before its last value"),
            (a, "a.npy", &npy("|u1", "(0,)", &[]), "`/a.npy` holds no values"),
            (a, "a.npy", &npy("|u1", "(99999999999,)", &[]), "`/a.npy` holds 99999999999 values"),
            (a, "a.npy#x", &npy("|u1", "(1,)", &[1]), "`/a.npy` is an array and has no records"),
            (a, "a.npy", b"no array", "cannot be read"),
        ] {
            let found = read(ty, file, bytes).unwrap_err();
            assert!(found.contains(reason), "{found}, not {reason}");
        }
    }
}
