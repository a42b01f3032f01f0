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
//! little-endian machines, as that of all compiled kernels.

mod expression;
mod functions;
mod names;
mod standalone;
mod writer;

pub use names::ident;
pub use standalone::{Kernels, standalone};

use crate::ir::kernel::{Direction, Kernel, LaneType, Op};
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

/// The shape of a layout's columns, as the constants that its kernels name.
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
    /// What it reads and writes.
    pub uses: Uses,
    /// What the code calls, to be printed once by [`Functions::code`].
    functions: BTreeSet<(Function, bool)>,
}

/// What a kernel reads and writes: what a driver must fill for it. All lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The states of which it loads columns of its own superblock.
    pub own: Vec<usize>,
    /// State, direction and micro cells of what it loads of neighbours.
    pub halo: Vec<(usize, usize, Vec<usize>)>,
    /// The directions whose presence it asks for.
    pub presence: Vec<usize>,
    /// The states that it stores.
    pub writes: Vec<usize>,
    /// The random words that it asks for, each a column, as (micro cell, draw).
    pub random: Vec<(u32, u32)>,
}

impl Uses {
    fn of(kernel: &Kernel) -> Uses {
        let (mut own, mut presence, mut halo) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let index = |direction: Direction| direction.index(kernel.micro.dimension);
        for node in &kernel.nodes {
            match node.op {
                Op::Load { state, direction, micro, .. } => match index(direction) {
                    None => drop(own.insert(usize::from(state))),
                    Some(direction) => drop(halo.insert((usize::from(state), direction, micro as usize))),
                },
                Op::Presence(direction) => presence.extend(index(direction)),
                _ => {}
            }
        }
        let mut uses = Uses {
            own: own.into_iter().collect(),
            halo: Vec::new(),
            presence: presence.into_iter().collect(),
            writes: kernel.writes().into_iter().map(usize::from).collect(),
            random: writer::random_words(kernel),
        };
        for (state, direction, micro) in halo {
            match uses.halo.last_mut() {
                Some(last) if (last.0, last.1) == (state, direction) => last.2.push(micro),
                _ => uses.halo.push((state, direction, vec![micro])),
            }
        }
        uses
    }
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

/// Words of a vector of 512 bits: columns of fewer are better held in shorter vectors.
const WIDE: usize = 16;

/// An optimised kernel for a layout as Rust, by a name that no other of the program has.
///
/// The code names `Call`, `KernelFn`, the constants of [`shape`] and the items of [`SUPPORT`].
pub fn emit(kernel: &Kernel, layout: &Layout, name: &str) -> Emitted {
    let bitwise = is_bitwise(kernel);
    let fused = bitwise.then(|| passes::with_tables(kernel.clone()));
    let kernel = fused.as_ref().unwrap_or(kernel);
    let writer = writer::Writer::new(kernel, bitwise);
    let function = format_ident!("{name}_superblock");
    let (code, functions) = writer.write(&function);
    let select = format_ident!("{name}_for_this_processor");
    let entries = entries(name, &function, &select, bitwise, layout.words() >= WIDE);
    Emitted { select, code: quote!(#code #entries), uses: Uses::of(kernel), functions }
}

/// The entries of a kernel, and the function that chooses.
fn entries(name: &str, function: &Ident, select: &Ident, bitwise: bool, wide: bool) -> TokenStream {
    let body = |vector: &str| {
        let vector = format_ident!("{vector}");
        if bitwise { quote!(#function::<#vector>(&*call)) } else { quote!(#function(&*call)) }
    };
    let (portable, avx2, avx512) = (body("Portable"), body("Avx2"), body(if wide { "Avx512" } else { "Avx512Half" }));
    let about = format!(" The code of `{name}` for this processor, and the instructions that it uses.");
    quote! {
        #[doc = #about]
        pub fn #select() -> (KernelFn, &'static str) {
            /// # Safety
            /// The call must be filled as its fields say, for this shape.
            unsafe extern "C" fn portable(call: *const Call) {
                unsafe { #portable }
            }
            #[cfg(target_arch = "x86_64")]
            {
                /// # Safety
                /// As of `portable`; the processor must have AVX2.
                #[target_feature(enable = "avx2")]
                unsafe extern "C" fn avx2(call: *const Call) {
                    unsafe { #avx2 }
                }
                /// # Safety
                /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
                unsafe extern "C" fn avx512(call: *const Call) {
                    unsafe { #avx512 }
                }
                if has_avx512() {
                    return (avx512, "rustc, AVX-512");
                }
                if has_avx2() {
                    return (avx2, "rustc, AVX2");
                }
            }
            (portable, "rustc")
        }
    }
}
