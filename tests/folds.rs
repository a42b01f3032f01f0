//! The kernels that fold observables: through NVIDIA's compiler, and, as C++ on the host, against the definition.

use squeeze::Failure as _;
use squeeze::compiler::emit::cuda::{
    FoldLaunch, FoldPlace, FoldPlan, Head, Job, emit, fold_kernel, fold_kind, measuring_kernels,
};
use squeeze::compiler::ir::{Combine, Value};
use squeeze::compiler::kernel::LaneType;
use squeeze::compiler::layout::Layout;
use squeeze::compiler::layout::unit::CellIndex;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::reduce::fold::{FloatFold, FoldTree, ObservedValue, ReductionFold};
use squeeze::compiler::{Program, Target};
use squeeze::cuda::{Architecture, Nvrtc, Output};
use squeeze::{Domain, resolve};
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const KINDS: [Combine; 4] = [Combine::Sum, Combine::Count, Combine::Min, Combine::Max];

const TYPES: [LaneType; 2] = [LaneType::F32, LaneType::F64];

/// NVRTC, if it can be had: `cargo xtask test` fetches it. Where CI=true it must be there.
fn nvrtc() -> Option<Nvrtc> {
    // SAFETY: NVIDIA's package lies there.
    match unsafe { Nvrtc::in_folder(Path::new("../target/nvrtc/nvidia/cu13/lib")) }.or_else(|_| Nvrtc::find()) {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{error}: {}", error.help().join("; "));
            println!("SKIPPED: {error}");
            None
        }
    }
}

#[test]
fn the_kernels_compile_exactly_and_spill_nothing() {
    let Some(nvrtc) = nvrtc() else { return };
    for architecture in [75, 80, 90, 100, 120].map(Architecture) {
        let ptx = String::from_utf8(nvrtc.compile(&measuring_kernels(), architecture, Output::Ptx).unwrap().to_vec())
            .unwrap();
        let kernels: Vec<&str> = ptx.split(".entry ").filter(|kernel| kernel.starts_with("fold_")).collect();
        assert_eq!(kernels.len(), TYPES.len());
        for wrong in [".local", "fma.", ".approx", ".full.", ".ftz", "min.f64", "max.f64"] {
            assert!(!kernels.iter().any(|kernel| kernel.contains(wrong)), "{wrong} for {architecture:?}");
        }
    }
}

#[test]
fn the_terms_of_all_rules_compile_exactly() {
    let Some(nvrtc) = nvrtc() else { return };
    let mut compiled = 0;
    for (fractal, rule) in [("sierpinski_triangle", None), ("tetrix", Some("life_3d")), ("lace", Some("wave"))] {
        let rules = rule.map_or_else(squeeze_tests::rules, |rule| vec![rule.to_owned()]);
        for rule in rules {
            let domain = Domain::new(resolve::fractal(fractal).unwrap(), 6).unwrap();
            let rule = resolve::rule(&rule).unwrap();
            let Some(rule) = domain.fit(&rule).ok().filter(|rule| !rule.reductions.is_empty()) else { continue };
            let target = Target::cuda();
            let program = Program::of(&rule, &target).unwrap();
            let (terms, plan) = (program.terms(&rule).unwrap(), program.plan);
            let text = emit(&plan, [Job::new(&terms)], &Head::default()).text;
            let ptx = String::from_utf8(nvrtc.compile(&text, Architecture(90), Output::Ptx).unwrap().to_vec()).unwrap();
            assert!(!["fma.", ".approx", ".full.", ".ftz"].iter().any(|wrong| ptx.contains(wrong)), "{}", rule.name);
            compiled += 1;
        }
    }
    assert!(compiled > 10, "{compiled} rules observe something");
}

/// The declarations that CUDA C takes for granted, and a loop that obeys its input.
const BEFORE: &str = "
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
typedef unsigned short u16;
struct Dim { unsigned x; };
static Dim blockIdx, threadIdx, gridDim;
static int __popc(unsigned v) { return __builtin_popcount(v); }
template <class To, class From> static To bits_as(From from) { To to; memcpy(&to, &from, sizeof(to)); return to; }
static float __uint_as_float(unsigned v) { return bits_as<float>(v); }
static double __longlong_as_double(long long v) { return bits_as<double>(v); }
// Of other kernels of the text, which nobody calls.
template <class T> static T __shfl_xor_sync(unsigned, T v, int) { return v; }
template <class T> static void atomicAdd(T *sum, T v) { *sum += v; }
template <class T> static void atomicMin(T *least, T v) { *least = v < *least ? v : *least; }
template <class T> static void atomicOr(T *word, T bits) { *word |= bits; }
template <class T> static void atomicAnd(T *word, T bits) { *word &= bits; }
template <class T> static void atomicMax(T *most, T v) { *most = *most < v ? v : *most; }
";

