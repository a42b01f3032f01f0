//! Initial values that all members take from files.

use crate::state::initial;
use crate::texts::Digest;
use squeeze_compiler::ir::StateId;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::packed;
use squeeze_engine::simulation::MemberMut;
use std::collections::BTreeMap;

/// The values that the files hold, read once.
#[derive(Debug, Default)]
pub struct Given {
    states: Vec<GivenState>,
}

/// The values of one state.
#[derive(Debug)]
struct GivenState {
    id: StateId,
    name: String,
    digest: Digest,
    /// The values of all cells, as [`packed`] describes them.
    bytes: Vec<u8>,
}

impl Given {
    /// Reads the files of `settings` of the form `STATE=FILE`, with notes of what was left out. The simulation, a member at its beginning, takes them.
    ///
    /// # Errors
    /// As [`initial::apply`].
    pub fn read<'m>(member: impl Into<MemberMut<'m>>, settings: &[String]) -> Result<(Given, Vec<String>)> {
        if settings.is_empty() {
            return Ok((Given::default(), Vec::new()));
        }
        let mut member = member.into();
        let notes = initial::apply(&mut member, settings)?;
        let names: Vec<&str> = settings.iter().filter_map(|setting| Some(setting.split_once('=')?.0.trim())).collect();
        let mut states = Vec::new();
        for ((name, digest), id) in member.digests()?.into_iter().zip((0..).map(StateId)) {
            if names.contains(&name) {
                let cells = member.domain().cells();
                let mut bytes = vec![0; packed::bytes(member.rule().state(id).ty, cells) as usize];
                member.read(id, 0..cells, &mut bytes)?;
                states.push(GivenState { id, name: name.to_owned(), digest: Digest(digest), bytes });
            }
        }
        Ok((Given { states }, notes))
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
