//! The macros of Squeeze. Use them through the crate `squeeze`, which they expand to.
//!
//! The examples here are tested in the documentation of `squeeze`: this crate cannot depend on it.
//!
//! There is one language and one grammar: a macro turns its tokens back into text (`text`), hands it to the compiler
//! (`program`), reports what is wrong at the user's tokens (`report`), and expands to modules (`fractal`, `rule`, `simulation`).

mod expand;
mod files;
mod fractal;
mod program;
mod report;
mod rule;
mod simulation;
mod text;

#[cfg(test)]
mod expansions;

use expand::{Expansion, definitions, simulations};
use proc_macro::TokenStream;
use program::CheckedText;

/// Defines fractals: one public module for each, with its constants, λ and ν.
///
/// The text is that of `.fractal` files, except that the rows of pictures must be quoted.
///
/// ```ignore
/// squeeze::fractal! {
///     /// A plus made of pluses.
///     fractal plus {
///         scale 3
///         pattern {
///             ".#."
///             "###"
///             ".#."
///         }
///     }
/// }
///
/// assert_eq!((plus::S, plus::K), (3, 5));
/// assert_eq!(plus::lambda(2, 7), Some([1, 4]));
/// assert_eq!(plus::nu(2, [0, 0]), None, "a hole");
/// const MIDDLE: Option<u64> = plus::Level::<2>::nu([4, 4]);
/// assert_eq!(MIDDLE, Some(12));
/// ```
///
/// The module holds
/// - `DIMENSION`, `S` and `K` (lists of them if the fractal is mixed), `REPLICAS`, `LARGEST_LEVEL`, `SOURCE`;
/// - `side(level)`, `cells(level)`, `lambda(level, c)` and `nu(level, point)`, all `const`, and the same in `Level<R>`;
/// - `fractal()`, for [`Simulation`](../squeeze/struct.Simulation.html).
///
/// `use "FILE"` names files relative to the Rust source; a change to them rebuilds the crate.
///
/// # Errors
/// What the command `squeeze check` would report, at the tokens that are wrong.
#[proc_macro]
pub fn fractal(tokens: TokenStream) -> TokenStream {
    expand(CheckedText::of_tokens(tokens.into()), |program| definitions(program, "fractal"))
}

/// Defines rules: one public module for each.
///
/// ```ignore
/// squeeze::rule! {
///     rule majority {
///         state up: bit
///         init up = random(0.5)
///         next up = 2 * count(moore, nb.up) > degree(moore)
///         observe ups = sum(up)
///     }
/// }
///
/// let fractal = squeeze::resolve::fractal("vicsek")?;
/// let mut simulation = majority::on(fractal).level(4).seed(1).build()?;
/// simulation.step(10)?;
/// println!("{:?}", simulation.observe()?);
/// # Ok::<(), squeeze::Error>(())
/// ```
///
/// The module holds `STATES`, `PARAMS`, `OBSERVABLES`, a `VARIANTS_OF_…` for each state that is an enum, `SOURCE`, `rule()`, and `on(fractal)`,
/// which begins a simulation. Its kernels are compiled when the simulation is built.
///
/// # Errors
/// As of [`fractal!`](macro.fractal.html).
#[proc_macro]
pub fn rule(tokens: TokenStream) -> TokenStream {
    expand(CheckedText::of_tokens(tokens.into()), |program| definitions(program, "rule"))
}

/// As [`fractal!`](macro.fractal.html), of a file: `include_fractal!("path")`, relative to the Rust source that says it.
///
/// # Errors
/// If the file cannot be read, and what the command `squeeze check` would report.
#[proc_macro]
pub fn include_fractal(tokens: TokenStream) -> TokenStream {
    expand(of_path(tokens), |program| definitions(program, "fractal"))
}

/// As [`rule!`](macro.rule.html), of a file: `include_rule!("path")`, relative to the Rust source that says it.
///
/// # Errors
/// If the file cannot be read, and what the command `squeeze check` would report.
#[proc_macro]
pub fn include_rule(tokens: TokenStream) -> TokenStream {
    expand(of_path(tokens), |program| definitions(program, "rule"))
}

/// Compiles a rule on a fractal to machine code, with the crate that says so.
///
/// Fractals and rules that are defined here become modules as by [`fractal!`](macro.fractal.html) and [`rule!`](macro.rule.html). Then
/// each `pub mod NAME: RULE on FRACTAL;` becomes a module whose kernels rustc compiles, for any processor, for AVX2 and for AVX-512; the
/// program takes the best that its processor has. A rule or a fractal is named as defined here, or as it ships, or it is a file in
/// quotes, relative to the Rust source.
///
/// ```ignore
/// squeeze::simulation! {
///     rule majority {
///         state up: bit
///         init up = random(0.5)
///         next up = 2 * count(moore, nb.up) > degree(moore)
///         observe ups = sum(up)
///     }
///     /// Votes on a triangle.
///     pub mod votes: majority on sierpinski_triangle;
/// }
///
/// let mut simulation = votes::builder().level(10).seed(1).build()?;
/// simulation.step(100)?;
/// println!("{:?}", simulation.observe()?);
/// # Ok::<(), squeeze::Error>(())
/// ```
///
/// The module holds `builder()`, which begins a simulation with these kernels, `fractal()`, `rule()`, and the layout: `LANES`, `WORDS`,
/// `STRIDE`, `MICRO_CELLS` and `STEPS`. The layout is planned for level 16, or the highest there is; `RULE on FRACTAL at level 9;`
/// plans for another. On a level whose layout differs, on other backends, and for a rest of fewer steps than one pass carries, kernels are
/// compiled when the simulation runs, as without the macro. Results are the same, bit for bit.
///
/// # Errors
/// As of [`fractal!`](macro.fractal.html); if a name is not found, the rule does not fit the fractal, or it has no kernels.
#[proc_macro]
pub fn simulation(tokens: TokenStream) -> TokenStream {
    simulations(tokens.into()).unwrap_or_else(|errors| errors).into()
}

fn expand(
    program: Result<CheckedText, proc_macro2::TokenStream>,
    expansion: impl FnOnce(&CheckedText) -> Expansion,
) -> TokenStream {
    program.and_then(|program| expansion(&program)).unwrap_or_else(|errors| errors).into()
}

fn of_path(tokens: TokenStream) -> Result<CheckedText, proc_macro2::TokenStream> {
    let tokens = proc_macro2::TokenStream::from(tokens);
    let place = program::first_span(&tokens);
    let literal: syn::LitStr = syn::parse2(tokens).map_err(|_| {
        report::error("expected one path in quotes, as in `include_rule!(\"life.rule\")`", place, place)
    })?;
    CheckedText::of_file(&literal)
}
