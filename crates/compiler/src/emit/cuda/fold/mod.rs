//! The kernels that fold observables on the device, printed for what a rule observes.
//!
//! A kernel folds rows: `rows` results are wanted, each from as many consecutive rows of `source` as the digits come to. A row has
//! `width` places, each folded for itself by one thread: a value of each lane, or a word of bits with 32 lanes, which count as one place from
//! then on. What is folded once is i64 or f64, in rows of `width` values without a gap.
//! [`reduce::fold`](crate::reduce::fold) says what comes out.

mod plan;

pub use plan::{FoldDigits, FoldLaunch, FoldPiece, FoldPlace, FoldPlan};

use super::THREADS;
use crate::ir::ReductionKind;
use crate::kernel::{LaneType, Planes};
use minijinja::{Environment, UndefinedBehavior, context};

const SKELETON: &str =
    concat!(include_str!("../../../../templates/reductions.cu"), include_str!("../../../../templates/fold.cu"));

/// The most digits that a launch folds.
pub const FOLD_DIGITS: usize = 4;

/// What a fold reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldSource {
    /// Columns of a state, or of terms that stand like one.
    Columns(Planes),
    /// What was folded before, of bits and integers.
    Integers,
    /// What was folded before, of floats.
    Floats,
}

impl FoldSource {
    /// What the fold of this is.
    pub fn folded(self) -> FoldSource {
        match self {
            FoldSource::Columns(Planes::Number(LaneType::F32 | LaneType::F64)) | FoldSource::Floats => {
                FoldSource::Floats
            }
            FoldSource::Columns(_) | FoldSource::Integers => FoldSource::Integers,
        }
    }

    /// The name of one value in CUDA C, and in kernels' names.
    fn element(self) -> (&'static str, String) {
        let number = |name: &'static str| (name, name.to_owned());
        match self {
            FoldSource::Columns(Planes::Bits(planes)) => ("u32", format!("bits{planes}")),
            FoldSource::Columns(Planes::Number(ty)) => match ty {
                LaneType::Bits | LaneType::U8 => number("u8"),
                LaneType::U16 => ("unsigned short", "u16".to_owned()),
                LaneType::I32 => number("i32"),
                LaneType::U32 => number("u32"),
                LaneType::I64 => number("i64"),
                LaneType::F32 => number("f32"),
                LaneType::F64 => number("f64"),
            },
            FoldSource::Integers => number("i64"),
            FoldSource::Floats => number("f64"),
        }
    }
}

/// A kernel that folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldKernel {
    /// How values are combined.
    pub kind: ReductionKind,
    /// What it reads.
    pub source: FoldSource,
}

impl FoldKernel {
    /// Its name in the program.
    pub fn name(self) -> String {
        format!("fold_{}_{}", self.kind_name().to_lowercase(), self.source.element().1)
    }

    /// The kernel that folds on what this one makes.
    pub fn next(self) -> FoldKernel {
        FoldKernel { source: self.source.folded(), ..self }
    }

    fn kind_name(self) -> &'static str {
        match self.kind {
            ReductionKind::Sum | ReductionKind::Count => "Sum",
            ReductionKind::Min => "Min",
            ReductionKind::Max => "Max",
        }
    }
}

/// Prints these kernels and those that fold on, each once, in the order in which they are first needed.
pub fn emit_folds(kernels: &[FoldKernel]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut printed = Vec::new();
    for kernel in kernels.iter().flat_map(|kernel| [*kernel, kernel.next()]) {
        let name = kernel.name();
        if names.contains(&name) {
            continue;
        }
        let planes = match kernel.source {
            FoldSource::Columns(Planes::Bits(planes)) => planes,
            FoldSource::Columns(Planes::Number(_)) | FoldSource::Integers | FoldSource::Floats => 0,
        };
        let what = match kernel.source {
            FoldSource::Columns(Planes::Bits(1)) => "columns of bits",
            FoldSource::Columns(Planes::Bits(_)) => "columns of bits in planes",
            FoldSource::Columns(Planes::Number(_)) => "columns of numbers",
            FoldSource::Integers | FoldSource::Floats => "what was folded before",
        };
        printed.push(context! {
            name => name.clone(),
            about => format!("{}: {what}.", kernel.kind_name()),
            kind => kernel.kind_name(),
            element => kernel.source.element().0,
            result => kernel.next().source.element().0,
            planes,
        });
        names.push(name);
    }
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
        .render_str(SKELETON, context! { kernels => printed, threads => THREADS })
        .expect("the skeleton names nothing else")
}
