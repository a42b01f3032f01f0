//! The part behind the name of a file of initial values: a place, `@100,40`, and a table of colours, `:000000=0,ffffff=1`; or the step of one of several
//! states, `@500`.

use crate::pattern;
use squeeze_compiler::ir::{Rule, Type, Value};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A file, and the settings behind its name.
#[derive(Debug, Default, PartialEq)]
pub(super) struct InitialFile {
    pub(super) path: PathBuf,
    /// Where the upper left corner lies, if that was said.
    pub(super) origin: Option<[i64; 2]>,
    /// Of which step the state is, if that was said.
    pub(super) step: Option<u32>,
    /// Colours of 16 bits a channel, and the texts of their values.
    pub(super) colours: Option<Vec<([u16; 3], String)>>,
}

/// Reads `FILE`, `FILE@X,Y`, `FILE:TABLE`, `FILE@X,Y:TABLE` and `FOLDER.zarr@STEP`. A file that exists under the whole name is meant by it.
///
/// # Errors
/// The reason, as part of a sentence.
pub(super) fn parse(text: &str) -> Result<InitialFile, String> {
    let alone = InitialFile { path: path(text), origin: None, step: None, colours: None };
    if alone.path.exists() {
        return Ok(alone);
    }
    let lower = text.to_ascii_lowercase();
    let endings = ["png", "gz", "npy", "vti", "zarr"].into_iter().chain(pattern::ENDINGS);
    let ends = endings.flat_map(|ending| {
        let dotted = lower.match_indices(ending).filter(|(at, _)| lower[..*at].ends_with('.'));
        dotted.map(|(at, word)| at + word.len()).collect::<Vec<_>>()
    });
    // Only what can follow a name ends it.
    let Some(end) = ends.filter(|&end| text[end..].starts_with(['@', ':'])).min() else { return Ok(alone) };
    let (name, rest) = text.split_at(end);
    let is_pattern = pattern::is_pattern(Path::new(name));
    let is_picture = Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    if let (true, Some(step)) =
        (Path::new(name).extension().is_some_and(|ending| ending == "zarr"), rest.strip_prefix('@'))
    {
        let step =
            step.trim().parse().map_err(|_| format!("`{step}` is not a step: valid is a whole number, such as 500"))?;
        return Ok(InitialFile { path: path(name), step: Some(step), ..alone });
    }
    let (origin, table) = match rest.strip_prefix('@') {
        None => (None, rest.strip_prefix(':')),
        Some(rest) => {
            let (place, table) = rest.split_once(':').map_or((rest, None), |(place, table)| (place, Some(table)));
            let numbers: Option<Vec<i64>> = place.split(',').map(|word| word.trim().parse().ok()).collect();
            match numbers.as_deref() {
                Some(&[x, y]) => (Some([x, y]), table),
                _ => return Err(format!("`{place}` is not a place: valid are two whole numbers, such as 100,40")),
            }
        }
    };
    if origin.is_some() && !is_picture && !is_pattern {
        return Err("only patterns and pictures have a place; an array has a value for each".to_owned());
    }
    if table.is_some() && !is_picture {
        return Err("only pictures have a table of colours".to_owned());
    }
    let colours = table.map(|table| table.split(',').map(entry).collect()).transpose()?;
    Ok(InitialFile { path: path(name), origin, step: None, colours })
}

/// The bytes of a name as text. Bytes that are no UTF-8 become `\xff` and so on, so that a manifest can keep them.
#[doc(hidden)]
pub fn text_of(name: &OsStr) -> String {
    let chunks = name.as_encoded_bytes().utf8_chunks();
    let text = chunks.map(|chunk| {
        chunk.invalid().iter().fold(chunk.valid().to_owned(), |text, byte| text + &format!("\\x{byte:02x}"))
    });
    text.collect()
}

/// The path that [`text_of`] gave this text of.
fn path(text: &str) -> PathBuf {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.push(byte),
            None => return text.into(),
        }
        bytes.extend(&part.as_bytes()[2..]);
    }
    #[cfg(not(unix))]
    let _ = bytes;
    #[cfg(unix)]
    if !Path::new(text).exists() {
        return PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes));
    }
    text.into()
}

/// `ffffff=rest`
fn entry(text: &str) -> Result<([u16; 3], String), String> {
    let wrong = || format!("`{text}` is not an entry of a table: valid are entries such as ffffff=1");
    let (colour, value) = text.split_once('=').ok_or_else(wrong)?;
    let digits = colour.trim().trim_start_matches('#');
    let valid = [6, 12].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u64::from_str_radix(digits, 16).ok().filter(|_| valid).ok_or_else(wrong)?;
    let colour = match digits.len() {
        6 => [16, 8, 0].map(|shift| 0x101 * u16::from((code >> shift) as u8)),
        _ => [32, 16, 0].map(|shift| (code >> shift) as u16),
    };
    Ok((colour, value.trim().to_owned()))
}

