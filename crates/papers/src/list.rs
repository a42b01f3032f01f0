//! The list of all figures and tables.

/// The kind of measurements that a figure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasurementKind {
    /// Nothing: it follows from formulas, or shows fractals.
    Formula,
    /// Times of steps.
    Times,
    /// Times of Squeeze where its maps are products of matrices.
    Products,
    /// Memory, or times at the largest sizes.
    Memory,
    /// Times of ordered steps over the sides of their tiles.
    Tiles,
}

/// A figure or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name, and those of its files.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The measurements that it needs.
    pub kind: MeasurementKind,
}

/// All of them, in the order of the papers.
pub const FIGURES: [Figure; 30] = [
    of("2022-fig-1", "The Sierpinski carpet in its embedding", MeasurementKind::Formula),
    of("2022-fig-2", "Construction of the empty bottles, and their compact form", MeasurementKind::Formula),
    of("2022-fig-3", "Neighbours of a cell, expanded and compact", MeasurementKind::Formula),
    of("2022-fig-4", "Threads and data by BB and λ(ω)", MeasurementKind::Formula),
    of("2022-fig-5", "Compact space of the Vicsek fractal", MeasurementKind::Formula),
    of("2022-fig-6", "How neighbours are found", MeasurementKind::Formula),
    of("2022-fig-7", "λ(ω) of one cell, level by level", MeasurementKind::Formula),
    of("2022-fig-8", "ν(ω) of one cell, level by level", MeasurementKind::Formula),
    of("2022-fig-9", "Blocks in the grid and in memory", MeasurementKind::Formula),
    of("2022-fig-10", "Theoretical memory reduction factor", MeasurementKind::Formula),
    of("2022-fig-11", "Grid and memory of the three approaches", MeasurementKind::Formula),
    of("2022-fig-12", "Execution times of BB, λ(ω) and Squeeze", MeasurementKind::Times),
    of("2022-fig-13", "Speedup of Squeeze over BB", MeasurementKind::Times),
    of("2022-fig-14", "Speedup by tensor cores", MeasurementKind::Products),
    of("2022-table-2", "Memory and memory reduction factor", MeasurementKind::Memory),
    of("2021-fig-1", "The Sierpinski carpet in its embedding", MeasurementKind::Formula),
    of("2021-fig-2", "Construction of the Sierpinski triangle", MeasurementKind::Formula),
    of("2021-fig-3", "Threads and data by BB and λ(ω)", MeasurementKind::Formula),
    of("2021-fig-4", "Neighbours of a cell, expanded and compact", MeasurementKind::Formula),
    of("2021-fig-5", "How neighbours are found", MeasurementKind::Formula),
    of("2021-fig-6", "The Sierpinski triangle and its compact form", MeasurementKind::Formula),
    of("2021-fig-7", "ν(ω) as a product of matrices", MeasurementKind::Formula),
    of("2021-fig-8", "Compaction factors", MeasurementKind::Formula),
    of("2021-fig-9", "Blocks in the grid and in memory", MeasurementKind::Formula),
    of("2021-fig-10", "Speedup of ν(ω) over BB, and times", MeasurementKind::Times),
    of("2021-fig-11", "The best BB and λ(ω) against ν(ω)", MeasurementKind::Times),
    of("2021-fig-12", "Speedup by tensor cores", MeasurementKind::Products),
    of("2021-fig-13", "Beyond the sizes of the bounding box", MeasurementKind::Memory),
    of("2021-table-1", "Fractals of the NBB family", MeasurementKind::Formula),
    of("2017-fig-1", "Time over the side of a tile", MeasurementKind::Tiles),
];

const fn of(name: &'static str, title: &'static str, kind: MeasurementKind) -> Figure {
    Figure { name, title, kind }
}

/// Their names.
pub(crate) fn names() -> Vec<&'static str> {
    FIGURES.iter().map(|figure| figure.name).collect()
}
