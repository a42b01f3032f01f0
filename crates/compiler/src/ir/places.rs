//! Which places of a box are cells: those of masks and boxes.

use crate::numbers::digest::term;

/// Words whose cells are counted together.
const WORDS_OF_COUNT: usize = 8;
/// Cells from one whose place is kept to the next: those between are looked for behind it.
const CELLS_OF_SAMPLE: u64 = 4096;

/// The cells among the places of a box, numbered in reading order (z, then y, then x). A bit says whether a place is a cell, and another
/// quarter of a bit where its number begins; a box without holes has neither.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Places {
    extent: [u32; 3],
    /// Place i is bit i mod 32 of word i / 32; empty if all places are cells.
    words: Vec<u32>,
    /// The cells before each [`WORDS_OF_COUNT`] words.
    cells_before: Vec<u64>,
    /// By [`CELLS_OF_SAMPLE`] cells, the entry of `cells_before` with the first of them.
    samples: Vec<u32>,
    cells: u64,
    /// Whether they were drawn at random.
    drawn: bool,
}

impl Places {
    /// A box of this width, height and depth whose places are all cells.
    pub fn all(extent: [u32; 3]) -> Places {
        let (words, cells_before, samples) = (Vec::new(), Vec::new(), Vec::new());
        Places { extent, words, cells_before, samples, cells: places_of(extent), drawn: false }
    }

    /// The places of a box whose bits are set: place i is bit i mod 32 of word i / 32. Behind the last place there are zeros.
    ///
    /// # Panics
    /// If there are not as many words as the places take.
    pub fn new(extent: [u32; 3], words: Vec<u32>) -> Places {
        let places = places_of(extent);
        assert_eq!(words.len() as u64, places.div_ceil(32), "words of {places} places");
        let (mut cells_before, mut samples, mut cells) =
            (Vec::with_capacity(words.len().div_ceil(WORDS_OF_COUNT)), Vec::new(), 0);
        for (block, words) in words.chunks(WORDS_OF_COUNT).enumerate() {
            cells_before.push(cells);
            cells += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            while (samples.len() as u64) * CELLS_OF_SAMPLE < cells {
                samples.push(block as u32);
            }
        }
        if cells == places {
            return Places::all(extent);
        }
        Places { extent, words, cells_before, samples, cells, drawn: false }
    }

    /// The same, drawn at random.
    pub fn drawn(self) -> Places {
        Places { drawn: true, ..self }
    }

    /// A digest of which places are cells, if they were drawn at random; other places follow from their text and need none.
    pub(crate) fn digest_of_drawn(&self) -> Option<u64> {
        let words = (0..self.places().div_ceil(32)).map(|word| term(word, self.bits(32 * word, 32).into()));
        self.drawn.then(|| words.fold(0, u64::wrapping_add))
    }

    /// Width, height and depth.
    pub fn extent(&self) -> [u32; 3] {
        self.extent
    }

    /// How many places the box has.
    pub fn places(&self) -> u64 {
        places_of(self.extent)
    }

    /// How many of them are cells.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Whether all are.
    pub fn is_full(&self) -> bool {
        self.words.is_empty()
    }

    /// Up to 32 consecutive places as bits, the first one lowest; 0 behind the last place.
    pub fn bits(&self, first: u64, count: u32) -> u32 {
        let count = self.places().saturating_sub(first).min(u64::from(count)) as u32;
        let mask = if count < 32 { (1u32 << count) - 1 } else { u32::MAX };
        if self.is_full() {
            return mask;
        }
        let (word, shift) = ((first / 32) as usize, first % 32);
        let pair = [0, 1].map(|next| u64::from(self.words.get(word + next).copied().unwrap_or(0)));
        ((pair[0] | pair[1] << 32) >> shift) as u32 & mask
    }

    /// The number of the cell at a place; `None` if there is none.
    pub(crate) fn cell_at(&self, place: u64) -> Option<u64> {
        if place >= self.places() {
            return None;
        }
        if self.is_full() {
            return Some(place);
        }
        let (word, bit) = ((place / 32) as usize, place % 32);
        let first = word / WORDS_OF_COUNT * WORDS_OF_COUNT;
        let before: u32 = self.words[first..word].iter().map(|word| word.count_ones()).sum();
        let own = self.words[word];
        let below = (own & ((1 << bit) - 1)).count_ones();
        (own >> bit & 1 == 1).then(|| self.cells_before[word / WORDS_OF_COUNT] + u64::from(before + below))
    }

