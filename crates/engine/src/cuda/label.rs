//! Labels of printed texts: a line near the head of a text says what it is for, and is compared when the text is loaded. And the prefixes of its names,
//! by which programs of several rules, domains and levels link into one.

use crate::Result;
use crate::options::LoadedCode;
use squeeze_compiler::emit::cuda::PREFIX;
use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Axes, Fractal};
use squeeze_compiler::layout::{Geometry, StoredAs};
use squeeze_compiler::plan::Plan;

/// How the line begins.
const MARK: &str = "// made for: ";

/// The comment above the line that uses all constants.
const USES: &str = "// Uses all constants, so that compilers do not warn of those that no kernel needs.";

/// Between what the line says.
const BETWEEN: &str = "; ";

/// The prefix of the kernels' names on a domain in a printed text, which tells it from texts of the same rule on other domains.
pub fn prefix_on(domain: &Domain) -> String {
    let fractal = domain.fractal();
    let mut prefix = format!("{PREFIX}_{}", as_name(&fractal.name));
    if domain.levels().is_some() {
        prefix += &format!("_{}", domain.level());
    }
    if fractal.periodic.any() {
        let axes = Axes::NAMES.into_iter().zip(fractal.periodic.0).filter(|(_, is)| *is);
        prefix.extend(["_periodic_"].into_iter().chain(axes.map(|(name, _)| name)));
    }
    prefix
}

/// As many letters, digits and underscores.
pub fn as_name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The namespace of a printed text, which keeps all but the kernels apart: their names are of C.
pub fn space(prefix: &str, rule: &str) -> String {
    format!("{prefix}_{rule}{SPACE}")
}

/// The prefix of the names in a text from outside, by its namespace; `PREFIX` if it names none, or there is no text.
pub fn prefix_of<'t>(code: Option<&'t LoadedCode>, rule: &str) -> &'t str {
    let named = code.and_then(|code| code.text.lines().find_map(|line| line.strip_prefix("namespace ")));
    let named = named.and_then(|line| line.split_whitespace().next()?.strip_suffix(SPACE)?.strip_suffix(rule));
    named.and_then(|prefix| prefix.strip_suffix('_')).unwrap_or(PREFIX)
}

/// How namespaces end.
pub(super) const SPACE: &str = "_kernels";

/// The purpose of a text: rule, domain, level, how cells are kept, and last the hash of the text that is printed for all that, kernels
/// with their arguments and the tables that they read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label(Vec<String>);

impl Label {
    /// The label of kernels for cells that are kept and visited as `how` says.
    pub fn new(rule: &FittedRule, how: String, printed: &str) -> Label {
        let fractal = rule.domain().fractal();
        Label(vec![
            format!("rule {}", rule.name),
            format!("domain {} {:016x}", fractal.name, places(fractal)),
            format!("level {}", rule.domain().level()),
            how,
            format!("kernels {:016x}", Hash::NEW.text(&printed[head(printed)..]).0),
        ])
    }

    /// The label of kernels for the lanes of a layout, or for a mask or a box.
    pub(super) fn of_plan(rule: &FittedRule, plan: &Plan, printed: &str) -> Label {
        let steps = plan.steps;
        let how = match (&plan.storage.geometry, plan.storage.memory) {
            (Geometry::Rows(_), StoredAs::Cells) => "packed rows".to_owned(),
            (Geometry::Rows(_), StoredAs::Columns) => "rows".to_owned(),
            (Geometry::Replicas(layout), _) => {
                format!("lanes T = {}, L = {}, t = {steps}", layout.lane_digits(), layout.micro_digits())
            }
        };
        Label::new(rule, how, printed)
    }

    /// The printed text with the line at the end of its head, and all behind it in a namespace. Its last line uses all constants.
    pub fn put_in(&self, printed: &str, space: &str) -> String {
        let (head, body) = printed.split_at(head(printed));
        let (label, body) = (self.0.join(BETWEEN), body.trim_end());
        let constants = body.lines().filter_map(|line| line.strip_prefix("constexpr ")?.split(' ').nth(1));
        let sizes = constants.filter(|name| !name.contains('[')).map(|name| format!("sizeof({name})"));
        let sizes = sizes.collect::<Vec<_>>().join(" + ");
        format!(
            "{head}//\n{MARK}{label}\n\nnamespace {space} {{\n{body}\n\n{USES}\nstatic_assert({sizes} > 0, \"\");\n\n}} // namespace {space}\n"
        )
    }

    /// Whether a text from outside says that it is for this.
    pub(super) fn check(&self, code: &LoadedCode) -> Result<()> {
        let said = code.text.lines().find_map(|line| line.trim().strip_prefix(MARK));
        let Some(said) = said else {
            let problem = format!(
                "it does not say what it is for: the line `{MARK}…` of its head is missing, as in files of older versions"
            );
            return Err(code.wrong(problem));
        };
        let theirs: Vec<&str> = said.split(BETWEEN).map(str::trim).collect();
        if theirs == self.0 {
            return Ok(());
        }
        // The last part is a hash, which tells a reader nothing.
        let named = |parts: &[&str]| parts[..parts.len() - 1].join(", ");
        let own: Vec<&str> = self.0.iter().map(String::as_str).collect();
        let (made, asked) = (named(&theirs), named(&own));
        Err(code.wrong(match made == asked {
            true => format!("the rule, or what Squeeze prints of it, has changed since it was printed for {made}"),
            false => format!("it is made for {made}, and what is asked for is {asked}"),
        }))
    }
}

/// Where the lines of comment at the head of a text end.
fn head(text: &str) -> usize {
    text.split_inclusive('\n').take_while(|line| line.starts_with("//")).map(str::len).sum()
}

/// All that tells the places of a domain from those of another, whatever they are called.
fn places(fractal: &Fractal) -> u64 {
    let mut hash = Hash::NEW.number(fractal.dimension.axes() as u64).number(u64::from(fractal.periodic.set()));
    for pattern in &fractal.patterns {
        let replicas = std::iter::once(&pattern.scale).chain(&pattern.replicas).flatten();
        hash = replicas.fold(hash.number(pattern.k()), |hash, number| hash.number(u64::from(*number)));
        if let Some(places) = pattern.places.as_ref().filter(|places| !places.is_full()) {
            hash = places.to_words().into_iter().fold(hash, |hash, word| hash.number(u64::from(word)));
        }
    }
    hash.0
}

/// FNV-1a, which is the same in every build.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    const NEW: Hash = Hash(0xcbf2_9ce4_8422_2325);

    fn text(self, text: &str) -> Hash {
        text.bytes().fold(self, |Hash(hash), byte| Hash((hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)))
    }

    fn number(self, number: u64) -> Hash {
        Hash((self.0 ^ number).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29))
    }
}
