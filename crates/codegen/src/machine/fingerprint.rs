//! A number for the instructions of a kernel, by which a test sees that they changed.

use super::allocate::Rescue;
use super::{Instructions, instructions};
use crate::{CodeError, ColumnOrder, Isa};
use iced_x86::Code;
use squeeze_compiler::layout::columns::Shape;
use squeeze_compiler::passes::Body;
use std::hash::{Hash, Hasher};

/// That of a kernel on any machine, whether this one has the instruction set or not. Where functions of this process lie is not in it.
///
/// # Errors
/// [`CodeError`], if the kernel is too large.
pub fn fingerprint(kernel: &Body, shape: Shape, order: ColumnOrder, isa: Isa) -> Result<u64, CodeError> {
    let instructions = instructions(kernel, shape, order, isa).map_err(|problem| problem.of(kernel))?;
    let Instructions { body, pool, column, table, flushes } = instructions;
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    (pool, column.group, column.lanes, table.vector, flushes).hash(&mut hasher);
    (body.below, body.slots, body.spills, &body.saved, body.masked_words).hash(&mut hasher);
    for mut instruction in body.loads.into_iter().chain(body.looped) {
        // The address of a helper.
        if instruction.code() == Code::Mov_r64_imm64 {
            instruction.set_immediate64(0);
        }
        instruction.hash(&mut hasher);
    }
    for Rescue { place, jump, registers, word, address: _ } in body.rescues {
        (place, jump, registers).hash(&mut hasher);
        // Functions of floats have none.
        if word > 0 {
            word.hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}

/// FNV-1a: the same in every process.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }
}
