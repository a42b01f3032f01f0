//! `manifest.json`.

use super::{Drawing, RunFolder};
use crate::json;
use crate::observation_times::ObservationTimes;
use crate::texts::Texts;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use squeeze_compiler::ir::{Param, Rule, Value};
use squeeze_compiler::numbers::mode::DefaultMode;
use squeeze_compiler::reduce::fold::ObservedValue;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::Simulation;
use squeeze_host::files::{self, Links};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::SystemTime;

/// The times at which states, pictures and observables are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Schedule {
    /// The time at which the run begins, 0 unless its initial values are the states of another time.
    #[serde(default)]
    pub begin: u32,
    /// The time at which the run ends.
    pub steps: u32,
    /// Observables are taken at multiples of this, and at the end.
    #[serde(deserialize_with = "json::interval")]
    pub observe_every: Option<u32>,
    /// Observables are taken at these times instead, and at the end.
    pub observe_at: Option<ObservationTimes>,
    /// States are saved at multiples of this, and at the end.
    #[serde(deserialize_with = "json::interval")]
    pub save_every: Option<u32>,
    /// Seconds after which they are saved as well; only the last of these states stays, and none when the run is at its end.
    #[serde(default = "Saves::default_seconds", deserialize_with = "json::interval")]
    pub save_seconds: Option<u32>,
    /// Pictures are drawn at multiples of this, and at the end.
    #[serde(deserialize_with = "json::interval")]
    pub image_every: Option<u32>,
    /// Goes on when a float is not finite.
    pub allow_nan: bool,
}

impl Schedule {
    /// Whether something is due at a time.
    pub(super) fn due(&self, every: Option<u32>, time: u32) -> bool {
        every.is_some_and(|every| time.is_multiple_of(every)) || time == self.steps
    }

    /// Whether observables are due at a time.
    pub(super) fn observes(&self, time: u32) -> bool {
        self.is_planned(time) || time == self.steps
    }

    /// Whether a rule's `stop when` is judged at a time: not before the first step.
    pub(super) fn judges(&self, time: u32) -> bool {
        time > self.begin
    }

    /// Whether observables are due before the end, so that a rule's `stop when` can end the run.
    pub fn plans_observations(&self) -> bool {
        self.observe_every.is_some() || self.observe_at.is_some()
    }

    /// Whether observables are due at a time even if the run does not end there.
    pub(super) fn is_planned(&self, time: u32) -> bool {
        match &self.observe_at {
            Some(times) => times.contain(time),
            None => self.observe_every.is_some_and(|every| time.is_multiple_of(every)),
        }
    }

    /// The first and the last time from `from` on and before `before` at which observables are planned.
    pub(super) fn planned_between(&self, from: u64, before: u64) -> Option<(u32, u32)> {
        let from = from.max(self.begin.into());
        match (&self.observe_at, self.observe_every.map(u64::from)) {
            (Some(times), _) => times.ends_of(from, before),
            (None, Some(every)) => {
                let (first, last) = (from.div_ceil(every) * every, before.checked_sub(1)? / every * every);
                (first <= last).then_some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))
            }
            (None, None) => None,
        }
    }

    /// Whether the observables are all that is written down at this time.
    pub(super) fn observes_alone(&self, time: u32) -> bool {
        self.observes(time) && !self.due(self.image_every, time) && !self.due(self.save_every, time)
    }

    /// The first time after `time` at which anything is due.
    pub(super) fn next(&self, time: u32) -> u32 {
        let next = |every: u32| (time / every + 1).checked_mul(every);
        let dues = [self.observe_every, self.save_every, self.image_every].into_iter().flatten().filter_map(next);
        let observed = self.observe_at.as_ref().and_then(|times| times.after(time));
        dues.chain(observed).min().map_or(self.steps, |due| due.min(self.steps))
    }
}

/// When states are saved, as people say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// Steps between two saved states.
    Steps(u32),
    /// Seconds between two saved states; `None` saves none by time.
    Seconds(Option<u32>),
}

impl Saves {
    /// The seconds of work that the end of a process can cost at most, unless other times are said.
    pub const DEFAULT_SECONDS: u32 = 600;

    /// Older versions knew of none.
    fn default_seconds() -> Option<u32> {
        Some(Saves::DEFAULT_SECONDS)
    }

