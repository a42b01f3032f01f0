//! Machines in files: the parameters that the planner's figures follow from ([`Hardware`]), as JSON.
//!
//! Some ship under names. A file says what kind of machine it is and every parameter of that kind; `squeeze doctor --measure FILE` writes one.

use serde_json::{Map, Value as Json, json};
use squeeze_compiler::target::{CpuHardware, GpuHardware, Hardware};
use squeeze_engine::Backend;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::params::{list, nearest};
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
    /// What it is.
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
        if let (Some((_, text)), false) = (SHIPPED.iter().find(|(name, _)| *name == spec), is_file) {
            return NamedHardware::parse(spec, text.as_bytes());
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

    /// Reads a description.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<NamedHardware> {
        let wrong = |problem: String| {
            let help = "`squeeze doctor --measure FILE.json` writes that of this machine";
            Message::users(format!("`{name}` describes no machine: {problem}")).with_help(help)
        };
        let json: Json = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        let object = json.as_object().ok_or_else(|| wrong("it is no JSON object".to_owned()))?;
        let hardware = Reader(object).hardware().map_err(wrong)?;
        Ok(NamedHardware { name: name.to_owned(), hardware })
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

/// The names of parameters of a CPU and of a GPU, in the order of files.
const CPU: [&str; 9] = [
    "clock_ghz",
    "vector_bits",
    "vector_pipes",
    "vector_registers",
    "cache_bytes",
    "cache_gb_per_s",
    "memory_gb_per_s",
    "memory_threads",
    "about",
];
const GPU: [&str; 11] = [
    "clock_ghz",
    "multiprocessors",
    "logic_lanes",
    "numeric_lanes",
    "load_lanes",
    "registers",
    "cache_bytes",
    "cache_gb_per_s",
    "memory_gb_per_s",
    "launch_ns",
    "about",
];

/// The entries of a file.
struct Reader<'a>(&'a Map<String, Json>);

impl Reader<'_> {
    fn hardware(&self) -> std::result::Result<Hardware, String> {
        let known: &[&str] = match self.0.get("kind").and_then(Json::as_str) {
            Some("cpu") => &CPU,
            Some("gpu") => &GPU,
            _ => return Err("its `kind` is neither \"cpu\" nor \"gpu\"".to_owned()),
        };
        let is_known = |key: &&String| *key == "kind" || known.contains(&key.as_str());
        if let Some(key) = self.0.keys().find(|key| !is_known(key)) {
            let near =
                nearest(key, known.iter().copied()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(format!("it has an entry `{key}` that is not known{near}"));
        }
        if known.len() == CPU.len() {
            return Ok(Hardware::Cpu(CpuHardware {
                clock: self.number("clock_ghz")?,
                vector_bits: self.vector_bits()?,
                pipes: self.number("vector_pipes")?,
                registers: self.whole("vector_registers")?,
                caches: self.caches()?,
                bandwidths: [self.number("cache_gb_per_s")?, self.number("memory_gb_per_s")?],
                memory_threads: self.number("memory_threads")?,
            }));
        }
        Ok(Hardware::Gpu(GpuHardware {
            clock: self.number("clock_ghz")?,
            multiprocessors: self.whole("multiprocessors")?,
            logic_lanes: self.number("logic_lanes")?,
            numeric_lanes: self.number("numeric_lanes")?,
            load_lanes: self.number("load_lanes")?,
            registers: self.whole("registers")?,
            cache: self.number("cache_bytes")?,
            bandwidths: [self.number("cache_gb_per_s")?, self.number("memory_gb_per_s")?],
            launch: self.number("launch_ns")?,
        }))
    }

    fn entry(&self, key: &str) -> std::result::Result<&Json, String> {
        self.0.get(key).ok_or_else(|| format!("it has no `{key}`"))
    }

    /// A number above 0 that is no more than all of them may be.
    fn number(&self, key: &str) -> std::result::Result<f64, String> {
        let number = self.entry(key)?.as_f64().filter(|number| (1e-6..=1e15).contains(number));
        number.ok_or_else(|| format!("its `{key}` is {}, and a number from 1e-6 to 1e15 is needed", self.0[key]))
    }

    fn whole(&self, key: &str) -> std::result::Result<u64, String> {
        let number = self.entry(key)?.as_u64().filter(|number| (1..=1 << 20).contains(number));
        number.ok_or_else(|| {
            format!("its `{key}` is {}, and a whole number from 1 to {} is needed", self.0[key], 1 << 20)
        })
    }

    fn vector_bits(&self) -> std::result::Result<u64, String> {
        let bits = self.entry("vector_bits")?.as_u64().filter(|bits| [64, 128, 256, 512].contains(bits));
        bits.ok_or_else(|| format!("its `vector_bits` is {}, and 64, 128, 256 or 512 is needed", self.0["vector_bits"]))
    }

    fn caches(&self) -> std::result::Result<[f64; 3], String> {
        let wrong =
            || format!("its `cache_bytes` is {}, and three ascending numbers are needed", self.0["cache_bytes"]);
        let sizes: Option<Vec<f64>> =
            self.entry("cache_bytes")?.as_array().and_then(|sizes| sizes.iter().map(Json::as_f64).collect());
        let [first, second, third] = sizes.as_deref().unwrap_or_default() else { return Err(wrong()) };
        let ascend = 1.0 <= *first && first <= second && second <= third && *third <= 1e15;
        if ascend { Ok([*first, *second, *third]) } else { Err(wrong()) }
    }
}

/// The text of a file that describes a machine.
pub fn to_text(hardware: &Hardware, about: &str) -> String {
    let value = match hardware {
        Hardware::Cpu(cpu) => json!({
            "kind": "cpu",
            "about": about,
            "clock_ghz": cpu.clock,
            "vector_bits": cpu.vector_bits,
            "vector_pipes": cpu.pipes,
            "vector_registers": cpu.registers,
            "cache_bytes": cpu.caches,
            "cache_gb_per_s": cpu.bandwidths[0],
            "memory_gb_per_s": cpu.bandwidths[1],
            "memory_threads": cpu.memory_threads,
        }),
        Hardware::Gpu(gpu) => json!({
            "kind": "gpu",
            "about": about,
            "clock_ghz": gpu.clock,
            "multiprocessors": gpu.multiprocessors,
            "logic_lanes": gpu.logic_lanes,
            "numeric_lanes": gpu.numeric_lanes,
            "load_lanes": gpu.load_lanes,
            "registers": gpu.registers,
            "cache_bytes": gpu.cache,
            "cache_gb_per_s": gpu.bandwidths[0],
            "memory_gb_per_s": gpu.bandwidths[1],
            "launch_ns": gpu.launch,
        }),
    };
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
