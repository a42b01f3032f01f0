//! A box of places of the expanded grid, and the cells in it, without expanding the grid.

use super::field::Field;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Dimension;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::packed;
use squeeze_engine::sample::Sample;
use std::ops::Range;

/// A box of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its least coordinates.
    pub origin: [u64; 3],
    /// How many places it has along each axis; 1 along z in two dimensions.
    pub size: [u64; 3],
}

impl Window {
    /// The whole grid.
    pub fn whole(domain: &Domain) -> Window {
        Window { origin: [0; 3], size: domain.extent() }
    }

    /// From `X,Y,W,H`, in three dimensions `X,Y,Z,W,H,D`.
    ///
    /// # Errors
    /// If it is of another form or reaches beyond the grid.
    pub fn parse(text: &str, domain: &Domain) -> Result<Window> {
        let (axes, form) = match domain.dimension() {
            Dimension::One => (1, "X,WIDTH"),
            Dimension::Two => (2, "X,Y,WIDTH,HEIGHT"),
            Dimension::Three => (3, "X,Y,Z,WIDTH,HEIGHT,DEPTH"),
        };
        let numbers: Option<Vec<u64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
        let numbers = numbers.filter(|list| list.len() == 2 * axes && !list[axes..].contains(&0));
        let numbers = numbers.ok_or_else(|| {
            let size = "with whole numbers and a size of at least 1";
            Message::users(format!("`{text}` is not a window: {form} are expected, {size}"))
        })?;
        let mut window = Window { origin: [0; 3], size: [1; 3] };
        window.origin[..axes].copy_from_slice(&numbers[..axes]);
        window.size[..axes].copy_from_slice(&numbers[axes..]);
        let extent = domain.extent();
        let fits = (0..axes).all(|a| window.origin[a].checked_add(window.size[a]).is_some_and(|end| end <= extent[a]));
        if fits {
            return Ok(window);
        }
        let sides = extent[..axes].iter().map(u64::to_string).collect::<Vec<_>>().join(" × ");
        Err(Message::users(format!("the window `{text}` reaches beyond the grid, which has {sides} places")).into())
    }

    /// The window that a text says, else the whole grid; of a 3-D grid one layer of it, if one is said.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); if the layer lies beyond the window, or the grid is not 3-D.
    pub fn of(text: Option<&str>, slice: Option<u64>, domain: &Domain) -> Result<Window> {
        let window = text.map_or_else(|| Ok(Window::whole(domain)), |text| Window::parse(text, domain))?;
        slice.map_or(Ok(window), |z| window.slice(z, domain))
    }

    /// The layer of places with this z in a 3-D window.
    fn slice(self, z: u64, domain: &Domain) -> Result<Window> {
        if domain.dimension() != Dimension::Three {
            return Err(Message::users(format!("there is no layer {z}: the fractal is not 3-D")).into());
        }
        let inside = z.checked_sub(self.origin[2]).is_some_and(|above| above < self.size[2]);
        if !inside {
            let (first, last) = (self.origin[2], self.origin[2] + self.size[2] - 1);
            let what = format!("the layer z = {z} lies outside the window, whose layers are {first} to {last}");
            return Err(Message::users(what).into());
        }
        let [x, y, _] = self.origin;
        let [w, h, _] = self.size;
        Ok(Window { origin: [x, y, z], size: [w, h, 1] })
    }

    /// How many places it has; `None` beyond 64 bits.
    pub fn places(&self) -> Option<u64> {
        self.size.iter().try_fold(1u64, |product, &size| product.checked_mul(size))
    }

    /// Where a place that lies in it stands among its places, x first, then y, then z.
    pub fn index(&self, place: [u64; 3]) -> u64 {
        let [x, y, z] = std::array::from_fn(|a| place[a] - self.origin[a]);
        (z * self.size[1] + y) * self.size[0] + x
    }

    /// Calls `visit` with the least canonical index, the level and the place of blocks that together are all cells in the window, in canonical
    /// order. They are of level `most` where such a block lies in the window as a whole, else of lower ones.
    ///
    /// # Errors
    /// Errors of `visit`.
    pub(crate) fn for_each_block(
        &self,
        domain: &Domain,
        most: u32,
        visit: &mut dyn FnMut(u64, u32, [u64; 3]) -> Result<()>,
    ) -> Result<()> {
        self.descend(domain, domain.level(), 0, [0; 3], most, visit)
    }

    fn descend(
        &self,
        domain: &Domain,
        level: u32,
        first: u64,
        place: [u64; 3],
        most: u32,
        visit: &mut dyn FnMut(u64, u32, [u64; 3]) -> Result<()>,
    ) -> Result<()> {
        let sides = domain.scale_product(level);
        let meets = (0..3).all(|a| place[a] < self.origin[a] + self.size[a] && place[a] + sides[a] > self.origin[a]);
        if !meets {
            return Ok(());
        }
        let inside = (0..3).all(|a| place[a] >= self.origin[a] && place[a] + sides[a] <= self.origin[a] + self.size[a]);
        if level == 0 || level <= most && inside {
            return visit(first, level, place);
        }
        let (below, cells) = (domain.scale_product(level - 1), domain.cell_product(level - 1));
        let pattern = domain.pattern(level);
        for digit in 0..pattern.k() {
            let replica = pattern.replica(digit);
            let place = std::array::from_fn(|a| place[a] + u64::from(replica[a]) * below[a]);
            self.descend(domain, level - 1, first + digit * cells, place, most, visit)?;
        }
        Ok(())
    }
}

