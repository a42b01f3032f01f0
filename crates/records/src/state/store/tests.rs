//! States that go to disk and come back.

use super::*;
use crate::state::given::Given;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{EnumId, Value};
use squeeze_compiler::numbers::digest;
use squeeze_engine::failure::Result;
use squeeze_engine::sample::Sample;
use squeeze_engine::simulation::{StateView, Window};
use std::path::Path;

fn shape(name: &str, ty: Type, cells: u64) -> ArrayShape {
    let variants = if let Type::Enum(_) = ty { vec!["rest".to_owned(), "excited".to_owned()] } else { Vec::new() };
    ArrayShape { name: name.to_owned(), ty, variants, cells }
}

/// Some values of each type, packed.
fn values(ty: Type, cells: u64) -> Vec<u8> {
    let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
    for c in 0..cells {
        let bits = c.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let bits = match ty {
            Type::Bit | Type::Enum(_) => bits & 1,
            Type::F32 => u64::from((bits as f32).to_bits()),
            Type::F64 => (bits as f64).to_bits(),
            _ => bits,
        };
        packed::put(ty, &mut bytes, c, bits);
    }
    bytes
}

const TYPES: [Type; 9] =
    [Type::Bit, Type::U8, Type::U16, Type::I32, Type::U32, Type::I64, Type::F32, Type::F64, Type::Enum(EnumId(0))];

fn shapes(cells: u64) -> Vec<ArrayShape> {
    TYPES.iter().enumerate().map(|(i, &ty)| shape(&format!("s{i}"), ty, cells)).collect()
}

fn save(path: &Path, cells: u64) -> Result<()> {
    let writer = StateWriter::begin(path, shapes(cells), json!({"step": 7}))?;
    for (field, &ty) in TYPES.iter().enumerate() {
        writer.write(field, 0, &shapes(cells)[field].encode(&values(ty, cells))?)?;
    }
    writer.finish()
}

#[test]
fn every_type_comes_back_with_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    for cells in [1, 13, 300_001] {
        let path = folder.path().join(format!("{cells}.zarr"));
        save(&path, cells).unwrap();
        let state = StoredState::open(&path, shapes(cells)).unwrap();
        for (field, &ty) in TYPES.iter().enumerate() {
            let bytes = values(ty, cells);
            let expected = digest::digest(0, (0..cells).map(|c| packed::value(ty, &bytes, c)));
            assert_eq!(state.digest(field).unwrap(), expected, "{ty:?}, {cells} cells");
            let from = cells / 3 / 8 * 8;
            let mut part = vec![0; packed::bytes(ty, cells - from) as usize];
            state.read(field, from..cells, &mut part).unwrap();
            assert_eq!(part, bytes[packed::bytes(ty, from) as usize..]);
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
}

#[test]
fn windows_and_sums_of_a_stored_state_are_those_of_its_cells() {
    let folder = tempfile::tempdir().unwrap();
    let domain = Domain::new(crate::resolve::fractal("sierpinski_triangle").unwrap(), 8).unwrap();
    let (path, cells) = (folder.path().join("1.zarr"), domain.cells());
    save(&path, cells).unwrap();
    let state = StoredState::open(&path, shapes(cells)).unwrap();
    let stored = StoredFields { state: &state, domain: &domain };
    for (field, &ty) in TYPES.iter().enumerate() {
        let (view, given) =
            (StateView::named(&stored, &format!("s{field}")).unwrap(), Given(domain.clone(), ty, values(ty, cells)));
        for window in [Window { origin: [3, 70, 0], size: [100, 90, 1] }, Window::whole(&domain)] {
            let places = window.places().unwrap() as usize;
            let [mut found, mut wanted] = [vec![u64::MAX; places], vec![u64::MAX; places]];
            view.expand(&window, &mut found, |bits| bits).unwrap();
            given.view().expand(&window, &mut wanted, |bits| bits).unwrap();
            assert_eq!(found, wanted, "{ty:?}");
            let cell = domain.nu([5, 85, 0]).map(|c| packed::bits(ty, &given.2, c));
            assert_eq!(Some(found[window.index([5, 85, 0]) as usize]), cell.or(Some(u64::MAX)), "{ty:?}");
        }
        for (mu, blocks) in [(0, 3..700), (3, 0..243), (3, 7..9), (8, 0..1)] {
            let [found, wanted] =
                [view, given.view()].map(|view| view.block_sums(mu, blocks.clone(), Sample::Value).unwrap());
            assert_eq!(found, wanted, "{ty:?}");
        }
    }
    assert!(StateView::named(&stored, "t").err().unwrap().to_string().contains("no state `t` is stored"));
    assert!(StateView::numbered(&stored, StateId(99)).is_err());
}

#[test]
fn a_state_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1.zarr");
    save(&path, 5).unwrap();
    save(&path, 9).unwrap();
    assert_eq!(StoredState::open(&path, shapes(9)).unwrap().shape(0).cells, 9);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn damage_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1.zarr");
    let damaged = |state: Result<StoredState>| {
        let result = state.and_then(|state| (0..TYPES.len()).try_for_each(|field| state.digest(field).map(|_| ())));
        let error = result.unwrap_err();
        error.downcast_ref::<Damaged>().unwrap_or_else(|| panic!("{error}")).reason.clone()
    };
    let open = || StoredState::open(&path, shapes(1000));
    let chunk = path.join("s4/c/0");

    save(&path, 1000).unwrap();
    let mut bytes = std::fs::read(&chunk).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&chunk, &bytes).unwrap();
    assert!(damaged(open()).contains("chunk 0 of `s4`"), "a flipped bit");

    std::fs::write(&chunk, &bytes[..middle]).unwrap();
    assert!(damaged(open()).contains("chunk 0 of `s4`"), "half a chunk");

    std::fs::remove_file(&chunk).unwrap();
    assert!(damaged(open()).contains("missing"));

    std::fs::remove_file(path.join("s2/zarr.json")).unwrap();
    assert!(damaged(open()).contains("`s2`"));

    save(&path, 1000).unwrap();
    let mut numbers = values(TYPES[8], 1000);
    numbers[10] = 200;
    std::fs::write(path.join("s8/c/0"), &shapes(1000)[8].encode(&numbers).unwrap()[0]).unwrap();
    assert!(
        damaged(open())
            .ends_with("cell 10 of `s8` has the number 200; its variants `rest` and `excited` have the numbers 0 to 1")
    );
    let part = open().unwrap().read(8, 0..4, &mut [0; 4]);
    assert!(part.unwrap_err().to_string().contains("200"), "other cells of the chunk");

    save(&path, 1000).unwrap();
    assert!(open().is_ok());
    let other = StoredState::open(&path, shapes(1001));
    assert!(damaged(other).contains("another array"));
}

