//! The papers' compact space: the digits of a cell dealt to the axes in turn.

use super::Domain;

/// The papers' compact space of a domain (2022, §3.1): a full rectangle, in three dimensions a full box, with one
/// place for each cell.
///
/// Digit d_1 goes to x, d_2 to y, in three dimensions d_3 to z, the next to x again and so on. On its axis a digit
/// counts as much as the product of the k of that axis' finer digits: `x = Σ_{μ odd} d_μ k^{(μ−1)/2}` and
/// `y = Σ_{μ even} d_μ k^{μ/2−1}` for a plain fractal in two dimensions.
#[derive(Clone, Debug)]
pub struct CompactSpace<'a> {
    domain: &'a Domain,
    /// For level μ, at μ − 1: the weight of digit d_μ on its axis.
    weights: Vec<u64>,
    extent: [u64; 3],
}

impl<'a> CompactSpace<'a> {
    /// The compact space of a domain.
    pub fn new(domain: &'a Domain) -> Self {
        let mut space = CompactSpace { domain, weights: Vec::new(), extent: [1; 3] };
        for mu in 1..=domain.level() {
            // The extents multiply to the number of cells, so no product here overflows.
            let axis = space.axis(mu);
            let extent = &mut space.extent[axis];
            space.weights.push(*extent);
            *extent *= domain.pattern(mu).k();
        }
        space
    }

    /// Width, height and depth; the depth is 1 in two dimensions.
    pub fn extent(&self) -> [u64; 3] {
        self.extent
    }

    /// The axis, 0 (x) to 2 (z), to which digit d_μ is dealt.
    pub fn axis(&self, mu: u32) -> usize {
        (mu as usize - 1) % self.domain.dimension().axes()
    }

    /// The weight of digit d_μ on its axis: the papers' Δ_μ^ν (2022, Eq. 7).
    ///
    /// # Panics
    /// If μ is 0 or above the level.
    pub fn weight(&self, mu: u32) -> u64 {
        self.weights[mu as usize - 1]
    }

    /// The compact coordinates of a cell.
    ///
    /// # Panics
    /// If `c` is not below [`Domain::cells`].
    pub fn from_canonical(&self, c: u64) -> [u64; 3] {
        assert!(c < self.domain.cells(), "cell {c} of {}", self.domain.cells());
        let mut omega = [0; 3];
        for mu in 1..=self.domain.level() {
            omega[self.axis(mu)] += self.domain.digit(c, mu) * self.weight(mu);
        }
        omega
    }
}
