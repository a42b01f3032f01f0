//! States on disk: Zarr v3, one group for each time, in it one array for each state of the rule.
//!
//! An array has one dimension and holds the cells in canonical order, in the form that [`packed`] describes: bits are
//! packed eight to a `uint8`, the first cell in the least significant bit, and the array's attributes say so. Chunks are compressed
//! by zstd and closed by a CRC-32C, so that damage is noticed. Every chunk is written, even one of zeros: a chunk that is missing is
//! damage too.
//!
//! A group comes into being as a whole: it is written under another name, made durable, and then renamed.

mod codecs;
mod foreign;
mod read;
mod share;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use codecs::encode;
pub(crate) use foreign::read_array;
pub use read::{StoredFields, StoredState};
pub use share::StateShare;
pub use write::StateWriter;

use super::TypeNames;
use serde_json::{Value as Json, json};
use squeeze_compiler::ir::{Rule, StateId, Type};
use squeeze_engine::failure::Failure;
use squeeze_engine::packed;
use std::path::PathBuf;

/// The fewest bytes of one chunk before it is compressed, if the array has as many.
const LEAST_CHUNK: u64 = 1 << 20;
/// The most bytes of one chunk before it is compressed.
const MOST_CHUNK: u64 = 1 << 25;
/// Chunks are as large as needed for at most this many, so that large states are not lost in files.
const CHUNKS: u64 = 256;

/// A stored state that cannot be read whole.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is damaged: {reason}", .path.display())]
#[non_exhaustive]
pub struct Damaged {
    /// The state's folder.
    pub path: PathBuf,
    /// The defect, as part of a sentence.
    pub reason: String,
}

impl Failure for Damaged {
    fn is_users(&self) -> bool {
        false
    }
}

/// The name, type and length of one array.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrayShape {
    /// The state's name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The variants, if it is an enum.
    pub variants: Vec<String>,
    /// How many cells there are.
    pub cells: u64,
}

impl ArrayShape {
    /// The arrays of a rule's states.
    pub fn of_rule(rule: &Rule, cells: u64) -> Vec<ArrayShape> {
        let of = |(index, state): (usize, &squeeze_compiler::ir::State)| ArrayShape {
            name: state.name.clone(),
            ty: rule.state(StateId(index as u16)).ty,
            variants: match state.ty {
                Type::Enum(id) => rule.enum_type(id).variants.clone(),
                _ => Vec::new(),
            },
            cells,
        };
        rule.states.iter().enumerate().map(of).collect()
    }

    /// Elements of the array.
    fn elements(&self) -> u64 {
        packed::bytes(self.ty, self.cells) / self.ty.bytes()
    }

    /// Elements of one chunk.
    fn chunk_elements(&self) -> u64 {
        let all = packed::bytes(self.ty, self.cells);
        let bytes = (all / CHUNKS).clamp(LEAST_CHUNK, MOST_CHUNK).next_power_of_two();
        (bytes / self.ty.bytes()).min(self.elements())
    }

    /// Cells of one chunk; the last chunk may have fewer.
    pub fn chunk_cells(&self) -> u64 {
        match self.ty {
            Type::Bit => 8 * self.chunk_elements(),
            _ => self.chunk_elements(),
        }
    }

    /// How many chunks there are.
    pub(crate) fn chunks(&self) -> u64 {
        self.elements().div_ceil(self.chunk_elements())
    }

    /// How arrays call the type of their elements, and the value that nothing has.
    pub(crate) fn data_type(&self) -> (&'static str, Json) {
        (TypeNames::of(self.ty).zarr, if self.ty.is_float() { json!(0.0) } else { json!(0) })
    }

    /// The array's `zarr.json`.
    fn metadata(&self) -> Json {
        let mut about = json!({"type": TypeNames::of(self.ty).own, "cells": self.cells, "order": "canonical index"});
        if self.ty == Type::Bit {
            about["packing"] = json!("8 cells a byte, the first in the least significant bit");
        }
        if !self.variants.is_empty() {
            about["variants"] = json!(self.variants);
        }
        let name = if self.ty == Type::Bit { "byte" } else { "cell" };
        let about = json!({"squeeze": about});
        array(self.data_type(), &[(name, self.elements(), self.chunk_elements())], about)
    }
}

/// The `zarr.json` of an array: the type of its elements, and of each dimension the name, the length and that of a chunk.
pub(crate) fn array((data_type, fill): (&str, Json), dimensions: &[(&str, u64, u64)], attributes: Json) -> Json {
    let bytes = match data_type {
        "bool" | "uint8" => json!({"name": "bytes"}),
        _ => json!({"name": "bytes", "configuration": {"endian": "little"}}),
    };
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": dimensions.iter().map(|(_, length, _)| length).collect::<Vec<_>>(),
        "data_type": data_type,
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": dimensions.iter().map(|(.., chunk)| chunk).collect::<Vec<_>>()},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": [
            bytes,
            {"name": "zstd", "configuration": {"level": codecs::LEVEL, "checksum": false}},
            {"name": "crc32c"},
        ],
        "attributes": attributes,
        "dimension_names": dimensions.iter().map(|(name, ..)| name).collect::<Vec<_>>(),
    })
}
