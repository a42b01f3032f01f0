//! Every kernel against a count bit by bit.

use super::*;
use squeeze_compiler::target::Hardware;
use squeeze_engine::EngineError;
use squeeze_records::hardware::NamedHardware;
use std::ops::Range;

/// Rows of random bits, some of them all zeros or all ones, with ones behind the last bit.
fn random(rows: usize, bits: u64, seed: u64) -> Vec<Vec<u8>> {
    let mut state = seed.wrapping_mul(2) + 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let bytes = bits.div_ceil(8) as usize;
    let row = |row: usize, next: &mut dyn FnMut() -> u64| -> Vec<u8> {
        match row % 11 {
            7 => vec![0; bytes],
            9 => vec![0xff; bytes],
            _ => (0..bytes).map(|_| (next() >> 20) as u8).collect(),
        }
    };
    let mut list: Vec<Vec<u8>> = (0..rows).map(|number| row(number, &mut next)).collect();
    for row in &mut list {
        // Poison: nothing may count it.
        if !bits.is_multiple_of(8) {
            row[bytes - 1] |= 0xff << (bits % 8);
        }
    }
    list
}

fn bit(row: &[u8], at: u64) -> bool {
    row[at as usize / 8] >> (at % 8) & 1 == 1
}

fn naive(a: &[u8], b: &[u8], bits: u64) -> i64 {
    (0..bits).filter(|at| bit(a, *at) && bit(b, *at)).count() as i64
}

fn kernels() -> impl Iterator<Item = CountingKernel> {
    CountingKernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

#[test]
fn every_kernel_counts_as_one_does_bit_by_bit() {
    let mut shapes = vec![(1, 1), (1, 3), (2, 64), (2, 511), (3, 513), (4, 8192 + 5), (5, 16 * 512 + 1), (7, 40_001)];
    shapes.extend([(16, 777), (17, 1000), (33, 999), (64, 65), (65, 2049), (100, 1), (257, 301)]);
    for (rows, bits) in shapes {
        let list = random(rows, bits, rows as u64 * 1000 + bits);
        let own = BitRows::from_bytes(bits, &list);
        let expected: Vec<i64> = (list.iter().enumerate())
            .flat_map(|(a, row)| list[..=a].iter().map(move |other| naive(row, other, bits)))
            .collect();
        for kernel in kernels() {
            let counts = Counts::of(&own, kernel);
            let found: Vec<i64> =
                (0..rows).flat_map(|a| (0..=a).map(move |b| (a, b))).map(|(a, b)| counts.both(a, b)).collect();
            assert!(found == expected, "{} rows of {bits} bits by {}", rows, kernel.name());
            assert_eq!((counts.rows(), counts.bits()), (rows, bits));
        }
    }
}

#[test]
fn slices_threads_and_blocks_change_nothing() {
    // More rows than one block of the second cache has, and more vectors than one of the first.
    let (rows, bits) = (321, 70_000);
    let list = random(rows, bits, 5);
    let whole = Counts::of(&BitRows::from_bytes(bits, &list), CountingKernel::best());
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for kernel in kernels() {
            let mut sliced = Counts::new(rows);
            for (from, to) in [(0, 8), (8, 33_000), (33_000, 65_536), (65_536, 70_000)] {
                let part: Vec<&[u8]> = list.iter().map(|row| &row[from / 8..usize::div_ceil(to, 8)]).collect();
                pool.install(|| sliced.add(&BitRows::from_bytes((to - from) as u64, &part), kernel));
            }
            assert!(sliced == whole, "{threads} threads, {}", kernel.name());
        }
    }
}

/// A counter that takes no slice of more bytes.
struct Narrow(u64);

impl Counter for Narrow {
    fn name(&self, _: usize) -> &'static str {
        "narrow"
    }

    fn add(&self, rows: &BitRows, counts: &mut Counts) -> Result<(), EngineError> {
        let bytes = BitRows::bytes(rows.rows(), rows.bits());
        assert!(bytes <= self.0, "a slice of {bytes} bytes in a room of {}", self.0);
        CountingKernel::best().add(rows, counts)
    }

    fn room(&self, _: usize) -> Result<u64, EngineError> {
        Ok(self.0)
    }
}

