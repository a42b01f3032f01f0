//! What stands around a body: constants, the entry, which makes room for spilled values, the loop over groups, the exit.

use super::allocate::Body;
use super::isa::Table;
use super::pointers::{FRAME, Fixed, LOW, SCRATCH};
use super::problem::{Problem, Statistics};
use crate::engine::cpu::call::Call;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};
use std::mem::offset_of;

/// The bytes of an operand or result of a call, of which there are three at the bottom of the frame of a body with calls.
pub const AREA: usize = 128;
/// The most bytes of slots: a thread's stack may be small.
pub const MOST_FRAME: usize = 512 << 10;
/// The mask register of the words of a short column, in kernels of bits alone with AVX-512.
pub const SHORT: Register = Register::K1;
/// The stack may not be entered further than this from where it is known to exist.
const PAGE: usize = 4096;
/// Code begins at a multiple of this, behind the constants.
const LINE: usize = 64;

/// A column as the loop sees it.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The lanes of a group.
    pub group: usize,
    /// The lanes that must be covered: groups may overlap.
    pub lanes: usize,
}

impl Column {
    /// Whether there is more than one group.
    pub fn is_looped(self) -> bool {
        self.lanes > self.group
    }
}

/// The constants and, from the returned offset on, the function: position-independent, System V calling convention.
pub fn assemble(
    body: &Body,
    pool: &[u8],
    column: Column,
    table: &Table,
) -> Result<(Vec<u8>, usize, Statistics), Problem> {
    let start = pool.len().next_multiple_of(LINE);
    let mut encoder = Encoder::new(64);
    let (mut at, mut count) = (start as u64, 0);
    let mut encode = |instructions: &[Instruction]| -> Result<u64, Problem> {
        for instruction in instructions {
            at += encoder.encode(instruction, at)? as u64;
        }
        count += instructions.len();
        Ok(at)
    };
    let frame = if body.calls { 3 * AREA } else { 0 } + body.slots * table.vector;
    encode(&entry(body, frame, table)?)?;
    encode(&body.before)?;
    let Fixed { bits, words, .. } = body.fixed;
    if column.is_looped() {
        for register in [Some(bits), words].into_iter().flatten() {
            encode(&[Instruction::with2(Code::Xor_r64_rm64, register, register)?])?;
        }
    }
    let head = encode(&[])?;
    encode(&body.looped)?;
    if column.is_looped() {
        encode(&next_group(head, column, body.fixed)?)?;
    }
    encode(&exit(body, table)?)?;
    let mut bytes = pool.to_vec();
    bytes.resize(start, 0);
    bytes.extend(encoder.take_buffer());
    let statistics = Statistics { bytes: bytes.len(), instructions: count, spills: body.spills, frame };
    Ok((bytes, start, statistics))
}

/// Saves registers, aligns the stack and makes room in it, and sets what holds for the whole body.
fn entry(body: &Body, frame: usize, table: &Table) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with1(Code::Push_r64, FRAME)?];
    for register in &body.saved {
        code.push(Instruction::with1(Code::Push_r64, *register)?);
    }
    code.push(Instruction::with2(Code::Mov_r64_rm64, FRAME, Register::RSP)?);
    if frame > 0 {
        code.push(Instruction::with2(Code::And_rm64_imm8, Register::RSP, -(table.vector as i32))?);
        let mut left = frame;
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
    let Fixed { call, reads, .. } = body.fixed;
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

/// Goes to the next group of the column, or to the last one, which may overlap, until that was done. Base pointers stand in
/// no registers between groups.
fn next_group(head: u64, column: Column, fixed: Fixed) -> Result<Vec<Instruction>, IcedError> {
    let Fixed { bits, words, .. } = fixed;
    let last = ((column.lanes - column.group) / 8) as i32;
    let mut code = vec![
        Instruction::with2(Code::Mov_r64_rm64, Register::R8, bits)?,
        Instruction::with2(Code::Mov_r32_imm32, LOW, last)?,
        Instruction::with2(Code::Add_rm64_imm8, bits, (column.group / 8) as i32)?,
        Instruction::with2(Code::Cmp_r64_rm64, bits, SCRATCH)?,
        Instruction::with2(Code::Cmova_r64_rm64, bits, SCRATCH)?,
    ];
    if let Some(words) = words {
        code.push(Instruction::with3(Code::Imul_r64_rm64_imm8, words, bits, 32)?);
    }
    code.push(Instruction::with2(Code::Cmp_r64_rm64, Register::R8, SCRATCH)?);
    code.push(Instruction::with_branch(Code::Jb_rel32_64, head)?);
    Ok(code)
}

/// Restores what the entry saved.
fn exit(body: &Body, table: &Table) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with2(Code::Mov_r64_rm64, Register::RSP, FRAME)?];
    for register in body.saved.iter().rev() {
        code.push(Instruction::with1(Code::Pop_r64, *register)?);
    }
    code.push(Instruction::with1(Code::Pop_r64, FRAME)?);
    code.extend(table.clear.map(Instruction::with));
    code.push(Instruction::with(Code::Retnq));
    Ok(code)
}
