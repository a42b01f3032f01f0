//! Where the values of one state stand in its buffer.

use super::call::Shape;
use squeeze_compiler::ir::kernel::{LaneType, Planes};

/// The columns of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub planes: Planes,
    pub shape: Shape,
    /// Bytes of one column, all planes.
    pub column: usize,
    /// Bytes of one superblock's columns.
    pub block: usize,
}

impl Columns {
    pub fn new(planes: Planes, shape: Shape, micro_cells: usize) -> Columns {
        let column = match planes {
            Planes::Bits(count) => usize::from(count) * 4 * shape.words,
            Planes::Number(ty) => shape.stride * size_of(ty),
        };
        Columns { planes, shape, column, block: column * micro_cells }
    }

    /// The [`Value::bits`](squeeze_compiler::ir::Value::bits) of one lane of a column that begins at `column[0]`.
    pub fn bits(&self, column: &[u8], lane: usize) -> u64 {
        match self.planes {
            Planes::Bits(count) => (0..usize::from(count)).fold(0, |bits, plane| {
                let byte = column[plane * 4 * self.shape.words + lane / 8];
                bits | u64::from(byte >> (lane % 8) & 1) << plane
            }),
            Planes::Number(ty) => {
                let size = size_of(ty);
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(&column[lane * size..][..size]);
                u64::from_le_bytes(bytes)
            }
        }
    }

    /// Calls `visit` with each lane's [`Value::bits`](squeeze_compiler::ir::Value::bits), in order.
    #[inline(always)]
    pub fn for_each(&self, column: &[u8], mut visit: impl FnMut(usize, u64)) {
        let lanes = self.shape.lanes;
        match self.planes {
            Planes::Bits(1) => {
                for (word, bytes) in column.chunks_exact(4).enumerate() {
                    let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                    for i in 0..32.min(lanes - 32 * word) {
                        visit(32 * word + i, u64::from(bits >> i & 1));
                    }
                }
            }
            Planes::Bits(_) => (0..lanes).for_each(|lane| visit(lane, self.bits(column, lane))),
            Planes::Number(LaneType::U8) => {
                column[..lanes].iter().enumerate().for_each(|(lane, &v)| visit(lane, u64::from(v)));
            }
            Planes::Number(LaneType::F64) => {
                for (lane, bytes) in column.as_chunks::<8>().0.iter().take(lanes).enumerate() {
                    visit(lane, u64::from_le_bytes(*bytes));
                }
            }
            Planes::Number(_) => {
                for (lane, bytes) in column.as_chunks::<4>().0.iter().take(lanes).enumerate() {
                    visit(lane, u64::from(u32::from_le_bytes(*bytes)));
                }
            }
        }
    }
}

/// Bytes of one number.
pub(super) fn size_of(ty: LaneType) -> usize {
    ty.scalar().bytes() as usize
}
