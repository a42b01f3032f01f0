//! The list of all figures and tables.

/// The kind of measurements that a figure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: it follows from formulas, or shows fractals.
    Formula,
    /// Times of steps.
    Times,
    /// Memory, and times at the largest sizes.
    Memory,
}

/// A figure or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name, and those of its files.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The measurements that it needs.
    pub kind: Kind,
}

/// All of them, in the order of the papers.
pub const FIGURES: [Figure; 18] = [
    of("2022-fig-1", "The Sierpinski carpet in its embedding", Kind::Formula),
    of("2022-fig-2", "Construction of the empty bottles, and their compact form", Kind::Formula),
    of("2022-fig-5", "Compact space of the Vicsek fractal", Kind::Formula),
    of("2022-fig-10", "Theoretical memory reduction factor", Kind::Formula),
    of("2022-fig-11", "Grid and memory of the three approaches", Kind::Formula),
    of("2022-fig-12", "Execution times of BB, λ(ω) and Squeeze", Kind::Times),
    of("2022-fig-13", "Speedup of Squeeze over BB", Kind::Times),
    of("2022-fig-14", "Speedup by tensor cores", Kind::Times),
    of("2022-table-2", "Memory and memory reduction factor", Kind::Memory),
    of("2021-fig-1", "The Sierpinski carpet in its embedding", Kind::Formula),
    of("2021-fig-2", "Construction of the Sierpinski triangle", Kind::Formula),
    of("2021-fig-6", "The Sierpinski triangle and its compact form", Kind::Formula),
    of("2021-fig-8", "Compaction factors", Kind::Formula),
    of("2021-fig-10", "Speedup of ν(ω) over BB, and times", Kind::Times),
    of("2021-fig-11", "The best BB and λ(ω) against ν(ω)", Kind::Times),
    of("2021-fig-12", "Speedup by tensor cores", Kind::Times),
    of("2021-fig-13", "Beyond the sizes of the bounding box", Kind::Times),
    of("2021-table-1", "Fractals of the NBB family", Kind::Formula),
];

const fn of(name: &'static str, title: &'static str, kind: Kind) -> Figure {
    Figure { name, title, kind }
}

/// Their names.
pub(crate) fn names() -> Vec<&'static str> {
    FIGURES.iter().map(|figure| figure.name).collect()
}
