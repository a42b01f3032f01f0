//! `.vti`, the image file of VTK: a window of the expanded grid, one value for each place.

use super::{Result, StateError, default_hole, dense};
use crate::files::{FileError, PendingFile};
use crate::state::field::{Field, Sample};
use crate::state::window::Window;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Type;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What VTK calls a cell that is not there: `vtkDataSetAttributes::HIDDENCELL`.
const HIDDEN: u8 = 32;

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bit | Type::U8 | Type::Enum(_) => "UInt8",
        Type::U16 => "UInt16",
        Type::I32 => "Int32",
        Type::U32 => "UInt32",
        Type::I64 => "Int64",
        Type::F32 => "Float32",
        Type::F64 => "Float64",
    }
}

/// A field of which every place holds the same.
struct Present<'a>(&'a dyn Field);

impl Field for Present<'_> {
    fn ty(&self) -> Type {
        Type::Bit
    }

    fn block_sums(&self, mu: u32, sample: Sample<'_>) -> Result<Vec<[f64; 3]>, StateError> {
        self.0.block_sums(mu, sample)
    }

    fn read(&self, _cells: std::ops::Range<u64>, bytes: &mut [u8]) -> Result<(), StateError> {
        bytes.fill(0);
        Ok(())
    }
}

/// Writes fields with their names. Each place of the window is a cell of the image; those that are holes are blanked by the array
/// `vtkGhostType`, which ParaView heeds by itself.
///
/// # Errors
/// [`ExportError::TooLarge`](super::ExportError::TooLarge); if a field cannot be read or the file not be written.
pub fn write(domain: &Domain, fields: &[(&str, &dyn Field)], window: &Window, path: &Path) -> Result<()> {
    let mut file = PendingFile::begin(path)?;
    let failed = |error| FileError::writing(path, error);
    let mut arrays = Vec::new();
    if let Some((_, field)) = fields.first() {
        arrays.push(("vtkGhostType", Type::U8, dense(domain, &Present(*field), window, &[HIDDEN])?));
    }
    for (name, field) in fields {
        arrays.push((name, field.ty(), dense(domain, *field, window, &default_hole(field.ty()))?));
    }
    let extent = |from: u64, size: u64| format!("{from} {}", from + size);
    let extents: Vec<String> = (0..3).map(|a| extent(window.origin[a], window.size[a])).collect();
    let extents = extents.join(" ");
    let mut head = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  \
         <ImageData WholeExtent=\"{extents}\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n    \
         <Piece Extent=\"{extents}\">\n      <CellData Scalars=\"{}\">\n",
        fields.first().map_or("", |(name, _)| name),
    );
    let mut offset = 0;
    for (name, ty, bytes) in &arrays {
        head.push_str(&format!(
            "        <DataArray type=\"{}\" Name=\"{name}\" format=\"appended\" offset=\"{offset}\"/>\n",
            type_name(*ty)
        ));
        offset += 8 + bytes.len();
    }
    head.push_str("      </CellData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_");
    let mut out = BufWriter::new(file.file());
    out.write_all(head.as_bytes()).map_err(failed)?;
    for (_, _, bytes) in &arrays {
        out.write_all(&(bytes.len() as u64).to_le_bytes()).and_then(|()| out.write_all(bytes)).map_err(failed)?;
    }
    out.write_all(b"\n  </AppendedData>\n</VTKFile>\n").and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    Ok(file.finish(&[])?)
}
