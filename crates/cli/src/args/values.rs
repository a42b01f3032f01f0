//! What the values of flags may be, and what is said of others.

use clap::builder::{OsStringValueParser, PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use squeeze::Backend;
use squeeze::compiler::target::Wavefront;
use squeeze::cpu::Isa;
use squeeze::cuda::{Architecture, CudaError, device_count};
use squeeze::initial;
use squeeze::picture::{Background, Format};
use squeeze::resolve::{Kind, Periodic};
use squeeze::reweighting::Along;
use squeeze::run::Saves;
use squeeze::run::plot::Logarithmic;
use squeeze::sweep::{Discard, Shard};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

/// A whole number; `_` may stand between its digits.
pub(crate) fn whole<T>(text: &str, valid: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    let number = text.replace('_', "").parse().ok().filter(|number| valid.contains(number));
    number.ok_or_else(|| {
        let most = match valid.end().to_string() {
            most if most == u32::MAX.to_string() => format!("{most} (2^32 - 1)"),
            most if most == u64::MAX.to_string() => format!("{most} (2^64 - 1)"),
            most => most,
        };
        format!("valid are whole numbers from {} to {most}", valid.start())
    })
}

/// Whole numbers of a range.
pub(crate) fn within<T>(valid: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| whole(text, valid.clone())
}

fn real(text: &str, valid: RangeInclusive<f64>, what: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| valid.contains(number));
    number.ok_or_else(|| format!("valid are {what} from {} to {}", valid.start(), valid.end()))
}

/// One of these, by the names that the library gives them: a new one is offered by existing there.
pub(crate) fn named<T>(
    all: impl IntoIterator<Item = T>,
    shown: impl Fn(&T) -> PossibleValue,
) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let known: Vec<(PossibleValue, T)> = all.into_iter().map(|one| (shown(&one), one)).collect();
    PossibleValuesParser::new(known.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>()).map(move |name| {
        let found = known.iter().find(|(value, _)| value.matches(&name, false));
        found.expect("only the names that are shown are accepted").1.clone()
    })
}

pub(crate) fn level(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        "valid are whole numbers from 0 to the largest level whose cells can be counted in 64 bits (at most 63)"
            .to_owned()
    })
}

pub(crate) fn periodic(text: &str) -> Result<Periodic, String> {
    match text {
        "all" => Ok(Periodic::All),
        axes => axes.parse().map(Periodic::Along).map_err(|problem| format!("{problem}; without names it means all")),
    }
}

/// `on` or `off`.
pub(crate) fn switch() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|value| value == "on")
}

/// How tiles in waves wait.
pub(crate) fn wavefront() -> impl TypedValueParser<Value = Wavefront> {
    let named = |name: String| Wavefront::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default();
    PossibleValuesParser::new(Wavefront::ALL.map(Wavefront::name)).map(named)
}

/// GPUs by their numbers, or all of the machine.
#[derive(Clone, Debug)]
pub(crate) enum Devices {
    All,
    Numbered(Vec<u32>),
}

impl Devices {
    /// Their numbers.
    ///
    /// # Errors
    /// If all are wanted, and there is none.
    pub(crate) fn numbers(&self) -> Result<Vec<u32>, CudaError> {
        match self {
            Devices::All => Ok((0..device_count()?).collect()),
            Devices::Numbered(numbers) => Ok(numbers.clone()),
        }
    }
}

pub(crate) fn devices(text: &str) -> Result<Devices, String> {
    /// More threads than this many parts are no help to anybody.
    const MOST: usize = 64;
    if text == "all" {
        return Ok(Devices::All);
    }
    let numbers: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    match numbers {
        Ok(numbers) if numbers.len() <= MOST => Ok(Devices::Numbered(numbers)),
        _ => Err(format!(
            "valid are `all`, and up to {MOST} numbers of GPUs as `squeeze doctor` lists them, from 0, such as 0,1"
        )),
    }
}

pub(crate) fn discard(text: &str) -> Result<Discard, String> {
    Discard::parse(text).ok_or_else(|| format!("valid are whole numbers from 0 to {} (2^32 - 1), and auto", u32::MAX))
}

pub(crate) fn window(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if factor > 1.0 && f64::is_finite(factor) => Ok(factor),
        _ => Err("valid are factors beyond 1, such as 2".to_owned()),
    }
}

pub(crate) fn reweight(text: &str) -> Result<Along, String> {
    Along::parse(text).map_err(|error| [vec![error.to_string()], error.help()].concat().join("; "))
}

