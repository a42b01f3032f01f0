//! JSON: values kept in it as text, and errors with their place.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::fmt::Display;
use std::num::NonZeroU32;
use std::str::FromStr;

/// The mark that editors may put before a text.
#[cfg(feature = "files")]
pub(crate) const MARK: char = '\u{feff}';

/// The value in a file, with or without a mark before it.
///
/// # Errors
/// The reason, as part of a sentence.
#[cfg(feature = "files")]
pub(crate) fn of_file(bytes: &[u8]) -> Result<serde_json::Value, String> {
    let mark = MARK.to_string();
    serde_json::from_slice(bytes.strip_prefix(mark.as_bytes()).unwrap_or(bytes)).map_err(|error| error.to_string())
}

/// The value that an object describes.
///
/// # Errors
/// The key and what is expected there, as part of a sentence.
#[cfg(feature = "files")]
pub(crate) fn read<'a, T: Deserialize<'a>>(json: &'a serde_json::Value) -> Result<T, String> {
    serde_path_to_error::deserialize(json).map_err(|error| match error.path().iter().next() {
        None => error.inner().to_string().replacen("missing field", "it has no", 1),
        Some(_) => format!("its `{}` is not what it should be: {}", error.path(), error.inner()),
    })
}

/// Serializes a value as the text that users type for it.
pub(crate) mod text {
    use super::*;

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// The same of a value that may be missing, which is null.
pub(crate) mod optional_text {
    use super::*;

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ToString::to_string).serialize(to)
    }

    pub(crate) fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}

/// A number of steps that is not 0.
pub(crate) fn steps<'a, D: Deserializer<'a>>(from: D) -> Result<u32, D::Error> {
    NonZeroU32::deserialize(from).map(NonZeroU32::get)
}

/// The same, or null.
pub(crate) fn interval<'a, D: Deserializer<'a>>(from: D) -> Result<Option<u32>, D::Error> {
    Ok(Option::<NonZeroU32>::deserialize(from)?.map(NonZeroU32::get))
}
