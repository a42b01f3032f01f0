//! `.vti`, the image file of VTK: a window of the expanded grid, one value for each place. Files written here can be read again as initial values.

use super::{check_memory, default_hole, dense};
use crate::state::TypeNames;
use squeeze_compiler::ir::Type;
use squeeze_engine::failure::Result;
use squeeze_engine::simulation::{StateView, Window};
use squeeze_host::files::{Bounded, FileError, PendingFile};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// VTK's mark of a cell that is not there: `vtkDataSetAttributes::HIDDENCELL`.
const HIDDEN: u8 = 32;

/// Writes fields with their names. Each place of the window is a cell of the image; those that are holes are blanked by the array
/// `vtkGhostType`, which ParaView heeds by itself.
///
/// # Errors
/// If it does not fit in memory, a field cannot be read or the file not be written.
pub fn write(fields: &[(&str, StateView<'_>)], window: &Window, path: &Path) -> Result<()> {
    let mut file = PendingFile::begin(path)?;
    let failed = |error| FileError::writing(path, error);
    let mut arrays = Vec::new();
    if let Some((_, field)) = fields.first() {
        let mut hidden = vec![HIDDEN; check_memory(window.places(), 1)?];
        field.expand(window, &mut hidden, |_| 0)?;
        arrays.push(("vtkGhostType", Type::U8, hidden));
    }
    for (name, field) in fields {
        arrays.push((name, field.ty(), dense(*field, window, &default_hole(field.ty()))?));
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
            TypeNames::of(*ty).vtk
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

/// The longest head that is read.
const LONGEST_HEAD: u64 = 1 << 16;
/// The tag before the values.
const BEFORE_VALUES: &str = "<AppendedData encoding=\"raw\">";

/// An array that a head names.
#[derive(Debug)]
pub(crate) struct VtiArray {
    pub name: String,
    /// VTK's name of its type.
    pub ty: String,
    /// The place of its length, in bytes behind the head.
    offset: u64,
}

/// The contents of the head of a file that [`write`] made.
#[derive(Debug)]
pub(crate) struct VtiHead {
    /// The places before which the values begin and end, by axis.
    pub extent: [[u64; 2]; 3],
    pub arrays: Vec<VtiArray>,
    /// The bytes before the values.
    length: u64,
}

impl VtiHead {
    /// The head of a file that has just been opened.
    ///
    /// # Errors
    /// Why it is none, as part of a sentence.
    pub(crate) fn read(file: &mut Bounded) -> std::result::Result<VtiHead, String> {
        let other = || "it is not an image of values as `squeeze export` writes it".to_owned();
        let mut bytes = Vec::new();
        file.take(LONGEST_HEAD).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        let is_end = |window: &[u8]| window == BEFORE_VALUES.as_bytes();
        let end = bytes.windows(BEFORE_VALUES.len()).position(is_end).ok_or_else(other)? + BEFORE_VALUES.len();
        let rest = bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if bytes.get(end + rest) != Some(&b'_') {
            return Err(other());
        }
        let text = std::str::from_utf8(&bytes[..end]).map_err(|_| other())?;
        // Values of another order or width would be read as other numbers.
        let element = |name: &str| tags(text).find(|tag| tag.split_whitespace().next() == Some(name));
        let file = element("VTKFile").ok_or_else(other)?;
        let valid = [("type", "ImageData"), ("byte_order", "LittleEndian"), ("header_type", "UInt64")];
        if valid.iter().any(|(name, value)| attribute(file, name) != Some(value))
            || attribute(file, "compressor").is_some()
        {
            return Err(other());
        }
        let sides = element("Piece").and_then(|piece| attribute(piece, "Extent")).ok_or_else(other)?;
        let sides: Option<Vec<u64>> = sides.split_whitespace().map(|side| side.parse().ok()).collect();
        let &[x, width, y, height, z, depth] = sides.as_deref().unwrap_or_default() else { return Err(other()) };
        // The values of points, which VTK has too, lie at the corners of the places.
        let (_, cells) = text.split_once("<CellData").ok_or_else(other)?;
        let cells = cells.split("</CellData").next().unwrap_or_default();
        let array = |tag: &str| {
            let is_raw = attribute(tag, "format") == Some("appended");
            let one = attribute(tag, "NumberOfComponents").is_none_or(|count| count == "1");
            let (name, ty) = (attribute(tag, "Name")?.to_owned(), attribute(tag, "type")?.to_owned());
            let offset = attribute(tag, "offset").filter(|_| is_raw && one)?.parse().ok()?;
            Some(VtiArray { name, ty, offset })
        };
        let arrays =
            tags(cells).filter(|tag| tag.starts_with("DataArray ")).map(array).collect::<Option<Vec<VtiArray>>>();
        let arrays = arrays.ok_or_else(other)?.into_iter().filter(|array| array.name != "vtkGhostType").collect();
        Ok(VtiHead { extent: [[x, width], [y, height], [z, depth]], arrays, length: (end + rest + 1) as u64 })
    }

    /// The values of an array that has this many bytes.
    ///
    /// # Errors
    /// If it has not, or the file ends before.
    pub(crate) fn bytes(
        &self,
        file: &mut Bounded,
        array: &VtiArray,
        length: usize,
    ) -> std::result::Result<Vec<u8>, String> {
        let short = || "it ends before its last value".to_owned();
        let begin = self.length.checked_add(array.offset).ok_or_else(short)?;
        if begin.checked_add(8 + length as u64).is_none_or(|end| end > file.length()) {
            return Err(short());
        }
        file.seek(begin).map_err(|error| error.to_string())?;
        let mut said = [0; 8];
        file.read_exact(&mut said).map_err(|_| short())?;
        if u64::from_le_bytes(said) != length as u64 {
            return Err(format!("the array `{}` has another length than the extent says", array.name));
        }
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes).map_err(|_| short())?;
        Ok(bytes)
    }
}

/// The texts between `<` and `>`.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).filter_map(|tag| tag.split('>').next())
}

/// The value of an attribute of a tag.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    loop {
        let (before, after) = rest.split_once("=\"")?;
        let (value, behind) = after.split_once('"')?;
        if before.split_whitespace().next_back() == Some(name) {
            return Some(value);
        }
        rest = behind;
    }
}
