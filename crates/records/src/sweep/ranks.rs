//! Members of a sweep computed by other ranks: messages to and from the first, which writes the folder.

use super::Sweep;
use super::collector::{self, Collector};
use super::deal::{Assignment, Hand, Wants, WorkerWord};
use super::rows::{Ended, read_record, record};
use super::work::{How, Share, work};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::ranks::transport::{Listener, MessageKind, Transport};
use squeeze_host::files::{self, Links};
use std::path::{Path, PathBuf};

/// The sweep as other ranks are told it.
#[derive(Serialize, Deserialize)]
struct Told {
    sweep: Sweep,
    gathered: Map<String, Json>,
    /// The members that are missing, by domains.
    domains: Vec<Vec<usize>>,
    folder: PathBuf,
    /// The checksum of the folder's manifest.
    manifest: u32,
}

/// The words of another rank.
#[derive(Serialize, Deserialize)]
enum RankWord {
    Idle,
    Wants(Wants),
    /// Records of members that have come to their ends.
    Ended(String),
    Steps(u64),
    Done,
}

/// The bytes of something that is told.
fn bytes_of(told: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(told).map_err(|error| Message::systems(error.to_string()))?)
}

/// Something that was told.
fn read<T: for<'a> Deserialize<'a>>(bytes: &[u8], from: usize) -> Result<T> {
    let wrong = |error| Message::systems(format!("rank {from} sent words that are none: {error}"));
    Ok(serde_json::from_slice(bytes).map_err(wrong)?)
}

/// The checksum of a folder's manifest; `None` where there is no such folder.
fn manifest_of(folder: &Path) -> Option<u32> {
    files::read(&folder.join("manifest.json"), crate::run::MOST_BYTES, Links::Followed)
        .ok()
        .map(|bytes| crc32c::crc32c(&bytes))
}

/// The first rank's connections to all others, which compute members as well.
pub(super) struct Others<'a> {
    transport: &'a Transport,
    listener: Listener,
    /// Ranks that compute nothing more, by their numbers; the first is none of them.
    has_ended: Vec<bool>,
}

impl<'a> Others<'a> {
    /// Tells them the sweep and the members that are missing.
    ///
    /// # Errors
    /// If a rank has failed.
    pub(super) fn begin(
        transport: &'a Transport,
        (sweep, folder): (&Sweep, &Path),
        domains: &[Vec<usize>],
    ) -> Result<Others<'a>> {
        let told = Told {
            sweep: sweep.clone(),
            gathered: sweep.gathered.clone(),
            domains: domains.to_vec(),
            folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
            manifest: manifest_of(folder).unwrap_or_default(),
        };
        transport.broadcast(MessageKind::Words, 0, bytes_of(&told)?)?;
        let mut has_ended = vec![false; transport.ranks()];
        has_ended[0] = true;
        Ok(Others { transport, listener: Listener::of(transport), has_ended })
    }

    /// The next word that has come, with its rank.
    ///
    /// # Errors
    /// If a rank is silent for too long or has failed, or it sent something else.
    pub(super) fn hear(&mut self, sweep: &Sweep) -> Result<Option<(usize, WorkerWord)>> {
        for rank in 1..self.has_ended.len() {
            if self.has_ended[rank] {
                continue;
            }
            let Some(bytes) = self.listener.hear(self.transport, rank, MessageKind::Words, 0)? else { continue };
            let word = match read(&bytes, rank)? {
                RankWord::Idle => WorkerWord::Idle,
                RankWord::Wants(wants) => WorkerWord::Wants(wants),
                RankWord::Steps(steps) => WorkerWord::Steps(steps),
                RankWord::Ended(records) => {
                    let wrong = || Message::systems(format!("rank {rank} sent rows of a member that are not whole"));
                    let (member, cells, rows) = read_record(sweep, &records).ok_or_else(wrong)?;
                    WorkerWord::Ended(cells, vec![(member, Ended { rows, gathered: Vec::new() })])
                }
                RankWord::Done => {
                    self.has_ended[rank] = true;
                    WorkerWord::Done
                }
            };
            return Ok(Some((rank, word)));
        }
        Ok(None)
    }

    /// Gives an order to a rank.
    ///
    /// # Errors
    /// If a rank has failed.
    pub(super) fn order(&self, rank: usize, order: &Assignment) -> Result<()> {
        Ok(self.transport.send(rank, MessageKind::Words, 0, &bytes_of(order)?)?)
    }
}

/// Another rank's connection to the first.
struct RankHand<'a> {
    transport: &'a Transport,
    listener: Listener,
}

impl RankHand<'_> {
    fn tell(&self, word: &RankWord) -> Result<()> {
        Ok(self.transport.send(0, MessageKind::Words, 0, &bytes_of(word)?)?)
    }
}

impl Hand for RankHand<'_> {
    fn say(&mut self, word: WorkerWord) -> Result<()> {
        self.tell(&match word {
            WorkerWord::Idle => RankWord::Idle,
            WorkerWord::Wants(wants) => RankWord::Wants(wants),
            WorkerWord::Steps(steps) => RankWord::Steps(steps),
            WorkerWord::Done => RankWord::Done,
            WorkerWord::Ended(cells, members) => {
                for (member, ended) in members {
                    // The first rank writes the member down once it has heard of it.
                    files::sync_files(&ended.gathered)?;
                    self.tell(&RankWord::Ended(record(member, cells, &ended.rows)))?;
                }
                return Ok(());
            }
        })
    }

    fn hear(&mut self, waits: bool) -> Result<Option<Assignment>> {
        let bytes = match waits {
            true => Some(self.transport.receive(0, MessageKind::Words, 0)?),
            false => self.listener.hear(self.transport, 0, MessageKind::Words, 0)?,
        };
        bytes.map(|bytes| read(&bytes, 0)).transpose()
    }
}

/// Computes members of the sweep that the first rank [runs](super::work::run) or resumes, until none is left. Results go there, and so do errors.
///
/// # Errors
/// If a member cannot be computed here, files are gathered of members and the folder is not that of the first rank, or a rank fails.
#[doc(hidden)]
pub fn serve(how: How<'_>, transport: &Transport, collectors: &[&dyn Collector]) -> Result<()> {
    let _mode = DefaultMode::enter();
    let told = transport.broadcast(MessageKind::Words, 0, Vec::new())?;
    let Told { mut sweep, gathered, domains, folder, manifest } = read(&told, 0)?;
    sweep.gathered = gathered;
    let has_arrays = sweep.init.iter().any(|init| init.ends_with(crate::resolve::MEMORY));
    if (!sweep.gathered.is_empty() || has_arrays) && manifest_of(&folder) != Some(manifest) {
        let what =
            format!("the folder `{}` of the first rank is not there on rank {}", folder.display(), transport.rank());
        let help = "data of members go through a folder that all ranks see";
        return Err(Message::users(what).with_help(help).into());
    }
    let asked = collector::asked(&folder, (&sweep.gathered, false), collectors)?;
    let share = Share {
        sweep: &sweep,
        folder: &folder,
        how,
        asked: &asked,
        domains: &domains,
        workers: transport.ranks(),
        here: 1,
    };
    let mut hand = RankHand { transport, listener: Listener::of(transport) };
    work(share, None, &mut hand)?;
    hand.say(WorkerWord::Done)
}
