//! Machines in files: the parameters that the planner's figures follow from ([`Hardware`]), as JSON.
//!
//! Some ship under names. A file says what kind of machine it is and every parameter of that kind; `squeeze doctor --measure FILE` writes one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use squeeze_compiler::target::{CpuHardware, GpuHardware, Hardware, RankLink};
use squeeze_engine::Backend;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::{list, meant, nearest};
use squeeze_host::files::{self, Links};
use std::path::Path;

/// The most bytes of a file.
const MOST_BYTES: u64 = 1 << 16;

/// The machines that ship.
const SHIPPED: [(&str, &str); 8] = [
    ("a100", include_str!("../machines/a100.json")),
    ("h100", include_str!("../machines/h100.json")),
    ("h200", include_str!("../machines/h200.json")),
    ("rtx4080", include_str!("../machines/rtx4080.json")),
    ("xeon-avx2", include_str!("../machines/xeon-avx2.json")),
    ("xeon-avx512", include_str!("../machines/xeon-avx512.json")),
    ("zen4", include_str!("../machines/zen4.json")),
    ("zen5", include_str!("../machines/zen5.json")),
];

/// The names of the machines that ship.
pub fn names() -> Vec<&'static str> {
    SHIPPED.map(|(name, _)| name).to_vec()
}

/// A machine by what a user typed.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedHardware {
    /// The name, or the file.
    pub name: String,
    /// The processor or GPU.
    pub hardware: Hardware,
}

impl NamedHardware {
    /// A machine that ships, or one in a file: what has a `/` or an ending, or is there.
    ///
    /// # Errors
    /// If there is no such machine, or its file is wrong.
    pub fn open(spec: &str) -> Result<NamedHardware> {
        let path = Path::new(spec);
        let is_file = spec.contains('/') || path.extension().is_some() || path.is_file();
        if let (Some(shipped), false) = (NamedHardware::shipped(spec), is_file) {
            return Ok(shipped);
        }
        if !is_file {
            let help = match nearest(spec, names().into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("these ship: {}", list(&names())),
            };
            let what = format!("there is no machine `{spec}`, and no file of this name");
            return Err(Message::users(what).with_help(help).into());
        }
        NamedHardware::parse(spec, &files::read(path, MOST_BYTES, Links::Followed)?)
    }

    /// A machine that ships, whatever files there are.
    pub fn shipped(name: &str) -> Option<NamedHardware> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(NamedHardware::parse(name, text.as_bytes()).expect("its file is right"))
    }

    /// Reads a description.
    ///
    /// # Errors
    /// The defect: no JSON, a wrong `kind`, an unknown or missing entry.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<NamedHardware> {
        let wrong = |problem: String| {
            let help = "`squeeze doctor --measure FILE.json` writes that of this machine";
            Message::users(format!("`{name}` describes no machine: {problem}")).with_help(help)
        };
        let json: Json = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        let Json::Object(object) = json else { return Err(wrong("it is no JSON object".to_owned()).into()) };
        Ok(NamedHardware { name: name.to_owned(), hardware: read(object).map_err(wrong)? })
    }

    /// Refuses a backend that does not run on such a machine.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self, backend: Backend) -> Result<()> {
        let (kind, own, other) = match &self.hardware {
            Hardware::Cpu(_) => ("CPU", Backend::Cpu, "GPU"),
            Hardware::Gpu(_) => ("GPU", Backend::Cuda, "CPU"),
        };
        if backend == Backend::Auto || backend == own {
            return Ok(());
        }
        if backend == Backend::Reference {
            let what = "the backend `reference` has no layouts that could be chosen for a machine";
            return Err(Message::users(what).with_help("leave out `--machine`, or take another backend").into());
        }
        let (name, backend) = (&self.name, backend.name());
        Err(Message::users(format!("`{name}` is a {kind}, and the backend `{backend}` runs on a {other}")).into())
    }
}

