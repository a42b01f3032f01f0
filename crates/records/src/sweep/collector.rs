//! Data of a sweep's members beside rows of observables.
//!
//! A collector takes bytes of each member whenever it is observed. `members/N.ENDING` holds a member's bytes of all times, one after the other; it is
//! complete before `members/N.csv` exists. When all members have come to their ends, the collector makes its own files of these.

use super::folder::{Incomplete, no_sweep};
use super::rows::Rows;
use serde_json::{Map, Value as Json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Rule;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::Simulation;
use squeeze_host::files::{Bounded, FileError, Links, PendingFile};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The collector for a rule's `observe NAME = overlap(…)`, which a sweep of such a rule cannot do without.
pub(super) const OVERLAPS: &str = "overlaps";
/// The folder of members that have come to their ends.
pub(super) const MEMBERS: &str = "members";

/// The bytes of the checksum at the end of a file of a member.
const SUM: u64 = size_of::<u32>() as u64;
/// Bytes of such a file that are read at once.
const BLOCK: usize = 1 << 20;

/// A collector of one kind of data of the members of sweeps. A sweep knows the collectors that it is handed.
pub trait Collector: Sync {
    /// Its name: the key under which the manifests of sweeps describe the data to gather.
    fn name(&self) -> &'static str;

    /// The ending of the files of members, which names their content in one word.
    fn ending(&self) -> &'static str;

    /// The data to gather of `members` members, as the manifest describes them; `None` if the rule asks for none.
    ///
    /// # Errors
    /// If its files cannot be made of `members` members.
    fn wanted(&self, rule: &Rule, domain: &Domain, members: usize) -> Result<Option<Json>>;

    /// How many bytes it takes of a member at one time; `None` if this is nothing that [`wanted`](Self::wanted) gives.
    fn bytes(&self, wanted: &Json) -> Option<u64>;

    /// A probe that takes the bytes of a sweep's members, one after the other, on `threads` threads; `member` is one of them.
    ///
    /// # Errors
    /// If it cannot be built.
    fn probe(&self, member: &Simulation, threads: Option<usize>) -> Result<Box<dyn Probe>>;

    /// Makes the files of a sweep whose members have all come to their ends.
    ///
    /// # Errors
    /// If they cannot be made.
    fn finish(&self, wanted: &Json, gathered: &Gathered<'_>) -> Result<()>;
}

/// A probe, which takes bytes of members.
pub trait Probe: Send {
    /// Adds the bytes of the present time.
    ///
    /// # Errors
    /// If the machine fails.
    fn take(&mut self, member: &Simulation, bytes: &mut Vec<u8>) -> Result<()>;
}

/// The data that were gathered of all members.
pub struct Gathered<'a> {
    /// The folder of the sweep.
    pub folder: &'a Path,
    /// The times at which members were observed.
    pub times: Vec<u32>,
    /// The file of each member, and at how many of the times it was observed: fewer if its rule has ended it. A checksum stands behind the bytes of these
    /// times.
    pub members: BTreeMap<usize, (PathBuf, usize)>,
}

/// A collector, and the data that it gathers in a sweep.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    collector: &'a dyn Collector,
    wanted: &'a Json,
    /// The bytes of a member at one time.
    bytes: u64,
    /// Whether its files may be without checksums.
    unsealed: bool,
}

/// Something that a sweep gathers, and that no collector gathers here.
pub(super) fn nobody_gathers(name: &str) -> Message {
    let error = Message::users(format!("the sweep gathers `{name}`, and nothing here does"));
    match name {
        OVERLAPS => error.with_help("build `squeeze` with its feature `overlap`, which is on by default"),
        _ => error,
    }
}

/// The collectors that are to gather this, in a sweep that is `unsealed` or not.
pub(super) fn asked<'a>(
    folder: &Path,
    (gathered, unsealed): (&'a Map<String, Json>, bool),
    collectors: &[&'a dyn Collector],
) -> Result<Vec<Asked<'a>>> {
    let of = |(name, wanted): (&String, &'a Json)| {
        let collector = collectors.iter().find(|collector| collector.name() == name);
        let collector = *collector.ok_or_else(|| nobody_gathers(name))?;
        let bytes = collector.bytes(wanted).ok_or_else(|| no_sweep(folder, "its manifest is of something else"))?;
        Ok(Asked { collector, wanted, bytes, unsealed })
    };
    gathered.iter().map(of).collect()
}

