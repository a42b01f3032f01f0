//! The code around a body: constants, the entry, which makes room for spilled values, the loop over groups, the exit.
//!
//! A *group* is the lanes that one turn of the loop computes: as many as fill vector registers. A *rescue* is code apart from the body, to which it jumps if
//! a quick formula does not hold for some lane: a function of the program then computes the vector anew, and the body goes on.

use super::allocate::{GroupCode, Rescue};
use super::assembly_error::AssemblyError;
use super::graph::{LoadForm, StoreForm};
use super::isa::InstructionTable;
use super::pointers::{FRAME, FixedRegisters, LOW, SCRATCH, STEP};
use crate::{Call, CountedCall};
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};
use std::mem::offset_of;

/// The bytes of an operand or result of a call, of which there are three at the bottom of the frame of a body with calls.
pub(crate) const AREA: usize = 128;
/// The most bytes of slots: a thread's stack may be small.
pub(crate) const MOST_FRAME: usize = 512 << 10;
/// The mask register of the words that a short column has, one of fewer bits than a vector, in kernels of bits alone with AVX-512.
pub(super) const SHORT: Register = Register::K1;
/// The stack may not be entered further than this from where it is known to exist.
const PAGE: usize = 4096;
/// Code begins at a multiple of this, behind the constants.
const LINE: usize = 64;

/// The bytes of the frame below the slots: the operands and results of calls, and all registers if there are rescues.
pub(super) fn areas(table: &InstructionTable, calls: bool, rescues: bool) -> usize {
    (if calls { 3 * AREA } else { 0 }) + if rescues { table.registers * table.vector + MASKS } else { 0 }
}

/// The registers of a rescue's arguments, and the bytes of these registers while they are kept on the stack. The first three are pointers to vectors; behind
/// them stand the call, an eighth of the group's first lane, and the place of a vector of random words.
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];
const PUSHED: usize = 48;
/// The bytes of all mask registers, of which 16 bits are kept.
const MASKS: usize = 64;

/// A column as the loop sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopColumn {
    /// The lanes of a group.
    pub group: usize,
    /// The lanes that must be covered: groups may overlap.
    pub lanes: usize,
    /// Whether the call says how many bytes are computed ([`CountedCall`]).
    pub is_counted: bool,
    /// Whether groups are rows of strips, which the call counts.
    pub is_strip: bool,
}

impl LoopColumn {
    /// Whether there is more than one group.
    pub(crate) fn is_looped(self) -> bool {
        self.is_counted || self.lanes > self.group
    }
}

/// The constants and, from the returned offset on, the function: position-independent, System V calling convention.
pub(crate) fn assemble(
    body: &GroupCode,
    pool: &[u8],
    column: LoopColumn,
    table: &InstructionTable,
) -> Result<(Vec<u8>, usize), AssemblyError> {
    let start = pool.len().next_multiple_of(LINE);
    let mut encoder = Encoder::new(64);
    let mut at = start as u64;
    let mut encode = |instructions: &[Instruction]| -> Result<u64, AssemblyError> {
        for instruction in instructions {
            at += encoder.encode(instruction, at)? as u64;
        }
        Ok(at)
    };
    encode(&entry(body, table)?)?;
    // Where the jumps to rescues end.
    let mut jumps = Vec::with_capacity(body.rescues.len());
    encode(&body.loads)?;
    let FixedRegisters { bits, shorts, back, .. } = body.fixed;
    if column.is_looped() {
        for register in [Some(bits), shorts, back].into_iter().flatten() {
            encode(&[Instruction::with2(Code::Xor_r64_rm64, register, register)?])?;
        }
    }
    let head = encode(&[])?;
    encode_body(&mut encode, &mut jumps, body)?;
    if column.is_looped() {
        encode(&next_group(head, column, body.fixed)?)?;
    }
    encode(&exit(body, table)?)?;
    let mut targets = Vec::with_capacity(jumps.len());
    if !jumps.is_empty() {
        let around = encode(&[])?;
        encode(&with_all_registers_saved(table, areas(table, body.calls, false))?)?;
        for (rescue, back) in &jumps {
            targets.push((*back, encode(&[])?));
            let base = areas(table, body.calls, false);
            encode(&rescued(rescue, (base, column.is_looped()), table, body.fixed, (around, *back))?)?;
        }
    }
    let mut bytes = pool.to_vec();
    bytes.resize(start, 0);
    bytes.extend(encoder.take_buffer());
    for (jump, target) in targets {
        let distance = (target - jump) as u32;
        bytes[jump as usize - 4..jump as usize].copy_from_slice(&distance.to_le_bytes());
    }
    Ok((bytes, start))
}

