//! A box of places of the expanded grid, and the cells in it, without expanding the grid.

use crate::failure::{Message, Result};
use crate::packed::stretches;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Dimension;
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

    /// Whether a place lies in it.
    pub fn contains(&self, place: [u64; 3]) -> bool {
        (0..3).all(|a| place[a].checked_sub(self.origin[a]).is_some_and(|v| v < self.size[a]))
    }

    /// Where a place that lies in it stands among its places, x first, then y, then z.
    pub fn index(&self, place: [u64; 3]) -> u64 {
        self.offset(std::array::from_fn(|a| place[a] - self.origin[a]))
    }

    /// How far behind another one a place stands among its places, given the difference of their coordinates.
    pub(super) fn offset(&self, [x, y, z]: [u64; 3]) -> u64 {
        z.wrapping_mul(self.size[1]).wrapping_add(y).wrapping_mul(self.size[0]).wrapping_add(x)
    }

    /// The part of it that lies in the grid, as its least coordinates and those behind its greatest ones.
    fn within(&self, domain: &Domain) -> [[u64; 3]; 2] {
        let extent = domain.extent();
        [self.origin, std::array::from_fn(|a| self.origin[a].saturating_add(self.size[a]).min(extent[a]))]
    }

    /// Calls `visit` with blocks that together have all cells in the window, in canonical order. They are of the levels `below` to `most` where such a block
    /// lies in the window as a whole, and of level `below` at its edge; on a domain without levels they are parts of rows.
    ///
    /// # Errors
    /// Errors of `visit`.
    #[doc(hidden)]
    pub fn for_each_block<E>(
        &self,
        domain: &Domain,
        (below, most): (u32, u32),
        visit: &mut dyn FnMut(CellBlock) -> Result<(), E>,
    ) -> Result<(), E> {
        let bounds = self.within(domain);
        match domain.levels() {
            Some(level) => descend(domain, bounds, (below, most), (0, level, [0; 3]), visit),
            None => rows(domain, bounds, visit),
        }
    }
}

/// Cells of a window that follow each other in canonical order.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellBlock {
    /// The first cell.
    pub first: u64,
    /// Its least coordinates.
    pub place: [u64; 3],
    /// The places that it has.
    pub places: BlockPlaces,
}

/// The places of a block.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPlaces {
    /// Those of the cells of a replica of a level.
    Level {
        /// The level.
        level: u32,
        /// Whether all of them lie in the window.
        whole: bool,
    },
    /// Those of 64 that follow each other along x whose bits are set.
    Row(u64),
    /// As many that follow each other along x.
    Run(u64),
}

impl CellBlock {
    /// How many cells it has.
    pub fn cells(&self, domain: &Domain) -> u64 {
        match self.places {
            BlockPlaces::Level { level, .. } => domain.cell_product(level),
            BlockPlaces::Row(places) => places.count_ones().into(),
            BlockPlaces::Run(count) => count,
        }
    }

    /// Calls `visit` with the cells of a part of a row, as stretches of cells side by side: how far the first place of each lies behind the block's, and the
    /// numbers of the cells in the block.
    #[inline]
    pub fn for_each_stretch(&self, mut visit: impl FnMut(usize, Range<usize>)) {
        let mut cell = 0;
        let mut stretch = |first: usize, count: usize| {
            visit(first, cell..cell + count);
            cell += count;
        };
        match self.places {
            BlockPlaces::Level { .. } => {}
            BlockPlaces::Run(count) => stretch(0, count as usize),
            BlockPlaces::Row(places) => {
                stretches(places).for_each(|(first, count)| stretch(first as usize, count as usize));
            }
        }
    }
}

fn descend<E>(
    domain: &Domain,
    bounds @ [least, end]: [[u64; 3]; 2],
    (below, most): (u32, u32),
    (first, level, place): (u64, u32, [u64; 3]),
    visit: &mut dyn FnMut(CellBlock) -> Result<(), E>,
) -> Result<(), E> {
    let sides = domain.scale_product(level);
    let meets = (0..3).all(|a| place[a] < end[a] && place[a] + sides[a] > least[a]);
    if !meets {
        return Ok(());
    }
    let whole = (0..3).all(|a| place[a] >= least[a] && place[a] + sides[a] <= end[a]);
    if level <= below || level <= most && whole {
        return visit(CellBlock { first, place, places: BlockPlaces::Level { level, whole } });
    }
    let (sides, cells) = (domain.scale_product(level - 1), domain.cell_product(level - 1));
    let pattern = domain.pattern(level);
    for digit in 0..pattern.k() {
        let replica = pattern.replica(digit);
        let place = std::array::from_fn(|a| place[a] + u64::from(replica[a]) * sides[a]);
        descend(domain, bounds, (below, most), (first + digit * cells, level - 1, place), visit)?;
    }
    Ok(())
}

