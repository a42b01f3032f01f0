//! Random bits that are decided together: several of one draw, whose planes are made once, and those that the first planes decide.

use super::helpers::Helper;
use super::writer::Writer;
use crate::kernel::{Op, ValueId};
use crate::numbers::philox::{PLANES, threshold};
use crate::numbers::value::Value;
use crate::target::speciality::Speciality;

/// So many planes are made whatever the lanes are: asking whether they are decided would take longer.
const FEW_PLANES: u32 = 4;

impl Writer<'_> {
    /// Prints a random bit of four words with all that are decided with it, or nothing where that was done; false if it is decided alone, by as many planes
    /// as it takes.
    pub(super) fn together(&mut self, place: usize) -> bool {
        let kernel = self.kernel;
        let Op::RandomBit { draw, micro, classes, .. } = &kernel.nodes[place].op else { return false };
        let thresholds = |index: usize| match &kernel.nodes[index].op {
            Op::RandomBit { draw: d, micro: m, classes: c, probabilities } if (d, m, c) == (draw, micro, classes) => {
                let of = |id: &ValueId| match kernel.node(*id).op {
                    Op::Const(Value::F64(p)) => Some(threshold(p)),
                    _ => None,
                };
                probabilities.iter().map(of).collect::<Option<Vec<u64>>>()
            }
            _ => None,
        };
        if !self.quads || classes.is_empty() || thresholds(place).is_none() {
            return false;
        }
        let bits: Vec<(usize, Vec<u64>)> =
            (0..kernel.nodes.len()).filter_map(|index| Some((index, thresholds(index)?))).collect();
        let decided_by = |threshold: &u64| PLANES - threshold.trailing_zeros().min(PLANES);
        let planes = bits.iter().flat_map(|(_, thresholds)| thresholds).map(decided_by).max().unwrap_or(0);
        let same = bits.len() > 1;
        if same && !self.off.allows(Speciality::SameDraw) {
            return false;
        }
        let few = planes <= FEW_PLANES && self.off.allows(Speciality::FirstPlanes);
        if !same && !few {
            return false;
        }
        if bits[0].0 != place {
            return true;
        }
        let number = |threshold: &u64| match few {
            true => (threshold >> (PLANES - planes)).to_string(),
            _ if *threshold >> PLANES != 0 => "{0, 1}".to_owned(),
            _ => format!("{{0x{threshold:08x}u, 0}}"),
        };
        let list = |all: Vec<String>| format!("{{{}}}", all.join(", "));
        let of_bits = bits.iter().map(|(_, thresholds)| list(thresholds.iter().map(number).collect())).collect();
        let lanes = list(classes.iter().map(|id| self.values[id.0 as usize].clone()).collect());
        let (first, seed) = (self.first_cell(*micro), self.seed());
        let blocks = self.blocks(&first);
        let arguments = format!("({seed}, {blocks}, time, {draw}, {lanes}, {})", list(of_bits));
        let (count, class_count) = (bits.len(), classes.len());
        let call = match few {
            true => format!("{}<{planes}, {count}, {class_count}>", self.uses(Helper::FirstPlanes)),
            false => format!("{}<{count}, {class_count}>", self.uses(Helper::QuadsOfRandomBits)),
        };
        let name = self.names.name(&format!("bits_of_{}", self.values[place]));
        self.line(&format!("const QuadsOfBits<{count}> {name} = {call}{arguments};"));
        for (number, (index, _)) in bits.iter().enumerate() {
            let line = format!("const Quad {} = {name}.bits[{number}];", self.values[*index]);
            self.line(&line);
        }
        true
    }
}
