//! The base pointers that stand in general registers: the ones used last.

use super::graph::Base;
use iced_x86::Register;

/// The [`Call`](crate::engine::cpu::call::Call).
pub const CALL: Register = Register::RDI;
/// Its `reads`.
pub const READS: Register = Register::RSI;
/// The offset of the vector within its column, in loops.
pub const INDEX: Register = Register::RDX;
/// The stack pointer as it was.
pub const FRAME: Register = Register::RBP;

/// For base pointers: those that belong to the caller come last.
const REGISTERS: [Register; 12] = [
    Register::RAX,
    Register::RCX,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::RDX,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Of [`REGISTERS`] the ones that belong to the caller.
const CALLERS: [Register; 5] = [Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];

/// What stands in the registers.
pub struct Pointers {
    slots: Vec<Slot>,
    clock: u64,
}

struct Slot {
    register: Register,
    held: Option<Base>,
    used_at: u64,
}

impl Pointers {
    /// Empty registers; [`INDEX`] is not among them in a loop.
    pub fn new(looped: bool) -> Pointers {
        let free = REGISTERS.into_iter().filter(|register| !looped || *register != INDEX);
        Pointers { slots: free.map(|register| Slot { register, held: None, used_at: 0 }).collect(), clock: 0 }
    }

    /// The register that holds a pointer, and whether it holds it already: if not, it must be loaded now.
    pub fn find(&mut self, base: Base) -> (Register, bool) {
        self.clock += 1;
        let known = self.slots.iter_mut().find(|slot| slot.held == Some(base));
        let is_known = known.is_some();
        let slot = match known {
            Some(slot) => slot,
            None => self.slots.iter_mut().min_by_key(|slot| slot.used_at).expect("there are registers"),
        };
        slot.held = Some(base);
        slot.used_at = self.clock;
        (slot.register, is_known)
    }

    /// The caller's registers that were used, and must be saved.
    pub fn callers(&self) -> Vec<Register> {
        let used = self.slots.iter().filter(|slot| slot.held.is_some()).map(|slot| slot.register);
        used.filter(|register| CALLERS.contains(register)).collect()
    }
}
