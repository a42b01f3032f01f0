//! From the lowered kernel to the executed one: one file a pass, and the list of each target in [`target::passes`](crate::target::passes).
//!
//! All but [`adders`] leave a kernel [scheduled](crate::kernel::schedule): dead code goes, the order keeps few values live. Kernels for CPUs are
//! [cut](split) into bodies where their random bits are decided; what follows in the list is done to those.
//!
//! Constants are folded, and static holes leave no trace, while the code is made ([`graph`](crate::kernel::graph)).

pub mod adders;
pub mod boolean;
pub mod classes;
pub mod derive;
pub mod flush;
pub mod inside;
pub mod interleave;
pub mod legalise;
pub(crate) mod needed;
pub(crate) mod small;
pub mod split;
pub mod synthesis;
pub mod tables;

use crate::ir::Axes;
use crate::kernel::derived::Derived;
use crate::kernel::graph::remade;
use crate::kernel::schedule::{in_order, most_live, schedule};
use crate::kernel::{
    Direction, Interface, Kernel, LaneType, Load, Neighbours, Node, Op, VerifyError, arithmetic, logic, scalar_input,
};
use crate::layout::rows::RowGrid;
use crate::numbers::value::Value;
use crate::target::speciality::{Off, Speciality};
use crate::target::{KernelPass, Target};
use crate::text::diagnostics::counted;
use split::RandomBits;
use std::fmt;

/// The passes after which a kernel of a processor is seen to know bits alone.
const OF_BITS_ALONE: &[KernelPass] =
    &[KernelPass::Boolean, KernelPass::Adders, KernelPass::Legalise, KernelPass::CutAtDraws];
/// The most bits that adders count where loops count as well.
const MOST_ADDED: usize = 32;

/// A kernel that can be executed. Back ends take no other kernels, and none can fail on the meaning of one.
///
/// Only [`prepare`] makes one, after verification; nothing changes it later.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    kernel: Kernel,
    interface: Interface,
    inside: Option<Box<Kernel>>,
    bodies: Vec<Body>,
    off: Off,
}

/// A kernel, or a part of one, that a processor executes for a superblock.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    kernel: Kernel,
    interface: Interface,
    random: Vec<RandomBits>,
}

impl Ready {
    /// A kernel as a test of a code generator wrote it, with operations that passes would rewrite, or with columns that nothing stores.
    #[doc(hidden)]
    pub fn unverified(kernel: Kernel, passes: &'static [KernelPass]) -> Ready {
        let target = Target::cpu(1).with_passes(passes);
        PassState::of(kernel, None, &target, &mut Derived::default()).done().ready()
    }

    /// The states and inputs that it reads and writes.
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

    /// The kernel specialised for cells with all neighbours, if it is smaller. It has no interface of its own: it reads and
    /// writes as the kernel does.
    pub fn inside(&self) -> Option<&Kernel> {
        self.inside.as_deref()
    }

    /// The kernel of a processor, made ready for the same target, for cells whose corners are `odd` along sets of axes; `None` if it changes nothing there.
    pub fn at_corners(&self, odd: impl Fn(Axes) -> bool, target: &Target) -> Option<Ready> {
        let Kernel { nodes, flush, .. } = &self.kernel;
        let graph = remade(nodes, *flush, |graph, node, new| match &node.op {
            Op::OddCorner(axes) => graph.bit(odd(*axes)),
            Op::RandomBit { classes, .. }
                if classes.iter().all(|lanes| graph.constant(new[lanes.0 as usize]) == Some(Value::Bit(false))) =>
            {
                graph.bit(false)
            }
            _ => graph.copy(node, new),
        });
        let keeps = |node: &Node| match node.op {
            Op::Store { state, plane, micro, value } => {
                *graph.op(value) == Op::Load(Load { state, plane, direction: Direction::CENTRE, micro })
            }
            _ => true,
        };
        if graph.nodes().iter().all(keeps) {
            return None;
        }
        let kernel = Kernel { nodes: schedule(graph.into_nodes()), ..self.kernel.clone() };
        let mut derived = Derived::default();
        let mut work = PassState::of(kernel, None, target, &mut derived);
        target.passes.iter().skip_while(|pass| **pass != KernelPass::CutAtDraws).for_each(|pass| work.pass(pass));
        Some(work.ready())
    }

