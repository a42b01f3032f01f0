//! A case to measure: a rule on a fractal at a level, or on a mask or a box, on a backend.

use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Fractal, Rule, Type};
use squeeze_compiler::target::Hardware;
use squeeze_engine::cpu::Isa;
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::{Backend, Simulation, SimulationBuilder};
use squeeze_records::resolve::{self, Edges};
use std::sync::Arc;

/// The cases that are measured if none are named: bits at three sizes, other fractals, three dimensions, numbers, several states,
/// random numbers, enums.
pub const STANDARD: [&str; 13] = [
    "sierpinski_triangle,life,12",
    "sierpinski_triangle,life,16",
    "sierpinski_triangle,life,20",
    "vicsek,life,11",
    "sierpinski_carpet,life,8",
    "full_square,conway,13",
    "menger_sponge,life_3d,6",
    "sierpinski_triangle,heat,12",
    "sierpinski_triangle,heat,16",
    "sierpinski_carpet,gray_scott,7",
    "sierpinski_triangle,ising,13",
    "candy,greenberg_hastings,5",
    "lace,sandpile,7",
];

/// The cases whose layouts are swept if none are named.
pub const SWEPT: [&str; 8] = [
    "sierpinski_triangle,life,16",
    "vicsek,life,10",
    "sierpinski_carpet,life,8",
    "sierpinski_triangle,heat,14",
    "candy,greenberg_hastings,6",
    "menger_sponge,life_3d,5",
    "sierpinski_carpet,gray_scott,7",
    "sierpinski_triangle,ising,13",
];

/// A rule on a fractal at a level, or on a mask or a box, on a backend.
#[derive(Clone, Debug)]
pub struct Case {
    /// The fractal as it was named.
    pub fractal_spec: String,
    /// The rule as it was named.
    pub rule_spec: String,
    /// The fractal.
    pub fractal: Arc<Fractal>,
    /// The rule.
    pub rule: FittedRule,
    /// The level; 1 for masks and boxes, which have none.
    pub level: u32,
    /// The backend, never [`Backend::Auto`].
    pub backend: Backend,
    /// The instruction set that the backend `cpu` is to use; `None` takes the best.
    pub isa: Option<Isa>,
    /// The machine for which layouts are chosen; `None` for the usual one.
    pub hardware: Option<Hardware>,
    /// Whether the backend `cpu` leaves out cells that cannot change.
    pub activity: bool,
    /// Whether the backend `cpu` stores the cells of masks alone.
    pub packed: bool,
    /// How many time steps are asked for at once; `None` asks for whole passes.
    pub at_once: Option<u32>,
}

/// A text that names no case.
pub(super) fn no_case(text: &str, problem: &str) -> Message {
    let help = "a case is FRACTAL,RULE,LEVEL or FRACTAL,RULE,LEVEL,BACKEND, such as `sierpinski_triangle,life,16` or `vicsek,heat,6,reference`";
    Message::users(format!("`{text}` is not a case: {problem}")).with_help(help)
}

impl Case {
    /// The case that a text of the form `FRACTAL,RULE,LEVEL[,BACKEND]` names, or for masks and boxes `DOMAIN,RULE[,BACKEND]`.
    ///
    /// # Errors
    /// If it has another form, or the fractal and rule that it names do not exist or do not fit together.
    pub fn parse(text: &str) -> Result<Case> {
        Case::with_edges(text, &Edges::default())
    }

    /// The case that a text names, as [`Case::parse`] gives it, with other edges.
    ///
    /// # Errors
    /// As [`Case::parse`], and if the edges do not suit it.
    pub fn with_edges(text: &str, edges: &Edges) -> Result<Case> {
        Case::of(text, |spec| resolve::domain(spec, edges), resolve::rule)
    }

