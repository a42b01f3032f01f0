//! Random planes of as many blocks as a vector has elements.

use super::vector::Vector;
use squeeze_compiler::numbers::philox::{KEY_INCREMENTS, MULTIPLIERS, ROUNDS};

/// The keys of all rounds, and the multipliers.
pub(super) struct Keys<V> {
    keys: [[V; 2]; ROUNDS as usize],
    multipliers: [V; 2],
}

impl<V: Vector> Keys<V> {
    /// The keys of a seed.
    #[inline(always)]
    pub(super) fn of(seed: u64) -> Keys<V> {
        let mut key = [seed as u32, (seed >> 32) as u32];
        let mut keys = [[V::splat(0); 2]; ROUNDS as usize];
        for now in &mut keys {
            *now = [V::splat(u64::from(key[0])), V::splat(u64::from(key[1]))];
            key = [key[0].wrapping_add(KEY_INCREMENTS[0]), key[1].wrapping_add(KEY_INCREMENTS[1])];
        }
        Keys { keys, multipliers: [V::splat(u64::from(MULTIPLIERS[0])), V::splat(u64::from(MULTIPLIERS[1]))] }
    }
}

/// Blocks of Philox in elements of 64 bits, whose upper halves mean nothing: multiplications give 64 bits, and so one half of each product
/// stands right without being moved. The number of the plane enters the third word of the counter in the first round, and all others
/// in the third round only: what does not depend on it is made once.
pub(super) struct Philox<'a, V> {
    keys: &'a Keys<V>,
    /// The third word after the first round, but for the plane's number, which is still to be xored to it.
    third: V,
    /// The same of the first word after the second and the third round, and of the third word after the third.
    first_of_second: V,
    first_of_third: V,
    third_of_third: V,
    /// The second word after the third round.
    second: V,
}

impl<'a, V: Vector> Philox<'a, V> {
    /// The generator of these blocks for the state of a time.
    #[inline(always)]
    pub(super) fn new(keys: &'a Keys<V>, blocks: V, time: u32) -> Self {
        let Keys { keys: key, multipliers } = keys;
        let (a, b) = (multipliers[0].multiply(blocks), multipliers[1].multiply(V::splat(u64::from(time))));
        let first = b.high().parity(blocks.high(), key[0][0]);
        let third = a.high().xor(key[0][1]);
        // The second round.
        let product = multipliers[0].multiply(first);
        let after_second = product.high().parity(a, key[1][1]);
        // The third.
        let second = multipliers[1].multiply(after_second);
        Philox {
            keys,
            third,
            first_of_second: b.xor(key[1][0]),
            first_of_third: second.high().xor(key[2][0]),
            third_of_third: product.xor(key[2][1]),
            second,
        }
    }

    /// Plane `number` of the blocks' cells and the plane after it.
    #[inline(always)]
    pub(crate) fn two_planes(&self, number: u32) -> [[V; 2]; 2] {
        let Keys { keys, multipliers } = self.keys;
        let zero = V::splat(0);
        let mut counters = [[zero; 4]; 2];
        for (plane, counter) in counters.iter_mut().enumerate() {
            let number = V::splat(u64::from(number.wrapping_add(plane as u32)));
            let b = multipliers[1].multiply(self.third.xor(number));
            let a = multipliers[0].multiply(b.high().xor(self.first_of_second));
            *counter = [self.first_of_third.xor(b), self.second, a.high().xor(self.third_of_third), a];
        }
        for key in &keys[3..] {
            for counter in &mut counters {
                let (a, b) = (multipliers[0].multiply(counter[0]), multipliers[1].multiply(counter[2]));
                *counter = [b.high().parity(counter[1], key[0]), b, a.high().parity(counter[3], key[1]), a];
            }
        }
        let mut planes = [[zero; 2]; 2];
        for (plane, counter) in planes.iter_mut().zip(&counters) {
            *plane = V::interleave(counter[0].with_high(counter[1]), counter[2].with_high(counter[3]));
        }
        planes
    }
}
