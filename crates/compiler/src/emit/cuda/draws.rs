//! Random bits that are decided together: several of one draw, whose planes are made once, and those that the first planes decide.
//!
//! Kernels whose lanes know bits alone (`Interface::bitwise_lanes`) call `random_bits`, or `decide` where a thread takes four words of a column; all
//! others compare words. Where columns begin inside a block of planes, the threads of a warp share blocks (`templates/helpers/quads.cu`,
//! [`ColumnThreads`](crate::target::warps::ColumnThreads)). The test `draws` of `tests/shim.rs` demands such layouts, `crates/compiler/tests/draws.rs` and
//! `tests/ising.rs` check statistics.
//!
//! Every second plane asks whether cells are undecided. To make planes one by one took 170 µs instead of 158 (Ising, full square 14, H100), to ask only after eight 221 µs instead of 198 (carpet 9).

use super::helpers::Helper;
use super::lanes::LanePrinter;
use super::literal::literal;
use crate::kernel::{Op, ValueId};
use crate::numbers::philox::{self, PLANES};
use crate::numbers::value::Value;
use crate::target::speciality::Speciality;

/// Planes that are made without asking whether all lanes are decided: to ask would take longer. Guess: not measured.
const FEW_PLANES: u32 = 4;

impl LanePrinter<'_> {
    /// Prints a random bit of four words with all that are decided with it, or nothing where that was done; false if it is decided alone, by as many planes
    /// as it takes.
    pub(super) fn together(&mut self, place: usize) -> bool {
        let kernel = self.kernel;
        let Op::RandomBit { draw, micro, classes, .. } = &kernel.nodes[place].op else { return false };
        let constants = |index: usize| match &kernel.nodes[index].op {
            Op::RandomBit { draw: d, micro: m, classes: c, probabilities } if (d, m, c) == (draw, micro, classes) => {
                let of = |id: &ValueId| match kernel.node(*id).op {
                    Op::Const(Value::F64(p)) => Some(p),
                    _ => None,
                };
                probabilities.iter().map(of).collect::<Option<Vec<f64>>>()
            }
            _ => None,
        };
        if !self.quads() || classes.is_empty() || constants(place).is_none() {
            return false;
        }
        let bits: Vec<(usize, Vec<f64>)> =
            (0..kernel.nodes.len()).filter_map(|index| Some((index, constants(index)?))).collect();
        let planes = bits.iter().flat_map(|(_, constants)| constants).map(|p| philox::planes(*p)).max().unwrap_or(0);
        let same = bits.len() > 1;
        if same && !self.cells.off.allows(Speciality::SameDraw) {
            return false;
        }
        let few = planes <= FEW_PLANES && self.cells.off.allows(Speciality::FirstPlanes);
        if !same && !few {
            return false;
        }
        if bits[0].0 != place {
            return true;
        }
        let number = |p: &f64| match philox::planes(*p) {
            0 if *p >= 1.0 => ("{0, 1, 0}".to_owned(), "{}".to_owned()),
            1..=PLANES | 0 => (format!("{{0x{:08x}u, 0, 0}}", philox::threshold(*p)), "{}".to_owned()),
            _ => {
                let exact = format!("{{nullptr, 0, {}}}", literal(Value::F64(*p)));
                (format!("{{0x{:08x}u, 0, 1}}", philox::threshold(*p)), exact)
            }
        };
        let of_bits: Vec<Vec<(String, String)>> =
            bits.iter().map(|(_, constants)| constants.iter().map(number).collect()).collect();
        let lanes = classes.iter().map(|id| self.values[id.0 as usize].clone()).collect();
        let first = self.first_cell(*micro);
        let decided = self.decide(if few { planes } else { PLANES }, (*draw, &first), lanes, &of_bits);
        let name = self.names.name(&format!("bits_of_{}", self.values[place]));
        self.line(&format!("const QuadsOfBits<{}> {name} = {decided};", bits.len()));
        for (number, (index, _)) in bits.iter().enumerate() {
            let line = format!("const Quad {} = {name}.bits[{number}];", self.values[*index]);
            self.line(&line);
        }
        true
    }

    /// Decides bits of one draw by `planes` planes, for the cells from the first one on: `lanes` of each class, and for each bit
    /// the threshold and the probability of each class.
    pub(super) fn decide(
        &mut self,
        planes: u32,
        (draw, first): (u32, &str),
        lanes: Vec<String>,
        probabilities: &[Vec<(String, String)>],
    ) -> String {
        let (bits, classes) = (probabilities.len(), lanes.len());
        let list = |all: &[String]| format!("{{{}}}", all.join(", "));
        let of_bits = |of: &dyn Fn(&(String, String)) -> String| -> Vec<String> {
            probabilities.iter().map(|of_bit| list(&of_bit.iter().map(of).collect::<Vec<_>>())).collect()
        };
        let (thresholds, exact) = (of_bits(&|(threshold, _)| threshold.clone()), of_bits(&|(_, exact)| exact.clone()));
        let (decide, blocks, seed) = (self.uses(Helper::Decide), self.blocks(first), self.seed());
        let [lanes, thresholds, exact] = [lanes, thresholds, exact].map(|all| list(&all));
        format!("{decide}<{planes}, {bits}, {classes}>({seed}, {blocks}, time, {draw}, {lanes}, {thresholds}, {exact})")
    }
}
