//! From the kernel that the rule says to the one that is executed: one file a pass.
//!
//! 0. [`flush`](mod@flush), for targets that do not flush by themselves: results are flushed by operations.
//! 1. [`classes`], for targets that decide random bits by planes, and for GPUs: numbers of few values become classes of lanes.
//! 2. [`boolean`]: count tests become minimal boolean functions of the counts' digits.
//! 3. [`adders`]: counts become adders that share partial sums between cells.
//! 4. [`legalise`]: what stores, sums and divisions mean beyond their operands becomes operations.
//! 5. [`schedule`](crate::kernel::schedule): dead code goes, the order keeps few values live.
//! 6. [`tables`], for targets with an operation on three operands only.
//! 7. [`interleave`](mod@interleave), for CPUs: long sums of several cells are added in turn, and functions of functions computed.
//!
//! Kernels for GPUs that decide random bits are prepared a second time as they are [`inside`](mod@inside) a domain.
//! CPUs [`split`](mod@split) a kernel where its random bits are decided.
//!
//! Constants are folded, and static holes leave no trace, while the code is made ([`graph`](crate::kernel::graph)).

pub mod adders;
pub mod boolean;
pub mod classes;
pub mod flush;
pub mod inside;
pub mod interleave;
pub mod legalise;
pub mod split;
pub mod synthesis;
pub mod tables;

use crate::kernel::schedule::{as_written, most_live, schedule};
use crate::kernel::{Direction, Interface, Kernel, Neighbours, Op, VerifyError, arithmetic, logic, scalar_input};
use crate::target::RandomBits;
use crate::target::speciality::{Off, Speciality};
use crate::target::{Flushes, Target};
use classes::Wanted;
use std::fmt;

/// The most bits that adders count where loops count as well.
const MOST_ADDED: usize = 32;

/// A kernel that can be executed: every back end takes only these, and cannot fail on one because of what it means.
///
/// It is made by [`prepare`] and [`prepare_cell`] alone, which verified it, and carries what its callers must know.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    kernel: Kernel,
    interface: Interface,
    inside: Option<Box<Kernel>>,
    off: Off,
}

impl Ready {
    /// A kernel as a test of a back end wrote it, with operations that passes would rewrite, or with columns that nothing stores.
    #[doc(hidden)]
    pub fn unverified(kernel: Kernel) -> Ready {
        Ready { interface: Interface::of(&kernel), kernel, inside: None, off: Off::none() }
    }

    /// The same with operations on three operands, for an instruction set that has them, if there are none yet. The interface stays the
    /// same.
    pub fn with_tables(&self) -> Ready {
        match self.kernel.nodes.iter().any(|node| matches!(node.op, Op::Table { .. })) {
            true => self.clone(),
            false => self.instead(with_tables(self.kernel.clone())),
        }
    }

    /// The same with results flushed by operations, for those who cannot flush them by themselves.
    pub fn with_explicit_flush(&self) -> Ready {
        match self.kernel.flush {
            true => part(flush::explicit(self.kernel.clone(), Flushes::Nothing), self.off),
            false => self.clone(),
        }
    }

    /// What gives the same where all neighbours exist, as a kernel of its own that reads no more, through the same interface; `None` if that
    /// is the same.
    pub fn within(&self) -> Option<Ready> {
        let kernel = inside::inside(&self.kernel)?;
        Some(self.instead(Kernel { nodes: schedule(kernel.nodes), ..self.kernel.clone() }))
    }

    /// Another kernel for those who call this one: it may do without some of what is read, whose places must not become others'.
    fn instead(&self, kernel: Kernel) -> Ready {
        Ready { interface: self.interface.clone(), ..part(kernel, self.off) }
    }

