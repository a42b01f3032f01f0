//! `mask info`, `mask pack` and `mask unpack`

use super::args::MaskCommand as Arguments;
use crate::report::{CliError, print, table, titled};
use serde_json::json;
use squeeze::{Backend, numbers};
use squeeze_packing::cuda::PackDevice;
use squeeze_packing::{Encoding, Mask, Packer, Processor, files};

/// Looks at a mask, or packs or unpacks an array.
pub(super) fn mask(arguments: &Arguments) -> Result<(), CliError> {
    match arguments {
        Arguments::Info { mask, json } => {
            let opened = files::open(&mask.mask)?;
            print(&if *json { as_json(&mask.mask, &opened) } else { as_text(&mask.mask, &opened) })
        }
        Arguments::Pack { mask, array, backend, output } => {
            Ok(files::pack(&files::open(&mask.mask)?, array, output, &*packer(*backend)?)?)
        }
        Arguments::Unpack { mask, packed, backend, output, hole } => {
            Ok(files::unpack(&files::open(&mask.mask)?, packed, hole, output, &*packer(*backend)?)?)
        }
    }
}

fn packer(backend: Backend) -> Result<Box<dyn Packer>, CliError> {
    Ok(match backend {
        Backend::Cuda => Box::new(PackDevice::first().map_err(squeeze::Error::from)?),
        _ => Box::new(Processor),
    })
}

/// Components joined by steps to the places beside, and those joined at corners as well, each with the cells of the largest.
fn components(mask: &Mask) -> [(usize, u64); 2] {
    [false, true].map(|corners| {
        let sizes = mask.components(corners);
        (sizes.len(), sizes.first().copied().unwrap_or(0))
    })
}

fn as_text(name: &str, mask: &Mask) -> String {
    let [width, height, depth] = mask.extent();
    let size = if depth > 1 { format!("{width} × {height} × {depth}") } else { format!("{width} × {height}") };
    let [(beside, largest_beside), (corners, largest_corners)] = components(mask);
    let lines = [
        ("mask", name.to_owned()),
        ("size", format!("{size} = {} places", mask.places())),
        ("cells", format!("{}, density {:.4}", mask.cells(), mask.density())),
        ("components", format!("{beside}, the largest of {largest_beside} cells")),
        ("with corners", format!("{corners}, the largest of {largest_corners} cells")),
        ("runs", format!("{} in rows", mask.runs())),
        ("bits", numbers::bytes(mask.places().div_ceil(8) as f64)),
    ];
    let text = table(&lines.map(|(title, value)| vec![title.to_owned(), value]));
    let mut encodings = titled("encoding, bytes, of the bits");
    for encoding in Encoding::ALL {
        let bytes = encoding.bytes(mask.places(), mask.cells());
        let share = 100.0 * bytes as f64 / mask.places().div_ceil(8) as f64;
        encodings.push(vec![encoding.name().to_owned(), numbers::bytes(bytes as f64), format!("{share:.2}%")]);
    }
    format!("{text}\n{}", table(&encodings))
}

fn as_json(name: &str, mask: &Mask) -> String {
    let [width, height, depth] = mask.extent();
    let [beside, corners] = components(mask).map(|(count, largest)| json!({"count": count, "largest": largest}));
    let bytes = |encoding: Encoding| (encoding.name().to_owned(), json!(encoding.bytes(mask.places(), mask.cells())));
    let encodings: serde_json::Map<_, _> = Encoding::ALL.into_iter().map(bytes).collect();
    let value = json!({
        "mask": name,
        "width": width,
        "height": height,
        "depth": depth,
        "places": mask.places(),
        "cells": mask.cells(),
        "density": mask.density(),
        "components": {"von_neumann": beside, "moore": corners},
        "runs": mask.runs(),
        "bits_bytes": mask.places().div_ceil(8),
        "encoding_bytes": encodings,
    });
    format!("{value}\n")
}