/// The cells of a field that are read in ascending order.
pub(crate) struct WindowCells<'a> {
    field: &'a dyn Field,
    all: u64,
    page: Vec<u8>,
    cells: Range<u64>,
}

/// Cells that are read at once; a multiple of eight.
const PAGE: u64 = 1 << 16;

impl<'a> WindowCells<'a> {
    pub(crate) fn of(field: &'a dyn Field, domain: &Domain) -> WindowCells<'a> {
        WindowCells { field, all: domain.cells(), page: Vec::new(), cells: 0..0 }
    }

    /// Calls `take` with ranges that together are these cells; the bytes given with them begin with the cell of the last argument.
    fn for_each_range(&mut self, cells: Range<u64>, mut take: impl FnMut(Range<u64>, &[u8], u64)) -> Result<()> {
        let mut from = cells.start;
        while from < cells.end {
            if !self.cells.contains(&from) {
                let first = from / PAGE * PAGE;
                self.cells = first..(first + PAGE).min(self.all);
                self.page.resize(packed::bytes(self.field.ty(), self.cells.end - first) as usize, 0);
                let read = self.field.read(self.cells.clone(), &mut self.page);
                if read.is_err() {
                    self.cells = 0..0;
                }
                read?;
            }
            let to = self.cells.end.min(cells.end);
            take(from..to, &self.page, self.cells.start);
            from = to;
        }
        Ok(())
    }

    /// Adds what a sample makes of these cells.
    pub(crate) fn add(&mut self, cells: Range<u64>, sample: Sample<'_>, sum: &mut [f64; 3]) -> Result<()> {
        let ty = self.field.ty();
        self.for_each_range(cells, |range, bytes, page| {
            sample.add_part(ty, range.start - page..range.end - page, bytes, sum);
        })
    }

    /// The bits of the value of a cell.
    pub(crate) fn bits(&mut self, c: u64) -> Result<u64> {
        let (ty, mut found) = (self.field.ty(), 0);
        self.for_each_range(c..c + 1, |_, bytes, first| found = packed::bits(ty, bytes, c - first))?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;

    #[test]
    fn the_blocks_of_a_window_are_its_cells() {
        for (name, level, window) in
            [("vicsek", 3, "3,5,20,11"), ("sierpinski_triangle", 5, "0,0,32,32"), ("menger_sponge", 2, "1,0,4,7,9,1")]
        {
            let domain = Domain::new(resolve::fractal(name).unwrap(), level).unwrap();
            let window = Window::parse(window, &domain).unwrap();
            for most in 0..=level {
                let mut found = Vec::new();
                let mut add = |c: u64, level: u32, place| {
                    let (sides, corner) = (domain.scale_product(level), domain.lambda(c));
                    let corner: [u64; 3] = std::array::from_fn(|a| corner[a] / sides[a] * sides[a]);
                    assert_eq!(corner, place);
                    found.extend(c..c + domain.cell_product(level));
                    Ok(())
                };
                window.for_each_block(&domain, most, &mut add).unwrap();
                let inside = |place: [u64; 3]| {
                    (0..3).all(|a| (window.origin[a]..window.origin[a] + window.size[a]).contains(&place[a]))
                };
                let expected: Vec<u64> = (0..domain.cells()).filter(|&c| inside(domain.lambda(c))).collect();
                assert_eq!(found, expected, "{name}, blocks up to level {most}");
            }
        }
    }

    #[test]
    fn windows_that_do_not_fit_are_refused() {
        let flat = Domain::new(resolve::fractal("vicsek").unwrap(), 2).unwrap();
        let refuse = |text: &str| Window::parse(text, &flat).unwrap_err().to_string();
        assert!(refuse("1,2,3").contains("X,Y,WIDTH,HEIGHT"));
        assert!(refuse("1,2,0,3").contains("at least 1"));
        assert!(refuse("1,2,9,3").contains("9 × 9 places"));
        assert!(refuse("1,2,18446744073709551615,3").contains("9 × 9 places"));
        let whole = Window::whole(&flat);
        assert_eq!(whole, Window::parse("0,0,9,9", &flat).unwrap());
        assert!(whole.slice(0, &flat).is_err());
        let solid = Domain::new(resolve::fractal("tetrix").unwrap(), 2).unwrap();
        assert_eq!(Window::whole(&solid).slice(3, &solid).unwrap().origin, [0, 0, 3]);
        assert!(Window::whole(&solid).slice(4, &solid).is_err());
    }
}
