//! The module that stands for a fractal: its tables as constants, λ and ν as straight code for its patterns.

use super::program::{CheckedText, doc, ident};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{Fractal, Pattern};

/// The modules of all fractals of a program.
pub(crate) fn expand(program: &CheckedText) -> TokenStream {
    program.library.fractals.iter().map(|fractal| module(fractal, program)).collect()
}

fn module(fractal: &Fractal, program: &CheckedText) -> TokenStream {
    if fractal.extent.is_some() {
        let message =
            format!("`{}` is a mask or a box: those are made at run time, by `squeeze::resolve`", fractal.name);
        return quote!(::core::compile_error!(#message););
    }
    let name = ident(&fractal.name);
    let about = doc(&fractal.doc, format!("The fractal `{}`.", fractal.name));
    let axes = fractal.dimension.axes();
    let tables = tables(fractal, axes);
    let most = Domain::largest_level(fractal);
    let (lambda, nu) = (lambda(fractal, axes), nu(fractal, axes));
    let products = products(fractal);
    let (source, source_name, used, own_name) = (&program.source, &program.name, program.files.used(), &fractal.name);
    quote! {
        #[doc = #about]
        #[allow(dead_code, unused_imports, clippy::all)]
        pub mod #name {
            use ::std::prelude::rust_2021::*;
            /// D, the dimension of the space in which it lies: points are `[x, y]` or `[x, y, z]`; x grows right, y down, z into
            /// the page.
            pub const DIMENSION: usize = #axes;
            #tables
            /// The largest level whose side and number of cells fit in 64 bits.
            pub const LARGEST_LEVEL: u32 = #most;
            /// The text that defines it.
            pub const SOURCE: &str = #source;
            #products
            #lambda
            #nu
            /// λ, ν and the sizes at a level that is known at compile time: what depends on the level becomes constant.
            #[derive(Clone, Copy, Debug)]
            pub struct Level<const R: u32>;
            impl<const R: u32> Level<R> {
                /// The side of the expanded grid. A level above [`LARGEST_LEVEL`] does not compile.
                pub const SIDE: u64 = side(R).expect("the level is too high");
                /// The number of cells. A level above [`LARGEST_LEVEL`] does not compile.
                pub const CELLS: u64 = cells(R).expect("the level is too high");
                /// As [`lambda`].
                #[inline]
                pub const fn lambda(c: u64) -> Option<[u64; DIMENSION]> {
                    lambda(R, c)
                }
                /// As [`nu`].
                #[inline]
                pub const fn nu(point: [u64; DIMENSION]) -> Option<u64> {
                    nu(R, point)
                }
            }
            /// The fractal, for simulations.
            pub fn fractal() -> ::std::sync::Arc<::squeeze::Fractal> {
                static FRACTAL: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Fractal>> = ::std::sync::OnceLock::new();
                let compiled = || ::squeeze::expansion::fractal(#source_name, SOURCE, #used, #own_name);
                ::std::sync::Arc::clone(FRACTAL.get_or_init(compiled))
            }
        }
    }
}

fn number(value: u64) -> Literal {
    Literal::u64_unsuffixed(value)
}

fn point(place: &[u32; 3], axes: usize) -> TokenStream {
    let coordinates = place.iter().take(axes).map(|v| number(u64::from(*v)));
    quote!([#(#coordinates),*])
}

/// S, K and H.
fn tables(fractal: &Fractal, axes: usize) -> TokenStream {
    let rectangular = fractal.is_rectangular();
    let scales = fractal.patterns.iter().map(|pattern| match rectangular {
        true => point(&pattern.scale, axes),
        false => number(u64::from(pattern.scale[0])).into_token_stream(),
    });
    let scale_type = if rectangular { quote!([u64; DIMENSION]) } else { quote!(u64) };
    let counts = fractal.patterns.iter().map(|pattern| number(pattern.k()));
    let table = |pattern: &Pattern| {
        let places = pattern.replicas.iter().map(|place| point(place, axes));
        quote!([#(#places),*])
    };
    if let [pattern] = fractal.patterns.as_slice() {
        let (table, k) = (table(pattern), pattern.replicas.len());
        let (about, about_places) = if rectangular {
            (
                " The scale s of each axis: every level makes that side s times as long.",
                " H: where each replica stands in its box.",
            )
        } else {
            (
                " The scale s: every level makes the side s times as long.",
                " H: where each replica stands in the box of s^D places.",
            )
        };
        return quote! {
            #[doc = #about]
            pub const S: #scale_type = #(#scales)*;
            /// The number of replicas k: every level has k times as many cells.
            pub const K: u64 = #(#counts)*;
            #[doc = #about_places]
            pub const REPLICAS: [[u64; DIMENSION]; #k] = #table;
        };
    }
    let (n, tables) = (fractal.patterns.len(), fractal.patterns.iter().map(|pattern| table(pattern)));
    quote! {
        /// The scales s_μ: level μ, counted from 1 at the finest, has number (μ − 1) mod the length of the list.
        pub const S: [#scale_type; #n] = [#(#scales),*];
        /// The numbers of replicas k_μ, in the same order.
        pub const K: [u64; #n] = [#(#counts),*];
        /// H_μ: where the replicas of a level stand in its box, in the same order.
        pub const REPLICAS: [&[[u64; DIMENSION]]; #n] = [#(&#tables),*];
    }
}

/// Side and number of cells at a level.
fn products(fractal: &Fractal) -> TokenStream {
    let of = |name: &str, about: &str, table: &str| {
        let (name, table) = (format_ident!("{name}"), format_ident!("{table}"));
        let factor = if fractal.is_mixed() { quote!(#table[mu as usize % #table.len()]) } else { quote!(#table) };
        quote! {
            #[doc = #about]
            pub const fn #name(level: u32) -> Option<u64> {
                if level > LARGEST_LEVEL {
                    return None;
                }
                let (mut product, mut mu) = (1, 0);
                while mu < level {
                    product *= #factor;
                    mu += 1;
                }
                Some(product)
            }
        }
    };
    let side = if fractal.is_rectangular() {
        sides(fractal)
    } else {
        of("side", " The side of the expanded grid at a level; `None` above [`LARGEST_LEVEL`].", "S")
    };
    let cells = of("cells", " The number of cells at a level; `None` above [`LARGEST_LEVEL`].", "K");
    quote!(#side #cells)
}

/// The sides of a fractal whose axes differ.
fn sides(fractal: &Fractal) -> TokenStream {
    let scale = if fractal.is_mixed() { quote!(S[mu as usize % S.len()]) } else { quote!(S) };
    quote! {
        /// The sides of the expanded grid at a level; `None` above [`LARGEST_LEVEL`].
        pub const fn sides(level: u32) -> Option<[u64; DIMENSION]> {
            if level > LARGEST_LEVEL {
                return None;
            }
            let (mut product, mut mu) = ([1; DIMENSION], 0);
            while mu < level {
                let mut axis = 0;
                while axis < DIMENSION {
                    product[axis] *= #scale[axis];
                    axis += 1;
                }
                mu += 1;
            }
            Some(product)
        }
        /// The greatest of the [`sides`].
        pub const fn side(level: u32) -> Option<u64> {
            let Some(sides) = sides(level) else { return None };
            let (mut greatest, mut axis) = (0, 0);
            while axis < DIMENSION {
                if sides[axis] > greatest {
                    greatest = sides[axis];
                }
                axis += 1;
            }
            Some(greatest)
        }
    }
}

/// The body of a loop over the levels: one part a pattern, so that every constant stands in the code.
fn by_turns(parts: Vec<TokenStream>) -> TokenStream {
    let last = parts.len() - 1;
    let parts = parts.into_iter().enumerate().map(|(index, part)| {
        let stop = (index < last).then(|| {
            quote! {
                if mu == level {
                    break;
                }
            }
        });
        quote!(#part mu += 1; #stop)
    });
    quote! {
        while mu < level {
            #(#parts)*
        }
    }
}

fn lambda(fractal: &Fractal, axes: usize) -> TokenStream {
    let rectangular = fractal.is_rectangular();
    let part = |(index, pattern): (usize, &Pattern)| {
        let k = number(pattern.k());
        let index = Literal::usize_unsuffixed(index);
        let table = if fractal.is_mixed() { quote!(REPLICAS[#index]) } else { quote!(REPLICAS) };
        let adds = (0..axes).map(|axis| {
            let axis = Literal::usize_unsuffixed(axis);
            if rectangular {
                quote!(point[#axis] += replica[#axis] * unit[#axis];)
            } else {
                quote!(point[#axis] += replica[#axis] * unit;)
            }
        });
        let grows = if rectangular {
            let axis = |axis: usize| {
                let (s, axis) = (number(u64::from(pattern.scale[axis])), Literal::usize_unsuffixed(axis));
                quote!(unit[#axis] = u64::wrapping_mul(unit[#axis], #s);)
            };
            (0..axes).map(axis).collect::<TokenStream>()
        } else {
            let s = number(u64::from(pattern.scale[0]));
            quote!(unit = u64::wrapping_mul(unit, #s);)
        };
        quote! {
            let replica = #table[(rest % #k) as usize];
            #(#adds)*
            rest /= #k;
            #grows
        }
    };
    let levels = by_turns(fractal.patterns.iter().map(|pattern| &**pattern).enumerate().map(part).collect());
    let one = if rectangular { quote!([1; DIMENSION]) } else { quote!(1) };
    quote! {
        /// λ: the point of the cell with canonical index `c`; `None` if the level has no such cell, or there is no such
        /// level. (F. Quezada and others, "Squeeze", 2022, Eqs. 2 to 5.)
        pub const fn lambda(level: u32, c: u64) -> Option<[u64; DIMENSION]> {
            if level > LARGEST_LEVEL {
                return None;
            }
            let (mut rest, mut unit, mut mu) = (c, #one, 0);
            let mut point = [0; DIMENSION];
            #levels
            if rest == 0 { Some(point) } else { None }
        }
    }
}

fn nu(fractal: &Fractal, axes: usize) -> TokenStream {
    let part = |pattern: &Pattern| {
        let (k, s) = (number(pattern.k()), pattern.scale.map(|scale| number(u64::from(scale))));
        let digits = (0..axes).map(|axis| {
            let s = &s[axis];
            let axis = Literal::usize_unsuffixed(axis);
            quote!(rest[#axis] % #s)
        });
        let arms = pattern.replicas.iter().zip(0..).map(|(place, replica)| {
            let (place, replica) = (point(place, axes), number(replica));
            quote!(#place => #replica,)
        });
        let divisions = (0..axes).map(|axis| {
            let s = &s[axis];
            let axis = Literal::usize_unsuffixed(axis);
            quote!(rest[#axis] /= #s;)
        });
        quote! {
            let replica = match [#(#digits),*] {
                #(#arms)*
                _ => return None,
            };
            c += replica * unit;
            #(#divisions)*
            unit = u64::wrapping_mul(unit, #k);
        }
    };
    let levels = by_turns(fractal.patterns.iter().map(|pattern| part(pattern)).collect());
    let inside = (0..axes).map(|axis| {
        let axis = Literal::usize_unsuffixed(axis);
        quote!(rest[#axis] == 0)
    });
    quote! {
        /// ν: the canonical index of the cell at a point; `None` for a hole, for a point outside the grid, and if there is no
        /// such level. (F. Quezada and others, "Squeeze", 2022, Eqs. 6 to 10, corrected.)
        pub const fn nu(level: u32, point: [u64; DIMENSION]) -> Option<u64> {
            if level > LARGEST_LEVEL {
                return None;
            }
            let (mut rest, mut unit, mut mu) = (point, 1, 0);
            let mut c = 0;
            #levels
            if #(#inside)&&* { Some(c) } else { None }
        }
    }
}
