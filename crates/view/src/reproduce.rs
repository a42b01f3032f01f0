//! The command that computes what a page shows and draws it, and what pages did that no command says.

use crate::message::{PagePart, PageView};
use crate::scene::Scene;
use squeeze_compiler::ir::{ColourMap, Op, RulePicture, Value};
use squeeze_engine::Simulation;
use squeeze_engine::failure::Result;
use squeeze_records::picture::{Background, Colours, Zoom};
use squeeze_records::run::{Manifest, params_as_settings};

/// The most changes that are told one by one, and that are kept.
const MOST_TOLD: usize = 20;
const MOST_KEPT: usize = 10_000;

/// How commands call the text of a page.
const REWRITTEN: &str = "edited.rule";

/// The words that such a command begins with.
#[derive(Clone, Debug, Default)]
pub struct RunCommand {
    /// Those that say what runs, from where: `squeeze`, `run`, the fractal, the rule, the level, files.
    pub words: Vec<String>,
    /// The seed that the domain's cells were drawn with, where no word says it.
    pub seed_of_cells: Option<u64>,
}

impl RunCommand {
    /// A command with these words, of a run with this manifest.
    pub fn of(words: Vec<String>, manifest: &Manifest) -> RunCommand {
        RunCommand { words, seed_of_cells: manifest.fractal.disorder.filter(|_| manifest.disorder.is_none()) }
    }
}

/// A change that no command makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunChange {
    /// A parameter got a value.
    Set(String, String),
    /// A stroke of cells was drawn.
    Stroke,
    /// The rule became another text.
    Rule,
    /// States did not get what they have at the beginning.
    Start,
}

/// How a run came to where it is.
pub(crate) struct Diary {
    /// The time at which it began, and the parameters that were set then.
    begin: u32,
    settings: Vec<String>,
    changes: Vec<(u32, RunChange)>,
    /// Whether changes were left out: they were too many.
    is_cut: bool,
    /// Whether the rule is a text that a page wrote.
    is_rewritten: bool,
}

impl Diary {
    /// Of a run that begins now.
    pub(crate) fn of(simulation: &Simulation) -> Diary {
        Diary {
            begin: simulation.time(),
            settings: settings(simulation),
            changes: Vec::new(),
            is_cut: false,
            is_rewritten: false,
        }
    }

    /// The run begins anew.
    pub(crate) fn begin_anew(&mut self, simulation: &Simulation) {
        *self = Diary { is_rewritten: self.is_rewritten, ..Diary::of(simulation) };
    }

    /// The rule became another text, whose parameters those before may not be.
    pub(crate) fn rewritten(&mut self, simulation: &Simulation) {
        self.is_rewritten = true;
        self.note(simulation, RunChange::Rule);
    }

    /// Notes a change.
    pub(crate) fn note(&mut self, simulation: &Simulation, change: RunChange) {
        let time = simulation.time();
        if let RunChange::Set(name, _) = &change {
            // What init makes of a parameter is made already.
            let is_read = simulation.rule().init.nodes.iter().any(|node| matches!(node.op, Op::Param(_)));
            if time == self.begin && !is_read && self.changes.is_empty() {
                self.settings = settings(simulation);
                return;
            }
            let is_same = |(when, before): &(u32, RunChange)| {
                *when == time && matches!(before, RunChange::Set(other, _) if other == name)
            };
            self.changes.retain(|before| !is_same(before));
        }
        if self.changes.len() < MOST_KEPT {
            self.changes.push((time, change));
        } else {
            self.is_cut = true;
        }
    }

    /// The last stroke of a time was taken back.
    pub(crate) fn undo(&mut self, time: u32) {
        if let Some(last) = self.changes.iter().rposition(|change| *change == (time, RunChange::Stroke)) {
            self.changes.remove(last);
        }
    }

    /// The run went back to a time.
    pub(crate) fn back(&mut self, time: u32) {
        self.changes.retain(|(when, _)| *when <= time);
    }

