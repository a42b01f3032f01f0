//! Instruction sets as tables: the instruction of each action, and the few things that a set does in its own way.
//!
//! Actions for which a table has no instruction are made of others in [`numbers`](super::numbers) and [`convert`](super::convert). To add an
//! instruction set, write a table.

mod avx2;
mod avx512;
mod shared;
mod sse41;

pub(super) use avx2::AVX2;
pub(super) use avx512::{AVX512, AVX512_BITS, AVX512_LONG_BITS};
pub(super) use sse41::SSE41;

use super::graph::{Fold, Id, LoadForm, StoreForm};
use super::logic::Gates;
use super::select::Select;
use crate::helpers::GroupFunction;
use iced_x86::{Code, Register};
use squeeze_compiler::kernel::LaneType;

/// An action on vectors of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`; of integers the lower half.
    Multiply,
    /// `a * b + c`, rounded once, where the instruction set has it.
    PlusProduct,
    /// `a - b * c`, rounded once, where the instruction set has it.
    MinusProduct,
    /// `a / b`
    Divide,
    /// `a < b ? a : b`
    Min,
    /// `a > b ? a : b`
    Max,
    /// `a & b`
    And,
    /// `!a & b`
    NotAnd,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << immediate`
    ShiftLeft,
    /// `a >> immediate`
    ShiftRight,
    /// `a << b`
    ShiftLeftBy,
    /// `a >> b`
    ShiftRightBy,
    /// √a
    SquareRoot,
    /// `a >> immediate` of unsigned integers of 64 bits.
    ShiftRightLong,
    /// The products of the lower halves of integers of 64 bits, without signs.
    MultiplyHalves,
    /// To a whole number, as the immediate says.
    Round,
    /// |a|
    Absolute,
    /// `a ? b` as the immediate says, to a mask.
    Compare,
    /// `a = b` of integers, to a mask.
    Equal,
    /// `a > b` of integers, to a mask.
    Greater,
    /// Whether `a & b` is not 0, to a mask.
    Test,
    /// `mask ? b : a`
    Choose,
    /// `a`, where its mask is true.
    Keep,
}

impl Action {
    /// Whether its operands can be exchanged: a minimum or maximum of floats is its second operand if there is a NaN.
    pub(crate) fn commutes(self, ty: LaneType) -> bool {
        match self {
            Action::Add
            | Action::Multiply
            | Action::And
            | Action::Or
            | Action::Xor
            | Action::Equal
            | Action::MultiplyHalves => true,
            Action::Min | Action::Max => !ty.is_float(),
            _ => false,
        }
    }
}

/// The predicates of comparisons in all instruction sets, as instructions number them.
pub(super) mod predicate {
    /// `a = b`; like all but two, false for NaN.
    pub(crate) const EQUAL: u8 = 0;
    /// `a < b`
    pub(crate) const LESS: u8 = 1;
    /// `a ≤ b`
    pub(crate) const LESS_EQUAL: u8 = 2;
    /// One is NaN.
    pub(crate) const UNORDERED: u8 = 3;
    /// `a ≠ b`, true for NaN.
    pub(crate) const NOT_EQUAL: u8 = 4;
    /// None is NaN.
    pub(crate) const ORDERED: u8 = 7;
}

/// An instruction set.
pub(super) struct InstructionTable {
    /// The bytes of a vector.
    pub vector: usize,
    /// How many vector registers there are.
    pub registers: usize,
    /// The first of them, and of those that are half as wide.
    pub names: [Register; 2],
    /// The lanes of a group in kernels of numbers.
    pub lanes: usize,
    /// Whether lanes' bits stand in mask registers, and numbers in memory can be spread while they are used.
    pub has_masks: bool,
    /// Whether results overwrite the first source, and sources in memory must be aligned.
    pub overwrites: bool,
    /// Logic on bits.
    pub gates: &'static Gates,
    /// In kernels of bits alone the upper half of a pair of words shifted left, and the lower half of one shifted right, the second operand being the other
    /// half: not every processor with the instruction set has these.
    pub pairs: Option<[Code; 2]>,
    /// From memory.
    pub load: fn(LoadForm) -> Code,
    /// Spreads the lowest 32 bits, where [`LoadForm::Four`] does not.
    pub spread: Option<Code>,
    /// To memory.
    pub store: fn(StoreForm) -> Code,
    /// From register to register.
    pub copy: Code,
    /// Takes the signs of elements, or of bytes, to a general register, and all that there are.
    pub signs: Option<(Code, i32)>,
    /// A shorter form for the lower sixteen registers, where there is one.
    pub shorter: fn(Code) -> Option<Code>,
    /// The instruction for an action on elements of a type.
    pub action: fn(Action, LaneType) -> Option<Code>,
    /// The instruction for a conversion, which cuts off. From or to elements of 64 bits, those of 32 bits are half a vector.
    pub convert: fn(LaneType, LaneType) -> Option<Code>,
    /// Extends half a vector of 32 bits to 64 by zeros, or by the sign.
    pub extend: [Code; 2],
    /// The upper half of a vector in the lower one, with an immediate.
    pub upper: (Code, u8),
    /// Two lower halves as one vector, with an immediate if it has one.
    pub join: (Code, Option<u8>),
    /// Two masks for elements of 64 bits, from one for 32 bits.
    pub widen: fn(&mut Select<'_>, Id) -> [Id; 2],
    /// The opposite; of vectors it takes the lower 32 bits of all elements.
    pub narrow: fn(&mut Select<'_>, [Id; 2]) -> Id,
    /// A group's mask as a vector whose signs are [stored](StoreForm::Signs).
    pub mask: fn(&mut Select<'_>, &[Id]) -> Id,
    /// The vector that is stored for a group's bytes, of elements that are below 256.
    pub bytes: fn(&mut Select<'_>, &[Id]) -> Id,
    /// The vector that is [stored](StoreForm::Shorts) for a group of 16 bits each, of elements that are below 65536.
    pub shorts: fn(&mut Select<'_>, &[Id]) -> Id,
    /// Where a helper for this set stands.
    pub helper: fn(GroupFunction) -> usize,
    /// Ends the use of wide vectors.
    pub clear: Option<Code>,
}

impl InstructionTable {
    /// The forms of memory operands of an operation on elements of `size` bytes; an operation on masks has none.
    pub(super) fn fold(&self, size: Option<usize>) -> Fold {
        match size {
            None => Fold::No,
            Some(_) if !self.has_masks => Fold::Whole,
            Some(8) => Fold::Eight,
            Some(_) => Fold::Four,
        }
    }

    /// The elements of 32 bits in a vector.
    pub(super) fn width(&self) -> usize {
        self.vector / 4
    }

    /// The vectors of a group of numbers.
    pub(super) fn parts(&self, ty: LaneType) -> usize {
        let of_words = self.lanes / self.width();
        if ty.width() == 64 { 2 * of_words } else { of_words }
    }
}