    /// Reads `1000`, `30m` or `never`.
    pub fn parse(text: &str) -> Option<Saves> {
        if let Ok(steps) = text.replace('_', "").parse() {
            return (steps > 0).then_some(Saves::Steps(steps));
        }
        if text == "never" {
            return Some(Saves::Seconds(None));
        }
        let seconds = u32::try_from(humantime::parse_duration(text).ok()?.as_secs()).ok()?;
        (seconds > 0).then_some(Saves::Seconds(Some(seconds)))
    }
}

/// A process that worked on a run, from some time on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// The time at which it began.
    pub from: u32,
    /// The version of Squeeze.
    pub version: String,
    /// The backend's name.
    pub backend: String,
    /// The strategy's name.
    pub strategy: String,
    /// The device's name.
    pub device: String,
    /// Its build, command line, host and start. Sessions of older versions have none.
    #[serde(flatten)]
    pub origin: serde_json::Map<String, Json>,
}

impl Session {
    /// The session of a simulation that begins now.
    pub fn of(simulation: &Simulation) -> Session {
        Session {
            from: simulation.time(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            backend: simulation.backend().name().to_owned(),
            strategy: simulation.strategy().to_owned(),
            device: simulation.device(),
            origin: super::of_this_process(),
        }
    }
}

/// An engine that is no backend's own, by the names that its maker gives it: how cells are kept and visited, where it is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NamedEngine {
    /// Which strategy it follows; the backend's own if none is named.
    pub strategy: Option<String>,
    /// The hardware that computes its maps: a thread, a warp or tensor cores.
    pub map: Option<String>,
    /// The side of its blocks.
    pub rho: Option<u64>,
}

impl NamedEngine {
    /// The strategy of the backends' own engines.
    pub const OWN: &str = "lanes";

    /// The name of its strategy.
    #[doc(hidden)]
    pub fn strategy(&self) -> &str {
        self.strategy.as_deref().unwrap_or(NamedEngine::OWN)
    }
}

/// The texts, settings, sessions and result of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The fractal.
    pub fractal: Texts,
    /// The rule.
    pub rule: Texts,
    /// The level.
    pub level: u32,
    /// The seed.
    pub seed: u64,
    /// The seed of draws from disorder, if it is another one.
    pub disorder: Option<u64>,
    /// All parameters, as `name=value`.
    pub params: Vec<String>,
    /// The names of parameters that follow from others: they were not set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<String>,
    /// States whose initial values came from files, as `state=file`, or from arrays, as `state=<memory>`.
    pub init: Vec<String>,
    /// The positive offsets of the pairs that bonds have values of, by the names of the bonds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bonds: BTreeMap<String, Vec<[i32; 3]>>,
    /// The engine, if it is no backend's own.
    #[serde(flatten, skip_deserializing)]
    pub engine: NamedEngine,
    /// The times at which states, pictures and observables are written.
    #[serde(flatten, skip_deserializing)]
    pub schedule: Schedule,
    /// Settings of pictures.
    #[serde(rename = "picture", default)]
    pub drawing: Drawing,
    /// The processes that worked on it.
    pub sessions: Vec<Session>,
    /// At the end of the run: its digests and observables.
    pub result: Option<Json>,
    /// An identifier, unique among all runs; every state of the run names it. Folders that older versions wrote have none.
    pub id: Option<String>,
    /// Whether places of masks and boxes drew by other numbers when it was written.
    #[serde(skip)]
    pub(crate) other_draws: bool,
}

/// The attribute of a state that was saved because time had passed.
pub(super) const PASSING: &str = "passing";
/// The attribute for the pictures up to there: the range of their colours, so that the pictures of a resumed run have it too.
pub(super) const RANGE: &str = "range";
/// The most bytes of a manifest: it holds texts.
pub(crate) const MOST_BYTES: u64 = 1 << 28;
/// The last entry of a manifest, a checksum of all others.
const CHECKSUM: &str = "crc32c";
/// The version of the folder's form.
const FORMAT: u64 = 1;
/// The version of the numbers by which places of masks and boxes draw: 2, by place and colour. Manifests of the first, by index, do not say it.
const DRAWS: u64 = 2;

