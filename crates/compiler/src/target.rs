//! Targets of kernels: machines, the passes that kernels go through, and limits.

mod choice;
mod hardware;
mod machine;
pub mod passes;
pub mod speciality;
pub(crate) mod warps;

pub use choice::{Choice, Estimate, Members};
pub use hardware::{CpuHardware, GpuHardware, Hardware};
pub use machine::{MOST_RESULTS, Machine, RankLink};
pub use passes::KernelPass;

use crate::ir::{Step, TileWish};
use speciality::{Off, Speciality};

/// The results that an executor flushes by itself in a kernel with [`Kernel::flush`](crate::kernel::Kernel::flush).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushes {
    /// Nothing.
    Nothing,
    /// Sums and differences of f32: below the least normal number they are exact, so that all processors agree.
    Sums,
    /// All results except of functions and remainders.
    All,
}

/// How the tiles of an ordered step wait for one another on a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wavefront {
    /// Each diagonal of tiles is a launch of its own.
    Launches,
    /// A single launch: blocks meet at a barrier behind each diagonal.
    Barrier,
    /// A single launch: a strip waits for flags of the strip before.
    #[default]
    Flags,
}

impl Wavefront {
    /// All of them.
    pub const ALL: [Wavefront; 3] = [Wavefront::Launches, Wavefront::Barrier, Wavefront::Flags];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Wavefront::Launches => "launches",
            Wavefront::Barrier => "barrier",
            Wavefront::Flags => "flags",
        }
    }
}

/// A machine, and how kernels are made for it.
#[derive(Clone, Debug)]
pub struct Target {
    /// The planner's model of it.
    pub machine: Machine,
    /// The passes of its kernels, in order.
    pub passes: &'static [KernelPass],
    /// Whether a layout may be taken whose one superblock is the whole fractal: its kernels serve that level alone.
    pub whole: bool,
    /// Whether its kernels may look into superblocks that are not beside their own ([`Neighbours::Far`](crate::kernel::Neighbours::Far)).
    pub far: bool,
    /// Whether long sums over neighbours become loops: where kernels look far, superblocks are then single cells.
    pub loops: bool,
    /// Bytes that there are for states: rows are packed if their columns take more.
    pub room: u64,
    /// Whether rows are packed even where their columns fit.
    pub packed: bool,
    /// Whether all lines of rolling states are stored, even where the last ones would do.
    pub keeps_all: bool,
    /// The members of an ensemble that one pass computes.
    pub members: Members,
    /// Which part of the domain is computed, by its number, and how many parts there are.
    pub part: (u32, u32),
    /// The time steps of a pass over rows that parts on CPUs have agreed on.
    pub agreed_steps: Option<u32>,
    /// Whether its executor lets cells take turns in ordered steps.
    pub in_turns: bool,
    /// How the tiles of an ordered step wait for one another on a GPU.
    pub wavefront: Wavefront,
    /// The lines and columns of tiles of ordered steps to take instead of those that are planned. Seams, and kernels that look far, may ask for others.
    pub tile: Option<[u32; 2]>,
    /// The storage and steps to take instead of the planner's choice. Of a choice of rows only the form of columns counts: rows are the domain's own.
    pub demanded: Option<Choice>,
}

impl Target {
    /// A CPU of `threads` threads, with logic on two operands.
    pub fn cpu(threads: usize) -> Target {
        Target {
            machine: Machine::cpu(threads),
            passes: passes::LOGIC2,
            whole: true,
            far: true,
            loops: false,
            room: u64::MAX,
            packed: false,
            keeps_all: false,
            members: Members::One,
            part: (0, 1),
            agreed_steps: None,
            in_turns: false,
            wavefront: Wavefront::Flags,
            tile: None,
            demanded: None,
        }
    }

    /// An NVIDIA GPU.
    pub fn cuda() -> Target {
        Target { machine: Machine::gpu(), passes: passes::CUDA, loops: true, ..Target::cpu(1) }
    }

    /// A single cell on an NVIDIA GPU, for the strategies of the papers.
    pub fn cell() -> Target {
        Target { passes: passes::CELL, ..Target::cuda() }
    }

    /// Rust source for any CPU: rustc makes of functions of three operands what the processor has.
    pub fn rust(threads: usize) -> Target {
        Target { machine: Machine::comparing_words(threads), passes: passes::RUST, far: false, ..Target::cpu(threads) }
    }

    /// The same target on another machine of its kind, if one is given; specialities that are switched off stay so.
    pub fn on(self, machine: Option<Machine>) -> Target {
        match machine {
            Some(machine) => {
                let off = self.machine.off;
                Target { machine: Machine { off, ..machine }, ..self }
            }
            None => self,
        }
    }

    /// The same target with other passes.
    pub fn with_passes(self, passes: &'static [KernelPass]) -> Target {
        Target { passes, ..self }
    }

    /// What the tiles of an ordered step are chosen by.
    pub(crate) fn tile_wish(&self, step: &Step) -> TileWish {
        let draws = step.body.nodes.iter().any(|node| node.op.draws());
        TileWish { draws, threads: self.machine.threads as i64, asked: self.tile }
    }

    /// The same target with these specialities switched off.
    pub fn without(self, off: Off) -> Target {
        let loops = self.loops && !off.has(Speciality::Loops);
        Target { machine: Machine { off, ..self.machine }, loops, ..self }
    }

    /// The specialities that are switched off.
    pub fn off(&self) -> Off {
        self.machine.off
    }

    /// The same target with these members in a pass.
    pub fn with_members(self, members: Members) -> Target {
        Target { members, ..self }
    }

    /// The same target with `room` bytes for states; rows are packed if that is wanted or they do not fit otherwise.
    pub fn within(self, room: u64, packed: bool) -> Target {
        Target { room, packed, ..self }
    }

    /// The same target with an executor that lets cells take turns in ordered steps.
    pub fn in_turns(self) -> Target {
        Target { in_turns: true, ..self }
    }

    /// Whether it is a GPU.
    pub(crate) fn is_gpu(&self) -> bool {
        self.machine.splits_columns
    }

    /// The same target with a choice that must be taken, if one is given.
    pub fn demanding(self, demanded: Option<Choice>) -> Target {
        Target { demanded, ..self }
    }
}
