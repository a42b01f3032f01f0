//! The kernels that fold observables: through NVIDIA's compiler, and, as C++ on the host, against the definition.

use squeeze::Failure as _;
use squeeze::compiler::emit::cuda::{FoldKernel, FoldLaunch, FoldPlace, FoldPlan, FoldSource, emit, emit_folds};
use squeeze::compiler::ir::{ReductionKind, Type, Value};
use squeeze::compiler::kernel::{LaneType, Planes};
use squeeze::compiler::layout::Layout;
use squeeze::compiler::numbers::digest::mix;
use squeeze::compiler::pipeline::compile_observables;
use squeeze::compiler::reduce::fold::{FloatFold, FoldTree, ObservedValue, ReductionFold};
use squeeze::compiler::{Target, compile};
use squeeze::cuda::{Architecture, Nvrtc, Output};
use squeeze::{Domain, resolve};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const KINDS: [ReductionKind; 4] = [ReductionKind::Sum, ReductionKind::Count, ReductionKind::Min, ReductionKind::Max];

const PLANES: [Planes; 9] = [
    Planes::Bits(1),
    Planes::Bits(3),
    Planes::Number(LaneType::U8),
    Planes::Number(LaneType::U16),
    Planes::Number(LaneType::I32),
    Planes::Number(LaneType::U32),
    Planes::Number(LaneType::I64),
    Planes::Number(LaneType::F32),
    Planes::Number(LaneType::F64),
];

fn kernels() -> Vec<FoldKernel> {
    let of = |kind| PLANES.map(|planes| FoldKernel { kind, source: FoldSource::Columns(planes) });
    KINDS.into_iter().flat_map(of).collect()
}

/// NVRTC, if it can be had: `cargo xtask test` fetches it. Where CI=true it must be there.
fn nvrtc() -> Option<Nvrtc> {
    match Nvrtc::in_folder(Path::new("../target/nvrtc/nvidia/cu13/lib")).or_else(|_| Nvrtc::find()) {
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
    let text = emit_folds(&kernels());
    for architecture in [75, 80, 90, 100, 120].map(Architecture) {
        let ptx = String::from_utf8(nvrtc.compile(&text, architecture, Output::Ptx).unwrap()).unwrap();
        for wrong in [".local", "fma.", ".approx", ".full.", ".ftz", "min.f64", "max.f64"] {
            assert!(!ptx.contains(wrong), "{wrong} for {architecture:?}");
        }
        assert_eq!(ptx.matches(".entry fold_").count(), 3 * PLANES.len(), "f64 and i64 twice are one kernel each");
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
            if rule.reductions.is_empty() || domain.admits(&rule).is_err() {
                continue;
            }
            let target = Target::cuda();
            let plan = compile(&rule, &domain, &target).unwrap().plan;
            let terms = compile_observables(&rule, &plan, &target).unwrap();
            let text = emit(plan.layout(), [&terms], &[]).text;
            let ptx = String::from_utf8(nvrtc.compile(&text, Architecture(90), Output::Ptx).unwrap()).unwrap();
            assert!(!["fma.", ".approx", ".full.", ".ftz"].iter().any(|wrong| ptx.contains(wrong)), "{}", rule.name);
            compiled += 1;
        }
    }
    assert!(compiled > 10, "{compiled} rules observe something");
}

/// What CUDA C takes for granted, and a loop that does what it reads.
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
static Dim blockIdx, threadIdx;
static int __popc(unsigned v) { return __builtin_popcount(v); }
";