impl Asked<'_> {
    /// The file of a member of the sweep in this folder.
    fn path(&self, folder: &Path, member: usize) -> PathBuf {
        folder.join(MEMBERS).join(format!("{member}.{}", self.collector.ending()))
    }

    /// Whether all is there of a member with these rows, as it was written.
    pub(super) fn is_kept(&self, folder: &Path, member: usize, rows: &Rows) -> bool {
        let Ok(mut file) = Bounded::open(&self.path(folder, member), u64::MAX, Links::Followed) else { return false };
        let all = rows.observations() as u64 * self.bytes;
        if file.length() != all + SUM {
            return self.unsealed && file.length() == all;
        }
        let (mut left, mut sum, mut block) = (all, 0, vec![0; BLOCK]);
        while left > 0 {
            let some = left.min(BLOCK as u64) as usize;
            if file.read_exact(&mut block[..some]).is_err() {
                return false;
            }
            sum = crc32c::crc32c_append(sum, &block[..some]);
            left -= some as u64;
        }
        file.rest().is_ok_and(|rest| rest == sum.to_le_bytes())
    }

    /// Makes the collector's files of all members, which lie in the folders of sweeps that `folder_of` says.
    pub(super) fn finish<'a>(
        &self,
        target: &Path,
        times: Vec<u32>,
        rows: &BTreeMap<usize, Rows>,
        folder_of: impl Fn(usize) -> &'a Path,
    ) -> Result<()> {
        let mut members = BTreeMap::new();
        for (&member, rows) in rows {
            let path = self.path(folder_of(member), member);
            if !self.is_kept(folder_of(member), member, rows) {
                let reason =
                    format!("it does not hold the {} of all times as they were written", self.collector.ending());
                return Err(Incomplete { path, reason }.into());
            }
            members.insert(member, (path, rows.observations()));
        }
        self.collector.finish(self.wanted, &Gathered { folder: target, times, members })
    }
}

/// The probes of all collectors, for members that run one after the other or together.
pub(super) struct Probes<'a> {
    folder: &'a Path,
    asked: &'a [Asked<'a>],
    threads: Option<usize>,
    /// One for each collector, made for the first member.
    probes: Vec<Box<dyn Probe>>,
    bytes: Vec<u8>,
}

/// The files of data that are gathered of a running member: one for each collector, with the checksum of its bytes.
pub(super) struct MemberFiles(Vec<(PathBuf, PendingFile, u32)>);

