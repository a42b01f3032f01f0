//! Rust: kernels as tokens, for the macros and for stand-alone programs.
//!
//! A kernel becomes two functions. The first is the work of one superblock on blocks of columns given as references to
//! arrays, so that the compiler knows that nothing overlaps. The second takes the call of the driver and finds
//! the blocks. Around them stands an entry for each useful set of instructions.
//!
//! - Kernels of bits alone are generic over a vector of bits, with the operations of `templates/native.rs`.
//! - All others are generic over a set of instructions, whose vectors have the operations of `templates/numbers.rs`: 16
//!   lanes with AVX-512, 8 with AVX2 (`templates/x86.rs`), one elsewhere (`templates/portable.rs`).
//!
//! Floats are never contracted by rustc, and functions are the implementation in `numbers`, written out. The code is for
//! little-endian machines, as that of all compiled kernels.

mod expression;
mod functions;
mod names;
#[cfg(feature = "standalone")]
mod observed;
#[cfg(feature = "standalone")]
mod standalone;
mod writer;

pub use names::ident;
#[cfg(feature = "standalone")]
pub use observed::PrintedObservables;
#[cfg(feature = "standalone")]
pub use standalone::standalone;

use crate::emit::functions::FloatFunction;
use crate::kernel::Interface;
use crate::layout::Layout;
use crate::layout::columns::Shape;
use crate::passes::Ready;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// The texts that emitted code needs beside it.
pub(crate) const SUPPORT: [&str; 5] = [
    include_str!("../../../templates/native.rs"),
    include_str!("../../../templates/set.rs"),
    include_str!("../../../templates/numbers.rs"),
    include_str!("../../../templates/portable.rs"),
    include_str!("../../../templates/x86.rs"),
];

/// The shape of a layout's columns, as the constants that its kernels name.
pub fn shape(layout: &Layout) -> TokenStream {
    let number = Literal::usize_unsuffixed;
    let Shape { lanes, words, stride } = Shape::of(layout);
    let (lanes, words, stride) = (number(lanes), number(words), number(stride));
    let cells = number(layout.micro_cells() as usize);
    quote! {
        /// Lanes of a column.
        pub const LANES: usize = #lanes;
        /// Words of a column of bits.
        pub const WORDS: usize = #words;
        /// Values of a column of numbers.
        pub const STRIDE: usize = #stride;
        /// Micro cells of a superblock, each a column.
        pub const MICRO_CELLS: usize = #cells;
    }
}

/// A kernel as Rust.
pub struct Emitted {
    /// The name of a function that gives the kernel's function for some `Instructions`.
    pub select: Ident,
    /// The functions.
    pub code: TokenStream,
    /// The states and inputs that it reads and writes.
    pub interface: Interface,
    /// The functions that the code calls, to be printed once by [`FloatFunctions::code`].
    functions: BTreeSet<(FloatFunction, bool)>,
}

/// The functions that kernels call: `exp log log2 sin cos tan tanh pow asin acos atan atan2`.
#[derive(Default)]
pub struct FloatFunctions(BTreeSet<(FloatFunction, bool)>);

impl FloatFunctions {
    /// Adds the functions that a kernel calls.
    pub fn of(&mut self, emitted: &Emitted) {
        self.0.extend(&emitted.functions);
    }

    /// Their definitions.
    pub fn code(&self) -> TokenStream {
        self.0.iter().map(|(function, wide)| function.code(*wide)).collect()
    }
}

/// Words of a vector of 512 bits, and lanes of numbers in one: shorter columns are better held in shorter vectors.
const WIDE: usize = 16;

/// A kernel for a layout, made [`prepare`](crate::passes::prepare)d for [`Target::rust`](crate::Target::rust), as Rust, by a name
/// that no other of the program has.
///
/// The code names `Call`, `KernelFn`, the constants of [`shape`] and the items of `SUPPORT`.
pub fn emit(kernel: &Ready, layout: &Layout, name: &str) -> Emitted {
    let function = format_ident!("{name}_superblock");
    let (code, functions) = writer::RustPrinter::new(kernel).write(&function);
    let select = format_ident!("{name}_for");
    let Shape { words, stride, .. } = Shape::of(layout);
    let bitwise = kernel.interface().bitwise;
    let widest = match bitwise {
        true if words >= WIDE => "Avx512",
        true => "Avx512Half",
        false if stride >= WIDE => "Avx512",
        false => "Avx2",
    };
    let entries = entries(name, &function, &select, widest);
    Emitted { select, code: quote!(#code #entries), interface: kernel.interface().clone(), functions }
}

/// The entries of a kernel, and the function that chooses.
fn entries(name: &str, function: &Ident, select: &Ident, widest: &str) -> TokenStream {
    let about = format!(" The code of `{name}` for a processor with these instructions.");
    let portable =
        entry(function, "portable", "The call must be filled as its fields say, for this shape.", None, "Portable");
    let avx2 = entry(function, "avx2", "As of `portable`; the processor must have AVX2.", Some("avx2"), "Avx2");
    let needs = "As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.";
    let avx512 = entry(function, "avx512", needs, Some("avx512f,avx512bw,avx512dq,avx512vl,avx2"), widest);
    quote! {
        #[doc = #about]
        pub fn #select(instructions: Instructions) -> KernelFn {
            #portable
            #[cfg(target_arch = "x86_64")]
            {
                #avx2
                #avx512
                match instructions {
                    Instructions::Avx512 => return avx512,
                    Instructions::Avx2 => return avx2,
                    Instructions::Portable => {}
                }
            }
            portable
        }
    }
}

/// An entry of a kernel for processors with some features, by some vectors.
///
/// Its body is a function of its own: in a function of C the compiler would guard every operation against unwinding,
/// and take several times as long.
fn entry(function: &Ident, name: &str, needs: &str, features: Option<&str>, vectors: &str) -> TokenStream {
    let (name, vectors, needs) = (format_ident!("{name}"), format_ident!("{vectors}"), format!(" {needs}"));
    let features = features.iter();
    quote! {
        /// # Safety
        #[doc = #needs]
        unsafe extern "C" fn #name(call: *const Call) {
            #[inline(never)]
            #(#[target_feature(enable = #features)])*
            unsafe fn body(call: &Call) {
                unsafe { #function::<#vectors>(call) }
            }
            unsafe { body(&*call) }
        }
    }
}
