//! What a set of cells is to everything that need not know how it is made.

use super::Domain;

/// Numbered cells in space. Fractals at a level are such sets ([`Domain`]); whoever asks only this of them serves others as well.
pub trait Cells {
    /// How many cells there are: their canonical indices are below it.
    fn count(&self) -> u64;

    /// Where a cell is: its (x, y, z).
    ///
    /// # Panics
    /// If there is no cell with this index.
    fn locate(&self, c: u64) -> [u64; 3];

    /// The cell at a place; `None` if there is none.
    fn find(&self, place: [u64; 3]) -> Option<u64>;

    /// The cell that lies so far from a place; `None` if there is none.
    fn neighbour(&self, place: [u64; 3], offset: [i32; 3]) -> Option<u64> {
        let mut there = [0; 3];
        for axis in 0..3 {
            there[axis] = place[axis].checked_add_signed(i64::from(offset[axis]))?;
        }
        self.find(there)
    }
}

impl Cells for Domain {
    /// Along a periodic axis, coordinates are taken modulo the side.
    fn neighbour(&self, place: [u64; 3], offset: [i32; 3]) -> Option<u64> {
        let mut there = [0; 3];
        for axis in 0..3 {
            let offset = i64::from(offset[axis]);
            there[axis] = if self.periodic().0[axis] {
                (i128::from(place[axis]) + i128::from(offset)).rem_euclid(i128::from(self.extent()[axis])) as u64
            } else {
                place[axis].checked_add_signed(offset)?
            };
        }
        self.find(there)
    }

    fn count(&self) -> u64 {
        self.cells()
    }

    fn locate(&self, c: u64) -> [u64; 3] {
        self.lambda(c)
    }

    fn find(&self, place: [u64; 3]) -> Option<u64> {
        self.nu(place)
    }
}
