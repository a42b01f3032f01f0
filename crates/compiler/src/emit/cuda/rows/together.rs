//! What the threads of a warp load together, if each takes a place and there are holes: the words that say which places around them are cells are the
//! same for all 32, so that each thread loads one of them and the others ask it; and a number beside a thread's own stands in the
//! thread beside it, so that only the first and the last ones load more.
//!
//! On an H100 heat on a mask takes 0.95 of the time that it takes if each thread loads all that it looks at.

use super::within::{Near, Reach, Stretch, What};
use super::{WARP, Writer};
use crate::emit::cuda::operations::c_type;
use crate::kernel::{Direction, Kernel};
use std::collections::BTreeMap;

/// Two stretches of numbers at equal distances to both sides of one that is loaded, too.
pub(super) struct Beside {
    state: u16,
    distance: i32,
    layer: i32,
    reach: Reach,
    /// What is loaded in the middle, and how many rows above them it begins.
    middle: Stretch,
    above: i32,
}

impl Beside {
    /// Whether a stretch is one of the two.
    pub fn has(&self, stretch: &Stretch) -> bool {
        stretch.what == What::Number(self.state) && stretch.layer == self.layer && stretch.across.abs() == self.distance
    }

    /// All pairs that a kernel looks at, of numbers of 32 bits.
    pub fn all(kernel: &Kernel, stretches: &BTreeMap<Stretch, Reach>) -> Vec<Beside> {
        let mut all = Vec::new();
        for (middle, [top, bottom]) in stretches {
            let What::Number(state) = middle.what else { continue };
            if middle.across != 0 || kernel.states[usize::from(state)].planes.ty().scalar().bytes() != 4 {
                continue;
            }
            for distance in 1..WARP as i32 {
                let at = |across: i32| stretches.get(&Stretch { across, ..*middle });
                let (Some(left), Some(right)) = (at(-distance), at(distance)) else { continue };
                if left == right && top <= &left[0] && &left[1] <= bottom {
                    let (layer, reach, above) = (middle.layer, *left, left[0] - top);
                    all.push(Beside { state, distance, layer, reach, middle: *middle, above });
                }
            }
        }
        all
    }
}

impl Writer<'_> {
    /// Whether the threads of a warp load together: without holes there are fewer loads, and what is stored in other ways is not looked at by all.
    pub(super) fn load_together(&self) -> bool {
        !self.bitwise && !self.watched && !self.packed && !self.grid.is_full()
    }

    /// Loads the words of cells of each layer, one a thread, if there are no more than threads.
    pub(super) fn load_cells(&mut self, near: &Near, names: &mut BTreeMap<Stretch, String>) {
        let of_cells = || near.stretches.iter().filter(|(stretch, _)| stretch.what == What::Bits(None));
        let layers: std::collections::BTreeSet<i32> = of_cells().map(|(stretch, _)| stretch.layer).collect();
        for layer in layers {
            let stretches: Vec<(Stretch, Reach)> = of_cells()
                .filter(|(stretch, _)| stretch.layer == layer)
                .map(|(stretch, reach)| (*stretch, *reach))
                .collect();
            let range = |of: &dyn Fn(&(Stretch, Reach)) -> [i32; 2]| {
                let least = stretches.iter().map(|stretch| of(stretch)[0]).min().unwrap_or(0);
                [least, stretches.iter().map(|stretch| of(stretch)[1]).max().unwrap_or(0)]
            };
            let ([left, right], [top, bottom]) =
                (range(&|(stretch, _)| [stretch.across; 2]), range(&|(_, reach)| *reach));
            let (across, down) = (right - left + 1, bottom - top + near.rows as i32);
            // One alone is loaded by all at once.
            if across * down > WARP as i32 || across * down == 1 {
                continue;
            }
            let row = (self.grid.shape.words * self.grid.columns_of_row()) as i64;
            let first = i64::from(layer) * row * self.grid.extent()[1] as i64 + i64::from(top) * row + i64::from(left);
            let word = self.names.name("cells_of_thread");
            let count = across * down;
            self.line(&format!(
                "const u32 {word} = threadIdx.x % {WARP} < {count} ? (world.mask + first_column * WORDS + word)[(int)(threadIdx.x % {WARP} / {across}) * {row}ll + (int)(threadIdx.x % {WARP} % {across}) + {first}ll] : 0;"
            ));
            for (stretch, [low, high]) in stretches {
                let side = Direction([stretch.across, 0, layer]);
                let name = self.names.name(&format!("cells_{side}_rows"));
                let rows = high - low + near.rows as i32;
                let place = across * (low - top) + stretch.across - left;
                self.line(&format!("u32 {name}[{rows}];"));
                self.line("#pragma unroll");
                self.line(&format!("for (int i = 0; i < {rows}; ++i) {{"));
                self.line(&format!("    {name}[i] = __shfl_sync(0xffffffff, {word}, {across} * i + {place});"));
                self.line("}");
                names.insert(stretch, name);
            }
        }
    }

    /// Takes two stretches from the threads beside each one; at the ends of a warp they are loaded.
    pub(super) fn load_beside(&mut self, beside: &Beside, near: &Near, names: &mut BTreeMap<Stretch, String>) {
        let Beside { state, distance, layer, reach: [low, high], middle, above } = *beside;
        let of = self.kernel.states[usize::from(state)].name.clone();
        let ty = c_type(self.kernel.states[usize::from(state)].planes.ty(), false);
        let old = self.states[usize::from(state)].old.clone();
        let row = (self.grid.shape.lanes * self.grid.columns_of_row()) as i64;
        let first = i64::from(layer) * row * self.grid.extent()[1] as i64 + i64::from(low) * row;
        let rows = high - low + near.rows as i32;
        let sides = [-distance, distance].map(|across| Stretch { what: What::Number(state), across, layer });
        let [left, right] = sides.map(|side| {
            let name = self.names.name(&format!("{of}_{}_rows", Direction([side.across, 0, layer])));
            names.insert(side, name.clone());
            name
        });
        let (end, from) = (self.names.name(&format!("{of}_end")), self.names.name(&format!("{of}_end_from")));
        let (is_first, is_last) = (
            format!("threadIdx.x % {WARP} < {distance}"),
            format!("threadIdx.x % {WARP} >= {}", WARP as i32 - distance),
        );
        self.line(&format!(
            "const {ty} *{from} = {old} + first_column * LANES + x + ({is_first} ? -{distance}ll : {distance}ll);"
        ));
        self.line(&format!("{ty} {end}[{rows}], {left}[{rows}], {right}[{rows}];"));
        self.line("#pragma unroll");
        self.line(&format!("for (int i = 0; i < {rows}; ++i) {{"));
        self.line(&format!("    {end}[i] = 0;"));
        self.line(&format!("    if ({is_first} || {is_last}) {{"));
        self.line(&format!("        {end}[i] = {from}[i * {row}ll + {first}ll];"));
        self.line("    }");
        self.line("}");
        let own = match above {
            0 => format!("{}[i]", names[&middle]),
            _ => format!("{}[i + {above}]", names[&middle]),
        };
        self.line("#pragma unroll");
        self.line(&format!("for (int i = 0; i < {rows}; ++i) {{"));
        for (name, shuffle, is_end) in [(left, "up", is_first), (right, "down", is_last)] {
            self.line(&format!("    {name}[i] = __shfl_{shuffle}_sync(0xffffffff, {own}, {distance});"));
            self.line(&format!("    {name}[i] = {is_end} ? {end}[i] : {name}[i];"));
        }
        self.line("}");
    }
}
