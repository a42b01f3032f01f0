//! Specialities: work that the planner, a pass, an emitter or an engine does in some cases because it is faster there, and could do without.
//!
//! Each can be switched off by the machine that is planned for ([`Target::without`](crate::Target::without)), which changes no result. So its gain can be measured,
//! and any two can be tested together. Choices of an inner loop have no switch and are no specialities.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The executors of kernels that have a speciality.
#[derive(PartialEq)]
enum Executors {
    Cpu,
    Gpu,
    Both,
}

/// Declares all specialities: variant, owner, name, description.
macro_rules! specialities {
    ($($variant:ident $executors:ident $name:literal $about:literal)*) => {
        /// An optimisation that is faster in some cases, and can be switched off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Speciality {
            $(#[doc = $about] $variant,)*
        }

        impl Speciality {
            /// All of them.
            pub const ALL: &[Speciality] = &[$(Speciality::$variant),*];

            /// Its name on the command line and in results.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Speciality::$variant => $name,)*
                }
            }

            /// Its description, in one line.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Speciality::$variant => $about,)*
                }
            }

            /// Whether backends of a CPU have it, or else those of a GPU.
            pub fn is_of(self, cpu: bool) -> bool {
                let executors = match self {
                    $(Speciality::$variant => Executors::$executors,)*
                };
                executors == Executors::Both || cpu == (executors == Executors::Cpu)
            }
        }
    };
}

specialities! {
    Planes Both "planes" "Random bits are decided plane by plane, for all lanes at once."
    Tables Both "tables" "One instruction computes any function of three words."
    Activity Both "activity" "What cannot change is not computed."
    MemberLanes Both "member-lanes" "Members of an ensemble are the lanes of the same columns."
    KeptLets Both "kept-lets" "Long lets that are read at neighbours are computed once for each cell and stored."

    SmallNumbers Cpu "small-numbers" "Numbers that are made of a few bits are logic, where nothing but bits is left then."
    Interleaving Cpu "interleaving" "Long sums and functions of several cells are computed in turn."
    AskingAhead Cpu "asking-ahead" "Kernels ask for columns beyond the caches before they need them."
    ProcessorFlushes Cpu "processor-flushes" "The processor flushes subnormals, not operations."
    WordSteps Cpu "word-steps" "Columns of 256 bits are permuted by vectors, a term of all words at a time."
    KeptPlanes Cpu "kept-planes" "Random planes are kept for members with the same seed."
    IdleWorkspaces Cpu "idle-workspaces" "Workers take the memory and the thresholds that those before them left."
    TermsOfStates Cpu "terms-of-states" "Observables read states, where these are their terms."
    RunningSums Cpu "running-sums" "Sums over many neighbours on masks and boxes are running sums, for all cells at once."
    ShiftedColumns Cpu "shifted-columns" "Columns of bits beside each other are shifted once for several rows."
    PaddedRows Cpu "padded-rows" "Kernels of bits run on several rows at once, which are copied with the places beyond their ends."
    BesideRows Cpu "beside-rows" "Numbers beside a column are read where they stand, over the ends of rows."
    Bands Cpu "bands" "A pass computes several steps of some rows, which the caches hold."
    ExpandedRows Cpu "expanded-rows" "Rows of packed numbers are expanded once for all that look at them."
    Strips Cpu "strips" "The cells of an ordered step that need not wait for each other are computed at once, in sheared strips."
    StripLoops Cpu "strip-loops" "A call of a kernel goes along all rows of a tile of a strip, with the rows before in registers."
    RowsInTurn Cpu "rows-in-turn" "Whole rows take turns in an ordered step whose cells do not wait for others of their row."

    Quads Gpu "quads" "A thread decides the random bits of four words by the planes of one block."
    SharedPlanes Gpu "shared-planes" "The threads of a warp make random planes for all of it."
    SecondBody Gpu "second-body" "Kernels that draw have a shorter body for where all neighbours exist."
    SameDraw Gpu "same-draw" "Several random bits of one draw are decided by the same planes."
    FirstPlanes Gpu "first-planes" "Random bits of simple probabilities take their first planes alone."
    SharedWords Gpu "shared-words" "The threads of four words make the planes of 128 lanes and exchange them."
    Derived Gpu "derived" "The host computes what follows from the parameters alone."
    WholeWarps Gpu "whole-warps" "Columns of numbers are filled up to whole warps if few threads are idle then."
    Loops Gpu "loops" "Long sums over neighbours are loops."
    Graphs Gpu "graphs" "Many passes are started at once, as a graph."
    Overlap Gpu "overlap" "A pass begins before the one before it has ended."
    MembersInTurn Gpu "members-in-turn" "One set of kernels computes all members of an ensemble."
    ObservedSteps Gpu "observed-steps" "One kernel computes steps and adds up what is observed after them."
    FixedDistances Gpu "fixed-distances" "Neighbours of rows of numbers are loaded at fixed distances, each once."
    RegisterWindow Gpu "register-window" "A pass computes several steps of rows of bits in registers."
    March Gpu "march" "A pass computes several steps of rows of numbers: warps go down their columns, step behind step."
    Relays Gpu "relays" "Three warps share the work of a strip of an ordered step: one computes, one reads and one writes."
    SeveralRows Gpu "several-rows" "A thread computes several rows."
}

