//! Initial values that all members take from files or arrays.

use crate::resolve::MEMORY;
use crate::state::TypeNames;
use crate::state::initial;
use crate::state::npy::Header;
use crate::texts::Digest;
use squeeze_compiler::ir::{StateId, Type};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::packed;
use squeeze_engine::simulation::{MemberMut, Simulation};
use squeeze_host::files::{self, FileError, PendingFile};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Where the folder of a sweep keeps values that came from arrays.
const ARRAYS: &str = "initial_values";

/// The values that files or arrays hold, read once.
#[derive(Debug, Default, PartialEq)]
pub struct Given {
    states: Vec<GivenState>,
}

/// The values of one state.
#[derive(Debug, PartialEq)]
struct GivenState {
    id: StateId,
    name: String,
    digest: Digest,
    ty: Type,
    cells: u64,
    /// The values of all cells, as [`packed`] describes them.
    bytes: Vec<u8>,
}

impl Given {
    /// Reads the files of `settings` of the form `STATE=FILE`, with notes of what was left out. The simulation, a member at its beginning, takes them.
    ///
    /// # Errors
    /// As [`initial::apply`].
    pub fn read<'m>(member: impl Into<MemberMut<'m>>, settings: &[String]) -> Result<(Given, Vec<String>)> {
        Given::read_in(member, settings, None)
    }

    /// The same of the settings of a sweep in this folder.
    pub(super) fn read_in<'m>(
        member: impl Into<MemberMut<'m>>,
        settings: &[String],
        folder: Option<&Path>,
    ) -> Result<(Given, Vec<String>)> {
        if settings.is_empty() {
            return Ok((Given::default(), Vec::new()));
        }
        let mut member = member.into();
        let notes = initial::apply_in(&mut member, settings, folder.map(|folder| folder.join(ARRAYS)).as_deref())?;
        let names: Vec<&str> = settings.iter().filter_map(|setting| Some(setting.split_once('=')?.0.trim())).collect();
        Ok((Given::of(&member, &names)?, notes))
    }

    /// The values that a simulation has of these states.
    pub(super) fn of(member: &Simulation, names: &[&str]) -> Result<Given> {
        let (mut states, cells) = (Vec::new(), member.domain().cells());
        for ((name, digest), id) in member.digests()?.into_iter().zip((0..).map(StateId)) {
            if names.contains(&name) {
                let ty = member.rule().state(id).ty;
                let mut bytes = vec![0; packed::bytes(ty, cells) as usize];
                member.read(id, 0..cells, &mut bytes)?;
                states.push(GivenState { id, name: name.to_owned(), digest: Digest(digest), ty, cells, bytes });
            }
        }
        Ok(Given { states })
    }

    /// Keeps the values that came from arrays in the folder of a sweep with these settings: a file of `.npy` for each state.
    pub(super) fn keep(&self, settings: &[String], folder: &Path) -> Result<()> {
        let folder = folder.join(ARRAYS);
        for GivenState { name, ty, cells, bytes, .. } in &self.states {
            if !settings.contains(&format!("{name}={MEMORY}")) {
                continue;
            }
            files::make_folders(&folder)?;
            let path = folder.join(format!("{name}.npy"));
            let values = match ty {
                Type::Bit => (0..*cells).map(|c| packed::bits(*ty, bytes, c) as u8).collect(),
                _ => bytes.clone(),
            };
            Header::write(PendingFile::begin(&path)?, &path, TypeNames::of(*ty).numpy, &[*cells], |out| {
                Ok(out.write_all(&values).map_err(|error| FileError::writing(&path, error))?)
            })?;
        }
        Ok(())
    }

    /// The digests of the states, by their names.
    pub fn digests(&self) -> BTreeMap<String, Digest> {
        self.states.iter().map(|state| (state.name.clone(), state.digest)).collect()
    }

    /// Checks that files hold the values that they held when a sweep was begun.
    pub(super) fn check(&self, before: &BTreeMap<String, Digest>) -> Result<()> {
        match self.states.iter().find(|state| before.get(&state.name) != Some(&state.digest)) {
            Some(state) => {
                let help =
                    "its other members began with those: bring the files back, or begin it anew in another folder";
                let what = format!("`--init` gives `{}` other values than when the sweep was begun", state.name);
                Err(Message::users(what).with_help(help).into())
            }
            None => Ok(()),
        }
    }

    /// Gives these values to a member at its beginning, and computes the initial values that follow from them.
    pub(super) fn give(&self, mut member: MemberMut<'_>) -> Result<()> {
        if self.states.is_empty() {
            return Ok(());
        }
        let cells = member.domain().cells();
        for state in &self.states {
            member.write(state.id, 0..cells, &state.bytes)?;
        }
        let names: Vec<&str> = self.states.iter().map(|state| state.name.as_str()).collect();
        Ok(member.init_from(&names)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use crate::run::{Manifest, Recording, RunFolder, Schedule};
    use crate::sweep::work::{How, Watch, run};
    use crate::sweep::{Sweep, SweepFolder, Wishes};
    use squeeze_engine::simulation::Backend;

    struct Quiet;

    impl Watch for Quiet {}

    const RULE: &str = "rule r {
        param a: f32 = 0.5
        state u: f32
        state up: bit
        init u = uniform()
        init up = u > 10.0
        next u = u + a
        next up = !up && random(0.5)
        observe sum_u = sum(u)
        observe ups = sum(up)
    }
    ";

    #[test]
    fn sweeps_begin_with_arrays_and_keep_them() {
        let place = tempfile::tempdir().unwrap();
        let (fractal, fractal_texts) = resolve::fractal_with_texts("vicsek").unwrap();
        let (rule, rule_texts) = resolve::rule_of_text("<rule>", RULE, None).unwrap();
        let values: Vec<f32> = (0..25).map(|c| c as f32).collect();
        let begin = Simulation::builder(fractal.clone(), rule.clone()).level(2).backend(Backend::Cpu);
        let mut first = begin.clone().initial("u", values.clone()).build().unwrap();
        let domains = [first.domain().clone()];
        let settings = ["a=0.25,0.5".to_owned()];
        let mut wishes = Wishes::default();
        (wishes.seeds, wishes.settings, wishes.observe_every) = ("0..3", &settings, Some(1));
        let begun = |name: &str| {
            let texts = (fractal_texts.clone(), rule_texts.clone());
            let sweep = Sweep::new(texts.0, texts.1, &rule, &domains, 4, wishes, &[]).unwrap();
            (place.path().join(name), sweep)
        };
        let (path, mut sweep) = begun("arrays");
        sweep.begin_as(&first).unwrap();
        let folder = SweepFolder::create(&path, &sweep).unwrap();
        assert!(path.join("initial_values/u.npy").is_file());
        drop(folder);
        // The folder goes on by itself, wherever it lies.
        let moved = place.path().join("moved@3:x");
        std::fs::rename(&path, &moved).unwrap();
        let (folder, sweep) = SweepFolder::open(&moved).unwrap();
        assert_eq!(sweep.init, ["u=<memory>"]);
        run(&folder, &sweep, How::default(), &[], &mut Quiet).unwrap().expect("it was not stopped");

        // A file with the same values gives the same tables.
        let (path, mut other) = begun("file");
        let init = [format!("u={}", moved.join("initial_values/u.npy").display())];
        let mut fresh = begin.clone().build().unwrap();
        other.begin_with(init.to_vec(), Given::read(&mut fresh, &init).unwrap().0);
        assert_eq!(other.given, sweep.given);
        let of_file = SweepFolder::create(&path, &other).unwrap();
        run(&of_file, &other, How::default(), &[], &mut Quiet).unwrap().expect("it was not stopped");
        for table in ["summary.csv", "members.csv"] {
            let read = |folder: &Path| std::fs::read_to_string(folder.join(table)).unwrap();
            assert_eq!(read(&moved), read(&path), "{table}");
        }

        // Bits, and simulations that have begun.
        first.step(1).unwrap();
        let (path, mut sweep) = begun("bits");
        assert!(sweep.begin_as(&first).is_err_and(|error| error.is_users()));
        let up: Vec<bool> = (0..25).map(|c| c % 3 == 0).collect();
        sweep.begin_as(&begin.clone().initial("up", up).build().unwrap()).unwrap();
        drop(SweepFolder::create(&path, &sweep).unwrap());
        let (folder, sweep) = SweepFolder::open(&path).unwrap();
        assert!(run(&folder, &sweep, How::default(), &[], &mut Quiet).unwrap().is_some());
        // Damage is told.
        let (path, mut sweep) = begun("damaged");
        sweep.begin_as(&begin.initial("u", values).build().unwrap()).unwrap();
        drop(SweepFolder::create(&path, &sweep).unwrap());
        let file = path.join("initial_values/u.npy");
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let (folder, sweep) = SweepFolder::open(&path).unwrap();
        let error = run(&folder, &sweep, How::default(), &[], &mut Quiet).unwrap_err();
        assert!(error.to_string().contains("gives `u` other values"), "{error}");
    }

    struct Stops;

    impl crate::run::Watch for Stops {
        fn wants_stop(&self) -> bool {
            true
        }
    }

    #[test]
    fn runs_keep_arrays_as_their_first_state() {
        let place = tempfile::tempdir().unwrap();
        let (fractal, fractal_texts) = resolve::fractal_with_texts("vicsek").unwrap();
        let (rule, rule_texts) = resolve::rule_of_text("<rule>", RULE, None).unwrap();
        let values: Vec<f32> = (0..25).map(|c| c as f32).collect();
        let builder = Simulation::builder(fractal, rule).level(2).backend(Backend::Reference).initial("u", values);
        let (begun, mut whole) = (builder.clone().build().unwrap(), builder.build().unwrap());
        let schedule = Schedule { steps: 6, observe_every: Some(1), ..Schedule::default() };
        let manifest = Manifest { fractal: fractal_texts, rule: rule_texts, level: 2, schedule, ..Manifest::default() };
        let folder = RunFolder::create(&place.path().join("run")).unwrap();
        drop(Recording::begin(folder, manifest, &begun, &mut Stops).unwrap());
        let folder = RunFolder::open(&place.path().join("run")).unwrap();
        let manifest = Manifest::read(&folder).unwrap();
        assert_eq!(manifest.init, ["u=<memory>"]);
        // The arrays are not there any more.
        let build = manifest.builder().unwrap().backend(Backend::Reference);
        let (_recording, mut again, notes) =
            Recording::resume(folder, manifest, || build.clone().build(), &mut Stops).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        again.step(6).unwrap();
        whole.step(6).unwrap();
        assert_eq!(again.digests().unwrap(), whole.digests().unwrap());
    }
}
