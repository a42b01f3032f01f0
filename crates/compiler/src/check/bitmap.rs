//! Places that are cells or not: what masks hold, and what is done with them before their cells are numbered.

use crate::ir::{Dimension, Neighbourhood};

/// The places of a box in reading order (z, then y, then x), and which of them are cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// The dimension of the box.
    pub dimension: Dimension,
    /// Width, height and depth; in two dimensions the depth is 1.
    pub extent: [u32; 3],
    /// For every place, whether it is a cell.
    pub places: Vec<bool>,
}

impl Bitmap {
    /// A text that [`from_text`](Self::from_text) reads: the extents, then how many places follow each other that are none, are cells, are none, and
    /// so on.
    pub fn to_text(&self) -> String {
        let extent = self.extent[..self.dimension.axes()].iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let mut text = format!("{extent}\n");
        let mut rest = &self.places[..];
        let mut cells = false;
        while !rest.is_empty() {
            let run = rest.iter().take_while(|place| **place == cells).count();
            text.push_str(&format!("{run} "));
            (rest, cells) = (&rest[run..], !cells);
        }
        text
    }

    /// The bitmap of a text that [`to_text`](Self::to_text) made; `None` if it is none.
    pub fn from_text(text: &str) -> Option<Bitmap> {
        let (head, runs) = text.split_once('\n')?;
        let sides = head.split(' ').map(|side| side.parse().ok()).collect::<Option<Vec<u32>>>()?;
        let (dimension, extent) = match sides[..] {
            [width, height] => (Dimension::Two, [width, height, 1]),
            [width, height, depth] => (Dimension::Three, [width, height, depth]),
            _ => return None,
        };
        let (mut places, mut cells) = (Vec::new(), false);
        let all = extent.iter().try_fold(1usize, |all, side| all.checked_mul(*side as usize))?;
        for run in runs.split_ascii_whitespace() {
            let run: usize = run.parse().ok()?;
            if run > all - places.len() {
                return None;
            }
            places.resize(places.len() + run, cells);
            cells = !cells;
        }
        (places.len() == all).then_some(Bitmap { dimension, extent, places })
    }

    /// The number of the component of each place, by union of neighbours: the first of its places.
    /// `u32::MAX` where there is no cell. A box has at most 2^32 − 1 places here.
    fn components(&self, offsets: &[[i32; 3]], periodic: [bool; 3]) -> Vec<u32> {
        let mut parents: Vec<u32> =
            self.places.iter().zip(0..).map(|(cell, place)| if *cell { place } else { u32::MAX }).collect();
        let [width, height, _] = self.extent.map(|side| side as usize);
        for place in 0..parents.len() {
            if !self.places[place] {
                continue;
            }
            let here = [place % width, place / width % height, place / width / height];
            for offset in offsets {
                if let Some(there) = self.neighbour(here, *offset, periodic).filter(|there| self.places[*there]) {
                    let (a, b) = (root(&mut parents, place as u32), root(&mut parents, there as u32));
                    // The root is the first place of a component.
                    parents[a.max(b) as usize] = a.min(b);
                }
            }
        }
        for place in 0..parents.len() {
            if self.places[place] {
                parents[place] = root(&mut parents, place as u32);
            }
        }
        parents
    }