    /// What it reads and writes.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The specialities that its target does without.
    pub fn off(&self) -> Off {
        self.off
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// What may be executed in its stead where all neighbours exist, if that is less. It has no interface of its own: it reads and
    /// writes what the kernel does.
    pub fn inside(&self) -> Option<&Kernel> {
        self.inside.as_deref()
    }
}

impl std::ops::Deref for Ready {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

/// From what [`lower`](crate::lower::lower) made, or somebody edited, to what a target executes: verify, optimise, legalise,
/// schedule, verify.
///
/// # Errors
/// What is wrong with the kernel: an error of the lowering, of a pass, or of whoever edited it.
pub fn prepare(kernel: Kernel, target: &Target) -> Result<Ready, VerifyError> {
    kernel.verify()?;
    let kernel = flush::explicit(kernel, target.flushes);
    // Loops count bits where they go through neighbours.
    let loops = target.loops && kernel.neighbours == Neighbours::Far;
    let inside = match target.insides && kernel.neighbours == Neighbours::Beside {
        true => inside::inside(&kernel).map(|kernel| executable(kernel, target, loops)).transpose()?,
        false => None,
    };
    let kernel = executable(kernel, target, loops)?;
    let interface = Interface::of(&kernel);
    if interface.decides {
        Speciality::Planes.reached();
    }
    let decides = |kernel: &Kernel| kernel.nodes.iter().any(|node| matches!(node.op, Op::RandomBit { .. }));
    let wanted = |inside: &Kernel| {
        let same_types = Interface::of(inside).bitwise_lanes && interface.bitwise_lanes;
        same_types && decides(inside) && decides(&kernel) && inside.nodes.len() < kernel.nodes.len()
    };
    Ok(Ready { inside: inside.filter(wanted).map(Box::new), interface, kernel, off: target.off() })
}

/// All passes but that for what is inside.
fn executable(kernel: Kernel, target: &Target, loops: bool) -> Result<Kernel, VerifyError> {
    let most = if loops { MOST_ADDED } else { usize::MAX };
    let kernel = match target.machine.random_bits {
        RandomBits::Words => optimise(kernel, most),
        RandomBits::Planes => optimise(with_classes(kernel, Wanted::RandomBits), most),
        RandomBits::PlanesOfBits => {
            let by_words = optimise(kernel.clone(), most);
            let of_bits = |kernel: &Kernel| Interface::of(kernel).bitwise_lanes;
            let draws = by_words.nodes.iter().any(|node| matches!(node.op, Op::Chance { .. }));
            if of_bits(&by_words) && !draws {
                by_words
            } else {
                Some(optimise(with_classes(kernel, Wanted::Comparisons), most)).filter(of_bits).unwrap_or(by_words)
            }
        }
    };
    let interface = Interface::of(&kernel);
    let of_words = if target.uniform_numbers { interface.bitwise_lanes } else { interface.bitwise };
    let kernel = if target.tables && of_words { with_tables(kernel) } else { kernel };
    let kernel = if target.interleaves { interleave::interleave(kernel) } else { kernel };
    if loops {
        kernel.verify()?
    } else {
        kernel.verify_for_execution()?
    };
    Ok(kernel)
}

/// The same of a kernel of one cell ([`Neighbours::Anywhere`]), for the strategies of the papers: a thread adds bits one by one, so that
/// counts stay as they are, and operations come in the order of the rule, which reads better.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_cell(kernel: Kernel) -> Result<Ready, VerifyError> {
    kernel.verify()?;
    let kernel = flush::explicit(kernel, Flushes::Nothing);
    let kernel = Kernel { nodes: as_written(legalise::legalise(&kernel.nodes, kernel.flush)), ..kernel };
    kernel.verify()?;
    Ok(Ready { interface: Interface::of(&kernel), inside: None, kernel, off: Off::none() })
}

/// A kernel whose parts have states that it has not: made of one that is ready.
fn part(kernel: Kernel, off: Off) -> Ready {
    debug_assert_eq!(kernel.verify_for_execution(), Ok(()), "kernel `{}`", kernel.name);
    Ready { interface: Interface::of(&kernel), kernel, inside: None, off }
}

/// A kernel with random bits of few probabilities said as such, for targets that decide them by planes, and what else is wanted.
pub fn with_classes(kernel: Kernel, wanted: Wanted) -> Kernel {
    Kernel { nodes: schedule(classes::classify(&kernel.nodes, kernel.flush, wanted)), ..kernel }
}

/// The kernel that is executed, for any target; counts of more bits than `most` are left to loops.
pub fn optimise(kernel: Kernel, most: usize) -> Kernel {
    let nodes = schedule(boolean::minimise(&kernel.nodes, kernel.flush));
    let nodes = schedule(legalise::legalise(&adders::expand(&nodes, kernel.flush, most), kernel.flush));
    Kernel { nodes, ..kernel }
}

/// An [`optimise`]d kernel for targets with one instruction for any function of three vectors of bits.
pub fn with_tables(kernel: Kernel) -> Kernel {
    let kernel = Kernel { nodes: schedule(tables::fuse(&kernel.nodes, kernel.flush)), ..kernel };
    if kernel.nodes.iter().any(|node| matches!(node.op, Op::Table { .. })) {
        Speciality::Tables.reached();
    }
    kernel
}

/// The name of a digit of a count, or of a bit on its way to one.
fn digit_name(bit: usize) -> &'static str {
    ["ones", "twos", "fours", "eights", "sixteens", "thirty_twos"].get(bit).copied().unwrap_or("digit")
}

/// What a kernel costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Loads of own columns.
    pub own_loads: u32,
    /// Loads of columns of neighbour superblocks.
    pub halo_loads: u32,
    /// Operations on vectors of bits.
    pub logic: u32,
    /// Operations on numbers, comparisons and conversions.
    pub numeric: u32,
    /// Stores.
    pub stores: u32,
    /// The most values that are live at once.
    pub most_live: u32,
    /// Micro cells times time steps.
    pub updates: u32,
}

impl Statistics {
    /// Of a kernel.
    pub fn of(kernel: &Kernel) -> Statistics {
        let mut sum = Statistics {
            most_live: most_live(&kernel.nodes) as u32,
            updates: kernel.micro.cells.len() as u32 * kernel.steps,
            ..Statistics::default()
        };
        for node in &kernel.nodes {
            match &node.op {
                Op::Load { direction, .. } if *direction == Direction::CENTRE => sum.own_loads += 1,
                Op::Load { .. } => sum.halo_loads += 1,
                Op::Store { .. } => sum.stores += 1,
                Op::Presence(_) | Op::LaneCorner(_) | Op::OddCorner(_) | scalar_input!() => {}
                logic!() => sum.logic += 1,
                Op::Random { .. } | Op::RandomBit { .. } | arithmetic!() => sum.numeric += 1,
            }
        }
        sum
    }

    /// Operations for one cell and one time step.
    pub fn operations_per_update(&self) -> f64 {
        f64::from(self.logic + self.numeric) / f64::from(self.updates)
    }
}

/// One line.
impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { own_loads, halo_loads, logic, numeric, stores, most_live, .. } = self;
        write!(
            f,
            "{:.2} operations a cell and step ({logic} on bits, {numeric} on numbers), {own_loads} + {halo_loads} loads, \
             {stores} stores, {most_live} live values",
            self.operations_per_update()
        )
    }
}