/// A colour as tables have it: with six digits, or with twelve if those do not tell all of it.
pub(super) fn code(colour: [u16; 3]) -> String {
    let is_short = colour.iter().all(|value| value % 0x101 == 0);
    colour
        .iter()
        .map(|value| if is_short { format!("{:02x}", value / 0x101) } else { format!("{value:04x}") })
        .collect()
}

/// Which values colours stand for.
#[derive(Debug)]
pub(super) struct ColourTable {
    ty: Type,
    entries: Vec<([u16; 3], f64)>,
}

impl ColourTable {
    /// The table for a type.
    ///
    /// # Errors
    /// The value that the type does not have, as part of a sentence.
    pub(super) fn new(rule: &Rule, ty: Type, colours: &[([u16; 3], String)]) -> Result<ColourTable, String> {
        let value = |text: &str| {
            if let Type::Enum(id) = ty {
                let variants = &rule.enum_type(id).variants;
                let number = variants.iter().position(|variant| variant == text);
                let number = number.or_else(|| text.parse().ok().filter(|number| *number < variants.len()));
                return number
                    .map(|number| number as f64)
                    .ok_or_else(|| format!("`{text}` is not one of {}", variants.join(", ")));
            }
            let (low, high) = match ty {
                Type::Bit => (0.0, 1.0),
                Type::U8 => (0.0, f64::from(u8::MAX)),
                Type::U16 => (0.0, f64::from(u16::MAX)),
                Type::U32 => (0.0, f64::from(u32::MAX)),
                Type::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
                // Beyond this, numbers between colours are not exact.
                Type::I64 => (-9007199254740992.0, 9007199254740992.0),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            let number = text.parse::<f64>().ok().filter(|value| value.is_finite() && (low..=high).contains(value));
            let whole = |value: &f64| ty.is_float() || value.fract() == 0.0;
            number.filter(whole).ok_or_else(|| format!("`{text}` is not a value of the type {}", rule.type_name(ty)))
        };
        let entries = colours.iter().map(|(colour, text)| Ok((*colour, value(text)?)));
        Ok(ColourTable { ty, entries: entries.collect::<Result<_, String>>()? })
    }

    /// The bits of a colour's value. Numbers are interpolated between the nearest colours of the table; bits and variants need a colour of the table,
    /// and give `None` for another. `is_wide` says that the picture has 16 bits a channel, rather than 8.
    pub(super) fn bits(&self, colour: [u16; 3], is_wide: bool) -> Option<u64> {
        let exact = self.entries.iter().find(|(known, _)| *known == colour).map(|(_, value)| *value);
        let value = match (exact, self.ty) {
            (Some(value), _) => value,
            (None, Type::Bit | Type::Enum(_)) => return None,
            (None, _) => self.between(colour, if is_wide { 1.0 } else { 257.0 })?,
        };
        Some(match self.ty {
            Type::F32 => Value::F32(value as f32).bits(),
            Type::F64 => Value::F64(value).bits(),
            Type::I32 => Value::I32(value.round() as i32).bits(),
            Type::I64 => Value::I64(value.round() as i64).bits(),
            _ => value.round() as u64,
        })
    }

    /// The value at the nearest place of the line through all colours, which are compared in this unit.
    fn between(&self, colour: [u16; 3], unit: f64) -> Option<f64> {
        let difference = |a: [u16; 3], b: [u16; 3]| -> [f64; 3] {
            std::array::from_fn(|i| (f64::from(a[i]) - f64::from(b[i])) / unit)
        };
        let product = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
        let mut best: Option<(f64, f64)> = None;
        for pair in self.entries.windows(2) {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            let (along, here) = (difference(to, from), difference(colour, from));
            let length = product(along, along);
            let part = if length == 0.0 { 0.0 } else { (product(along, here) / length).clamp(0.0, 1.0) };
            let off: [f64; 3] = std::array::from_fn(|i| here[i] - part * along[i]);
            let distance = product(off, off);
            if best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, low + part * (high - low)));
            }
        }
        best.map(|(_, value)| value)
    }

    /// Its colours, for messages.
    pub(super) fn colours(&self) -> String {
        let codes = self.entries.iter().map(|(colour, _)| code(*colour));
        codes.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    #[cfg(unix)]
    fn names_that_are_no_text_come_back() {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"a\xff\xc3\xa4\xfe.rle@3,4");
        let text = text_of(name);
        assert_eq!(text, "a\\xff\u{e4}\\xfe.rle@3,4");
        let source = parse(&text).unwrap();
        assert_eq!(source.path.as_os_str().as_bytes(), b"a\xff\xc3\xa4\xfe.rle");
        assert_eq!(source.origin, Some([3, 4]));
        assert_eq!(parse("\\xyz.npy").unwrap().path, Path::new("\\xyz.npy"));
    }

    #[test]
    fn places_and_tables_are_read() {
        let source = |path: &str, origin, colours: Option<&[(u32, &str)]>| InitialFile {
            path: PathBuf::from(path),
            origin,
            step: None,
            colours: colours.map(|list| {
                let colour = |code: u32| [16, 8, 0].map(|shift| 0x101 * u16::from((code >> shift) as u8));
                list.iter().map(|(code, text)| (colour(*code), (*text).to_owned())).collect()
            }),
        };
        assert_eq!(parse("a.npy"), Ok(source("a.npy", None, None)));
        assert_eq!(parse("dir/a.RLE@100, 40"), Ok(source("dir/a.RLE", Some([100, 40]), None)));
        let table = [(0xffffff, "rest"), (0xd55e00, "excited")];
        assert_eq!(parse("a.png:ffffff=rest,#d55e00=excited"), Ok(source("a.png", None, Some(&table))));
        assert_eq!(parse("a.png@1,2:ffffff=rest,d55e00=excited"), Ok(source("a.png", Some([1, 2]), Some(&table))));
        assert_eq!(parse("x.cells@3,3"), Ok(source("x.cells", Some([3, 3]), None)));
        assert_eq!(parse("x.rle.gz@3,3"), Ok(source("x.rle.gz", Some([3, 3]), None)));
        assert_eq!(
            parse("dir/all.zarr@500"),
            Ok(InitialFile { step: Some(500), ..source("dir/all.zarr", None, None) })
        );
        assert_eq!(parse("no.such@3,3"), Ok(source("no.such@3,3", None, None)));
        let deep = parse("a.png:123456789abc=1,ffffff=2").unwrap().colours.unwrap();
        assert_eq!([deep[0].0, deep[1].0], [[0x1234, 0x5678, 0x9abc], [0xffff; 3]]);
        assert_eq!([code(deep[0].0), code(deep[1].0)], ["123456789abc", "ffffff"]);
        for wrong in [
            "a.npy@1,2",
            "a.npy@1",
            "a.zarr@1,2",
            "a.zarr@-1",
            "a.zarr:ffffff=1",
            "a.rle@1",
            "a.rle@1,2,3",
            "a.rle@--1,2",
            "a.png:ffffff",
            "a.png:fffff=1",
            "a.rle:ffffff=1",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn colours_are_values() {
        let rule = resolve::rule("forest_fire").unwrap();
        let entries = |text: &str| parse(&format!("a.png:{text}")).unwrap().colours.unwrap();
        let table = |ty, text: &str| ColourTable::new(&rule, ty, &entries(text));
        let ty = rule.states[0].ty;
        let grounds = table(ty, "000000=empty,00ff00=tree,ff0000=2").unwrap();
        let byte = |colour: [u16; 3]| colour.map(|value| 0x101 * value);
        assert_eq!(
            [[0, 0, 0], [0, 255, 0], [255, 0, 0]].map(|colour| grounds.bits(byte(colour), false)),
            [Some(0), Some(1), Some(2)]
        );
        assert_eq!(grounds.bits(byte([1, 0, 0]), false), None);
        let greys = table(Type::F32, "000000=-1,ffffff=1").unwrap();
        assert_eq!(greys.bits(byte([51; 3]), false), Some(Value::F32(-0.6).bits()));
        assert_eq!(table(Type::U8, "000000=0,ffffff=10").unwrap().bits(byte([128; 3]), false), Some(5));
        assert_eq!(table(Type::I32, "000000=-8,ffffff=8").unwrap().bits([0; 3], false), Some(Value::I32(-8).bits()));
        // All bits of a picture of 16 count.
        let deep = table(Type::F64, "000000=0,ffffff=65535").unwrap();
        assert!((0..=u16::MAX).all(|grey| deep.bits([grey; 3], true) == Some(Value::F64(grey.into()).bits())));
        let labels = table(Type::U16, "000000000000=0,000100010001=7,ffffffffffff=9").unwrap();
        assert_eq!(labels.bits([1; 3], true), Some(7));
        for (ty, wrong) in [(ty, "000000=lake"), (ty, "000000=3"), (Type::U8, "000000=256"), (Type::I32, "000000=0.5")]
        {
            assert!(table(ty, wrong).is_err(), "{wrong}");
        }
    }
}