pub(crate) fn exponents(text: &str) -> Result<[f64; 2], String> {
    let found =
        text.split_once(',').and_then(|(nu, gamma)| Some([nu.trim().parse().ok()?, gamma.trim().parse().ok()?]));
    found
        .filter(|[nu, gamma]: &[f64; 2]| *nu > 0.0 && nu.is_finite() && gamma.is_finite())
        .ok_or_else(|| "valid are two numbers, of which the first is above 0: 1.0,1.75".to_owned())
}

pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).ok_or_else(|| "valid are a number and how many parts there are: 1/4, 2/4, 3/4, 4/4".to_owned())
}

pub(crate) fn isa() -> impl TypedValueParser<Value = Isa> {
    named(Isa::ALL, |isa| PossibleValue::new(isa.name()))
}

pub(crate) fn saves(text: &str) -> Result<Saves, String> {
    let valid = || format!("valid are steps from 1 to {}, times such as 90s, 30m or 12h, and never", u32::MAX);
    Saves::parse(text).ok_or_else(valid)
}

pub(crate) fn architecture(text: &str) -> Result<(Architecture, Option<char>), String> {
    Architecture::parse(text).ok_or_else(|| "valid are names such as sm_75, sm_90a or compute_120".to_owned())
}

pub(crate) fn prefix(text: &str) -> Result<String, String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| "valid are letters, digits and underscores, a letter first".to_owned())
}

pub(crate) fn seed(text: &str) -> Result<u64, String> {
    whole(text, 0..=u64::MAX).map_err(|valid| match text.contains([',', '.']) {
        true => format!("{valid}; `squeeze sweep` takes several seeds"),
        false => valid,
    })
}

pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    real(text, 0.001..=3600.0, "numbers of seconds")
}

/// A picture, whose name need not be text.
pub(crate) fn picture_file() -> impl TypedValueParser<Value = PathBuf> {
    let valid = "pictures are PNG, SVG or PDF files: the name must end in .png, .svg or .pdf";
    PathBufValueParser::new().try_map(move |path| match path.extension().and_then(Format::of_extension) {
        Some(_) => Ok(path),
        None => Err(valid),
    })
}

/// What gives a state its initial values. The name of a file need not be text.
pub(crate) fn initial_values() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|setting| initial::text_of(&setting))
}

/// A width on paper, in millimetres.
pub(crate) fn paper_width(text: &str) -> Result<f64, String> {
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4)];
    let width = units
        .into_iter()
        .find_map(|(unit, length)| Some(text.strip_suffix(unit)?.trim().parse::<f64>().ok()? * length));
    match width {
        Some(width) if (20.0..=2000.0).contains(&width) => Ok(width),
        _ => Err("valid are widths on paper from 20mm to 2000mm, such as 85mm, 8.5cm or 3.4in".to_owned()),
    }
}

pub(crate) fn backend() -> impl TypedValueParser<Value = Backend> {
    one_of_backends(Backend::ALL.to_vec())
}

/// One of some backends.
pub(crate) fn one_of_backends(all: Vec<Backend>) -> impl TypedValueParser<Value = Backend> {
    described(all, Backend::description)
}

fn described(all: Vec<Backend>, help: fn(Backend) -> &'static str) -> impl TypedValueParser<Value = Backend> {
    named(all, move |backend| {
        let value = PossibleValue::new(backend.name()).help(help(*backend));
        if *backend == Backend::Cuda { value.alias("gpu") } else { value }
    })
}

/// The processor, or the first GPU.
pub(crate) fn device() -> impl TypedValueParser<Value = Backend> {
    let help = |backend| if backend == Backend::Cpu { "The processor" } else { "The first GPU" };
    described(vec![Backend::Cpu, Backend::Cuda], help)
}

pub(crate) fn background() -> impl TypedValueParser<Value = Background> {
    named(Background::ALL, |background| PossibleValue::new(background.name()))
}

/// Logarithmic axes.
pub(crate) fn logarithmic() -> impl TypedValueParser<Value = Logarithmic> {
    let all = [("x", "The steps, or the parameter"), ("y", "The observables"), ("xy", "Both")];
    let axes = named(all, |(axes, help)| PossibleValue::new(*axes).help(*help));
    axes.map(|(axes, _)| Logarithmic { x: axes.contains('x'), y: axes.contains('y') })
}

/// What ships.
pub(crate) fn kind() -> impl TypedValueParser<Value = Kind> {
    let all = [("fractals", "The fractals", Kind::Fractal), ("rules", "The rules", Kind::Rule)];
    named(all, |(name, help, _)| PossibleValue::new(*name).help(*help)).map(|(.., kind)| kind)
}

pub(crate) fn megabytes(text: &str) -> Result<f64, String> {
    real(text, 0.01..=1e6, "numbers of megabytes")
}