/// Encodes the body with its jumps to rescues. Each is added to `jumps` with the address at which its instruction ends.
fn encode_body(
    encode: &mut impl FnMut(&[Instruction]) -> Result<u64, AssemblyError>,
    jumps: &mut Vec<(Rescue, u64)>,
    body: &GroupCode,
) -> Result<(), AssemblyError> {
    let mut done = 0;
    for rescue in &body.rescues {
        let here = encode(&body.looped[done..rescue.place])?;
        jumps.push((*rescue, encode(&[Instruction::with_branch(rescue.jump, here)?])?));
        done = rescue.place;
    }
    encode(&body.looped[done..])?;
    Ok(())
}

/// Saves registers, aligns the stack and makes room in it, and sets the registers that hold for the whole body.
fn entry(body: &GroupCode, table: &InstructionTable) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with1(Code::Push_r64, FRAME)?];
    for register in &body.saved {
        code.push(Instruction::with1(Code::Push_r64, *register)?);
    }
    code.push(Instruction::with2(Code::Mov_r64_rm64, FRAME, Register::RSP)?);
    let mut left = body.below + body.slots * table.vector;
    if left > 0 {
        code.push(Instruction::with2(Code::And_rm64_imm8, Register::RSP, -(table.vector as i32))?);
        while left > 0 {
            let part = left.min(PAGE);
            code.push(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, part as i32)?);
            if part == PAGE {
                // Touches each page in turn, so that a stack overflow meets the guard page.
                code.push(Instruction::with2(Code::Or_rm64_imm8, MemoryOperand::with_base(Register::RSP), 0)?);
            }
            left -= part;
        }
    }
    let FixedRegisters { call, reads, .. } = body.fixed;
    if call != Register::RDI {
        code.push(Instruction::with2(Code::Mov_r64_rm64, call, Register::RDI)?);
    }
    let list = MemoryOperand::with_base_displ(call, offset_of!(Call, reads) as i64);
    code.push(Instruction::with2(Code::Mov_r64_rm64, reads, list)?);
    if let Some(words) = body.masked_words {
        code.push(Instruction::with2(Code::Mov_r32_imm32, LOW, (1 << words) - 1)?);
        code.push(Instruction::with2(Code::VEX_Kmovw_kr_r32, SHORT, LOW)?);
    }
    Ok(code)
}

/// Calls the function at RAX with all registers that it may change in the frame, from `base` on; vectors that it changes there, and
/// all others, are loaded again.
fn with_all_registers_saved(table: &InstructionTable, base: usize) -> Result<Vec<Instruction>, IcedError> {
    use Register::{R10, R11, RSP};
    // Above the address of return.
    let place = |offset: usize| MemoryOperand::with_base_displ(RSP, (base + offset + PUSHED + 8) as i64);
    let (store, load) = ((table.store)(StoreForm::Whole), (table.load)(LoadForm::Whole));
    let vectors = (0..table.registers).map(|i| (store, load, table.names[0] + i as u32, place(i * table.vector)));
    let first = table.registers * table.vector;
    let mask =
        |i: usize| (Code::VEX_Kmovw_m16_kr, Code::VEX_Kmovw_kr_km16, Register::K0 + i as u32, place(first + 8 * i));
    let kept: Vec<_> = vectors.chain((0..if table.has_masks { 8 } else { 0 }).map(mask)).collect();
    // With these, the arguments and two addresses of return the stack is aligned.
    let general = [R10, R11];
    let mut code = Vec::new();
    for (store, _, register, place) in &kept {
        code.push(Instruction::with2(*store, *place, *register)?);
    }
    for register in general {
        code.push(Instruction::with1(Code::Push_r64, register)?);
    }
    code.push(Instruction::with2(Code::Sub_rm64_imm8, RSP, 8)?);
    code.extend(table.clear.map(Instruction::with));
    code.push(Instruction::with1(Code::Call_rm64, SCRATCH)?);
    code.push(Instruction::with2(Code::Add_rm64_imm8, RSP, 8)?);
    for register in general.into_iter().rev() {
        code.push(Instruction::with1(Code::Pop_r64, register)?);
    }
    for (_, load, register, place) in kept {
        code.push(Instruction::with2(load, register, place)?);
    }
    code.push(Instruction::with(Code::Retnq));
    Ok(code)
}

