/// Trees that grow and burn.
#[allow(dead_code, unused_imports, clippy::all)]
pub mod burning {
    use ::std::prelude::rust_2021::*;
    /// The states of a cell, in order: `land: enum { empty, tree, fire }`.
    pub const STATES: [&str; 1usize] = ["land"];
    /// The parameters, which can be set when a simulation is built and between its steps.
    pub const PARAMS: [&str; 1usize] = ["lightning"];
    /// What can be observed.
    pub const OBSERVABLES: [&str; 1usize] = ["trees"];
    /// The variants of the state `land`, by number.
    pub const VARIANTS_OF_LAND: [&str; 3usize] = ["empty", "tree", "fire"];
    /// The text that defines it.
    pub const SOURCE: &str = "        /// Trees that grow and burn.\n        rule burning {\n            /// Per cell and step.\n            param lightning: f32 = 0.001\n            state land: enum { empty, tree, fire }\n            init land = if random(0.6) { tree } else { empty }\n            next land = if land == fire { empty }\n                        else if land == tree && (any(moore, nb.land == fire) || random(lightning)) { fire }\n                        else { land }\n            observe trees = count(land == tree)\n        }\n";
    /// The rule, for simulations.
    pub fn rule() -> ::std::sync::Arc<::squeeze::Rule> {
        static RULE: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Rule>> = ::std::sync::OnceLock::new();
        let compiled = || ::squeeze::expansion::rule("<macro>", SOURCE, &[], "burning");
        ::std::sync::Arc::clone(RULE.get_or_init(compiled))
    }
    /// Begins to describe a simulation of this rule on a fractal.
    pub fn on(
        fractal: ::std::sync::Arc<::squeeze::Fractal>,
    ) -> ::squeeze::SimulationBuilder {
        ::squeeze::Simulation::builder(fractal, rule())
    }
}
