//! Bits of masks and of states, moved between words.

/// 32 bits.
pub(super) trait Word: Copy {
    fn get(self) -> u32;
    fn set(&mut self, word: u32);
}

impl Word for u32 {
    fn get(self) -> u32 {
        self
    }

    fn set(&mut self, word: u32) {
        *self = word;
    }
}

/// As states hold them.
impl Word for [u8; 4] {
    fn get(self) -> u32 {
        u32::from_le_bytes(self)
    }

    fn set(&mut self, word: u32) {
        *self = word.to_le_bytes();
    }
}

/// The set bits of a word.
pub(super) fn lanes_of(word: u32) -> impl Iterator<Item = usize> {
    let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
    rest.take_while(|word| *word != 0).map(|word| word.trailing_zeros() as usize)
}

/// Copies bits between words: `length` of them, from bit `from` on to bit `to` on, where the result has zeros.
pub(super) fn copy_bits<W: Word>(source: &[W], from: usize, result: &mut [W], to: usize, length: usize) {
    let (mut from, mut to, mut rest) = (from, to, length);
    while rest > 0 {
        let now = (32 - to % 32).min(rest);
        let low = u64::from(source[from / 32].get());
        let high = source.get(from / 32 + 1).map_or(0, |word| u64::from(word.get()));
        let word = ((low | high << 32) >> (from % 32)) as u32 & u32::MAX >> (32 - now);
        let before = result[to / 32].get();
        result[to / 32].set(before | word << (to % 32));
        (from, to, rest) = (from + now, to + now, rest - now);
    }
}

/// The bits of a word where a mask has ones, moved to its low end: Hacker's Delight 7-4, in five rounds.
pub(super) fn extract(bits: u32, mask: u32) -> u32 {
    let (mut bits, mut mask) = (bits & mask, mask);
    let mut holes = !mask << 1;
    for round in 0..5 {
        let odd = prefix(holes);
        let moved = odd & mask;
        mask = (mask ^ moved) | moved >> (1 << round);
        let part = bits & moved;
        bits = (bits ^ part) | part >> (1 << round);
        holes &= !odd;
    }
    bits
}

/// The low bits of a word, moved to where a mask has ones: the rounds of [`extract`] backwards.
pub(super) fn deposit(bits: u32, mask: u32) -> u32 {
    let (mut moves, mut left, mut holes) = ([0; 5], mask, !mask << 1);
    for (round, moved) in moves.iter_mut().enumerate() {
        let odd = prefix(holes);
        *moved = odd & left;
        left = (left ^ *moved) | *moved >> (1 << round);
        holes &= !odd;
    }
    let bits = moves.iter().enumerate().rev().fold(bits, |bits, (round, moved)| {
        let up = bits << (1 << round);
        (bits & !moved) | (up & moved)
    });
    bits & mask
}

/// By bit whether an odd number of those up to it are ones.
fn prefix(bits: u32) -> u32 {
    [1, 2, 4, 8, 16].into_iter().fold(bits, |bits, by| bits ^ bits << by)
}