const AFTER: &str = r#"
static void get(void *to, size_t bytes) { if (fread(to, 1, bytes, stdin) != bytes) { exit(0); } }
int main() {
    for (;;) {
        u32 kernel, width, lanes; u64 stride, rows, bytes; Digits digits;
        get(&kernel, 4); get(&width, 4); get(&lanes, 4); get(&stride, 8); get(&rows, 8); get(&digits, 16); get(&bytes, 8);
        std::vector<char> source(bytes), result(8 * rows * width);
        get(source.data(), bytes);
        for (blockIdx.x = 0; blockIdx.x < (rows * width + 127) / 128; ++blockIdx.x) {
            for (threadIdx.x = 0; threadIdx.x < 128; ++threadIdx.x) {
                run(kernel, source.data(), stride, width, lanes, rows, digits, result.data());
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
    names: Vec<String>,
}

impl Host {
    fn new(folder: &Path) -> Host {
        let mut names: Vec<String> = Vec::new();
        for kernel in kernels().into_iter().flat_map(|kernel| [kernel, kernel.next()]) {
            if !names.contains(&kernel.name()) {
                names.push(kernel.name());
            }
        }
        let case = |(index, name): (usize, &String)| {
            let element = ["u8", "u16", "i32", "u32", "i64", "f32", "f64"]
                .into_iter()
                .find(|ty| name.ends_with(&format!("_{ty}")));
            let result = if name.ends_with("_f32") || name.ends_with("_f64") { "f64" } else { "i64" };
            let source = element.unwrap_or("u32");
            format!(
                "case {index}: return {name}((const {source} *)source, stride, width, lanes, rows, digits, ({result} *)result);\n"
            )
        };
        let cases: String = names.iter().enumerate().map(case).collect();
        let run = format!(
            "static void run(u32 kernel, const void *source, u64 stride, u32 width, u32 lanes, u64 rows, Digits digits, void *result) {{
                 switch (kernel) {{\n{cases}}}\n}}\n"
        );
        let (file, program) = (folder.join("fold.cpp"), folder.join("fold"));
        std::fs::write(&file, format!("{BEFORE}{}{run}{AFTER}", emit_folds(&kernels()))).unwrap();
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
        let done = Command::new(compiler)
            .args(["-O2", "-std=c++17", "-ffp-contract=off", "-Wno-unknown-pragmas", "-o"])
            .args([&program, &file])
            .output()
            .expect("a C++ compiler");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        Host { child, names }
    }

    /// What one launch makes of a source.
    fn launch(&mut self, name: &str, source: &[u8], sizes: [u64; 3], launch: FoldLaunch) -> Vec<u8> {
        let [stride, width, lanes] = sizes;
        let kernel = self.names.iter().position(|known| known == name).expect("it was printed") as u32;
        let input = self.child.stdin.as_mut().unwrap();
        let mut request = Vec::new();
        for number in [kernel, width as u32, lanes as u32] {
            request.extend(number.to_le_bytes());
        }
        request.extend(stride.to_le_bytes());
        request.extend(launch.rows.to_le_bytes());
        launch.digits.iter().for_each(|k| request.extend(k.to_le_bytes()));
        request.extend((source.len() as u64).to_le_bytes());
        request.extend(source);
        input.write_all(&request).unwrap();
        input.flush().unwrap();
        let mut result = vec![0; (8 * launch.rows * width) as usize];
        self.child.stdout.as_mut().unwrap().read_exact(&mut result).unwrap();
        result
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        _ = self.child.wait();
    }
}

/// The columns of a state, with whatever beyond the last lane, and the bits of its cells in canonical order.
struct Columns {
    planes: Planes,
    stride: u64,
    width: u64,
    row_bytes: usize,
    bytes: Vec<u8>,
    cells: Vec<u64>,
}

impl Columns {
    fn new(layout: &Layout, planes: Planes, salt: u64) -> Columns {
        let value = |number: u64| match planes {
            Planes::Bits(planes) => mix(number) % (1 << planes),
            Planes::Number(LaneType::U8 | LaneType::Bits) => mix(number) % 256,
            Planes::Number(LaneType::U16) => mix(number) % (1 << 16),
            Planes::Number(LaneType::I32 | LaneType::U32) => mix(number) % (1 << 32),
            Planes::Number(LaneType::I64) => mix(number),
            // Sums that depend on the order, a NaN here and there, and both zeros.
            Planes::Number(LaneType::F32) => {
                let numbers = [f32::NAN, -0.0, 0.0, 1e30, -1e30];
                let any = mix(number) as i32 as f32 * 1e-7;
                u64::from(numbers.get((number % 1003) as usize).copied().unwrap_or(any).to_bits())
            }
            Planes::Number(LaneType::F64) => {
                let numbers = [f64::INFINITY, -0.0, 0.0, 1e200, -1e200];
                let any = mix(number) as i64 as f64 * 1e-9;
                numbers.get((number % 2003) as usize).copied().unwrap_or(any).to_bits()
            }
        };
        let cells: Vec<u64> = (0..layout.cells()).map(|c| value(c.wrapping_add(salt))).collect();
        let rows = layout.superblocks() as usize * layout.micro_cells() as usize;
        let (lanes, words) = (layout.lanes(), layout.words());
        let (stride, width, row_bytes) = match planes {
            Planes::Bits(planes) => (words, words, 4 * words * usize::from(planes)),
            Planes::Number(ty) => {
                let stride = lanes.next_multiple_of(8);
                (stride, lanes, stride * ty.scalar().bytes() as usize)
            }
        };
        let mut bytes: Vec<u8> = (0..rows * row_bytes).map(|i| mix(i as u64 ^ salt) as u8).collect();
        for (c, bits) in (0..).zip(&cells) {
            let (lane, superblock, micro) = layout.split(c);
            let row = (superblock as usize * layout.micro_cells() as usize + micro as usize) * row_bytes;
            match planes {
                Planes::Bits(planes) => {
                    for plane in 0..usize::from(planes) {
                        let at = row + 4 * (plane * words) + lane as usize / 8;
                        bytes[at] = bytes[at] & !(1 << (lane % 8)) | ((bits >> plane & 1) as u8) << (lane % 8);
                    }
                }
                Planes::Number(ty) => {
                    let size = ty.scalar().bytes() as usize;
                    bytes[row + lane as usize * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
                }
            }
        }
        Columns { planes, stride: stride as u64, width: width as u64, row_bytes, bytes, cells }
    }

    /// Folds the columns by the launches of a plan, and the lanes as the host does.
    fn fold(&self, host: &mut Host, layout: &Layout, kind: ReductionKind, plan: &FoldPlan) -> ObservedValue {
        let kernel = FoldKernel { kind, source: FoldSource::Columns(self.planes) };
        let row = 8 * self.width as usize;
        let mut between = [vec![], vec![]];
        let (mut groups, mut result) = (vec![0; row * plan.group_rows() as usize], vec![]);
        let mut launches = Vec::new();
        for piece in plan.pieces() {
            launches.extend(plan.of_piece(piece).into_iter().map(|launch| (piece.first * plan.group, launch)));
        }
        launches.extend(plan.of_groups().into_iter().map(|launch| (0, launch)));
        for (first, launch) in launches {
            let rows = (launch.rows * launch.digits.iter().map(|k| u64::from(*k)).product::<u64>()) as usize;
            let (source, name, stride) = match launch.source {
                FoldPlace::Columns => (
                    &self.bytes[first as usize * self.row_bytes..][..rows * self.row_bytes],
                    kernel.name(),
                    self.stride,
                ),
                FoldPlace::Between(index) => (&between[index][..rows * row], kernel.next().name(), self.width),
                FoldPlace::Groups(first) => {
                    (&groups[first as usize * row..][..rows * row], kernel.next().name(), self.width)
                }
                FoldPlace::Result(_) => panic!("the end"),
            };
            let made = host.launch(&name, source, [stride, self.width, layout.lanes() as u64], launch);
            match launch.target {
                FoldPlace::Columns => panic!("columns are not written"),
                FoldPlace::Between(index) => between[index] = made,
                FoldPlace::Groups(first) => groups[first as usize * row..][..made.len()].copy_from_slice(&made),
                FoldPlace::Result(_) => result = made,
            }
        }
        let values = result.chunks_exact(8).map(|value| u64::from_le_bytes(value.try_into().unwrap()));
        match kernel.source.folded() {
            FoldSource::Floats => {
                let inside = layout.level() - layout.lane_digits();
                let fractal = layout.low().fractal();
                let lane_digits = (inside + 1..=layout.level()).map(|mu| fractal.pattern(mu).k());
                let mut fold = FloatFold::new(kind, &FoldTree::of_digits(lane_digits));
                let lanes: Vec<u64> = values.collect();
                let in_order = layout.lanes_of_replicas().iter().map(|lane| lanes[*lane as usize]);
                in_order.for_each(|bits| fold.push(f64::from_bits(bits)));
                ObservedValue::Float(fold.finish())
            }
            FoldSource::Integers | FoldSource::Columns(_) => {
                ObservedValue::Integer(kind.exact_of(values.map(|bits| bits as i64)))
            }
        }
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
            for (number, planes) in PLANES.into_iter().enumerate() {
                let columns = Columns::new(&layout, planes, 77 * number as u64);
                let ty = match planes {
                    Planes::Bits(1) => Type::Bit,
                    Planes::Bits(_) => Type::U8,
                    Planes::Number(ty) => ty.scalar(),
                };
                for kind in KINDS {
                    let mut wanted = ReductionFold::new(kind, ty, &FoldTree::of_fractal(domain.fractal(), level));
                    columns.cells.iter().for_each(|bits| wanted.push(Value::from_bits(ty, *bits)));
                    let wanted = wanted.finish();
                    for most in [1, 30, 200, u64::MAX] {
                        let plan = FoldPlan::new(inside, layout.micro_digits() as usize, most, 1);
                        let found = columns.fold(&mut host, &layout, kind, &plan);
                        assert_eq!(
                            found, wanted,
                            "{fractal} {planes:?} {kind:?} {lane_digits} {micro_digits} {plan:?}"
                        );
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, 5 * 6 * 9 * 4 * 4);
}