    /// The command for a view of a scene, a word behind the other as shells read them, and a line for each thing that it does not do.
    ///
    /// # Errors
    /// As of [`PageView::view`].
    pub(crate) fn command(
        &self,
        scene: &Scene<'_>,
        command: &RunCommand,
        seed: u64,
        view: &PageView,
    ) -> Result<String> {
        let mut words = command.words.clone();
        if let Some(at) = words.iter().position(|word| word == "--rule").filter(|_| self.is_rewritten) {
            words[at + 1] = REWRITTEN.to_owned();
        }
        let (mut notes, mut add) = (Vec::new(), |all: &[&str]| words.extend(all.iter().map(|word| (*word).to_owned())));
        if self.is_rewritten {
            notes.push(format!("`{REWRITTEN}` is the text that the page has"));
        }
        add(&["--seed", &seed.to_string()]);
        if let Some(of_cells) = command.seed_of_cells.filter(|of_cells| *of_cells != seed) {
            add(&["--disorder", &of_cells.to_string()]);
            if !scene.rule.disorder.is_empty() {
                notes.push(format!("its states are drawn from disorder by the seed {seed}, which no command says beside cells of the seed {of_cells}"));
            }
        }
        let defaults: Vec<Value> = scene.rule.params.iter().map(|param| param.default).collect();
        let defaults = params_as_settings(scene.rule, &defaults);
        for setting in &self.settings {
            if !defaults.iter().any(|known| known.split('=').next() == setting.split('=').next()) {
                notes.push(format!("at its beginning, {setting}, which this text has not"));
                continue;
            }
            // A derived parameter that was set is named with any value.
            let is_default = scene
                .rule
                .params
                .iter()
                .zip(&defaults)
                .any(|(param, default)| default == setting && param.derived.is_none());
            if !is_default {
                add(&["--set", setting]);
            }
        }
        add(&["--steps", &(scene.time - self.begin).to_string()]);
        words.extend(["--image", "view.png"].map(str::to_owned));
        words.extend(picture_words(scene, view)?);
        let mut at: Option<(u32, usize)> = None;
        for (time, change) in &self.changes {
            match change {
                RunChange::Stroke if at.is_some_and(|(when, _)| when == *time) => {
                    at = at.map(|(when, strokes)| (when, strokes + 1));
                    notes.pop();
                }
                RunChange::Stroke => at = Some((*time, 1)),
                _ => at = None,
            }
            notes.push(match (change, at) {
                (RunChange::Set(name, value), _) => {
                    format!("from step {time} on, {name}={value}, which no command sets")
                }
                (RunChange::Start, _) => format!("at step {time}, states did not get what `--init` says"),
                (RunChange::Rule, _) => format!("at step {time}, the rule became another text"),
                (RunChange::Stroke, Some((_, strokes @ 2..))) => {
                    format!("at step {time}, cells were drawn: {strokes} strokes")
                }
                (RunChange::Stroke, _) => format!("at step {time}, cells were drawn"),
            });
        }
        if matches!(view.look.part, PagePart::Solid(1..)) {
            notes.push("the picture shows the solid from its first side".to_owned());
        }
        let left = notes.len().saturating_sub(MOST_TOLD);
        notes.truncate(MOST_TOLD);
        match (left, self.is_cut) {
            (_, true) => notes.push("more was changed than was kept".to_owned()),
            (1.., false) => notes.push(format!("{left} changes more")),
            (0, false) => {}
        }
        Ok(lines(&words, &notes))
    }
}

/// The words as a line of a shell, and comments below it.
pub(crate) fn lines(words: &[String], notes: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let notes: String = notes.iter().map(|note| format!("\n# {note}")).collect();
    words.join(" ") + &notes
}

/// A word as shells read it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=+./,:@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words for the picture of a view.
///
/// # Errors
/// As of [`PageView::view`].
pub(crate) fn picture_words(scene: &Scene<'_>, view: &PageView) -> Result<Vec<String>> {
    let (look, shown) = (&view.look, view.view(scene)?);
    let mut words = vec!["--field".to_owned(), scene.name_of(view).to_owned()];
    if let Some(shown) = shown {
        let axes = scene.domain().dimension().axes();
        let numbers = shown.window.origin[..axes].iter().chain(&shown.window.size[..axes]);
        let window: Vec<String> = numbers.map(u64::to_string).collect();
        let zoom = match shown.zoom {
            Zoom::Reduce(places) => format!("1/{places}"),
            other => other.to_string(),
        };
        words.extend(["--window".to_owned(), window.join(","), "--zoom".to_owned(), zoom]);
    }
    let is_vector = look.colours == Colours::Direction;
    let is_shown =
        |picture: &&RulePicture| picture.state.0 == look.state && (picture.map == ColourMap::Direction) == is_vector;
    let of_rule = scene.rule.picture.as_ref().filter(is_shown);
    match (look.range, of_rule.and_then(|picture| picture.range)) {
        (Some([low, high]), range) if range != Some((low, high)) => {
            words.extend(["--range".to_owned(), format!("{low:?}:{high:?}")]);
        }
        (None, Some(_)) => words.extend(["--range", "fit"].map(str::to_owned)),
        _ => {}
    }
    if look.colours != Colours::OfRule && !is_vector {
        words.extend(["--colours".to_owned(), look.colours.to_string()]);
    }
    if look.logarithmic {
        words.push("--log".to_owned());
    }
    if look.background == Background::Dark {
        words.extend(["--theme", "dark"].map(str::to_owned));
    }
    Ok(words)
}

/// The parameters that were set themselves, as settings `name=value`.
pub(crate) fn settings(simulation: &Simulation) -> Vec<String> {
    let follows: Vec<&str> = simulation.following().collect();
    let mut settings = params_as_settings(simulation.rule(), simulation.params());
    settings.retain(|setting| setting.split('=').next().is_none_or(|name| !follows.contains(&name)));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_shells() {
        for (word, expected) in [
            ("a-b_c=1.5,2:3@4/%", "a-b_c=1.5,2:3@4/%"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("domain#x", "'domain#x'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
        assert_eq!(lines(&["a".to_owned(), "b c".to_owned()], &["d".to_owned()]), "a 'b c'\n# d");
    }
}
