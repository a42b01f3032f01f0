//! Why a run of several ranks ends before its time.

use crate::failure::Failure;

/// The first cause, and the rank that found it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank} of {ranks}: {reason}")]
pub struct RankError {
    rank: usize,
    ranks: usize,
    reason: String,
    is_users: bool,
    is_told: bool,
}

impl RankError {
    /// A cause that this rank found.
    pub(super) fn new(rank: usize, ranks: usize, reason: String, is_users: bool) -> RankError {
        RankError { rank, ranks, reason, is_users, is_told: false }
    }

    /// The rank that found it.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// True if the cause was found by another rank.
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// The cause without its rank.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The cause as other ranks are told it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.is_users)];
        bytes.extend(self.reason.as_bytes());
        bytes
    }

    /// The cause that rank `by` of `ranks` tells this one.
    pub(super) fn of_bytes(bytes: &[u8], ranks: usize, by: usize) -> RankError {
        let (is_users, reason) = bytes.split_first().map_or((false, &[][..]), |(first, reason)| (*first != 0, reason));
        let reason = String::from_utf8_lossy(reason).into_owned();
        RankError { rank: by, ranks, reason, is_users, is_told: true }
    }
}

impl Failure for RankError {
    fn is_users(&self) -> bool {
        self.is_users
    }

    fn help(&self) -> Vec<String> {
        Vec::new()
    }
}
