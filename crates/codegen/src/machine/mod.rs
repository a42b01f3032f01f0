//! Machine code for kernels on x86-64: one back end for bits and numbers, and a table for each instruction set.
//!
//! Straight-line code needs little of a compiler, and kernels are long: tens of thousands of operations for several
//! steps at once. So there is no general code generator here but short walks over the kernel:
//!
//! 1. `select` turns operations into instructions by the tables of `isa` (`numbers` and `convert` those on numbers,
//!    `functions` the functions of floats, `logic` those on bits); `graph` shares nodes that are the same.
//!    `strip` selects the rows of strips, which go from one turn of the loop to the next in registers.
//! 2. `allocate` gives values registers by their furthest next use. The order is the kernel's.
//! 3. `frame` puts constants, entry, loop over groups and exit around it.
//!
//! In a kernel of bits alone a vector is as many lanes as it has bits. Where there are numbers a group is 16 lanes with AVX-512, which
//! has mask registers for their bits, and 8 elsewhere, where a mask is a vector of elements that are all zeros or all ones: bits are
//! spread when they are loaded, and packed when they are stored. Numbers of 32 bits fill one vector or two, binary64 twice as many; a u8
//! stands in 32 bits.
//!
//! Columns of more than one group are covered by overlapping groups (the new buffer is never read, so that writing a value
//! twice is harmless); a shorter one is loaded whole and stored in part. Functions such as `exp` are instructions as
//! all else; arguments for which their usual way will not do, such as large ones of a sine, are computed one element after the other behind the
//! code, if a vector holds such an element. Remainders of floats are calls of helpers, which take a whole group.

mod allocate;
mod assembly_error;
mod convert;
mod fingerprint;
mod frame;
mod functions;
mod graph;
mod isa;
mod logic;
mod numbers;
mod pointers;
mod select;
mod strip;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use fingerprint::fingerprint;

use crate::{AvailableIsa, Call, CodeError, ColumnOrder, Isa, KernelFn, StripLoop};
use assembly_error::AssemblyError;
use squeeze_compiler::layout::columns::Shape;
use squeeze_compiler::numbers::table::ConstTable;
use squeeze_compiler::passes::Body;

/// The machine code of a kernel. Its memory is freed on drop.
#[derive(Debug)]
pub struct X86Code {
    code: memmap2::Mmap,
    start: usize,
    flushes: bool,
    /// The tables whose addresses are in it.
    _tables: Vec<ConstTable>,
}

impl X86Code {
    /// Runs the code with the arguments of a call; results that the kernel flushes are flushed by the processor.
    ///
    /// # Safety
    /// All that the kernel reads and writes by `call` is valid, as [the crate](crate) says.
    pub unsafe fn run(&self, call: &Call) {
        /// Round to nearest even, all exceptions masked: as Rust and the system expect it; and with results flushed.
        static DEFAULT: u32 = 0x1f80;
        static FLUSHING: u32 = 0x1f80 | 1 << 15;
        // SAFETY: the memory is executable, and there begins a function of this type, which `frame` wrote.
        let function = unsafe { std::mem::transmute::<*const u8, KernelFn>(self.code.as_ptr().add(self.start)) };
        if !self.flushes {
            // SAFETY: the caller's.
            unsafe { function(call) };
            return;
        }
        // SAFETY: the function is the caller's; no other code runs before the control word is what it was. Its registers survive the
        // call by the calling convention, and all that do not are named.
        unsafe {
            std::arch::asm!(
                "ldmxcsr [r12]",
                "call {function}",
                "ldmxcsr [r13]",
                function = in(reg) function,
                in("r12") &raw const FLUSHING,
                in("r13") &raw const DEFAULT,
                inout("rdi") &raw const *call => _,
                clobber_abi("sysv64"),
            );
        }
    }
}

/// Compiles a kernel for columns of this shape that are computed in this order, with this instruction set, for whose
/// [passes](Isa::passes) they were made.
///
/// # Errors
/// [`CodeError`], if the kernel is too large or memory is short.
pub fn compile(kernel: &Body, shape: Shape, order: ColumnOrder, isa: AvailableIsa) -> Result<X86Code, CodeError> {
    let assembled = instructions(kernel, shape, order, isa.isa()).and_then(|instructions| {
        let Instructions { body, pool, column, table, flushes } = instructions;
        let (bytes, start) = frame::assemble(&body, &pool, column, table)?;
        Ok(X86Code { code: executable(&bytes)?, start, flushes, _tables: kernel.tables().cloned().collect() })
    });
    assembled.map_err(|problem| problem.of(kernel))
}

/// Memory that holds machine code: written first and executable only then, never both at once.
pub(crate) fn executable(code: &[u8]) -> std::io::Result<memmap2::Mmap> {
    let mut memory = memmap2::MmapMut::map_anon(code.len())?;
    memory.copy_from_slice(code);
    memory.make_exec()
}

/// A kernel's instructions before `frame` puts entry and exit around them.
struct Instructions {
    body: allocate::GroupCode,
    pool: Vec<u8>,
    column: frame::LoopColumn,
    table: &'static isa::InstructionTable,
    /// Whether the processor flushes results.
    flushes: bool,
}

/// Selects a kernel's instructions and gives them registers.
fn instructions(kernel: &Body, shape: Shape, order: ColumnOrder, isa: Isa) -> Result<Instructions, AssemblyError> {
    let interface = kernel.interface();
    let of_bits = interface.bitwise;
    let table = match isa {
        Isa::Sse41 => &isa::SSE41,
        Isa::Avx2 => &isa::AVX2,
        Isa::Avx512 if of_bits && 4 * shape.words >= isa::AVX512_LONG_BITS.vector => &isa::AVX512_LONG_BITS,
        Isa::Avx512 if of_bits => &isa::AVX512_BITS,
        // Half of each longer vector would be empty.
        Isa::Avx512 if shape.stride <= isa::AVX2.lanes => &isa::AVX2,
        Isa::Avx512 => &isa::AVX512,
    };
    let is_counted = matches!(order, ColumnOrder::Padded(_) | ColumnOrder::Strip(_));
    let column = match order {
        ColumnOrder::Strip(StripLoop { pitch, .. }) => {
            frame::LoopColumn { group: pitch.into(), lanes: pitch.into(), is_counted, is_strip: true }
        }
        _ if of_bits => {
            frame::LoopColumn { group: 8 * table.vector, lanes: 32 * shape.words, is_counted, is_strip: false }
        }
        _ => frame::LoopColumn { group: table.lanes, lanes: shape.stride, is_counted, is_strip: false },
    };
    let graph = select::select(kernel, shape, order, table, interface)?;
    let body = allocate::body(&graph, column)?;
    Ok(Instructions { body, pool: graph.pool, column, table, flushes: kernel.flush })
}