/// Lets the function of a rescue compute its vector anew, and goes back.
fn rescued(
    rescue: &Rescue,
    (base, looped): (usize, bool),
    table: &InstructionTable,
    fixed: FixedRegisters,
    (around, back): (u64, u64),
) -> Result<Vec<Instruction>, IcedError> {
    let mut code = Vec::with_capacity(20);
    for register in ARGUMENTS {
        code.push(Instruction::with1(Code::Push_r64, register)?);
    }
    let [.., call, eighth, place] = ARGUMENTS;
    code.push(match looped {
        true => Instruction::with2(Code::Mov_r64_rm64, eighth, fixed.bits)?,
        false => Instruction::with2(Code::Xor_r64_rm64, eighth, eighth)?,
    });
    code.push(Instruction::with2(Code::Mov_r64_rm64, call, fixed.call)?);
    code.push(Instruction::with2(Code::Mov_r64_imm64, place, u64::from(rescue.word))?);
    for (register, number) in ARGUMENTS.into_iter().zip(rescue.registers) {
        let offset = base + PUSHED + usize::from(number) * table.vector;
        let place = MemoryOperand::with_base_displ(Register::RSP, offset as i64);
        code.push(Instruction::with2(Code::Lea_r64_m, register, place)?);
    }
    code.push(Instruction::with2(Code::Mov_r64_imm64, SCRATCH, rescue.address as u64)?);
    code.push(Instruction::with_branch(Code::Call_rel32_64, around)?);
    for register in ARGUMENTS.into_iter().rev() {
        code.push(Instruction::with1(Code::Pop_r64, register)?);
    }
    code.push(Instruction::with_branch(Code::Jmp_rel32_64, back)?);
    Ok(code)
}

/// Goes to the next group of the column, until the last one was done, which may overlap the one before. [`LOW`] is the lower half of [`SCRATCH`], which
/// thus holds where the last group begins. No base pointer that is kept between groups stands in these registers.
fn next_group(head: u64, column: LoopColumn, fixed: FixedRegisters) -> Result<Vec<Instruction>, IcedError> {
    let FixedRegisters { bits, shorts, back, call, .. } = fixed;
    if column.is_counted {
        let mut code = Vec::new();
        if column.is_strip {
            let row = offset_of!(CountedCall, row);
            code.push(Instruction::with2(Code::Add_rm32_imm8, MemoryOperand::with_base_displ(call, row as i64), 1)?);
            if let Some(shorts) = shorts {
                code.push(Instruction::with2(Code::Add_rm64_imm32, shorts, (2 * column.group) as i32)?);
            }
            if let Some(back) = back {
                code.push(Instruction::with2(Code::Sub_rm64_imm8, back, 1)?);
            }
        }
        let bytes = MemoryOperand::with_base_displ(call, offset_of!(CountedCall, bytes) as i64);
        code.extend([
            Instruction::with2(Code::Add_rm64_imm32, bits, (column.group / 8) as i32)?,
            Instruction::with2(Code::Cmp_r64_rm64, bits, bytes)?,
            Instruction::with_branch(Code::Jb_rel32_64, head)?,
        ]);
        return Ok(code);
    }
    let last = ((column.lanes - column.group) / 8) as i32;
    let mut code = vec![
        Instruction::with2(Code::Mov_r64_rm64, STEP, bits)?,
        Instruction::with2(Code::Mov_r32_imm32, LOW, last)?,
        Instruction::with2(Code::Add_rm64_imm8, bits, (column.group / 8) as i32)?,
        Instruction::with2(Code::Cmp_r64_rm64, bits, SCRATCH)?,
        Instruction::with2(Code::Cmova_r64_rm64, bits, SCRATCH)?,
    ];
    if let Some(shorts) = shorts {
        code.push(Instruction::with3(Code::Imul_r64_rm64_imm8, shorts, bits, 16)?);
    }
    code.push(Instruction::with2(Code::Cmp_r64_rm64, STEP, SCRATCH)?);
    code.push(Instruction::with_branch(Code::Jb_rel32_64, head)?);
    Ok(code)
}

/// Restores the registers that the entry saved.
fn exit(body: &GroupCode, table: &InstructionTable) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with2(Code::Mov_r64_rm64, Register::RSP, FRAME)?];
    for register in body.saved.iter().rev() {
        code.push(Instruction::with1(Code::Pop_r64, *register)?);
    }
    code.push(Instruction::with1(Code::Pop_r64, FRAME)?);
    code.extend(table.clear.map(Instruction::with));
    code.push(Instruction::with(Code::Retnq));
    Ok(code)
}
