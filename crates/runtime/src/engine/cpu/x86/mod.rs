//! Machine code for kernels of bits alone, on x86-64: AVX2, or AVX-512 in vectors of 256 bits.
//!
//! Straight-line code needs little of a compiler, and kernels are long: tens of thousands of operations for several
//! steps at once. So there is no general code generator here but three short walks over the kernel:
//!
//! 1. `graph` simplifies, shares and, for AVX2, takes operations on three operands apart (`formulas`). Negations
//!    vanish into their users.
//! 2. `allocate` gives values registers by their furthest next use and picks instructions. The order is the kernel's.
//! 3. `frame` puts the entry, the exit and, for columns of more than one vector, a loop around it.
//!
//! A vector of 256 bits is eight words. A longer column is covered by overlapping vectors (the new buffer is never
//! read, so that writing a word twice is harmless); a shorter one is loaded whole and stored word by word.

#[cfg(all(target_arch = "x86_64", unix))]
mod allocate;
#[cfg(all(target_arch = "x86_64", unix))]
mod formulas;
#[cfg(all(target_arch = "x86_64", unix))]
mod frame;
#[cfg(all(target_arch = "x86_64", unix))]
mod graph;
#[cfg(all(target_arch = "x86_64", unix))]
mod pointers;
#[cfg(all(test, target_arch = "x86_64", unix))]
mod tests;

use super::call::{KernelFn, Shape};
use squeeze_compiler::ir::kernel::{Kernel, LaneType, Op};
#[cfg(all(target_arch = "x86_64", unix))]
use squeeze_compiler::passes;

/// What of the instruction set is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// 16 registers and operations on two operands.
    Avx2,
    /// AVX-512 F and VL: 32 registers and any operation on three operands. Vectors still have 256 bits, which is faster
    /// than 512 as long as columns are short.
    Avx512,
}

impl Isa {
    /// All of them, the best last.
    pub const ALL: [Isa; 2] = [Isa::Avx2, Isa::Avx512];

    /// The best that this machine has; `None` if it has none, or is not an x86-64 machine with a Unix.
    pub fn detected() -> Option<Isa> {
        Isa::ALL.into_iter().rev().find(|isa| isa.is_available())
    }

    /// Whether this machine has it.
    #[cfg(all(target_arch = "x86_64", unix))]
    pub fn is_available(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        let extended = || has!("avx512f") && has!("avx512vl");
        has!("avx2") && (self == Isa::Avx2 || extended())
    }

    /// Whether this machine has it.
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    pub fn is_available(self) -> bool {
        false
    }
}

/// Why a kernel was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// It is not one of those that [`supports`] names.
    #[error("kernel `{kernel}` is not of bits alone, or this is not an x86-64 machine with AVX2")]
    Unsupported {
        /// Its name.
        kernel: String,
    },
    /// The machine lacks the instruction set asked for.
    #[error("this machine has no {0:?}")]
    NoIsa(Isa),
    /// Its values or columns take more memory than machine code may address here; shorter kernels do not.
    #[error("kernel `{kernel}` is too large: {what}")]
    TooLarge {
        /// Its name.
        kernel: String,
        /// What of it.
        what: &'static str,
    },
    /// An instruction that does not exist: a bug of this module.
    #[error("kernel `{kernel}` cannot be encoded: {message}")]
    Encoding {
        /// Its name.
        kernel: String,
        /// What the encoder said.
        message: String,
    },
    /// The system gave no memory for code.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] std::io::Error),
}

/// What the code of a kernel consists of; all are counts, for one vector of each column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bytes of machine code.
    pub bytes: usize,
    /// Instructions, entry and exit included.
    pub instructions: usize,
    /// Operations on two or three vectors.
    pub operations: usize,
    /// Of them, the ones with an operand in memory.
    pub from_memory: usize,
    /// Vectors loaded by instructions of their own, those of spilled values included.
    pub loads: usize,
    /// Vectors stored because registers were short.
    pub spills: usize,
    /// Copies between registers.
    pub copies: usize,
    /// Base pointers loaded.
    pub pointers: usize,
    /// Bytes of spilled values on the stack.
    pub frame: usize,
}