impl Manifest {
    /// The attributes of a state: its step, its run, and whether it is removed when there is a later one.
    pub(super) fn attributes(&self, time: u32, passing: bool, range: Option<[f64; 2]>) -> Json {
        let mut json = json!({"step": time});
        if let Some(range) = range {
            json[RANGE] = json!(range);
        }
        if let Some(id) = &self.id {
            json["run"] = json!(id);
        }
        if passing {
            json[PASSING] = json!(true);
        }
        json
    }

    /// The parameters as numbers, by their names.
    pub fn values(&self) -> Json {
        params_as_json(&self.params)
    }

    /// A new, unique [`id`](Self::id).
    pub(super) fn new_id() -> String {
        // Every state of these hashers begins with other random numbers.
        let random = || RandomState::new().hash_one(SystemTime::now());
        format!("{:016x}{:016x}", random(), random())
    }

    fn from_json(json: &Json) -> Result<Manifest, String> {
        // Entries that lie flat beside its own are read separately, so that errors name the keys.
        let (engine, schedule) = (json::read(json)?, json::read(json)?);
        Ok(Manifest { engine, schedule, other_draws: other_draws(json), ..json::read(json)? })
    }

    /// Writes it, as a whole or not at all.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, folder: &RunFolder) -> Result<()> {
        Ok(files::write_inside(&folder.manifest_path(), seal(self, self.values()).as_bytes())?)
    }

    /// Reads that of a run.
    ///
    /// # Errors
    /// If it is not one.
    pub fn read(folder: &RunFolder) -> Result<Manifest> {
        let _mode = DefaultMode::enter();
        let path = folder.manifest_path();
        let bytes = files::read(&path, MOST_BYTES, Links::Followed)?;
        let wrong = |reason: String| no_manifest(&path, &reason);
        let json = unseal(&bytes).map_err(wrong)?;
        if json.get("sweep").is_some() {
            let what = format!("`{}` holds a sweep, which saves no states; a run is wanted", folder.path().display());
            return Err(Message::users(what).into());
        }
        Ok(Manifest::from_json(&json).map_err(wrong)?)
    }

    /// The states' digests and the observables of a simulation that has come to its end.
    pub(super) fn result_of(simulation: &Simulation) -> Result<Json> {
        let digests = simulation.digests()?.into_iter();
        let digests: serde_json::Map<String, Json> =
            digests.map(|(name, digest)| (name.to_owned(), json!(format!("{digest:016x}")))).collect();
        let observables = simulation.observe()?.into_iter();
        let observables: serde_json::Map<String, Json> =
            observables.map(|(name, value)| (name.to_owned(), observed_as_json(value))).collect();
        Ok(json!({"step": simulation.time(), "digest": digests, "observables": observables}))
    }
}

/// A manifest that cannot be read, of a run or a sweep.
pub(crate) fn no_manifest(path: &Path, reason: &str) -> Message {
    Message::systems(format!("`{}` is damaged, or not the manifest of a run or a sweep: {reason}", path.display()))
}

/// The text of a manifest without layout: no space outside of strings.
fn compact(text: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let is_meant = |letter: &char| {
        let meant = inside || !letter.is_ascii_whitespace();
        inside ^= *letter == '"' && !escaped;
        escaped = inside && *letter == '\\' && !escaped;
        meant
    };
    text.chars().filter(is_meant).collect()
}

/// The entry of a manifest's checksum, over the text before it.
fn last_entry(before: &str) -> String {
    format!(",\"{CHECKSUM}\":\"{:08x}\"}}", crc32c::crc32c(before.as_bytes()))
}

/// Whether a manifest was written when places of masks and boxes drew by other numbers.
pub(crate) fn other_draws(manifest: &Json) -> bool {
    manifest["draws"] != DRAWS
}

/// The version of a manifest's form.
#[derive(Deserialize)]
struct ManifestVersion {
    format: u64,
}

/// A manifest in its file.
#[derive(Serialize)]
struct Sealed<'a, T> {
    format: u64,
    draws: u64,
    #[serde(flatten)]
    manifest: &'a T,
    /// The parameters once more, as numbers by their names.
    values: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    crc32c: Option<String>,
}

