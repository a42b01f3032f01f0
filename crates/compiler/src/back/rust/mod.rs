//! Rust: kernels as tokens, for the macros and for stand-alone programs.
//!
//! A kernel becomes two functions. The first is the work of one superblock on blocks of columns given as references to
//! arrays, so that the compiler knows that nothing overlaps. The second takes what the driver hands to kernels and finds
//! the blocks. Around them stands one entry for each set of instructions that is worth its code.
//!
//! - Kernels of bits alone are generic over a vector of bits, with the operations of `templates/native.rs`.
//! - All others are a loop over groups of eight lanes around a loop over the lanes of the group, whose body is plain
//!   arithmetic on scalars, for rustc to turn into vectors. A group's bits are one byte.
//!
//! Floats are never contracted by rustc, and functions are the implementation in `numerics`, written out. The code is for
//! little-endian machines, as those of all compiled kernels.

mod expression;
mod functions;
mod names;
mod standalone;
mod writer;

pub use names::ident;
pub use standalone::standalone;

use crate::ir::kernel::{Kernel, LaneType, Op};
use crate::lanes::layout::Layout;
use crate::lanes::passes;
use functions::Function;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// The text that emitted code needs beside it.
pub const SUPPORT: &str = include_str!("../../../templates/native.rs");

/// Lanes of numbers are padded to a multiple of this.
const GROUP: usize = 8;

/// The shape of columns, as constants that all kernels of a layout share.
pub fn shape(layout: &Layout) -> TokenStream {
    let number = Literal::usize_unsuffixed;
    let (lanes, words) = (number(layout.lanes()), number(layout.words()));
    let (stride, cells) = (layout.lanes().next_multiple_of(GROUP), layout.micro_cells() as usize);
    let (stride, cells) = (number(stride), number(cells));
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
    /// The name of a function without arguments that gives the kernel's function for this processor, and the name of
    /// its instruction set.
    pub select: Ident,
    /// The functions.
    pub code: TokenStream,
    /// What the code calls, to be printed once by [`Functions::code`].
    functions: BTreeSet<(Function, bool)>,
}

/// What kernels call: `exp log sin cos tanh pow`.
#[derive(Default)]
pub struct Functions(BTreeSet<(Function, bool)>);

impl Functions {
    /// Adds what a kernel calls.
    pub fn of(&mut self, emitted: &Emitted) {
        self.0.extend(&emitted.functions);
    }

    /// Their definitions.
    pub fn code(&self) -> TokenStream {
        self.0.iter().map(|(function, wide)| function.code(*wide)).collect()
    }
}

/// Whether all values of a kernel are bits, so that it works on whole words.
fn is_bitwise(kernel: &Kernel) -> bool {
    kernel.nodes.iter().all(|node| match &node.op {
        Op::Store { value, .. } => kernel.node(*value).ty == Some(LaneType::Bits),
        Op::Digit { .. } | Op::Compare(..) | Op::Chance { .. } => false,
        _ => node.ty == Some(LaneType::Bits),
    })
}

/// An optimised kernel as Rust. `versions` makes it for AVX2 and AVX-512 too, to be chosen when the program runs.
///
/// The code names `Call`, `KernelFn`, the constants of [`shape`] and the items of [`SUPPORT`].
pub fn emit(kernel: &Kernel, layout: &Layout, versions: bool) -> Emitted {
    let bitwise = is_bitwise(kernel);
    let fused = bitwise.then(|| passes::with_tables(kernel.clone()));
    let kernel = fused.as_ref().unwrap_or(kernel);
    let name = names::ident(&kernel.name);
    let writer = writer::Writer::new(kernel, layout, bitwise);
    let (code, functions) = writer.write(&name);
    let select = format_ident!("{}_for_this_processor", kernel.name);
    let entries = entries(&name, &select, bitwise, versions);
    Emitted { select, code: quote!(#code #entries), functions }
}

/// The entries of a kernel, and the function that chooses.
fn entries(name: &Ident, select: &Ident, bitwise: bool, versions: bool) -> TokenStream {
    let body = |vector: &str| {
        let vector = format_ident!("{vector}");
        if bitwise { quote!(#name::<#vector>(&*call)) } else { quote!(#name(&*call)) }
    };
    let (portable, avx2, avx512) = (body("Portable"), body("Avx2"), body("Avx512"));
    let safety = "The call must be filled as its fields say, for this shape; the processor must have the instructions.";
    let others = versions.then(|| {
        quote! {
            #[cfg(target_arch = "x86_64")]
            {
                #[doc = #safety]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
                unsafe extern "C" fn avx512(call: *const Call) {
                    unsafe { #avx512 }
                }
                #[doc = #safety]
                #[target_feature(enable = "avx2")]
                unsafe extern "C" fn avx2(call: *const Call) {
                    unsafe { #avx2 }
                }
                if ["avx512f", "avx512bw", "avx512dq", "avx512vl"].iter().all(|feature| has(feature)) {
                    return (avx512, "rust avx512");
                }
                if has("avx2") {
                    return (avx2, "rust avx2");
                }
            }
        }
    });
    let about = format!("The code of `{name}` for this processor, and its instruction set.");
    quote! {
        #[doc = #about]
        pub fn #select() -> (KernelFn, &'static str) {
            #[doc = #safety]
            unsafe extern "C" fn portable(call: *const Call) {
                unsafe { #portable }
            }
            #others
            (portable, "rust")
        }
    }
}