/// The machine code of a kernel. Its memory is freed on drop.
#[derive(Debug)]
pub struct Compiled {
    code: memmap2::Mmap,
    statistics: Statistics,
}

impl Compiled {
    /// The function, valid as long as this value lives: calling it later is undefined behaviour.
    pub fn function(&self) -> KernelFn {
        // SAFETY: the memory is executable and begins with a function of this type, which `frame` wrote.
        unsafe { std::mem::transmute::<*const u8, KernelFn>(self.code.as_ptr()) }
    }

    /// What it consists of.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// Whether [`compile`] takes this kernel, on this machine: all its values are bits, made by nothing but bits.
pub fn supports(kernel: &Kernel) -> bool {
    Isa::detected().is_some() && kernel.nodes.iter().all(|node| is_bits(kernel, &node.op, node.ty))
}

fn is_bits(kernel: &Kernel, op: &Op, ty: Option<LaneType>) -> bool {
    match op {
        Op::Store { value, .. } => kernel.node(*value).ty == Some(LaneType::Bits),
        Op::Load { .. }
        | Op::Presence(_)
        | Op::Param { .. }
        | Op::Const(_)
        | Op::Not(_)
        | Op::Logic(..)
        | Op::Table { .. } => ty == Some(LaneType::Bits),
        _ => false,
    }
}

/// Compiles a verified kernel for columns of this shape, with the instruction set `level` or the best that there is.
/// Give it as [`optimise`](squeeze_compiler::passes::optimise) leaves it: operations on three operands are made here if the instruction set has them.
///
/// # Errors
/// [`CompileError`]; for a kernel that [`supports`] names, and no `level`, only if it is too large or memory is short.
#[cfg(all(target_arch = "x86_64", unix))]
pub fn compile(kernel: &Kernel, shape: Shape, level: Option<Isa>) -> Result<Compiled, CompileError> {
    let unsupported = || CompileError::Unsupported { kernel: kernel.name.clone() };
    if !supports(kernel) {
        return Err(unsupported());
    }
    let isa = level.or_else(Isa::detected).ok_or_else(unsupported)?;
    if !isa.is_available() {
        return Err(CompileError::NoIsa(isa));
    }
    let problem = |problem| match problem {
        frame::Problem::TooLarge(what) => CompileError::TooLarge { kernel: kernel.name.clone(), what },
        frame::Problem::Encoding(error) => {
            CompileError::Encoding { kernel: kernel.name.clone(), message: error.to_string() }
        }
    };
    let is_fused = kernel.nodes.iter().any(|node| matches!(node.op, Op::Table { .. }));
    let fused = (isa == Isa::Avx512 && !is_fused).then(|| passes::with_tables(kernel.clone()));
    let graph = graph::Graph::of(fused.as_ref().unwrap_or(kernel), shape.words, isa).map_err(problem)?;
    let body = allocate::body(&graph, shape.words, isa).map_err(problem)?;
    let (bytes, statistics) = frame::assemble(body, shape.words, isa).map_err(problem)?;
    // Written first and executable only then: never both at once.
    let mut memory = memmap2::MmapMut::map_anon(bytes.len())?;
    memory.copy_from_slice(&bytes);
    Ok(Compiled { code: memory.make_exec()?, statistics })
}

/// Compiles nothing: this is not an x86-64 machine with a Unix.
///
/// # Errors
/// Always [`CompileError::Unsupported`].
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub fn compile(kernel: &Kernel, _shape: Shape, _level: Option<Isa>) -> Result<Compiled, CompileError> {
    Err(CompileError::Unsupported { kernel: kernel.name.clone() })
}
