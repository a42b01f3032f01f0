//! Kernels to be printed.

use crate::passes::Ready;
use crate::pipeline::TakenByGpu;
use crate::plan::{Plan, RegisterWindow, Waves, Window};
use crate::reduce::weighted_bits::WeightedBits;

/// A kernel to be printed, and the use of its results.
#[derive(Clone, Copy)]
pub struct Job<'k> {
    /// The kernel, [`prepare`](crate::passes::prepare)d for [`Target::cuda`](crate::Target::cuda).
    pub kernel: &'k Ready,
    /// How many times a launch computes it: once, or as many times as the plan's window holds, or fewer in a march.
    pub times: u32,
    /// The use of its results.
    pub end: End<'k>,
}

/// The use of a kernel's results.
#[derive(Clone, Copy)]
pub enum End<'k> {
    /// It is stored.
    Store,
    /// It is stored and compared with the old content, by a kernel that computes the tiles of a list alone ([`Entry::tiles`](super::Entry::tiles)), of a plan whose units may
    /// rest. A text has one such kernel and no other, and the kernel `list_all`, whose only argument is a `Watch`.
    Compare,
    /// The [totals](crate::Program::totals) in the place of the kernel's last states are added to the `Totals` that it is given, for each member: each block adds
    /// to one of several places there. Any number of blocks
    /// does, but for members: in turn they need one for all threads, and as lanes at least those of one column and at most [`MOST_BLOCKS`](super::MOST_BLOCKS).
    AddUp(&'k [WeightedBits]),
    /// It is stored over the old content, cell after cell, as an ordered step of rows asks. The kernel takes flags and the number of a diagonal of tiles between its
    /// arguments and the world ([`Waves`]).
    InWaves(&'k Waves),
}

impl<'k> End<'k> {
    /// The totals that are added up, if any.
    pub(super) fn totals(self) -> &'k [WeightedBits] {
        match self {
            End::Store | End::Compare | End::InWaves(_) => &[],
            End::AddUp(totals) => totals,
        }
    }
}

impl<'k> Job<'k> {
    /// A kernel whose results are stored.
    pub fn new(kernel: &'k Ready) -> Job<'k> {
        Job { kernel, times: 1, end: End::Store }
    }

    /// The kernels of steps, each as a GPU takes its cells.
    pub fn of_steps(steps: &'k [Ready], taken: &'k [TakenByGpu]) -> impl Iterator<Item = Job<'k>> {
        let of = |(number, kernel): (usize, &'k Ready)| match taken.get(number) {
            Some((_, Some((waves, kernel)))) => Job { end: End::InWaves(waves), ..Job::new(kernel) },
            _ => Job::new(kernel),
        };
        steps.iter().enumerate().map(of)
    }

    /// As many steps at once as the plan's window holds, of a rule whose step is these kernels.
    pub fn in_window(plan: &Plan, step: &'k [Ready]) -> Option<Job<'k>> {
        match plan.window() {
            Window::Registers => Some(Job { times: RegisterWindow::STEPS, ..Job::new(step.first()?) }),
            Window::March { steps } => Some(Job { times: steps, ..Job::new(step.first()?) }),
            Window::Kernel | Window::Band { .. } => None,
        }
    }
}