static REACHED: AtomicU64 = AtomicU64::new(0);

impl Speciality {
    const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// Notes that a simulation has a use for it.
    pub fn reached(self) {
        if REACHED.load(Relaxed) & self.bit() == 0 {
            REACHED.fetch_or(self.bit(), Relaxed);
        }
    }
}

/// The specialities that the simulations of this process have had a use for since the last call.
pub fn reached() -> Vec<Speciality> {
    let bits = REACHED.swap(0, Relaxed);
    Speciality::ALL.iter().copied().filter(|speciality| bits & speciality.bit() != 0).collect()
}

/// Specialities that are switched off. Results are the same whatever is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Off(u64);

impl Off {
    /// None of them.
    pub const fn none() -> Off {
        Off(0)
    }

    /// These, and one more.
    #[must_use]
    pub const fn with(self, speciality: Speciality) -> Off {
        Off(self.0 | speciality.bit())
    }

    /// Whether a speciality is switched off.
    pub const fn has(self, speciality: Speciality) -> bool {
        self.0 & speciality.bit() != 0
    }

    /// Whether a speciality is taken, where everything else speaks for it: that it was reached is noted.
    pub fn allows(self, speciality: Speciality) -> bool {
        speciality.reached();
        !self.has(speciality)
    }
}

impl FromIterator<Speciality> for Off {
    fn from_iter<T: IntoIterator<Item = Speciality>>(all: T) -> Off {
        all.into_iter().fold(Off::none(), Off::with)
    }
}

/// Names with `+` between them; nothing for none.
impl fmt::Display for Off {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            Speciality::ALL.iter().filter(|speciality| self.has(**speciality)).map(|speciality| speciality.name());
        f.write_str(&names.collect::<Vec<_>>().join("+"))
    }
}

impl FromStr for Speciality {
    type Err = String;

    fn from_str(name: &str) -> Result<Speciality, String> {
        let found = Speciality::ALL.iter().find(|speciality| speciality.name() == name);
        let names = || Speciality::ALL.iter().map(|speciality| format!("`{}`", speciality.name())).collect::<Vec<_>>();
        found.copied().ok_or_else(|| format!("there is no speciality `{name}`, but {}", names().join(", ")))
    }
}

impl FromStr for Off {
    type Err = String;

    fn from_str(text: &str) -> Result<Off, String> {
        text.split('+').map(str::trim).filter(|name| !name.is_empty()).map(str::parse::<Speciality>).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let all: Off = Speciality::ALL.iter().copied().collect();
        assert_eq!(all.to_string().parse(), Ok(all));
        assert_eq!("".parse(), Ok(Off::none()));
        let two: Off = "tables + bands".parse().expect("there are such");
        assert_eq!(
            (two, two.to_string().as_str()),
            (Off::none().with(Speciality::Bands).with(Speciality::Tables), "tables+bands")
        );
        assert!(two.has(Speciality::Bands) && !two.has(Speciality::Planes));
        let error = "tables+chairs".parse::<Off>().expect_err("there are no chairs");
        assert!(error.to_string().starts_with("there is no speciality `chairs`, but `planes`, "), "{error}");
    }

    #[test]
    fn each_has_a_bit_and_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> =
            Speciality::ALL.iter().map(|speciality| speciality.name()).collect();
        assert!(names.len() == Speciality::ALL.len() && names.len() <= 64);
        assert!(Speciality::ALL.iter().all(|speciality| speciality.is_of(true) || speciality.is_of(false)));
    }
}
