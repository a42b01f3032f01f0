//! What stands around a body: constants, the entry, which makes room for spilled values, the loop over groups, the exit.

use super::allocate::Body;
use super::graph::LANES;
use super::pointers::{BITS, CALL, READS, WORDS};
use crate::engine::cpu::call::Call;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};
use std::mem::offset_of;

/// The bytes of a slot.
pub const SLOT: usize = 64;
/// The bytes of an operand or result of a call, of which there are three at the bottom of the frame.
pub const AREA: usize = 128;
/// The most bytes of slots: a thread's stack may be small.
pub const MOST_FRAME: usize = 256 << 10;
/// The stack may not be entered further than this from where it is known to exist.
const PAGE: usize = 4096;

/// The registers that belong to the caller.
const CALLERS: [Register; 5] = [Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];

/// Why there is no code.
#[derive(Debug)]
pub enum Problem {
    /// Something exceeds what can be addressed.
    TooLarge(&'static str),
    /// A bug: see the message.
    Encoding(IcedError),
}

impl From<IcedError> for Problem {
    fn from(error: IcedError) -> Problem {
        Problem::Encoding(error)
    }
}

/// Whether columns of so many values take a loop.
pub fn is_looped(stride: usize) -> bool {
    stride > LANES
}

/// The constants and, from the returned offset on, the function: position-independent, System V calling convention.
pub fn assemble(body: &Body, pool: &[u8], stride: usize) -> Result<(Vec<u8>, usize), Problem> {
    let start = pool.len().next_multiple_of(64);
    let mut encoder = Encoder::new(64);
    let mut at = start as u64;
    let mut encode = |instructions: &[Instruction]| -> Result<u64, Problem> {
        for instruction in instructions {
            at += encoder.encode(instruction, at)? as u64;
        }
        Ok(at)
    };
    encode(&entry(3 * AREA + body.slots * SLOT)?)?;
    encode(&body.before)?;
    let is_looped = is_looped(stride);
    if is_looped {
        encode(&[
            Instruction::with2(Code::Xor_r32_rm32, Register::R12D, Register::R12D)?,
            Instruction::with2(Code::Xor_r32_rm32, Register::R13D, Register::R13D)?,
        ])?;
    }
    let head = encode(&[])?;
    encode(&body.looped)?;
    if is_looped {
        encode(&next_group(head, stride)?)?;
    }
    encode(&exit()?)?;
    let mut bytes = pool.to_vec();
    bytes.resize(start, 0);
    bytes.extend(encoder.take_buffer());
    Ok((bytes, start))
}

/// Saves registers, aligns the stack and makes room in it, and sets what holds for the whole body.
fn entry(frame: usize) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with1(Code::Push_r64, Register::RBP)?];
    for register in CALLERS {
        code.push(Instruction::with1(Code::Push_r64, register)?);
    }
    code.push(Instruction::with2(Code::Mov_r64_rm64, Register::RBP, Register::RSP)?);
    code.push(Instruction::with2(Code::And_rm64_imm8, Register::RSP, -(SLOT as i32))?);
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
    code.push(Instruction::with2(Code::Mov_r64_rm64, CALL, Register::RDI)?);
    let reads = MemoryOperand::with_base_displ(CALL, offset_of!(Call, reads) as i64);
    code.push(Instruction::with2(Code::Mov_r64_rm64, READS, reads)?);
    Ok(code)
}

/// Goes to the next group of the column, or to the last one, which may overlap, until that was done.
fn next_group(head: u64, stride: usize) -> Result<[Instruction; 8], IcedError> {
    let last = ((stride - LANES) / 8) as i32;
    Ok([
        Instruction::with2(Code::Mov_r64_rm64, Register::RCX, BITS)?,
        Instruction::with2(Code::Mov_r32_imm32, Register::EAX, last)?,
        Instruction::with2(Code::Add_rm64_imm8, BITS, (LANES / 8) as i32)?,
        Instruction::with2(Code::Cmp_r64_rm64, BITS, Register::RAX)?,
        Instruction::with2(Code::Cmova_r64_rm64, BITS, Register::RAX)?,
        Instruction::with3(Code::Imul_r64_rm64_imm8, WORDS, BITS, 32)?,
        Instruction::with2(Code::Cmp_r64_rm64, Register::RCX, Register::RAX)?,
        Instruction::with_branch(Code::Jb_rel32_64, head)?,
    ])
}

/// Restores what the entry saved.
fn exit() -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with2(Code::Mov_r64_rm64, Register::RSP, Register::RBP)?];
    for register in CALLERS.into_iter().rev() {
        code.push(Instruction::with1(Code::Pop_r64, register)?);
    }
    code.push(Instruction::with1(Code::Pop_r64, Register::RBP)?);
    code.push(Instruction::with(Code::VEX_Vzeroupper));
    code.push(Instruction::with(Code::Retnq));
    Ok(code)
}
