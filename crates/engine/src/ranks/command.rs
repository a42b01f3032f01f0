//! Commands of rank 0 to all others: each says a call to an engine, of which every rank then does its share.

use crate::reduce::words::{Words, to_bytes};
use squeeze_compiler::ir::StateId;
use std::ops::Range;

/// A call to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RankCommand {
    /// The engine is no more.
    End,
    Prepare(u32),
    Run(u32),
    SetTime(u32),
    /// The bits of parameters and globals.
    SetParams(Vec<u64>),
    /// The seed, and the bits of parameters and globals.
    Restart(u64, Vec<u64>),
    /// The numbers of reductions.
    Reduce(Vec<usize>),
    Digest(StateId),
    IsFinite(StateId),
    Read(StateId, Vec<Range<u64>>),
    Write(StateId, Range<u64>),
    /// The name of the place where states are about to be written.
    See(Vec<u8>),
    /// The cells that each rank writes.
    Deal(StateId, Vec<Range<u64>>),
    Settle,
}

impl RankCommand {
    /// Its message.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let with = |kind: u64, rest: &[u64]| to_bytes([kind].into_iter().chain(rest.iter().copied()));
        let list = |kind: u64, before: &[u64], list: &[u64]| {
            let rest: Vec<u64> =
                before.iter().copied().chain([list.len() as u64]).chain(list.iter().copied()).collect();
            with(kind, &rest)
        };
        match self {
            RankCommand::End => with(0, &[]),
            RankCommand::Prepare(steps) => with(1, &[u64::from(*steps)]),
            RankCommand::Run(steps) => with(2, &[u64::from(*steps)]),
            RankCommand::SetTime(time) => with(3, &[u64::from(*time)]),
            RankCommand::SetParams(bits) => list(4, &[], bits),
            RankCommand::Restart(seed, bits) => list(5, &[*seed], bits),
            RankCommand::Reduce(which) => list(6, &[], &which.iter().map(|number| *number as u64).collect::<Vec<_>>()),
            RankCommand::Digest(state) => with(7, &[u64::from(state.0)]),
            RankCommand::IsFinite(state) => with(8, &[u64::from(state.0)]),
            RankCommand::Read(state, ranges) => list(9, &[u64::from(state.0)], &ends_of(ranges)),
            RankCommand::Write(state, cells) => with(10, &[u64::from(state.0), cells.start, cells.end]),
            RankCommand::See(place) => list(11, &[], &place.iter().copied().map(u64::from).collect::<Vec<_>>()),
            RankCommand::Deal(state, shares) => list(12, &[u64::from(state.0)], &ends_of(shares)),
            RankCommand::Settle => with(13, &[]),
        }
    }

    /// The command of a message; `None` if it is none.
    pub(super) fn of(bytes: &[u8]) -> Option<RankCommand> {
        let mut words = Words::new(bytes);
        let words = &mut words;
        let command = match words.word()? {
            0 => RankCommand::End,
            1 => RankCommand::Prepare(words.number()?),
            2 => RankCommand::Run(words.number()?),
            3 => RankCommand::SetTime(words.number()?),
            4 => RankCommand::SetParams(words.list(Words::word)?),
            5 => RankCommand::Restart(words.word()?, words.list(Words::word)?),
            6 => RankCommand::Reduce(words.list(Words::number)?),
            7 => RankCommand::Digest(StateId(words.number()?)),
            8 => RankCommand::IsFinite(StateId(words.number()?)),
            9 => RankCommand::Read(StateId(words.number()?), ranges_of(words)?),
            10 => RankCommand::Write(StateId(words.number()?), words.word()?..words.word()?),
            11 => RankCommand::See(words.list(Words::number)?),
            12 => RankCommand::Deal(StateId(words.number()?), ranges_of(words)?),
            13 => RankCommand::Settle,
            _ => return None,
        };
        words.is_empty().then_some(command)
    }
}

/// The ends of ranges, one after the other.
fn ends_of(ranges: &[Range<u64>]) -> Vec<u64> {
    ranges.iter().flat_map(|cells| [cells.start, cells.end]).collect()
}

/// The ranges with these ends, whose number comes first.
fn ranges_of(words: &mut Words<'_>) -> Option<Vec<Range<u64>>> {
    let ends = words.list(Words::word)?;
    Some(ends.as_chunks::<2>().0.iter().map(|[start, end]| *start..*end).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_as_they_are_sent() {
        let all = [
            RankCommand::End,
            RankCommand::Prepare(3),
            RankCommand::Run(u32::MAX),
            RankCommand::SetTime(9),
            RankCommand::SetParams(vec![1, u64::MAX]),
            RankCommand::Restart(7, vec![]),
            RankCommand::Reduce(vec![0, 4]),
            RankCommand::Digest(StateId(1)),
            RankCommand::IsFinite(StateId(2)),
            RankCommand::Read(StateId(0), vec![0..8, 64..u64::MAX]),
            RankCommand::Write(StateId(3), 5..6),
            RankCommand::See(b"a/\xfc.part".to_vec()),
            RankCommand::Deal(StateId(2), vec![8..16, 0..0, 0..8]),
            RankCommand::Settle,
        ];
        for command in all {
            let bytes = command.to_bytes();
            assert_eq!(RankCommand::of(&bytes), Some(command));
            assert_eq!(RankCommand::of(&bytes[..bytes.len() - 1]), None);
            assert_eq!(RankCommand::of(&[&bytes[..], &[0; 8]].concat()), None);
        }
    }
}