#[test]
fn slices_fit_in_their_room() {
    let rows = random(3, 5000, 1);
    let whole = Counts::of(&BitRows::from_bytes(5000, &rows), CountingKernel::best());
    for (vectors, unit) in (1..12).flat_map(|vectors| [(vectors, 512), (vectors, 2048)]) {
        let read = |row: usize, bits: Range<u64>, bytes: &mut [u8]| {
            bytes.copy_from_slice(&rows[row][(bits.start / 8) as usize..][..bytes.len()]);
            Ok::<(), EngineError>(())
        };
        let counts = product::sliced(&Narrow(3 * 64 * vectors), [3, u64::MAX], 5000, unit, read).unwrap();
        assert!(counts == whole, "{vectors} vectors in units of {unit} bits");
    }
}

#[test]
fn counts_go_beyond_32_bits() {
    // Half a gigabyte of ones, once.
    let bits = (1u64 << 32) + 12_345;
    let bytes = vec![0xff; bits.div_ceil(8) as usize];
    let rows = BitRows::from_bytes(bits, &[&bytes]);
    drop(bytes);
    for kernel in [CountingKernel::best(), CountingKernel::Avx512, CountingKernel::Avx2]
        .into_iter()
        .filter(|kernel| kernel.is_available())
    {
        let mut counts = Counts::of(&rows, kernel);
        assert_eq!(counts.both(0, 0), bits as i64, "{}", kernel.name());
        counts.add(&rows, kernel);
        assert_eq!((counts.both(0, 0), counts.bits()), (2 * bits as i64, 2 * bits));
        assert_eq!((counts.hamming(0, 0), counts.value(Similarity::Overlap, 0, 0)), (0, 1.0));
    }
}

#[test]
fn measures_are_those_of_the_formulas() {
    for (rows, bits) in [(1, 1), (2, 1), (23, 1001), (40, 77)] {
        let list = random(rows, bits, 9);
        let counts = Counts::of(&BitRows::from_bytes(bits, &list), CountingKernel::best());
        for (a, row) in list.iter().enumerate() {
            assert_eq!(counts.value(Similarity::Overlap, a, a), 1.0);
            for (b, other) in list.iter().enumerate() {
                let differ = (0..bits).filter(|at| bit(row, *at) != bit(other, *at)).count() as f64;
                assert_eq!(counts.value(Similarity::Hamming, a, b), differ);
                let spin = |row: &[u8], at| if bit(row, at) { 1.0 } else { -1.0 };
                let q = (0..bits).map(|at| spin(row, at) * spin(other, at)).sum::<f64>() / bits as f64;
                assert_eq!(counts.value(Similarity::Overlap, a, b), q);
                let mean = |f: &dyn Fn(u64) -> f64| (0..bits).map(f).sum::<f64>() / bits as f64;
                let of = |row: &'_ [u8], at: u64| f64::from(u8::from(bit(row, at)));
                let (x, y) = (mean(&|at| of(row, at)), mean(&|at| of(other, at)));
                let xy = mean(&|at| of(row, at) * of(other, at));
                let r2 = (xy - x * y).powi(2) / (x * (1.0 - x) * y * (1.0 - y));
                let found = counts.value(Similarity::R2, a, b);
                let is_constant = x * (1.0 - x) * y * (1.0 - y) < 1e-9;
                assert!(if is_constant { found.is_nan() } else { (found - r2).abs() < 1e-9 }, "{found} {r2}");
                assert_eq!(found.to_bits(), counts.value(Similarity::R2, b, a).to_bits());
            }
        }
    }
}

#[test]
fn a_complement_has_the_overlap_minus_one_and_permuted_rows_permute_the_matrix() {
    let bits = 12_347;
    let mut list = random(40, bits, 3);
    let complement: Vec<u8> = list[0].iter().map(|byte| !byte).collect();
    list.push(complement);
    let counts = Counts::of(&BitRows::from_bytes(bits, &list), CountingKernel::best());
    assert_eq!((counts.value(Similarity::Overlap, 0, 40), counts.hamming(0, 40)), (-1.0, bits as i64));
    assert_eq!(counts.value(Similarity::R2, 0, 40), 1.0);
    let order: Vec<usize> = (0..41).map(|i| i * 16 % 41).collect();
    let permuted: Vec<&[u8]> = order.iter().map(|row| list[*row].as_slice()).collect();
    let permuted = Counts::of(&BitRows::from_bytes(bits, &permuted), CountingKernel::best());
    for (a, from) in order.iter().enumerate() {
        for (b, to) in order.iter().enumerate() {
            assert_eq!(permuted.both(a, b), counts.both(*from, *to));
        }
    }
}