/// The text of a manifest, with the form first and a checksum as its last entry.
pub(crate) fn seal(manifest: &impl Serialize, values: Json) -> String {
    let mut sealed = Sealed { format: FORMAT, draws: DRAWS, manifest, values, crc32c: None };
    let text = json!(sealed).to_string();
    sealed.crc32c = Some(format!("{:08x}", crc32c::crc32c(text.strip_suffix('}').unwrap_or(&text).as_bytes())));
    format!("{:#}\n", json!(sealed))
}

/// Reads a manifest, whose checksum must be right. Manifests of older versions have none.
pub(crate) fn unseal(bytes: &[u8]) -> Result<Json, String> {
    let json = json::of_file(bytes)?;
    if json.get(CHECKSUM).is_some() {
        let text = compact(String::from_utf8_lossy(bytes).trim_start_matches(json::MARK));
        let before = text.rfind(&format!(",\"{CHECKSUM}\":")).map_or("", |at| &text[..at]);
        if text[before.len()..] != last_entry(before) {
            return Err(format!("its checksum is wrong (whoever changes it by hand takes out the entry `{CHECKSUM}`)"));
        }
    }
    match json::read::<ManifestVersion>(&json)?.format {
        FORMAT => Ok(json),
        other => Err(format!("it has the form {other}, and this version of Squeeze reads {FORMAT}")),
    }
}

/// An observable in JSON, a list as an array, which has no numbers for infinity and NaN: those are `"inf"`, `"-inf"` and `"nan"`.
pub fn observed_as_json(value: ObservedValue) -> Json {
    match value {
        ObservedValue::Integer(v) => json!(v),
        ObservedValue::Float(v) if v.is_nan() => json!("nan"),
        ObservedValue::Float(v) if v.is_infinite() => json!(if v > 0.0 { "inf" } else { "-inf" }),
        ObservedValue::Float(v) => json!(v),
        ObservedValue::List(list) => Json::Array(list.into_iter().map(observed_as_json).collect()),
    }
}

/// A value as it is written: a number, if it is one.
pub fn value_as_json(text: &str) -> Json {
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Json| value.is_number() || value.is_boolean())
        .unwrap_or_else(|| json!(text))
}

/// Settings `name=value` as an object.
pub(crate) fn params_as_json(settings: &[String]) -> Json {
    let values = settings.iter().filter_map(|setting| setting.split_once('='));
    Json::Object(values.map(|(name, value)| (name.to_owned(), value_as_json(value))).collect())
}

/// All parameters in the form that [`params::resolve`](squeeze_engine::params::resolve) reads back exactly.
pub fn params_as_settings(rule: &Rule, values: &[Value]) -> Vec<String> {
    let setting = |(param, value): (&Param, &Value)| format!("{}={}", param.name, param_as_text(rule, *value));
    rule.params.iter().zip(values).map(setting).collect()
}

/// A parameter's value in that form.
pub(crate) fn param_as_text(rule: &Rule, value: Value) -> String {
    match value {
        Value::Enum(id, v) => rule.enum_type(id).variants[usize::from(v)].clone(),
        number => number.as_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_not_meant_and_all_else_is() {
        let text = "{\n  \"a\": \"x \\\\\", \"b\\\" c\": [ 1, 2 ] }\n";
        assert_eq!(compact(text), "{\"a\":\"x \\\\\",\"b\\\" c\":[1,2]}");
        let json = json!({"format": FORMAT, "a": 0.1 + 0.2, "b": ["two words", 1e300, -0.0, u64::MAX]});
        let before = json.to_string();
        let before = before.strip_suffix('}').unwrap();
        let whole = format!("{before}{}", last_entry(before));
        let wide = format!("{:#}", serde_json::from_str::<Json>(&whole).unwrap());
        assert_eq!(unseal(whole.as_bytes()).unwrap()["b"][0], "two words");
        assert!(unseal(wide.replace("0.30000000000000004", "0.3").as_bytes()).unwrap_err().contains("checksum"));
        for at in 0..whole.len() {
            let mut changed = whole.clone().into_bytes();
            changed[at] ^= 1;
            if let Ok(json) = unseal(&changed) {
                assert!(json.get(CHECKSUM).is_none(), "byte {at}: {json}");
            }
        }
        let other_key = whole.replace(CHECKSUM, "crc33c");
        assert!(unseal(other_key.as_bytes()).is_ok(), "an older version's has none");
    }
}
