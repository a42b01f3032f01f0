//! The patterns of superblocks, as `templates/neighbours.cu` takes them.

use super::abi::Level;
use crate::layout::Layout;

/// All patterns of the middle fractal, from the finest up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// One for each level between micro cells and lanes.
    pub levels: Vec<Level>,
    /// The array that they point into.
    pub digits: Vec<u32>,
}

impl Levels {
    /// Of a layout.
    pub fn new(layout: &Layout) -> Levels {
        let mut all = Levels { levels: Vec::new(), digits: Vec::new() };
        let mut known: Vec<(*const crate::ir::fractal::Pattern, Level)> = Vec::new();
        for pattern in layout.middle_patterns() {
            let pointer = std::sync::Arc::as_ptr(pattern);
            if let Some((_, level)) = known.iter().find(|(known, _)| *known == pointer) {
                all.levels.push(*level);
                continue;
            }
            let places = all.digits.len() as u32;
            all.digits.extend(pattern.replicas.iter().flatten());
            let sorted = all.digits.len() as u32;
            let mut numbered: Vec<([u32; 3], u32)> = pattern.replicas.iter().copied().zip(0..).collect();
            numbered.sort_by_key(|([x, y, z], _)| (*z, *y, *x));
            all.digits.extend(numbered.iter().flat_map(|([x, y, z], number)| [*x, *y, *z, *number]));
            let level = Level { sides: pattern.scale, cells: pattern.replicas.len() as u32, places, sorted };
            known.push((pointer, level));
            all.levels.push(level);
        }
        all
    }
}