const AFTER: &str = r#"
static void get(void *to, size_t bytes) { if (fread(to, 1, bytes, stdin) != bytes) { exit(0); } }
int main() {
    for (;;) {
        u32 wide, width, kind; u64 stride, rows, results, bytes; Digits digits;
        get(&wide, 4); get(&width, 4); get(&kind, 4); get(&stride, 8); get(&rows, 8); get(&results, 8); get(&digits, 16); get(&bytes, 8);
        std::vector<char> source(bytes), result(8 * results * width);
        get(source.data(), bytes);
        f64 *folds = (f64 *)result.data();
        for (blockIdx.x = 0; blockIdx.x < (results * width + 127) / 128; ++blockIdx.x) {
            for (threadIdx.x = 0; threadIdx.x < 128; ++threadIdx.x) {
                if (wide) {
                    fold_f64((const f64 *)source.data(), stride, width, rows, digits, kind, folds);
                } else {
                    fold_f32((const f32 *)source.data(), stride, width, rows, digits, kind, folds);
                }
            }
        }
        fwrite(result.data(), 1, result.size(), stdout);
        fflush(stdout);
    }
}
"#;

/// The kernels as a program of the host.
struct Host {
    child: Child,
}

impl Host {
    fn new(folder: &Path) -> Host {
        let (file, program) = (folder.join("fold.cpp"), folder.join("fold"));
        std::fs::write(&file, format!("{BEFORE}{}{AFTER}", measuring_kernels())).unwrap();
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let done = Command::new(compiler)
            .args(["-O2", "-std=c++17", "-ffp-contract=off", "-Wno-unknown-pragmas", "-o"])
            .args([&program, &file])
            .output()
            .expect("a C++ compiler");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        Host { child }
    }

    /// The result of one launch of a kernel on a source.
    fn launch(&mut self, (name, kind): (&str, u32), source: &[u8], sizes: [u64; 2], launch: &FoldLaunch) -> Vec<u8> {
        let [stride, width] = sizes;
        let input = self.child.stdin.as_mut().unwrap();
        let mut request = Vec::new();
        for number in [u32::from(name == fold_kernel(LaneType::F64)), width as u32, kind] {
            request.extend(number.to_le_bytes());
        }
        for number in [stride, launch.rows, launch.results()] {
            request.extend(number.to_le_bytes());
        }
        launch.digits.iter().for_each(|k| request.extend(k.to_le_bytes()));
        request.extend((source.len() as u64).to_le_bytes());
        request.extend(source);
        input.write_all(&request).unwrap();
        input.flush().unwrap();
        let mut result = vec![0; (8 * launch.results() * width) as usize];
        self.child.stdout.as_mut().unwrap().read_exact(&mut result).unwrap();
        result
    }

    /// Follows a plan: the rows that are left in the end.
    fn follow(&mut self, kind: Combine, plan: &FoldPlan, pieces: &[Range<u64>], columns: &Columns) -> Vec<u8> {
        let row = 8 * columns.width as usize;
        let mut between = [vec![], vec![]];
        let (mut groups, mut result) = (vec![0; row * plan.group_rows() as usize], vec![]);
        let mut launches = Vec::new();
        for piece in pieces {
            launches.extend(plan.of_piece(piece).into_iter().map(|launch| (piece.start, launch)));
        }
        launches.extend(plan.of_groups().into_iter().map(|launch| (0, launch)));
        let next = (fold_kernel(LaneType::F64), fold_kind(kind));
        for (first, launch) in launches {
            let rows = launch.rows as usize;
            let (source, kernel, stride) = match launch.source {
                FoldPlace::Columns => (
                    &columns.bytes[first as usize * columns.row_bytes..][..rows * columns.row_bytes],
                    (fold_kernel(columns.ty), fold_kind(kind)),
                    columns.stride,
                ),
                FoldPlace::Between(index) => (&between[index][..rows * row], next, columns.width),
                FoldPlace::Groups(first) => (&groups[first as usize * row..][..rows * row], next, columns.width),
                FoldPlace::Result(_) => panic!("the end"),
            };
            let made = self.launch(kernel, source, [stride, columns.width], &launch);
            match launch.target {
                FoldPlace::Columns => panic!("columns are not written"),
                FoldPlace::Between(index) => between[index] = made,
                FoldPlace::Groups(first) => groups[first as usize * row..][..made.len()].copy_from_slice(&made),
                FoldPlace::Result(_) => result = made,
            }
        }
        result
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        _ = self.child.wait();
    }
}

/// The bits of the term of a cell: sums depend on the order; a NaN here and there, and both zeros.
fn term(ty: LaneType, number: u64) -> u64 {
    if ty == LaneType::F32 {
        let numbers = [f32::NAN, -0.0, 0.0, 1e30, -1e30];
        let any = mix(number) as i32 as f32 * 1e-7;
        return u64::from(numbers.get((number % 1003) as usize).copied().unwrap_or(any).to_bits());
    }
    let numbers = [f64::INFINITY, -0.0, 0.0, 1e200, -1e200];
    let any = mix(number) as i64 as f64 * 1e-9;
    numbers.get((number % 2003) as usize).copied().unwrap_or(any).to_bits()
}

/// The columns of a state, with whatever beyond the last lane, and the bits of its cells in canonical order.
struct Columns {
    ty: LaneType,
    stride: u64,
    width: u64,
    row_bytes: usize,
    bytes: Vec<u8>,
    cells: Vec<u64>,
}