    /// The bodies that a processor executes in turn: one, unless random bits are decided between. Empty for targets whose kernels are printed.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }
}

impl std::ops::Deref for Ready {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

impl Body {
    fn new(kernel: Kernel, random: Vec<RandomBits>) -> Body {
        Body { interface: Interface::of(&kernel), kernel, random }
    }

    /// The states and inputs that it reads and writes.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The random bits that are decided after it.
    pub fn random(&self) -> &[RandomBits] {
        &self.random
    }
}

impl std::ops::Deref for Body {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

/// A kernel of [`lower`](crate::lower::lower), or of an edited dump, made ready for a target: for rows if a grid is given, else for superblocks.
/// It is verified, passed through the target's list, and verified. It may read the numbers that are `derived` from the parameters.
///
/// # Errors
/// The error in the kernel: a bug of the lowering or of a pass, or a mistake in an edited dump.
pub fn prepare(
    kernel: Kernel,
    grid: Option<&RowGrid>,
    target: &Target,
    derived: &mut Derived,
) -> Result<Ready, VerifyError> {
    kernel.verify()?;
    let endless = grid.and_then(|grid| inside::known(&kernel, |direction| grid.is_endless(direction)));
    let kernel = endless.unwrap_or(kernel);
    let work = PassState::of(kernel, grid, target, derived).done();
    for kernel in std::iter::once(&work.kernel).chain(&work.inside) {
        // Loops count bits, and so do the threads of single cells.
        match kernel.neighbours == Neighbours::Anywhere || work.has_loops(kernel) {
            true => kernel.verify()?,
            false => kernel.verify_for_execution()?,
        }
    }
    for body in &work.bodies {
        debug_assert_eq!(body.verify_for_execution(), Ok(()), "kernel `{}`", body.name);
    }
    Ok(work.ready())
}

/// A kernel on its way through passes.
struct PassState<'t> {
    grid: Option<&'t RowGrid>,
    target: &'t Target,
    derived: &'t mut Derived,
    kernel: Kernel,
    inside: Option<Kernel>,
    bodies: Vec<Body>,
}

impl<'t> PassState<'t> {
    fn of(kernel: Kernel, grid: Option<&'t RowGrid>, target: &'t Target, derived: &'t mut Derived) -> PassState<'t> {
        PassState { grid, target, derived, kernel, inside: None, bodies: Vec::new() }
    }

    /// Whether loops count bits where they go through neighbours.
    fn has_loops(&self, kernel: &Kernel) -> bool {
        self.target.loops && kernel.neighbours == Neighbours::Far && self.grid.is_none()
    }

    /// After all passes of the target.
    fn done(mut self) -> PassState<'t> {
        self.target.passes.iter().for_each(|pass| self.pass(pass));
        self
    }

    /// After one pass.
    fn pass(&mut self, pass: &KernelPass) {
        let (grid, target) = (self.grid, self.target);
        if pass.speciality().is_some_and(|speciality| target.off().has(speciality)) {
            return;
        }
        match pass {
            KernelPass::Flush(by_itself) => self.rewrite(|kernel| flush::explicit(kernel, *by_itself)),
            KernelPass::FlushRest => self.rewrite(|kernel| flush::rest(kernel, target.off())),
            KernelPass::SecondBody => {
                let is_beside = self.kernel.neighbours == Neighbours::Beside;
                self.inside = is_beside.then(|| inside::known(&self.kernel, |_| true)).flatten();
            }
            KernelPass::RandomBits => self.rewrite(|kernel| classes::classify(kernel, false, grid.is_some())),
            KernelPass::Classes => self.rewrite(|kernel| classes::classify(kernel, true, grid.is_some())),
            KernelPass::OfBits(by_words, by_classes) => {
                self.rewrite(|kernel| of_bits(kernel, [by_words, by_classes], grid, target));
            }
            KernelPass::SmallNumbers => {
                let mut done = None;
                if let Some(nodes) = small::as_logic(&self.kernel.nodes, self.kernel.flush) {
                    let kernel = Kernel { nodes: schedule(nodes), ..self.kernel.clone() };
                    let target = target.clone().with_passes(OF_BITS_ALONE);
                    let mut derived = Derived::default();
                    let work = PassState::of(kernel.clone(), grid, &target, &mut derived).done();
                    done = work.bodies.iter().all(|body| body.interface.bitwise).then_some(kernel);
                }
                if let Some(kernel) = done {
                    Speciality::SmallNumbers.reached();
                    self.kernel = kernel;
                }
            }
            KernelPass::Boolean => self.rewrite(|kernel| {
                kernel.nodes = schedule(boolean::minimise(&kernel.nodes, kernel.flush));
            }),
            KernelPass::Adders => {
                let most = if self.has_loops(&self.kernel) { MOST_ADDED } else { usize::MAX };
                self.rewrite(|kernel| kernel.nodes = adders::expand(&kernel.nodes, kernel.flush, most));
            }
            KernelPass::Legalise => self.rewrite(|kernel| {
                kernel.nodes = in_order(kernel.neighbours, legalise::legalise(&kernel.nodes, kernel.flush));
            }),
            KernelPass::Logic3 => self.rewrite(|kernel| {
                if kernel.nodes.iter().all(|node| matches!(node.ty, None | Some(LaneType::Bits))) {
                    tables::fuse_logic3(kernel);
                }
            }),
            KernelPass::Logic3OfLanes => self.rewrite(|kernel| {
                if Interface::of(kernel).bitwise_lanes {
                    tables::fuse_logic3(kernel);
                }
            }),
            KernelPass::Interleave => self.rewrite(interleave::interleave),
            KernelPass::Derive => {
                let kernels = std::iter::once(&mut self.kernel).chain(&mut self.inside);
                kernels.for_each(|kernel| derive::derive(kernel, self.derived));
            }
            KernelPass::CutAtDraws => self.bodies = split::split(&self.kernel),
        }
    }

