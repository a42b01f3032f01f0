//! Masks and boxes on which engines are compared: the cases that catch mistakes.

use squeeze::Fractal;
use squeeze::compiler::text::diagnostics;
use squeeze::compiler::text::source::Sources;
use squeeze::compiler::{NoFiles, check};
use std::sync::Arc;

/// Sizes around multiples of words and of columns; cells few, many, in lumps, in a maze, of a fractal; edges open and periodic along whole words
/// and along parts of them; rows and layers without a cell; one row, one column; some that are large enough for threads far from all edges.
const MASKS: &str = "
domain sheet { size (40, 9) }
domain torus { size (64, 12)  periodic }
domain ragged_torus { size (75, 13)  periodic }
domain tube { size (33, 31)  periodic x }
domain long_tube { size (1057, 12)  cells random(0.9)  periodic x }
domain ring { size (44, 65)  cells random(0.7)  periodic y }
domain sparse { size (130, 40)  cells random(0.05) }
domain thin { size (513, 14)  cells random(0.3) }
domain half { size (511, 12)  cells random(0.6)  periodic }
domain dense { size (64, 33)  cells random(0.95) }
domain lumps { size (1300, 15)  cells (x / 150 + y / 7) % 2 == 0 && (x * x + y) % 11 > 1  periodic }
domain rows { size (1025, 20)  cells y % 4 == 1 }
domain cluster { size (60, 60)  cells random(0.62)  keep largest(von_neumann) }
domain maze { size (49, 49)  cells x % 2 == 0 && y % 2 == 0 || (x + y) % 2 == 1 && random(0.6) }
domain carpet { size (81, 81)  cells !(x % 3 == 1 && y % 3 == 1 || x / 3 % 3 == 1 && y / 3 % 3 == 1 || x / 9 % 3 == 1 && y / 9 % 3 == 1 || x / 27 == 1 && y / 27 == 1) }
domain line { size (700, 1) }
domain column { size (1, 90) }
domain block { size (35, 14, 15) }
domain sponge { size (70, 13, 12)  cells random(0.7)  periodic x, z }
domain field { size (230, 26)  cells random(0.8) }
domain plain { size (192, 19)  periodic }
domain solid { size (130, 18, 4)  cells random(0.9)  periodic z }
domain layers { size (20, 33, 13)  cells z % 3 != 1 && random(0.8)  periodic }
";

/// All of them.
///
/// # Panics
/// If the text is wrong.
pub fn masks() -> Vec<Arc<Fractal>> {
    let mut sources = Sources::new();
    let root = sources.add("masks", MASKS.to_owned());
    let library = check(&mut sources, root, &mut NoFiles)
        .unwrap_or_else(|errors| panic!("{}", diagnostics::render(&errors, &sources, false)));
    library.fractals
}

/// The one of this name.
///
/// # Panics
/// If there is none.
pub fn mask(name: &str) -> Arc<Fractal> {
    masks().into_iter().find(|mask| mask.name == name).unwrap_or_else(|| panic!("there is no mask `{name}`"))
}
