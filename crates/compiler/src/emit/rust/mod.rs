//! Rust: kernels as tokens, for the macros and for stand-alone programs.
//!
//! A kernel becomes two functions. The first is the work of one superblock on blocks of columns given as references to
//! arrays, so that the compiler knows that nothing overlaps. The second takes what the driver hands to kernels and finds
//! the blocks. Around them stands one entry for each set of instructions that is worth its code.
//!
//! - Kernels of bits alone are generic over a vector of bits, with the operations of `templates/native.rs`.
//! - All others are generic over a set of instructions, whose vectors have the operations of `templates/numbers.rs`: 16
//!   lanes with AVX-512, 8 with AVX2 (`templates/x86.rs`), one elsewhere (`templates/portable.rs`).
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
use crate::layout::Layout;
use crate::passes;
use functions::Function;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// The texts that emitted code needs beside it.
pub const SUPPORT: [&str; 5] = [
    include_str!("../../../templates/native.rs"),
    include_str!("../../../templates/set.rs"),
    include_str!("../../../templates/numbers.rs"),
    include_str!("../../../templates/portable.rs"),
    include_str!("../../../templates/x86.rs"),
];

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
    /// The name of a function that gives the kernel's function for some `Instructions`.
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

/// Words of a vector of 512 bits, and lanes of numbers in one: shorter columns are better held in shorter vectors.
const WIDE: usize = 16;

/// An optimised kernel for a layout as Rust, by a name that no other of the program has.
///
/// The code names `Call`, `KernelFn`, the constants of [`shape`] and the items of [`SUPPORT`].
pub fn emit(kernel: &Kernel, layout: &Layout, name: &str) -> Emitted {
    let bitwise = is_bitwise(kernel);
    let fused = bitwise.then(|| passes::with_tables(kernel.clone()));
    let kernel = fused.as_ref().unwrap_or(kernel);
    let function = format_ident!("{name}_superblock");
    let (code, functions) = writer::Writer::new(kernel, bitwise).write(&function);
    let select = format_ident!("{name}_for");
    let stride = layout.lanes().next_multiple_of(GROUP);
    let widest = match bitwise {
        true if layout.words() >= WIDE => "Avx512",
        true => "Avx512Half",
        false if stride >= WIDE => "Avx512",
        false => "Avx2",
    };
    let entries = entries(name, &function, &select, widest);
    Emitted { select, code: quote!(#code #entries), uses: Uses::of(kernel), functions }
}

/// The entries of a kernel, and the function that chooses.
///
/// The body of each is a function of its own: in a function of C the compiler would guard every operation against unwinding,
/// and take several times as long.
fn entries(name: &str, function: &Ident, select: &Ident, widest: &str) -> TokenStream {
    let widest = format_ident!("{widest}");
    let about = format!(" The code of `{name}` for a processor with these instructions.");
    quote! {
        #[doc = #about]
        pub fn #select(instructions: Instructions) -> KernelFn {
            /// # Safety
            /// The call must be filled as its fields say, for this shape.
            unsafe extern "C" fn portable(call: *const Call) {
                #[inline(never)]
                unsafe fn body(call: &Call) {
                    unsafe { #function::<Portable>(call) }
                }
                unsafe { body(&*call) }
            }
            #[cfg(target_arch = "x86_64")]
            {
                /// # Safety
                /// As of `portable`; the processor must have AVX2.
                unsafe extern "C" fn avx2(call: *const Call) {
                    #[inline(never)]
                    #[target_feature(enable = "avx2")]
                    unsafe fn body(call: &Call) {
                        unsafe { #function::<Avx2>(call) }
                    }
                    unsafe { body(&*call) }
                }
                /// # Safety
                /// As of `portable`; the processor must have AVX-512 F, BW, DQ and VL.
                unsafe extern "C" fn avx512(call: *const Call) {
                    #[inline(never)]
                    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
                    unsafe fn body(call: &Call) {
                        unsafe { #function::<#widest>(call) }
                    }
                    unsafe { body(&*call) }
                }
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
