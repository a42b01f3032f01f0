//! What all ranks do together, by messages between two: MPI's own collective functions wait without end.

use super::error::RankError;
use super::transport::{MessageKind, Transport};

impl Transport {
    /// The bytes of all ranks at rank 0, in their order; none elsewhere. `kind` is no [`MessageKind::Ghosts`], as nothing goes back.
    ///
    /// # Errors
    /// As [`Transport::receive`].
    pub fn gather(&self, kind: MessageKind, pass: u32, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>, RankError> {
        if self.rank() != 0 {
            return self.send(0, kind, pass, bytes).map(|()| None);
        }
        let mut all = vec![bytes.to_vec()];
        for from in self.others() {
            all.push(self.receive(from, kind, pass)?);
        }
        Ok(Some(all))
    }

    /// The bytes of rank 0 at all ranks; what others give is not used.
    ///
    /// # Errors
    /// As [`Transport::receive`].
    pub fn broadcast(&self, kind: MessageKind, pass: u32, bytes: Vec<u8>) -> Result<Vec<u8>, RankError> {
        // Rank r has its bytes from r with the highest bit cleared, so that they are everywhere after log2(ranks) messages.
        let rank = self.rank();
        let bytes = match rank.checked_ilog2() {
            None => bytes,
            Some(highest) => self.receive(rank ^ 1 << highest, kind, pass)?,
        };
        let first = rank.checked_ilog2().map_or(0, |highest| highest + 1);
        for to in (first..usize::BITS)
            .map_while(|bit| Some(rank | 1usize.checked_shl(bit)?))
            .take_while(|to| *to < self.ranks())
        {
            self.send(to, kind, pass, &bytes)?;
        }
        Ok(bytes)
    }

    /// The bytes of all ranks at all ranks, in their order.
    ///
    /// # Errors
    /// As [`Transport::receive`].
    pub fn all_gather(&self, kind: MessageKind, pass: u32, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        let mut joined = Vec::new();
        for part in self.gather(kind, pass, bytes)?.unwrap_or_default() {
            joined.extend((part.len() as u64).to_le_bytes());
            joined.extend(part);
        }
        let joined = self.broadcast(kind, pass, joined)?;
        let (mut rest, mut all) = (&joined[..], Vec::with_capacity(self.ranks()));
        while let Some((length, behind)) = rest.split_first_chunk::<8>() {
            let (part, behind) = behind.split_at(u64::from_le_bytes(*length) as usize);
            all.push(part.to_vec());
            rest = behind;
        }
        Ok(all)
    }

    /// Returns when all ranks have called it.
    ///
    /// # Errors
    /// As [`Transport::receive`].
    pub fn barrier(&self, pass: u32) -> Result<(), RankError> {
        self.gather(MessageKind::Words, pass, &[])?;
        self.broadcast(MessageKind::Words, pass, Vec::new()).map(drop)
    }

    /// Makes sure that all ranks have the same value of a thing, in words.
    ///
    /// # Errors
    /// The first rank whose value is another than rank 0's, with both; as [`Transport::receive`].
    pub fn agree(&self, name: &str, value: &str) -> Result<(), RankError> {
        let all = self.gather(MessageKind::Words, 0, value.as_bytes())?.unwrap_or_default();
        if let Some((other, theirs)) = all.iter().enumerate().find(|(_, theirs)| theirs != &value.as_bytes()) {
            let theirs = String::from_utf8_lossy(theirs);
            return Err(self.fail(format!("{name} is {value} here, but {theirs} on rank {other}"), true));
        }
        self.barrier(0)
    }
}