    /// The place of a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub(crate) fn place_of(&self, cell: u64) -> u64 {
        assert!(cell < self.cells, "cell {cell} of {}", self.cells);
        if self.is_full() {
            return cell;
        }
        let sample = (cell / CELLS_OF_SAMPLE) as usize;
        let low = self.samples[sample] as usize;
        let high = self.samples.get(sample + 1).map_or(self.cells_before.len(), |block| *block as usize + 1);
        let block = low + self.cells_before[low..high].partition_point(|before| *before <= cell) - 1;
        let mut rest = (cell - self.cells_before[block]) as u32;
        for (index, word) in self.words.iter().enumerate().skip(block * WORDS_OF_COUNT) {
            if rest < word.count_ones() {
                let mut word = *word;
                (0..rest).for_each(|_| word &= word - 1);
                return 32 * index as u64 + u64::from(word.trailing_zeros());
            }
            rest -= word.count_ones();
        }
        unreachable!("there are as many cells as were counted")
    }

    /// The coordinates of a place.
    pub fn point(&self, place: u64) -> [u32; 3] {
        let [width, height, _] = self.extent.map(u64::from);
        [(place % width) as u32, (place / width % height) as u32, (place / width / height) as u32]
    }

    /// The number of the cell at these coordinates; `None` if there is none.
    pub(crate) fn cell_at_point(&self, point: [u64; 3]) -> Option<u64> {
        let extent = self.extent.map(u64::from);
        if (0..3).any(|axis| point[axis] >= extent[axis]) {
            return None;
        }
        self.cell_at((point[2] * extent[1] + point[1]) * extent[0] + point[0])
    }

    /// The coordinates of the cells, in order.
    pub fn points(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let places = self.places();
        (0..places.div_ceil(32)).flat_map(move |word| {
            let bits = self.bits(32 * word, 32);
            (0..32).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| self.point(32 * word + bit))
        })
    }

    /// All bits: place i is bit i mod 32 of word i / 32, and behind the last place there are zeros.
    pub fn to_words(&self) -> Vec<u32> {
        match self.is_full() {
            true => (0..self.places().div_ceil(32)).map(|word| self.bits(32 * word, 32)).collect(),
            false => self.words.clone(),
        }
    }
}

fn places_of(extent: [u32; 3]) -> u64 {
    extent.into_iter().map(u64::from).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_places_are_inverse_to_each_other() {
        for (extent, one_in) in [
            ([1, 1, 1], 1),
            ([31, 1, 1], 2),
            ([33, 7, 1], 3),
            ([300, 200, 1], 2),
            ([70, 33, 12], 97),
            ([16, 16, 16], 1),
        ] {
            let count = places_of(extent);
            let is_cell = |place: u64| (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).is_multiple_of(one_in);
            let mut words = vec![0u32; count.div_ceil(32) as usize];
            (0..count)
                .filter(|place| is_cell(*place))
                .for_each(|place| words[(place / 32) as usize] |= 1 << (place % 32));
            let places = Places::new(extent, words.clone());
            assert_eq!((places.is_full(), places.to_words()), (one_in == 1, words));
            let mut next = 0;
            for place in 0..count {
                let wanted = is_cell(place).then_some(next);
                assert_eq!(places.cell_at_point(places.point(place).map(u64::from)), wanted, "{extent:?} {place}");
                assert_eq!(places.bits(place, 1) == 1, wanted.is_some());
                if wanted.is_some() {
                    assert_eq!(places.place_of(next), place);
                    next += 1;
                }
            }
            assert_eq!((places.cells(), places.cell_at(count)), (next, None));
            assert_eq!(places.points().count() as u64, next);
            assert!(
                places.points().enumerate().all(|(cell, point)| places.point(places.place_of(cell as u64)) == point)
            );
        }
        // More places than 32 bits number.
        let all = Places::all([1 << 17, 1 << 17, 1]);
        assert_eq!((all.cells(), all.cell_at(1 << 33), all.place_of(1 << 33)), (1 << 34, Some(1 << 33), 1 << 33));
    }
}
