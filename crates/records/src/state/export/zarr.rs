//! All saved states of a run in one group of Zarr v3, as xarray and others open it: each state over time and cells, with the places of cells.

use crate::state::store::{ArrayShape, StateWriter, StoredState, array, encode};
use serde_json::{Value as Json, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Type;
use squeeze_engine::failure::Result;
use squeeze_engine::packed;
use std::path::Path;

/// Elements of one chunk of coordinates.
const CHUNK: u64 = 1 << 20;

/// Writes the states of these numbers and shapes at these times, which ascend. `attributes` go to the group.
///
/// # Errors
/// If a state cannot be read, or the group not be written.
pub fn write(
    domain: &Domain,
    shapes: &[(usize, ArrayShape)],
    states: &[(u32, StoredState)],
    attributes: Json,
    path: &Path,
) -> Result<()> {
    let (cells, count) = (domain.cells(), states.len() as u64);
    let axes = &["x", "y", "z"][..domain.dimension().axes()];
    let chunk = CHUNK.min(cells);
    let number = || ("int64", json!(0));
    let mut arrays = vec![("time".to_owned(), array(number(), &[("time", count, count)], json!({"units": "steps"})))];
    arrays.extend(axes.iter().map(|axis| ((*axis).to_owned(), array(number(), &[("cell", cells, chunk)], json!({})))));
    let first = arrays.len();
    arrays.extend(shapes.iter().map(|(_, shape)| {
        let ty = if shape.ty == Type::Bit { ("bool", json!(false)) } else { shape.data_type() };
        let mut about = json!({"coordinates": axes.join(" ")});
        if !shape.variants.is_empty() {
            about["flag_values"] = (0..shape.variants.len()).collect();
            about["flag_meanings"] = json!(shape.variants.join(" "));
        }
        let dimensions = [("time", count, 1), ("cell", cells, shape.chunk_cells())];
        (shape.name.clone(), array(ty, &dimensions, about))
    }));
    let writer = StateWriter::begin_group(path, arrays, attributes)?;
    let of_times: Vec<u8> = states.iter().flat_map(|(time, _)| i64::from(*time).to_le_bytes()).collect();
    writer.write(0, 0, &[encode(&of_times)?])?;
    for at in 0..cells.div_ceil(chunk) {
        let mut of_axes = vec![Vec::new(); axes.len()];
        for place in (at * chunk..((at + 1) * chunk).min(cells)).map(|cell| domain.lambda(cell)) {
            of_axes.iter_mut().zip(place).for_each(|(bytes, v)| bytes.extend(v.to_le_bytes()));
        }
        for (axis, mut bytes) in of_axes.into_iter().enumerate() {
            bytes.resize(8 * chunk as usize, 0);
            writer.write(1 + axis, at, &[encode(&bytes)?])?;
        }
    }
    for (row, (_, state)) in states.iter().enumerate() {
        for (at, (field, shape)) in shapes.iter().enumerate() {
            let chunk = shape.chunk_cells();
            state.for_each_range(*field, |range, bytes| {
                let mut values = match shape.ty {
                    Type::Bit => (0..range.end - range.start).map(|i| packed::bits(shape.ty, bytes, i) as u8).collect(),
                    _ => bytes.to_vec(),
                };
                values.resize((chunk * shape.ty.bytes()) as usize, 0);
                writer.write_row(first + at, row, range.start / chunk, &encode(&values)?)
            })?;
        }
    }
    writer.finish()
}
