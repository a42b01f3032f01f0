//! The base pointers that stand in general registers: the ones used last.

use super::graph::Base;
use iced_x86::Register;

/// The [`Call`](crate::engine::cpu::call::Call).
pub const CALL: Register = Register::RBX;
/// Its `reads`.
pub const READS: Register = Register::R15;
/// In the loop an eighth of the group's first lane: where its bits stand.
pub const BITS: Register = Register::R12;
/// In the loop four times the group's first lane.
pub const WORDS: Register = Register::R13;

/// For base pointers.
const REGISTERS: [Register; 9] = [
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R14,
];

/// What stands in the registers.
pub struct Pointers {
    slots: [(Option<Base>, u64); REGISTERS.len()],
    clock: u64,
}

impl Pointers {
    /// Empty registers.
    pub fn new() -> Pointers {
        Pointers { slots: [(None, 0); REGISTERS.len()], clock: 0 }
    }

    /// Nothing stands in registers any more.
    pub fn forget(&mut self) {
        *self = Pointers::new();
    }

    /// The register that holds a pointer, and whether it holds it already: if not, it must be loaded now.
    pub fn find(&mut self, base: Base) -> (Register, bool) {
        self.clock += 1;
        let known = self.slots.iter().position(|(held, _)| *held == Some(base));
        let oldest = || (0..self.slots.len()).min_by_key(|slot| self.slots[*slot].1).expect("there are registers");
        let slot = known.unwrap_or_else(oldest);
        self.slots[slot] = (Some(base), self.clock);
        (REGISTERS[slot], known.is_some())
    }
}
