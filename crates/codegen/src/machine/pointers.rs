//! The general registers: the fixed ones, and the base pointers that were used last.

use super::graph::{Base, ColumnAddress, GraphNode, GroupStride, InstructionGraph};
use iced_x86::Register;

/// The register of short-lived values; in kernels without such values for base pointers too.
pub(crate) const SCRATCH: Register = Register::RAX;
/// The lower half of it.
pub(super) const LOW: Register = Register::EAX;
/// The second register that the step from group to group needs.
pub(super) const STEP: Register = Register::R8;
/// The stack pointer as it was.
pub(crate) const FRAME: Register = Register::RBP;

/// For base pointers: those that belong to the caller come last.
const REGISTERS: [Register; 14] = {
    use Register::{R8, R9, R10, R11, R12, R13, R14, R15, RAX, RBX, RCX, RDI, RDX, RSI};
    [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11, RBX, R12, R13, R14, R15]
};

/// How many of [`REGISTERS`] do not belong to the caller.
const OWN: usize = 9;

/// The registers with one meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedRegisters {
    /// The [`Call`](crate::Call).
    pub call: Register,
    /// Its `reads`.
    pub reads: Register,
    /// In the loop an eighth of the group's first lane: where its bits stand.
    pub bits: Register,
    /// In the loop twice the group's first lane, if there are numbers of two bytes or more.
    pub shorts: Option<Register>,
    /// In the loop over rows of strips minus the row's number, if something moves backwards.
    pub back: Option<Register>,
}

impl FixedRegisters {
    /// The registers that calls of helpers preserve, if there are calls.
    pub(super) fn of(graph: &InstructionGraph) -> FixedRegisters {
        let is_wide = |node: &GraphNode| {
            let Some(place) = node.address() else { return false };
            matches!(place, ColumnAddress { pace: GroupStride::Short | GroupStride::Word | GroupStride::Double, .. })
        };
        let has_shorts = graph.nodes.iter().any(is_wide);
        let is_backwards =
            |node: &GraphNode| node.address().is_some_and(|place| matches!(place.pace, GroupStride::Backwards(_)));
        // A loop that is counted needs no second register for its step.
        let back = graph.nodes.iter().any(is_backwards).then_some(STEP);
        let [call, bits, shorts, reads] = if graph.has_calls() {
            [Register::RBX, Register::R12, Register::R13, Register::R15]
        } else {
            [Register::RDI, Register::RDX, Register::RCX, Register::RSI]
        };
        FixedRegisters { call, reads, bits, shorts: has_shorts.then_some(shorts), back }
    }
}

/// The contents of the registers.
pub(super) struct PointerRegisters {
    slots: Vec<PointerRegister>,
    clock: u64,
}

struct PointerRegister {
    register: Register,
    held: Option<Base>,
    used_at: u64,
    /// Whether it holds the same pointer for all groups.
    kept: bool,
}

/// Registers that are left to pointers that are not kept.
const LEFT: usize = 2;

impl PointerRegisters {
    /// Empty registers.
    pub(super) fn new(fixed: &FixedRegisters, looped: bool, scratch: bool) -> PointerRegisters {
        let mut taken = vec![fixed.call, fixed.reads];
        if looped {
            taken.push(fixed.bits);
            taken.extend(fixed.shorts);
            taken.extend(fixed.back);
        }
        if scratch {
            taken.push(SCRATCH);
        }
        let free = REGISTERS.into_iter().filter(|register| !taken.contains(register));
        PointerRegisters {
            slots: free.map(|register| PointerRegister { register, held: None, used_at: 0, kept: false }).collect(),
            clock: 0,
        }
    }

    /// Nothing stands in registers any more.
    pub(super) fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.held = None);
    }

    /// Only pointers that are kept for all groups stand in registers any more.
    pub(super) fn forget_others(&mut self) {
        self.slots.iter_mut().filter(|slot| !slot.kept).for_each(|slot| slot.held = None);
    }

    /// How many of `pointers` pointers can be kept for all groups: none if most would be loaded anyway.
    pub(crate) fn room_to_keep(&self, pointers: usize) -> usize {
        let room = self.slots.iter().filter(|slot| ![SCRATCH, STEP].contains(&slot.register)).count();
        match pointers {
            all if all <= room => all,
            all if all <= 2 * room => room - LEFT,
            _ => 0,
        }
    }

    /// A register that holds a pointer for all groups, which must be loaded before the first.
    pub(super) fn keep(&mut self, base: Base) -> Register {
        self.clock += 1;
        let is_free = |slot: &&mut PointerRegister| !slot.kept && ![SCRATCH, STEP].contains(&slot.register);
        let slot = self.slots.iter_mut().find(is_free).expect("there is room");
        (slot.held, slot.used_at, slot.kept) = (Some(base), self.clock, true);
        slot.register
    }

    /// The register that holds a pointer, and whether it holds it already: if not, it must be loaded now.
    pub(super) fn find(&mut self, base: Base) -> (Register, bool) {
        self.clock += 1;
        let known = self.slots.iter().position(|slot| slot.held == Some(base));
        let oldest = || {
            // Empty ones first, in their order.
            let age = |place: &usize| self.slots[*place].held.map_or(0, |_| self.slots[*place].used_at);
            (0..self.slots.len()).filter(|place| !self.slots[*place].kept).min_by_key(age).expect("there are registers")
        };
        let slot = known.unwrap_or_else(oldest);
        let slot = &mut self.slots[slot];
        (slot.held, slot.used_at) = (Some(base), self.clock);
        (slot.register, known.is_some())
    }

    /// The caller's registers that were used, and must be saved.
    pub(super) fn callers(&self, fixed: &FixedRegisters) -> Vec<Register> {
        let used = |register: &Register| {
            let is_fixed = [fixed.call, fixed.reads, fixed.bits].contains(register) || fixed.shorts == Some(*register);
            is_fixed || self.slots.iter().any(|slot| slot.register == *register && slot.used_at > 0)
        };
        REGISTERS[OWN..].iter().copied().filter(used).collect()
    }
}
