//! The macros. Each hands `$crate` to the procedural macro behind it, so that its expansion finds this crate under another name, or where another one re-exports it.

/// Defines fractals: one public module for each, with its constants, λ and ν.
///
/// The text is that of `.fractal` files, except that the rows of pictures must be quoted.
///
/// ```
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
/// - `fractal()`, for [`Simulation`](crate::Simulation).
///
/// `use "FILE"` names files relative to the Rust source; a change to them rebuilds the crate.
///
/// # Errors
/// The errors that the command `squeeze check` would report, at the tokens that are wrong.
#[macro_export]
macro_rules! fractal {
    ($($tokens:tt)*) => { $crate::expansion::macros::fractal! { [$crate] $($tokens)* } };
}

/// Defines rules: one public module for each.
///
/// ```
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
/// As of [`fractal!`](crate::fractal).
#[macro_export]
macro_rules! rule {
    ($($tokens:tt)*) => { $crate::expansion::macros::rule! { [$crate] $($tokens)* } };
}

/// As [`fractal!`](crate::fractal), of a file: `include_fractal!("path")`, relative to the Rust source that says it.
///
/// # Errors
/// If the file cannot be read, and what the command `squeeze check` would report.
#[macro_export]
macro_rules! include_fractal {
    ($($tokens:tt)*) => { $crate::expansion::macros::include_fractal! { [$crate] $($tokens)* } };
}

/// As [`rule!`](crate::rule), of a file: `include_rule!("path")`, relative to the Rust source that says it.
///
/// # Errors
/// If the file cannot be read, and what the command `squeeze check` would report.
#[macro_export]
macro_rules! include_rule {
    ($($tokens:tt)*) => { $crate::expansion::macros::include_rule! { [$crate] $($tokens)* } };
}

/// Compiles a rule on a fractal to machine code together with the crate.
///
/// Fractals and rules that are defined here become modules as by [`fractal!`](crate::fractal) and [`rule!`](crate::rule). Then
/// each `pub mod NAME: RULE on FRACTAL;` becomes a module whose kernels rustc compiles, for any processor, for AVX2 and for AVX-512; the program takes
/// the best for its processor. A rule or a fractal is named as defined here, or as it ships, or is a file in quotes, relative to the Rust source.
///
/// ```
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
/// plans for another. The running program compiles kernels of initial states and observables, as without the macro; all kernels on a level whose
/// layout differs and on other backends; and those for a rest of two or more steps that do not fill a pass. Results are the same, bit for bit.
///
/// # Errors
/// As of [`fractal!`](crate::fractal); if a name is not found, the rule does not fit the fractal, or it has no kernels.
#[cfg(feature = "jit")]
#[macro_export]
macro_rules! simulation {
    ($($tokens:tt)*) => { $crate::expansion::macros::simulation! { [$crate] $($tokens)* } };
}