#[test]
fn every_tile_counts_as_one_does_bit_by_bit() {
    for (rows, bits) in [(1, 700), (2, 513), (7, 20_001), (19, 9_000), (33, 24_577)] {
        let list = random(rows, bits, 77 + bits);
        let own = BitRows::from_bytes(bits, &list);
        let expected: Vec<i64> = (0..rows)
            .flat_map(|a| (a..rows).map(move |b| (a, b)))
            .map(|(a, b)| naive(&list[a], &list[b], bits))
            .collect();
        for kernel in kernels() {
            for shape in kernel.shapes() {
                for (columns, block) in [(1, 1), (7, 5), (16, 12), (33, 1000)] {
                    let blocking = Blocking { shape: *shape, columns, rows: block };
                    let mut counts = Counts::new(rows);
                    counts.add_by_blocks(&own, kernel, blocking);
                    let found = (0..rows).flat_map(|a| (a..rows).map(move |b| (a, b)));
                    let found: Vec<i64> = found.map(|(a, b)| counts.both(a, b)).collect();
                    assert!(found == expected, "{rows} rows of {bits} bits by {}: {blocking}", kernel.name());
                }
            }
        }
    }
}

#[test]
fn blocks_are_those_that_the_model_gives() {
    // The sizes that BLIS ships for Sandy Bridge: 8 × 4 numbers of f64, k_c = 256, m_c = 96, with its caches of 32 and 256 KiB.
    let [first, second] = [64, 512].map(|sets| Cache { ways: 8, sets, line: 64 });
    let shape = TileShape { own: 8, others: 4 };
    assert_eq!((first.columns(shape, 8), second.rows(8, 256, 8)), (256, 96));
    let silly = Cache { ways: 1, sets: 1, line: 1 };
    assert!(silly.columns(shape, 64) >= 1 && silly.rows(4, 1 << 20, 64) >= 4);
    let machine = |name: &str| match NamedHardware::open(name).unwrap().hardware {
        Hardware::Cpu(cpu) => cpu,
        Hardware::Gpu(_) => panic!("{name} is a GPU"),
    };
    let chosen = |kernel, name, rows, length| Blocking::chosen(kernel, &machine(name), rows, length);
    // With few rows it is decisive that tiles on the diagonal and beyond the last row are counted as a whole; with many, loads and lines.
    for (kernel, name, rows, own, others) in [
        (CountingKernel::Vpopcntdq, "zen5", 16, 4, 4),
        (CountingKernel::Vpopcntdq, "zen5", 1, 1, 1),
        (CountingKernel::Avx512, "zen5", 4096, 2, 1),
        (CountingKernel::Avx512, "xeon-avx512", 4096, 2, 1),
        (CountingKernel::Avx2, "xeon-avx2", 256, 1, 1),
        (CountingKernel::Popcnt, "zen5", 4096, 3, 4),
    ] {
        let found = chosen(kernel, name, rows, 8192);
        assert_eq!(found.shape, TileShape { own, others }, "{} on {name}, {rows} rows: {found}", kernel.name());
    }
    // What ends a block costs most of it where blocks are short.
    assert!(chosen(CountingKernel::Vpopcntdq, "zen4", 256, 8192).columns >= 96);
    for kernel in CountingKernel::ALL {
        let mut silly = machine("zen4");
        (silly.caches, silly.ways, silly.loads, silly.vector_bits) = ([1.0; 3], [1; 3], 1e-6, 64);
        for (rows, length) in [(0, 0), (1, 1), (3, 1 << 20)] {
            let found = Blocking::chosen(kernel, &silly, rows, length);
            assert!(found.columns >= 16 && found.rows >= 1, "{found}");
        }
    }
}

#[test]
fn rows_spread_over_the_caches() {
    for length in (0..5000).chain([8192, 65_536, 1 << 20]) {
        let stride = tiles::stride(length);
        assert!(stride >= length && stride % 2 == 1 && stride <= length.max(1) + 256, "{length}: {stride}");
        // Pieces of 128 lines of 96 rows, of which 16 share a set at most, but for one piece too many.
        if length >= 1024 {
            let mut sets = vec![0; 1024];
            (0..96).for_each(|row| (0..128).for_each(|line| sets[(row * stride + line) % 1024] += 1));
            assert!(sets.iter().max() <= Some(&17), "{length}: {stride}, {:?}", sets.iter().max());
        }
    }
}