/// The rows of a mask or a box.
fn rows<E>(
    domain: &Domain,
    [least, end]: [[u64; 3]; 2],
    visit: &mut dyn FnMut(CellBlock) -> Result<(), E>,
) -> Result<(), E> {
    let [width, height, _] = domain.extent();
    let Some(places) = domain.pattern(1).places.as_ref() else { return Ok(()) };
    for (z, y) in (least[2]..end[2]).flat_map(|z| (least[1]..end[1]).map(move |y| (z, y))) {
        let row = (z * height + y) * width;
        let end = end[0];
        let count = |x: u64| (end - x).min(64) as u32;
        let bits = |x: u64| {
            let half =
                |first: u32| u64::from(places.bits(row + x + u64::from(first), count(x).saturating_sub(first).min(32)));
            half(0) | half(32) << 32
        };
        let is_full = |x: u64| bits(x) == u64::MAX >> (64 - count(x));
        let (mut x, mut next) = (least[0], None);
        while x < end {
            let (at, here) = (x, bits(x));
            x += u64::from(count(x));
            let places = if is_full(at) {
                while x < end && is_full(x) {
                    x += u64::from(count(x));
                }
                BlockPlaces::Run(x - at)
            } else {
                BlockPlaces::Row(here)
            };
            if here == 0 {
                continue;
            }
            let first = match next {
                Some(first) => first,
                None => domain
                    .nu([at + u64::from(here.trailing_zeros()), y, z])
                    .unwrap_or_else(|| unreachable!("it is a cell")),
            };
            let block = CellBlock { first, place: [at, y, z], places };
            next = Some(first + block.cells(domain));
            visit(block)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_blocks_of_a_window_are_its_cells() {
        for (name, level, window) in
            [("vicsek", 3, "3,5,20,11"), ("sierpinski_triangle", 5, "0,0,32,32"), ("menger_sponge", 2, "1,0,4,7,9,1")]
        {
            let domain = Domain::new(samples::fractal(name), level).expect("it fits");
            let window = Window::parse(window, &domain).expect("it fits");
            let inside = |place: [u64; 3]| window.contains(place);
            for (below, most) in (0..=level).flat_map(|most| [(0, most), (most.min(1), most)]) {
                let mut found = Vec::new();
                let mut add = |block: CellBlock| {
                    let BlockPlaces::Level { level, whole } = block.places else { panic!("{name} has levels") };
                    let cells = block.first..block.first + domain.cell_product(level);
                    let (sides, corner) = (domain.scale_product(level), domain.lambda(block.first));
                    assert_eq!(corner, std::array::from_fn(|a| block.place[a] + corner[a] % sides[a]));
                    assert!((below..=most).contains(&level) && (level == below || whole), "{block:?}");
                    assert!(!whole || cells.clone().all(|c| inside(domain.lambda(c))), "{block:?}");
                    found.extend(cells.filter(|&c| inside(domain.lambda(c))));
                    Ok::<_, ()>(())
                };
                window.for_each_block(&domain, (below, most), &mut add).expect("it is whole");
                let expected: Vec<u64> = (0..domain.cells()).filter(|&c| inside(domain.lambda(c))).collect();
                assert_eq!(found, expected, "{name}, blocks from level {below} up to level {most}");
            }
        }
    }

    #[test]
    fn windows_that_do_not_fit_are_refused() {
        let flat = Domain::new(samples::fractal("vicsek"), 2).expect("it fits");
        let refuse = |text: &str| Window::parse(text, &flat).expect_err("refused").to_string();
        assert!(refuse("1,2,3").contains("X,Y,WIDTH,HEIGHT"));
        assert!(refuse("1,2,0,3").contains("at least 1"));
        assert!(refuse("1,2,9,3").contains("9 × 9 places"));
        assert!(refuse("1,2,18446744073709551615,3").contains("9 × 9 places"));
        let whole = Window::whole(&flat);
        assert_eq!(whole, Window::parse("0,0,9,9", &flat).expect("it fits"));
        assert!(whole.slice(0, &flat).is_err());
        let solid = Domain::new(samples::fractal("tetrix"), 2).expect("it fits");
        assert_eq!(Window::whole(&solid).slice(3, &solid).expect("it fits").origin, [0, 0, 3]);
        assert!(Window::whole(&solid).slice(4, &solid).is_err());
    }
}