    /// The numbers of cells of the components, the largest first: cells joined by steps to the places beside them, or, with `corners`, to those that
    /// touch them at a corner as well. A box has at most 2^32 − 1 places here.
    pub fn component_sizes(&self, corners: bool) -> Vec<u64> {
        let kind = if corners { Neighbourhood::Moore(1) } else { Neighbourhood::VonNeumann(1) };
        // A step and the step back join the same cells.
        let offsets: Vec<_> =
            kind.offsets(self.dimension).into_iter().filter(|[x, y, z]| (*z, *y, *x) > (0, 0, 0)).collect();
        let mut sizes = vec![0u32; self.places.len()];
        let components = self.components(&offsets, [false; 3]);
        components.iter().filter(|root| **root != u32::MAX).for_each(|root| sizes[*root as usize] += 1);
        let mut sizes: Vec<u64> = sizes.into_iter().filter(|size| *size > 0).map(u64::from).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    fn neighbour(&self, here: [usize; 3], offset: [i32; 3], periodic: [bool; 3]) -> Option<usize> {
        let mut there = [0; 3];
        for axis in 0..3 {
            let (v, side) = (here[axis] as i64 + i64::from(offset[axis]), i64::from(self.extent[axis]));
            there[axis] = match (0..side).contains(&v) {
                true => v as usize,
                false if periodic[axis] => v.rem_euclid(side) as usize,
                false => return None,
            };
        }
        let [width, height, _] = self.extent.map(|side| side as usize);
        Some((there[2] * height + there[1]) * width + there[0])
    }

    /// Keeps the component with the most cells; of equal ones that which comes first in reading order.
    pub(super) fn keep_largest(&mut self, offsets: &[[i32; 3]], periodic: [bool; 3]) {
        let components = self.components(offsets, periodic);
        let mut sizes = vec![0u32; components.len()];
        components.iter().filter(|root| **root != u32::MAX).for_each(|root| sizes[*root as usize] += 1);
        let largest = (0..sizes.len()).rev().max_by_key(|root| sizes[*root]);
        for (place, root) in self.places.iter_mut().zip(components) {
            *place = *place && largest == Some(root as usize);
        }
    }

    /// Keeps the components of neighbours beside each other that reach from one side to the other along an axis. False if there is none: all
    /// places are as before then.
    pub(super) fn keep_spanning(&mut self, axis: usize, mut periodic: [bool; 3]) -> bool {
        periodic[axis] = false;
        let offsets = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let components = self.components(&offsets, periodic);
        let [width, height, _] = self.extent.map(|side| side as usize);
        // Which sides each component touches.
        let mut touches = vec![0u8; components.len()];
        for (place, root) in components.iter().enumerate().filter(|(_, root)| **root != u32::MAX) {
            let v = [place % width, place / width % height, place / width / height][axis];
            let sides = u8::from(v == 0) | u8::from(v + 1 == self.extent[axis] as usize) << 1;
            touches[*root as usize] |= sides;
        }
        if !touches.contains(&3) {
            return false;
        }
        for (place, root) in self.places.iter_mut().zip(components) {
            *place = *place && touches[root as usize] == 3;
        }
        true
    }
}

/// The first place of a component, with the way there made shorter.
fn root(parents: &mut [u32], mut place: u32) -> u32 {
    while parents[place as usize] != place {
        let above = parents[place as usize];
        parents[place as usize] = parents[above as usize];
        place = above;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::digest::mix;

    fn drawn(rows: &[&str]) -> Bitmap {
        let extent = [rows[0].len() as u32, rows.len() as u32, 1];
        let places = rows.iter().flat_map(|row| row.bytes().map(|byte| byte == b'#')).collect();
        Bitmap { dimension: Dimension::Two, extent, places }
    }

    const BESIDE: [[i32; 3]; 2] = [[1, 0, 0], [0, 1, 0]];

    #[test]
    fn texts_give_back_the_places() {
        for seed in 0..20 {
            let extent = [1 + seed % 7, 1 + seed % 5, if seed % 3 == 0 { 3 } else { 1 }];
            let count: u32 = extent.iter().product();
            let places = (0..count).map(|place| mix(u64::from(seed * 1000 + place)).is_multiple_of(3)).collect();
            let dimension = if extent[2] > 1 { Dimension::Three } else { Dimension::Two };
            let bitmap = Bitmap { dimension, extent, places };
            assert_eq!(Bitmap::from_text(&bitmap.to_text()), Some(bitmap));
        }
        for wrong in ["", "3\n3", "2 2\n1 2", "2 2\n1 2 3", "2 2\nx", "4294967295 4294967295 4294967295\n1"] {
            assert_eq!(Bitmap::from_text(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_largest_component_is_kept() {
        let rows = ["##.#", "...#", "##.#", "##.."];
        let kept = |periodic| {
            let mut bitmap = drawn(&rows);
            bitmap.keep_largest(&BESIDE, periodic);
            bitmap
        };
        assert_eq!(kept([false; 3]), drawn(&["....", "....", "##..", "##.."]));
        assert_eq!(kept([true, false, false]), drawn(&["##.#", "...#", "##.#", "##.."]));
        assert_eq!(kept([false, true, false]), drawn(&["##..", "....", "##..", "##.."]));
        // Of equal ones the first.
        let mut bitmap = drawn(&["#.#"]);
        bitmap.keep_largest(&BESIDE, [false; 3]);
        assert_eq!(bitmap, drawn(&["#.."]));
    }

    #[test]
    fn what_spans_is_kept() {
        let mut bitmap = drawn(&["#.#", "#.#", "..#", "#.#"]);
        assert!(!bitmap.keep_spanning(0, [false; 3]));
        assert!(bitmap.keep_spanning(1, [false, true, false]));
        assert_eq!(bitmap, drawn(&["..#", "..#", "..#", "..#"]));
    }
}