    /// Rewrites the kernel, or its bodies once it is cut, whose interfaces stay as they are.
    fn rewrite(&mut self, rewrite: impl Fn(&mut Kernel)) {
        if self.bodies.is_empty() {
            std::iter::once(&mut self.kernel).chain(&mut self.inside).for_each(&rewrite);
        }
        self.bodies.iter_mut().for_each(|body| rewrite(&mut body.kernel));
    }

    /// The result of all passes. The kernel for places where all neighbours exist is kept if it draws and is smaller.
    fn ready(self) -> Ready {
        let PassState { target, kernel, inside, bodies, .. } = self;
        let interface = Interface::of(&kernel);
        if interface.decides {
            Speciality::Planes.reached();
        }
        let decides = |kernel: &Kernel| kernel.nodes.iter().any(|node| matches!(node.op, Op::RandomBit { .. }));
        let wanted = |inside: &Kernel| {
            let same_types = Interface::of(inside).bitwise_lanes && interface.bitwise_lanes;
            same_types && decides(inside) && decides(&kernel) && inside.nodes.len() < kernel.nodes.len()
        };
        Ready { inside: inside.filter(wanted).map(Box::new), interface, kernel, bodies, off: target.off() }
    }
}

/// [`KernelPass::OfBits`].
fn of_bits(kernel: &mut Kernel, lists: [&'static [KernelPass]; 2], grid: Option<&RowGrid>, target: &Target) {
    let after = |kernel: &Kernel, passes| {
        let target = target.clone().with_passes(passes);
        PassState::of(kernel.clone(), grid, &target, &mut Derived::default()).done().kernel
    };
    let of_bits = |kernel: &Kernel| Interface::of(kernel).bitwise_lanes;
    let by_words = after(kernel, lists[0]);
    let draws = by_words.nodes.iter().any(|node| matches!(node.op, Op::Chance { .. }));
    *kernel = match of_bits(&by_words) && !draws {
        true => by_words,
        false => Some(after(kernel, lists[1])).filter(of_bits).unwrap_or(by_words),
    };
}

/// The name of a digit of a count, or of a bit on its way to one.
fn digit_name(bit: usize) -> &'static str {
    ["ones", "twos", "fours", "eights", "sixteens", "thirty_twos"].get(bit).copied().unwrap_or("digit")
}

/// The cost of a kernel.
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
                Op::Load(Load { direction: Direction::CENTRE, .. }) => sum.own_loads += 1,
                Op::Load(_) => sum.halo_loads += 1,
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
            "{:.2} operations a cell and step; in all {logic} on bits and {numeric} on numbers (a draw is one), {} of own columns and \
             {halo_loads} of neighbours', {}, at most {most_live} values live at once",
            self.operations_per_update(),
            counted(*own_loads, "load"),
            counted(*stores, "store")
        )
    }
}