    /// The case that a text names, with functions that find its fractal and its rule.
    pub(super) fn of(
        text: &str,
        fractal: impl Fn(&str) -> Result<Arc<Fractal>>,
        rule: impl Fn(&str) -> Result<Arc<Rule>>,
    ) -> Result<Case> {
        let wrong = |problem: String| no_case(text, &problem);
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let (fractal_spec, rule_spec, rest) = match parts[..] {
            [fractal, rule, ref rest @ ..] if rest.len() <= 2 => (fractal, rule, rest),
            _ => return Err(wrong(format!("it has {} of the 3 or 4 parts between commas", parts.len())).into()),
        };
        let fractal = fractal(fractal_spec)?;
        let (level, backend) = match (fractal.extent, rest) {
            (None, []) => return Err(wrong("it has 2 of the 3 or 4 parts between commas".to_owned()).into()),
            (None, [level, backend @ ..]) => {
                let not_whole = |_| wrong(format!("the level `{level}` is not a whole number from 0 to 63"));
                (level.parse().map_err(not_whole)?, backend.first())
            }
            (Some(_), backend) if backend.len() <= 1 && !backend.iter().any(|b| b.parse::<u32>().is_ok()) => {
                (1, backend.first())
            }
            (Some(_), _) => {
                let name = &fractal.name;
                let problem = format!("`{name}` is a mask or a box and has no levels; write `{name},RULE,BACKEND`");
                return Err(wrong(problem).into());
            }
        };
        let backend = backend.copied().unwrap_or(Backend::Cpu.name());
        let mut backends = Backend::ALL.into_iter().filter(|&backend| backend != Backend::Auto);
        let backend = backends.clone().find(|known| known.name() == backend).ok_or_else(|| {
            let known: Vec<String> = backends.by_ref().map(|backend| format!("`{}`", backend.name())).collect();
            wrong(format!("there is no backend `{backend}`, but {}", known.join(" and ")))
        })?;
        let rule = Domain::new(Arc::clone(&fractal), level)?.fit(&rule(rule_spec)?)?;
        let (fractal_spec, rule_spec) = (fractal_spec.to_owned(), rule_spec.to_owned());
        Ok(Case {
            fractal_spec,
            rule_spec,
            fractal,
            rule,
            level,
            backend,
            isa: None,
            activity: false,
            packed: false,
            at_once: None,
            hardware: None,
        })
    }

    /// Where it runs.
    pub fn domain(&self) -> &Domain {
        self.rule.domain()
    }

    /// Its name in tables: the fractal, the rule and the level.
    pub fn name(&self) -> String {
        let (fractal, rule) = (&self.fractal.name, &self.rule.name);
        let level = self.domain().levels().map_or(String::new(), |level| format!(",{level}"));
        format!("{fractal},{rule}{level}")
    }

    /// A simulation of it, ready to be built.
    pub fn builder(&self) -> SimulationBuilder {
        let builder = Simulation::builder(Arc::clone(&self.fractal), Arc::clone(self.rule.written()));
        let mut builder = builder.level(self.level).backend(self.backend).activity(self.activity).packed(self.packed);
        if let Some(hardware) = &self.hardware {
            builder = builder.hardware(hardware.clone());
        }
        match self.isa {
            Some(isa) => builder.isa(isa),
            None => builder,
        }
    }

    /// Whether its backend can be told a number of threads.
    pub fn takes_threads(&self) -> bool {
        self.backend == Backend::Cpu
    }

    /// Bytes that a step has to read and write at least: every state once, without padding. A bit takes an eighth of a byte,
    /// an enum as many bits as number its variants.
    pub(crate) fn useful_bytes(&self) -> f64 {
        let bits = |ty: Type| match ty {
            Type::Bit => 1,
            Type::Enum(id) => u64::from(self.rule.enum_type(id).variants.len().next_power_of_two().ilog2()).max(1),
            ty => 8 * ty.bytes(),
        };
        let states = self.rule.states.iter().enumerate();
        let bits: u64 = states.map(|(i, state)| bits(state.ty) * if self.rule.changes(i) { 2 } else { 1 }).sum();
        bits as f64 / 8.0 * self.domain().cells() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_compiler::geometry::{LevelError, RuleMisfit};

    #[test]
    fn the_lists_hold_cases() {
        for text in STANDARD.into_iter().chain(SWEPT) {
            let case = Case::parse(text).unwrap();
            assert_eq!(case.backend, Backend::Cpu, "{text}");
        }
    }

    #[test]
    fn useful_bytes_are_two_bits_a_cell_of_life_and_eight_bytes_of_heat() {
        let useful = |text: &str| Case::parse(text).unwrap().useful_bytes();
        assert_eq!(useful("full_square,life,2"), 4.0);
        assert_eq!(useful("full_square, heat, 2, reference"), 8.0 * 16.0);
        assert_eq!(useful("full_square,greenberg_hastings,1"), 2.0);
    }

    #[test]
    fn what_is_no_case_is_explained() {
        let problem = |text: &str| Case::parse(text).unwrap_err().to_string();
        assert!(problem("vicsek,life").contains("2 of the 3 or 4 parts"));
        assert!(problem("vicsek,life,high").contains("`high` is not a whole number"));
        assert!(problem("vicsek,life,2,abacus").contains("`abacus`, but `cpu`"));
        assert!(problem("viksek,life,2").contains("did you mean `vicsek`"));
        assert!(matches!(Case::parse("vicsek,life_3d,2"), Err(error) if error.downcast_ref::<RuleMisfit>().is_some()));
        assert!(matches!(Case::parse("vicsek,life,60"), Err(error) if error.downcast_ref::<LevelError>().is_some()));
    }
}
