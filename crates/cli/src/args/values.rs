//! What the values of flags may be, and what is said of others.

use clap::builder::{PossibleValue, TypedValueParser};
use squeeze::compiler::emit::papers;
use squeeze::cpu::Isa;
use squeeze::cuda::Architecture;
use squeeze::picture::{Background, Format};
use squeeze::resolve::Periodic;
use squeeze::run::animation::MOST_FPS;
use squeeze::sweep::{Discard, MOST_MEMBERS, Shard};
use squeeze::{Backend, Strategy};
use squeeze_bench::saving::MOST_EVERY;
use squeeze_papers::FIGURES;
use std::path::PathBuf;

pub(super) fn level(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        "valid are whole numbers from 0 to the largest level whose cells can be counted in 64 bits (at most 63)"
            .to_owned()
    })
}

pub(super) fn periodic(text: &str) -> Result<Periodic, String> {
    match text {
        "all" => Ok(Periodic::All),
        axes => axes.parse().map(Periodic::Along).map_err(|problem| format!("{problem}; without names it means all")),
    }
}

/// `on` or `off`.
pub(super) fn switch() -> impl TypedValueParser<Value = bool> {
    clap::builder::PossibleValuesParser::new(["on", "off"]).map(|value| value == "on")
}

pub(super) fn steps(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("valid are whole numbers from 0 to {} (2^32 - 1)", u32::MAX))
}

pub(super) fn discard(text: &str) -> Result<Discard, String> {
    Discard::parse(text).ok_or_else(|| format!("valid are whole numbers from 0 to {} (2^32 - 1), and auto", u32::MAX))
}

pub(super) fn window(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if factor > 1.0 && f64::is_finite(factor) => Ok(factor),
        _ => Err("valid are factors beyond 1, such as 2".to_owned()),
    }
}

pub(super) fn every(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(every) if every > 0 => Ok(every),
        _ => Err(format!("valid are whole numbers from 1 to {} (2^32 - 1)", u32::MAX)),
    }
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).ok_or_else(|| "valid are a number and how many parts there are: 1/4, 2/4, 3/4, 4/4".to_owned())
}

pub(super) fn isa(text: &str) -> Result<Isa, String> {
    let names = || Isa::ALL.map(Isa::name).join(", ");
    Isa::ALL.into_iter().find(|isa| isa.name() == text).ok_or_else(|| format!("valid are {}", names()))
}

pub(super) fn members(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(members @ 1..=MOST_MEMBERS) => Ok(members),
        _ => Err(format!("valid are whole numbers from 1 to {MOST_MEMBERS}")),
    }
}

pub(super) fn save_every(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(every @ 1..=MOST_EVERY) => Ok(every),
        _ => Err(format!("valid are whole numbers from 1 to {MOST_EVERY}")),
    }
}

pub(super) fn architecture(text: &str) -> Result<(Architecture, Option<char>), String> {
    Architecture::parse(text).ok_or_else(|| "valid are names such as sm_75, sm_90a or compute_120".to_owned())
}

pub(super) fn prefix(text: &str) -> Result<String, String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "valid are letters, digits and underscores, a letter first".to_owned())
}

pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("valid are whole numbers from 0 to {} (2^64 - 1)", u64::MAX))
}

pub(super) fn index(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "valid are whole numbers that are not negative".to_owned())
}

pub(super) fn rho(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(rho @ 1..) => Ok(rho),
        _ => Err("valid are whole numbers from 1 that are powers of the fractal's scale".to_owned()),
    }
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=squeeze::threads::MOST) => Ok(threads),
        _ => Err(format!("valid are whole numbers from 1 to {}", squeeze::threads::MOST)),
    }
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("valid are numbers of seconds from 0.001 to 3600".to_owned()),
    }
}

pub(super) fn picture_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(Format::of_extension) {
        Some(_) => Ok(path),
        None => Err("pictures are PNG, SVG or PDF files: the name must end in .png, .svg or .pdf".to_owned()),
    }
}

/// A width on paper, in millimetres.
pub(super) fn paper_width(text: &str) -> Result<f64, String> {
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4)];
    let width = units
        .into_iter()
        .find_map(|(unit, length)| Some(text.strip_suffix(unit)?.trim().parse::<f64>().ok()? * length));
    match width {
        Some(width) if (20.0..=2000.0).contains(&width) => Ok(width),
        _ => Err("valid are widths on paper from 20mm to 2000mm, such as 85mm, 8.5cm or 3.4in".to_owned()),
    }
}

/// The names of backends come from the library, so that a new one is offered by existing there.
pub(super) fn backend() -> impl TypedValueParser<Value = Backend> {
    one_of_backends(Backend::ALL.to_vec())
}

/// All but the reference, which is only measured beside others.
pub(super) fn measured_backend() -> impl TypedValueParser<Value = Backend> {
    one_of_backends(Backend::ALL.into_iter().filter(|backend| *backend != Backend::Reference).collect())
}

fn one_of_backends(all: Vec<Backend>) -> impl TypedValueParser<Value = Backend> {
    let values: Vec<PossibleValue> =
        all.into_iter().map(|backend| PossibleValue::new(backend.name()).help(backend.description())).collect();
    clap::builder::PossibleValuesParser::new(values).map(|name| {
        let found = Backend::ALL.into_iter().find(|backend| backend.name() == name);
        found.expect("only the names of backends are accepted")
    })
}

/// Names come from the library, so that a new figure is offered by existing there.
pub(super) fn figure() -> impl TypedValueParser<Value = String> {
    let values = FIGURES.map(|figure| PossibleValue::new(figure.name).help(figure.title));
    clap::builder::PossibleValuesParser::new(values)
}

pub(super) fn background() -> impl TypedValueParser<Value = Background> {
    clap::builder::PossibleValuesParser::new(Background::ALL.map(Background::name)).map(|name| {
        let found = Background::ALL.into_iter().find(|background| background.name() == name);
        found.expect("only the names of backgrounds are accepted")
    })
}

pub(super) fn fps(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(fps @ 1..=MOST_FPS) => Ok(fps),
        _ => Err(format!("valid are whole numbers from 1 to {MOST_FPS}")),
    }
}

pub(super) fn megabytes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(size) if (0.01..=1e6).contains(&size) => Ok(size),
        _ => Err("valid are numbers of megabytes from 0.01 to 1000000".to_owned()),
    }
}

pub(super) fn strategy() -> impl TypedValueParser<Value = Strategy> {
    let values = Strategy::ALL.map(|strategy| PossibleValue::new(strategy.name()).help(strategy.description()));
    clap::builder::PossibleValuesParser::new(values).map(|name| {
        let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.expect("only the names of strategies are accepted")
    })
}

pub(super) fn map() -> impl TypedValueParser<Value = papers::Map> {
    let values = papers::Map::ALL.map(|map| PossibleValue::new(map.name()).help(map.description()));
    clap::builder::PossibleValuesParser::new(values).map(|name| {
        let found = papers::Map::ALL.into_iter().find(|map| map.name() == name);
        found.expect("only the names of maps are accepted")
    })
}