/// A CPU as files have it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "CpuHardware", deny_unknown_fields)]
struct StoredCpu {
    #[serde(rename = "clock_ghz")]
    clock: f64,
    vector_bits: u64,
    #[serde(rename = "vector_pipes")]
    pipes: f64,
    #[serde(rename = "vector_registers")]
    registers: u64,
    #[serde(rename = "cache_bytes")]
    caches: [f64; 3],
    #[serde(rename = "cache_gb_per_s")]
    cache_bandwidth: f64,
    #[serde(rename = "memory_gb_per_s")]
    memory_bandwidth: f64,
    memory_threads: f64,
    // Files of earlier versions lack these.
    #[serde(default = "usual::popcount_bits")]
    popcount_bits: u64,
    #[serde(rename = "popcounts_per_cycle", default = "usual::popcounts")]
    popcounts: f64,
    #[serde(rename = "addition_cycles", default = "usual::addition")]
    addition: f64,
    #[serde(rename = "loads_per_cycle", default = "usual::loads")]
    loads: f64,
    #[serde(rename = "cache_ways", default = "usual::ways")]
    ways: [u64; 3],
}

/// What stands for entries that a file lacks.
mod usual {
    use squeeze_compiler::target::{CpuHardware, RankLink};

    pub(super) fn links() -> [RankLink; 2] {
        RankLink::OF_GPUS
    }

    pub(super) fn popcount_bits() -> u64 {
        CpuHardware::USUAL.popcount_bits
    }

    pub(super) fn popcounts() -> f64 {
        CpuHardware::USUAL.popcounts
    }

    pub(super) fn addition() -> f64 {
        CpuHardware::USUAL.addition
    }

    pub(super) fn loads() -> f64 {
        CpuHardware::USUAL.loads
    }

    pub(super) fn ways() -> [u64; 3] {
        CpuHardware::USUAL.ways
    }
}

/// A GPU as files have it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "GpuHardware", deny_unknown_fields)]
struct StoredGpu {
    #[serde(rename = "clock_ghz")]
    clock: f64,
    multiprocessors: u64,
    logic_lanes: f64,
    numeric_lanes: f64,
    load_lanes: f64,
    registers: u64,
    #[serde(rename = "cache_bytes")]
    cache: f64,
    #[serde(rename = "cache_gb_per_s")]
    cache_bandwidth: f64,
    #[serde(rename = "memory_gb_per_s")]
    memory_bandwidth: f64,
    #[serde(rename = "launch_ns")]
    launch: f64,
    // Files of earlier versions lack them.
    #[serde(with = "links", default = "usual::links")]
    links: [RankLink; 2],
}

/// A way between GPUs as files have it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLink {
    start_ns: f64,
    peer_ns: f64,
    gb_per_s: f64,
    measured: bool,
}

/// The ways between the GPUs of one machine, and of several, as files have them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLinks {
    one_machine: StoredLink,
    several: StoredLink,
}

