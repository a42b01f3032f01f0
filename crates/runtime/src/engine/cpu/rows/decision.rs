//! Random bits of a column of rows.
//!
//! The cells of a column have numbers that follow each other. Where places between are holes, the bits of the cells are moved together first, and
//! the results back to where their cells stand.

use super::bits::{compress, expand};
use crate::engine::cpu::decide::{Column, Comparison, Staging};
use squeeze_codegen::AvailableIsa;
use squeeze_compiler::layout::rows::RowGrid;

/// Memory that is used again.
#[derive(Default)]
pub(super) struct Decision {
    staging: Staging,
    classes: Vec<u8>,
    results: Vec<u8>,
}

impl Decision {
    /// Compares the words of the cells of a column, as many as the comparison has lanes: `classes` are the planes of a column, `results` take a bit for each
    /// lane.
    pub fn make(
        &mut self,
        comparison: Comparison<'_>,
        isa: Option<AvailableIsa>,
        grid: &RowGrid,
        column: usize,
        classes: &[u8],
        results: &mut [u8],
    ) {
        let (count, bytes) = (comparison.lanes, 4 * grid.shape.words);
        let of = [Column { first: grid.first_cell(column), classes: 0, result: 0 }];
        if count == grid.shape.lanes {
            comparison.run(isa, &mut self.staging, &of, classes, results);
            return;
        }
        // Planes of the cells alone.
        let packed = 4 * count.div_ceil(32);
        let planes = classes.len() / bytes;
        self.classes.clear();
        self.classes.resize(planes * packed, 0);
        let mask = grid.mask(column);
        for (plane, packed) in classes.chunks_exact(bytes).zip(self.classes.chunks_exact_mut(packed)) {
            compress(plane, mask, packed);
        }
        self.results.clear();
        self.results.resize(results.len() / bytes * packed, 0);
        comparison.run(isa, &mut self.staging, &of, &self.classes, &mut self.results);
        for (packed, result) in self.results.chunks_exact(packed).zip(results.chunks_exact_mut(bytes)) {
            expand(packed, mask, result);
        }
    }
}