impl Columns {
    fn new(layout: &Layout, ty: LaneType, salt: u64) -> Columns {
        let cells: Vec<u64> = (0..layout.cells()).map(|c| term(ty, c.wrapping_add(salt))).collect();
        let rows = layout.superblocks() as usize * layout.micro_cells() as usize;
        let (width, size) = (layout.lanes(), ty.scalar().bytes() as usize);
        let stride = width.next_multiple_of(8);
        let row_bytes = stride * size;
        let mut bytes: Vec<u8> = (0..rows * row_bytes).map(|i| mix(i as u64 ^ salt) as u8).collect();
        for (c, bits) in (0..).zip(&cells) {
            let (lane, superblock, micro) = layout.split(CellIndex(c));
            let row = (superblock.0 as usize * layout.micro_cells() as usize + micro.0 as usize) * row_bytes;
            bytes[row + lane.0 as usize * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Columns { ty, stride: stride as u64, width: width as u64, row_bytes, bytes, cells }
    }

    /// Cells one after the other, packed.
    fn packed(cells: u64) -> Columns {
        let cells: Vec<u64> = (0..cells).map(|c| term(LaneType::F64, c)).collect();
        let bytes = cells.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        Columns { ty: LaneType::F64, stride: 1, width: 1, row_bytes: 8, bytes, cells }
    }

    /// Folds the columns by the launches of a plan, and the lanes as the host does.
    fn fold(&self, host: &mut Host, layout: &Layout, kind: Combine, plan: &FoldPlan) -> ObservedValue {
        let result = host.follow(kind, plan, &plan.pieces().collect::<Vec<_>>(), self);
        let lanes: Vec<f64> = result.as_chunks::<8>().0.iter().map(|value| f64::from_le_bytes(*value)).collect();
        let inside = layout.level() - layout.lane_digits();
        let fractal = layout.low().fractal();
        let lane_digits = (inside + 1..=layout.level()).map(|mu| fractal.pattern(mu).k());
        let mut fold = FloatFold::new(kind, &FoldTree::of_digits(lane_digits));
        layout.lanes_of_replicas().iter().for_each(|lane| fold.push(lanes[*lane as usize]));
        ObservedValue::Float(fold.finish())
    }
}

#[test]
fn the_kernels_compute_what_the_definition_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Host::new(folder.path());
    let mut cases = 0;
    for (fractal, level) in
        [("sierpinski_triangle", 7), ("full_square", 4), ("lace", 3), ("cantor_set", 9), ("candy", 3)]
    {
        let domain = Domain::new(resolve::fractal(fractal).unwrap(), level).unwrap();
        let ks: Vec<u64> = (1..=level).map(|mu| domain.fractal().pattern(mu).k()).collect();
        for (lane_digits, micro_digits) in [(0, 1), (1, 1), (3, 2), (2, 0), (level, 0), (0, level)] {
            let layout = Layout::new(&domain, lane_digits, micro_digits).unwrap();
            let inside = &ks[..(level - layout.lane_digits()) as usize];
            for (number, ty) in TYPES.into_iter().enumerate() {
                let columns = Columns::new(&layout, ty, 77 * number as u64);
                for kind in KINDS {
                    let tree = FoldTree::of_fractal(domain.fractal(), level);
                    let mut wanted = ReductionFold::new(kind, ty.scalar(), &tree);
                    columns.cells.iter().for_each(|bits| wanted.push(Value::from_bits(ty.scalar(), *bits)));
                    let wanted = wanted.finish();
                    for most in [1, 30, 200, u64::MAX] {
                        let plan = FoldPlan::new(inside, layout.micro_digits() as usize, most, 1);
                        let found = columns.fold(&mut host, &layout, kind, &plan);
                        assert_eq!(found, wanted, "{fractal} {ty:?} {kind:?} {lane_digits} {micro_digits} {plan:?}");
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, 5 * 6 * 2 * 4 * 4);
}

/// The cells of masks, of which the last block of each digit may be shorter.
#[test]
fn the_kernels_fold_cells_without_digits() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Host::new(folder.path());
    for cells in [2, 31, 32, 33, 40, 1023, 1024, 1025, 1056, 1057, 33_000] {
        let (columns, plan) = (Columns::packed(cells), FoldPlan::of_cells(cells));
        for (kind, most) in KINDS.iter().flat_map(|kind| [32, 320, 40_000].map(|most| (*kind, most))) {
            let mut wanted = FloatFold::new(kind, &FoldTree::of_cells(cells));
            columns.cells.iter().for_each(|bits| wanted.push(f64::from_bits(*bits)));
            let pieces: Vec<_> = (0..cells).step_by(most).map(|c| c..(c + most as u64).min(cells)).collect();
            let found = host.follow(kind, &plan, &pieces, &columns);
            let found = f64::from_le_bytes(found.try_into().unwrap());
            assert_eq!(ObservedValue::Float(found), ObservedValue::Float(wanted.finish()), "{cells} {kind:?} {most}");
        }
    }
}
