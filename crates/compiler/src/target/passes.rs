//! The passes of each target, in their order.

use super::Flushes;
use super::speciality::Speciality;
use KernelPass::{
    Adders, Boolean, Classes, CutAtDraws, Derive, Flush, FlushRest, Interleave, Legalise, Logic3, Logic3OfLanes,
    OfBits, RandomBits, SecondBody, SmallNumbers,
};

/// A pass over a kernel, or, once that is cut, over its bodies. [`passes`](crate::passes) has a file for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelPass {
    /// Results that the executor does not flush by itself are flushed by operations.
    Flush(Flushes),
    /// The same of kernels of which the processor cannot flush everything.
    FlushRest,
    /// Kernels that draw get a second body, for where all neighbours exist.
    SecondBody,
    /// Random bits of few probabilities are said as such, so that they are decided by planes.
    RandomBits,
    /// The same, and comparisons of numbers of few values.
    Classes,
    /// Two lists of passes. The first is taken if its kernel has lanes of bits and draws no words; else the second if its kernel has lanes of bits; else the first.
    OfBits(&'static [KernelPass], &'static [KernelPass]),
    /// Kernels of which nothing but bits is left if numbers of a few bits become logic are taken so.
    SmallNumbers,
    /// Count tests become minimal boolean functions of the counts' digits.
    Boolean,
    /// Counts become adders that share partial sums between cells.
    Adders,
    /// The meaning of stores, sums and divisions beyond their operands becomes operations.
    Legalise,
    /// In kernels of bits, logic on up to three operands becomes one operation.
    Logic3,
    /// The same in kernels whose lanes know bits alone.
    Logic3OfLanes,
    /// Long sums of several cells are added in turn, and functions of functions computed.
    Interleave,
    /// The kernel is cut into bodies where its random bits are decided.
    CutAtDraws,
    /// Numbers that follow from the parameters are read where the host puts them.
    Derive,
}

impl KernelPass {
    /// The speciality without which the pass is left out, if there is one.
    pub fn speciality(self) -> Option<Speciality> {
        match self {
            SecondBody => Some(Speciality::SecondBody),
            RandomBits | Classes => Some(Speciality::Planes),
            Logic3 | Logic3OfLanes => Some(Speciality::Tables),
            SmallNumbers => Some(Speciality::SmallNumbers),
            Interleave => Some(Speciality::Interleaving),
            Derive => Some(Speciality::Derived),
            Flush(_) | FlushRest | OfBits(..) | Boolean | Adders | Legalise | CutAtDraws => None,
        }
    }
}

/// A processor with logic on two operands.
pub const LOGIC2: &[KernelPass] =
    &[RandomBits, SmallNumbers, Boolean, Adders, Legalise, Interleave, CutAtDraws, FlushRest];
/// A processor with logic on three operands.
pub const LOGIC3: &[KernelPass] =
    &[RandomBits, SmallNumbers, Boolean, Adders, Legalise, Interleave, CutAtDraws, Logic3, FlushRest];
/// A processor that Cranelift compiles for.
pub const CRANELIFT: &[KernelPass] =
    &[RandomBits, SmallNumbers, Boolean, Adders, Legalise, Interleave, CutAtDraws, Flush(Flushes::Nothing)];
/// Rust source.
pub const RUST: &[KernelPass] = &[Flush(Flushes::Nothing), Boolean, Adders, Legalise, Logic3];
/// CUDA C.
pub const CUDA: &[KernelPass] = &[
    Flush(Flushes::Sums),
    SecondBody,
    OfBits(&[Boolean, Adders, Legalise], &[Classes, Boolean, Adders, Legalise]),
    Logic3OfLanes,
    Derive,
];
/// CUDA C of a cell whose turn it is: threads are at different places, and decide bits by words.
pub(crate) const TURNS: &[KernelPass] = &[Flush(Flushes::Sums), Boolean, Adders, Legalise, Derive];
/// CUDA C of a single cell, for the strategies of the papers: a thread adds bits one by one, so that counts stay as they are.
pub(crate) const CELL: &[KernelPass] = &[Flush(Flushes::Nothing), Legalise];