impl<'a> Probes<'a> {
    /// Probes of members of the sweep in this folder.
    pub(super) fn new(folder: &'a Path, asked: &'a [Asked<'a>], threads: Option<usize>) -> Probes<'a> {
        Probes { folder, asked, threads, probes: Vec::new(), bytes: Vec::new() }
    }

    /// Begins the files of a member.
    pub(super) fn begin(&self, member: usize) -> Result<MemberFiles> {
        let begin = |asked: &Asked<'_>| {
            let path = asked.path(self.folder, member);
            let file = PendingFile::begin_here(&path)?;
            Ok((path, file, 0))
        };
        Ok(MemberFiles(self.asked.iter().map(begin).collect::<Result<_>>()?))
    }

    /// Adds the bytes of a member at the present time.
    pub(super) fn add(&mut self, member: &Simulation, files: &mut MemberFiles) -> Result<()> {
        if self.probes.is_empty() {
            let probe = |asked: &Asked<'_>| asked.collector.probe(member, self.threads);
            self.probes = self.asked.iter().map(probe).collect::<Result<_>>()?;
        }
        for (probe, (path, file, sum)) in self.probes.iter_mut().zip(&mut files.0) {
            self.bytes.clear();
            probe.take(member, &mut self.bytes)?;
            *sum = crc32c::crc32c_append(*sum, &self.bytes);
            file.file().write_all(&self.bytes).map_err(|error| FileError::writing(path, error))?;
        }
        Ok(())
    }
}

impl MemberFiles {
    /// From here on the files are there, which are to be made durable before the member counts as ended.
    pub(super) fn finish(self) -> Result<Vec<PathBuf>> {
        let finish = |(path, file, sum): (PathBuf, PendingFile, u32)| {
            file.finish_fast(&sum.to_le_bytes())?;
            Ok(path)
        };
        self.0.into_iter().map(finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::sweep::work::{self, How, Watch};
    use crate::sweep::{Sweep, SweepFolder, Wishes};
    use serde_json::json;
    use squeeze_engine::Backend;
    use squeeze_host::files;

    /// Gathers the time, and adds all of them up.
    struct Times;

    struct Time;

    impl Probe for Time {
        fn take(&mut self, member: &Simulation, bytes: &mut Vec<u8>) -> Result<()> {
            bytes.push(member.time() as u8);
            Ok(())
        }
    }

    impl Collector for Times {
        fn name(&self) -> &'static str {
            OVERLAPS
        }

        fn ending(&self) -> &'static str {
            "times"
        }

        fn wanted(&self, rule: &Rule, _: &Domain, members: usize) -> Result<Option<Json>> {
            Ok(Some(json!([rule.name, members])))
        }

        fn bytes(&self, wanted: &Json) -> Option<u64> {
            wanted.is_array().then_some(1)
        }

        fn probe(&self, _: &Simulation, _: Option<usize>) -> Result<Box<dyn Probe>> {
            Ok(Box::new(Time))
        }

        fn finish(&self, wanted: &Json, gathered: &Gathered<'_>) -> Result<()> {
            assert_eq!((wanted, &gathered.times), (&json!(["spins", 2]), &vec![0, 3, 6, 7]));
            let of = |(path, times): &(PathBuf, usize)| {
                assert_eq!(*times, 4);
                files::read(path, 9, Links::Followed).unwrap()[..*times].to_vec()
            };
            let all: Vec<u8> = gathered.members.values().flat_map(of).collect();
            Ok(files::write_inside(&gathered.folder.join("times"), &all)?)
        }
    }

    struct Nobody;

    impl Watch for Nobody {}

    #[test]
    fn what_a_rule_asks_for_is_gathered_or_missed() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("spins.rule");
        let text = "rule spins { state up: bit init up = random(0.5) next up = up observe q = overlap(up) }";
        std::fs::write(&path, text).unwrap();
        let (fractal, fractal_texts) = resolve::domain_with_texts("vicsek", &resolve::Edges::default()).unwrap();
        let (rule, rule_texts) = resolve::rule_with_texts(&path.display().to_string()).unwrap();
        let domain = Domain::new(fractal, 2).unwrap();
        let sweep = |collectors: &[&dyn Collector]| {
            let wishes = Wishes { seeds: "4,5", observe_every: Some(3), ..Wishes::default() };
            Sweep::new(
                fractal_texts.clone(),
                rule_texts.clone(),
                &rule,
                std::slice::from_ref(&domain),
                7,
                wishes,
                collectors,
            )
        };
        let missing = sweep(&[]).unwrap_err();
        assert!(missing.to_string().contains("gathers `overlaps`") && missing.is_users());
        assert!(missing.help()[0].contains("feature `overlap`"));
        let (sweep, path) = (sweep(&[&Times]).unwrap(), temporary.path().join("sweep"));
        let folder = SweepFolder::create(&path, &sweep).unwrap();
        assert_eq!(SweepFolder::look(&path).unwrap(), (sweep.clone(), false));
        let how = How { backend: Backend::Reference, ..How::default() };
        let run = |collectors: &[&dyn Collector]| work::run(&folder, &sweep, how, collectors, &mut Nobody);
        assert!(run(&[]).is_err_and(|error| error.to_string().contains("gathers `overlaps`")));
        run(&[&Times]).unwrap().unwrap();
        assert_eq!(std::fs::read(path.join("times")).unwrap(), [0, 3, 6, 7, 0, 3, 6, 7]);
        assert!(!path.join(MEMBERS).exists());
    }
}
