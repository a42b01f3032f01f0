//! Messages of whole numbers, as bytes.

/// The bytes of some numbers.
pub(crate) fn to_bytes(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// Numbers that are read from bytes one after the other.
pub(crate) struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// The numbers of these bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> Words<'a> {
        Words(bytes)
    }

    /// Whether none is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next number, if there is one.
    pub(crate) fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// The next number, if it fits the type.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        self.word()?.try_into().ok()
    }

    /// As many items as the next number says, each made of the numbers behind it.
    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count: usize = self.number()?;
        // Each takes a number at least, so that a wrong count takes no memory.
        (count <= self.0.len() / 8).then(|| (0..count).map(|_| item(self)).collect())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_back_and_wrong_counts_are_refused() {
        let bytes = to_bytes([2, 7, 8, 3, 1, 2]);
        let mut words = Words::new(&bytes);
        assert_eq!(words.list(|words| words.number::<u32>()), Some(vec![7, 8]));
        assert_eq!(words.list(Words::word), None);
        assert_eq!(Words::new(&to_bytes([u64::MAX])).list(Words::word), None);
        assert_eq!(Words::new(&to_bytes([1 << 40])).number::<u32>(), None);
        assert_eq!(Words::new(&bytes[..7]).word(), None);
    }
}
