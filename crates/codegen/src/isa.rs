//! The instruction sets that kernels are compiled for on x86-64.

use squeeze_compiler::target::passes::{self, KernelPass};
use std::fmt;

/// The part of the instruction set that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// Vectors of 128 bits in 16 registers.
    Sse41,
    /// AVX2 and FMA: vectors of 256 bits in 16 registers.
    Avx2,
    /// AVX-512 F, VL, BW and DQ: 32 registers, masks, vectors of 512 bits for numbers and for long columns of bits.
    Avx512,
}

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AvailableIsa(Isa);

impl Isa {
    /// All of them, the best last.
    pub const ALL: [Isa; 3] = [Isa::Sse41, Isa::Avx2, Isa::Avx512];

    /// The passes that make a kernel executable on it: vectors of bits may have an instruction for any function of three of them.
    #[doc(hidden)]
    pub const fn passes(self) -> &'static [KernelPass] {
        match self {
            Isa::Sse41 | Isa::Avx2 => passes::LOGIC2,
            Isa::Avx512 => passes::LOGIC3,
        }
    }

    /// Its name: `sse4.1`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Sse41 => "sse4.1",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// The same, if this machine has it.
    #[doc(hidden)]
    pub fn available(self) -> Option<AvailableIsa> {
        self.is_available().then_some(AvailableIsa(self))
    }

    /// Whether this machine has it: no instruction set, if it is not an x86-64 machine with a Unix.
    pub fn is_available(self) -> bool {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            use std::arch::is_x86_feature_detected as has;
            match self {
                Isa::Sse41 => has!("sse4.1"),
                Isa::Avx2 => has!("avx2") && has!("fma"),
                Isa::Avx512 => has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq"),
            }
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        false
    }
}

/// The passes of kernels for this machine, on x86-64 with this instruction set.
pub fn passes(isa: Option<AvailableIsa>) -> &'static [KernelPass] {
    match cfg!(all(target_arch = "x86_64", unix)) {
        true => isa.map_or(passes::LOGIC2, |isa| isa.isa().passes()),
        false => passes::CRANELIFT,
    }
}

impl AvailableIsa {
    /// The best that this machine has; `None` if it has none, or is not an x86-64 machine with a Unix.
    pub fn best() -> Option<AvailableIsa> {
        Isa::ALL.into_iter().rev().find_map(Isa::available)
    }

    /// Whether kernels of bits alone have instructions that shift pairs of words: AVX-512 VBMI2.
    pub fn shifts_pairs(self) -> bool {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            self.0 == Isa::Avx512 && std::arch::is_x86_feature_detected!("avx512vbmi2")
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        false
    }

    /// Which it is.
    pub const fn isa(self) -> Isa {
        self.0
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