#[test]
fn values_of_zero_are_written_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.zarr");
    let shapes = vec![shape("u", Type::F32, 10)];
    let writer = StateWriter::begin(&path, shapes.clone(), json!({})).unwrap();
    writer.write(0, 0, &shapes[0].encode(&[0; 40]).unwrap()).unwrap();
    writer.finish().unwrap();
    assert!(path.join("u/c/0").exists());
    let expected = digest::digest(0, (0..10).map(|_| Value::F32(0.0)));
    assert_eq!(StoredState::open(&path, shapes).unwrap().digest(0).unwrap(), expected);
}

/// Writes an array of 5 by 4 numbers in chunks of 2 by 4, of which the last is not there, and reads it.
fn foreign(data_type: &str, fill: Json, codecs: Json, chunks: &[Vec<u8>]) -> std::result::Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    for (number, chunk) in chunks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("c.{number}.0")), chunk).unwrap();
    }
    let metadata = json!({
        "shape": [5, 4],
        "data_type": data_type,
        "fill_value": fill,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "codecs": codecs,
    });
    read_array(&metadata, folder.path(), None)
}

#[test]
fn arrays_of_others_are_read() {
    use std::io::Write;
    let bytes: Vec<Vec<u8>> = (0..2u8).map(|chunk| (8 * chunk..8 * chunk + 8).collect()).collect();
    let packed = |chunk: &Vec<u8>| {
        let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        file.write_all(chunk).unwrap();
        let mut bytes = file.finish().unwrap();
        bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    };
    let gzip = json!([{"name": "bytes"}, {"name": "gzip", "configuration": {"level": 5}}, {"name": "crc32c"}]);
    let chunks: Vec<Vec<u8>> = bytes.iter().map(packed).collect();
    let expected: Vec<u8> = (0..16).chain([7; 4]).collect();
    assert_eq!(foreign("uint8", json!(7), gzip.clone(), &chunks).unwrap(), expected);
    assert!(foreign("uint8", json!(7), gzip, &[chunks[0][..9].to_vec()]).unwrap_err().contains("chunk 0/0"));
    // Shards of two chunks of 2 by 2, of which the second is not there.
    let shard = |first: bool| {
        let at = if first { 36u64 } else { 0 };
        let mut index: Vec<u8> = [at, 4, u64::MAX, u64::MAX].iter().flat_map(|n| n.to_le_bytes()).collect();
        index.extend(crc32c::crc32c(&index).to_le_bytes());
        let chunk = vec![1, 2, 3, 4];
        if first { [index, chunk].concat() } else { [chunk, index].concat() }
    };
    for (place, first) in [("end", false), ("start", true)] {
        let sharded = json!([{"name": "sharding_indexed", "configuration": {
            "chunk_shape": [2, 2],
            "codecs": [{"name": "bytes"}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
            "index_location": place,
        }}]);
        let found = foreign("uint8", json!(9), sharded.clone(), &[shard(first)]).unwrap();
        assert_eq!(found, [&[1, 2, 9, 9, 3, 4, 9, 9][..], &[9; 12]].concat());
        let mut broken = shard(first);
        broken[if first { 1 } else { 5 }] ^= 1;
        assert!(foreign("uint8", json!(9), sharded.clone(), &[broken]).unwrap_err().contains("checksum"));
        assert!(foreign("uint8", json!(9), sharded, &[vec![1; 9]]).unwrap_err().contains("index"));
    }
    let plain = json!([{"name": "bytes", "configuration": {"endian": "big"}}]);
    for (fill, value) in [
        (json!("NaN"), f32::NAN),
        (json!("-Infinity"), f32::NEG_INFINITY),
        (json!(1.5), 1.5),
        (json!("0x40490fdb"), std::f32::consts::PI),
    ] {
        let found = foreign("float32", fill, plain.clone(), &[]).unwrap();
        assert_eq!(found, value.to_le_bytes().repeat(20));
    }
    assert!(foreign("uint8", json!(256), plain.clone(), &[]).unwrap_err().contains("fill value 256"));
    assert!(foreign("bool", json!(null), plain, &[]).unwrap_err().contains("fill value null"));
    let blosc = json!([{"name": "bytes"}, {"name": "blosc"}]);
    assert!(foreign("uint8", json!(0), blosc, &[]).unwrap_err().contains("`blosc` is not known here"));
}