/// Ways between GPUs to files and back.
mod links {
    use super::{RankLink, StoredLink, StoredLinks};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(links: &[RankLink; 2], serializer: S) -> Result<S::Ok, S::Error> {
        let stored = |link: RankLink| StoredLink {
            start_ns: link.start,
            peer_ns: link.peer,
            gb_per_s: link.bandwidth,
            measured: link.is_measured,
        };
        StoredLinks { one_machine: stored(links[0]), several: stored(links[1]) }.serialize(serializer)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<[RankLink; 2], D::Error> {
        let StoredLinks { one_machine, several } = StoredLinks::deserialize(deserializer)?;
        let link = |stored: StoredLink| {
            let StoredLink { start_ns, peer_ns, gb_per_s, measured } = stored;
            let is_valid = |number: &f64| (1e-6..=1e15).contains(number);
            match [start_ns, peer_ns, gb_per_s].iter().find(|number| !is_valid(number)) {
                Some(number) => Err(D::Error::custom(format!(
                    "its `links` have {number}, and a number from 1e-6 to 1e15 is needed"
                ))),
                None => Ok(RankLink { start: start_ns, peer: peer_ns, bandwidth: gb_per_s, is_measured: measured }),
            }
        };
        Ok([link(one_machine)?, link(several)?])
    }
}

/// Either, as files have it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Hardware", tag = "kind", rename_all = "lowercase")]
enum Either {
    Cpu(#[serde(with = "StoredCpu")] CpuHardware),
    Gpu(#[serde(with = "StoredGpu")] GpuHardware),
}

/// The hardware that an object describes. The error says in words what is wrong.
fn read(mut object: Map<String, Json>) -> std::result::Result<Hardware, String> {
    object.remove("about");
    let kind = object.get("kind").and_then(Json::as_str);
    if !matches!(kind, Some("cpu" | "gpu")) {
        return Err("its `kind` is neither \"cpu\" nor \"gpu\"".to_owned());
    }
    let is_cpu = kind == Some("cpu");
    for (key, value) in object.iter().filter(|(key, _)| *key != "kind") {
        let number = value.as_f64().filter(|number| (1e-6..=1e15).contains(number));
        let whole = value.as_u64().filter(|number| (1..=1 << 20).contains(number));
        let (is_valid, valid) = match key.as_str() {
            "vector_bits" | "popcount_bits" => (matches!(whole, Some(64 | 128 | 256 | 512)), "64, 128, 256 or 512 is"),
            "cache_bytes" if is_cpu => {
                let sizes: Vec<f64> = value.as_array().into_iter().flatten().filter_map(Json::as_f64).collect();
                let ascend = sizes.len() == 3 && sizes.is_sorted() && sizes[0] >= 1.0 && sizes[2] <= 1e15;
                (ascend, "three ascending numbers are")
            }
            "cache_ways" => {
                let ways: Vec<u64> = value.as_array().into_iter().flatten().filter_map(Json::as_u64).collect();
                let valid = ways.len() == 3 && ways.iter().all(|ways| (1..=1 << 10).contains(ways));
                (valid, "three whole numbers from 1 to 1024 are")
            }
            "links" => (value.is_object(), "`one_machine` and `several` are"),
            "vector_registers" | "registers" | "multiprocessors" => {
                (whole.is_some(), "a whole number from 1 to 1048576 is")
            }
            _ => (number.is_some(), "a number from 1e-6 to 1e15 is"),
        };
        if !is_valid {
            return Err(format!("its `{key}` is {value}, and {valid} needed"));
        }
    }
    Either::deserialize(Json::Object(object)).map_err(|error| in_words(&error.to_string()))
}

/// An error of serde about an object's entries, in words.
fn in_words(error: &str) -> String {
    let names: Vec<&str> = error.split('`').skip(1).step_by(2).collect();
    match names.as_slice() {
        [key, known @ ..] if error.starts_with("unknown field") => {
            format!("it has an entry `{key}` that is not known{}", meant(key, known.iter().copied()))
        }
        _ => error.replacen("missing field", "it has no", 1),
    }
}

/// The text of a file that describes a machine.
pub fn to_text(hardware: &Hardware, about: &str) -> String {
    let mut value = Either::serialize(hardware, serde_json::value::Serializer).expect("it is made of numbers");
    let object = value.as_object_mut().expect("it has fields");
    object.shift_insert(1, "about".to_owned(), about.into());
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_can_be_read_and_what_is_written_is_read_again() {
        for name in names() {
            let found = NamedHardware::open(name).unwrap();
            let again = NamedHardware::parse("again", to_text(&found.hardware, "again").as_bytes()).unwrap();
            assert_eq!(again.hardware, found.hardware);
            assert!(found.hardware.cpu(3).is_some() != found.hardware.gpu().is_some());
        }
    }

    #[test]
    fn wrong_descriptions_say_what_is_wrong() {
        let text = SHIPPED.iter().find(|(name, _)| *name == "zen4").unwrap().1;
        for (from, to, words) in [
            ("\"cpu\"", "\"tpu\"", "neither \"cpu\" nor \"gpu\""),
            ("vector_pipes", "vector_pipe", "did you mean `vector_pipes`?"),
            ("3.7,", "-3.7,", "its `clock_ghz` is -3.7"),
            ("3.7,", "3.7 3", "line 4 column"),
            ("32768,", "", "three ascending numbers"),
            ("\"vector_bits\": 512", "\"vector_bits\": 500", "64, 128, 256 or 512"),
            ("\"vector_registers\": 32,", "", "it has no `vector_registers`"),
            ("\"cache_ways\": [", "\"cache_ways\": [0,", "three whole numbers from 1 to 1024"),
        ] {
            let error = NamedHardware::parse("x.json", text.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(error.is_users() && error.to_string().contains(words), "{error}");
        }
        let error = NamedHardware::open("h10").unwrap_err();
        assert_eq!(error.help(), ["did you mean `h100`?"]);
        assert!(NamedHardware::open("quantum").unwrap_err().help()[0].contains("`rtx4080`"));
        let kind = NamedHardware::open("a100").unwrap().check(Backend::Cpu).unwrap_err();
        assert!(kind.to_string().contains("is a GPU"), "{kind}");
    }
}
