//! What stands around a body: the entry, which makes room for spilled values, the loop over a long column, the exit.

use super::allocate::Body;
use super::pointers::{CALL, FRAME, INDEX, READS};
use super::{Isa, Statistics};
use crate::engine::cpu::call::Call;
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};
use std::mem::offset_of;

/// The words of a vector.
pub const VECTOR_WORDS: usize = 8;
/// The bytes of a vector.
pub const VECTOR: usize = 4 * VECTOR_WORDS;
/// The mask register of the words of a short column, with AVX-512.
pub const SHORT: Register = Register::K1;

/// The most bytes of spilled values: a thread's stack may be small.
pub const MOST_FRAME: usize = 256 << 10;
/// The stack may not be entered further than this from where it is known to exist.
const PAGE: usize = 4096;

/// Why there is no code.
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

/// Whether a column of so many words takes a loop.
pub fn is_looped(words: usize) -> bool {
    words > VECTOR_WORDS
}

/// The function's bytes: position-independent, System V calling convention.
pub fn assemble(body: Body, words: usize, isa: Isa) -> Result<(Vec<u8>, Statistics), Problem> {
    let frame = body.slots * VECTOR;
    let mut encoder = Encoder::new(64);
    let mut statistics = Statistics { frame, ..body.statistics };
    let mut at = 0u64;
    let mut encode = |instructions: &[Instruction]| -> Result<u64, Problem> {
        for instruction in instructions {
            at += encoder.encode(instruction, at)? as u64;
        }
        statistics.instructions += instructions.len();
        Ok(at)
    };
    let head = encode(&entry(&body.saved, frame, words, isa)?)?;
    encode(&body.instructions)?;
    if is_looped(words) {
        encode(&next_vector(head, words)?)?;
    }
    statistics.bytes = encode(&exit(&body.saved)?)? as usize;
    Ok((encoder.take_buffer(), statistics))
}

fn field(offset: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(CALL, offset as i64)
}

/// Saves registers, aligns the stack and makes room in it, and sets what holds for the whole body.
fn entry(saved: &[Register], frame: usize, words: usize, isa: Isa) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with1(Code::Push_r64, FRAME)?];
    for register in saved {
        code.push(Instruction::with1(Code::Push_r64, *register)?);
    }
    code.push(Instruction::with2(Code::Mov_r64_rm64, FRAME, Register::RSP)?);
    if frame > 0 {
        code.push(Instruction::with2(Code::And_rm64_imm8, Register::RSP, -(VECTOR as i32))?);
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
    code.push(Instruction::with2(Code::Mov_r64_rm64, READS, field(offset_of!(Call, reads)))?);
    if words < VECTOR_WORDS && isa == Isa::Avx512 {
        code.push(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, (1 << words) - 1)?);
        code.push(Instruction::with2(Code::VEX_Kmovw_kr_r32, SHORT, Register::EAX)?);
    }
    if is_looped(words) {
        code.push(Instruction::with2(Code::Xor_r32_rm32, Register::EDX, Register::EDX)?);
    }
    Ok(code)
}

/// Goes to the next vector of the column, or to the last one, which may overlap, until that was done.
fn next_vector(head: u64, words: usize) -> Result<[Instruction; 7], IcedError> {
    let last = (4 * (words - VECTOR_WORDS)) as i32;
    Ok([
        Instruction::with2(Code::Mov_r64_rm64, Register::RCX, INDEX)?,
        Instruction::with2(Code::Mov_r32_imm32, Register::EAX, last)?,
        Instruction::with2(Code::Add_rm64_imm8, INDEX, VECTOR as i32)?,
        Instruction::with2(Code::Cmp_r64_rm64, INDEX, Register::RAX)?,
        Instruction::with2(Code::Cmova_r64_rm64, INDEX, Register::RAX)?,
        Instruction::with2(Code::Cmp_r64_rm64, Register::RCX, Register::RAX)?,
        Instruction::with_branch(Code::Jb_rel32_64, head)?,
    ])
}

/// Restores what the entry saved.
fn exit(saved: &[Register]) -> Result<Vec<Instruction>, IcedError> {
    let mut code = vec![Instruction::with2(Code::Mov_r64_rm64, Register::RSP, FRAME)?];
    for register in saved.iter().rev() {
        code.push(Instruction::with1(Code::Pop_r64, *register)?);
    }
    code.push(Instruction::with1(Code::Pop_r64, FRAME)?);
    code.push(Instruction::with(Code::VEX_Vzeroupper));
    code.push(Instruction::with(Code::Retnq));
    Ok(code)
}
