//! The parameters of a machine that are known without a measurement, and the planner's figures that follow from them.
//!
//! A figure follows from the rate of the pipe that limits it: on a CPU an operation takes 1 / (pipes · clock), on a GPU all threads share
//! multiprocessors · lanes · clock. Figures that do not follow (threads in flight, crowding, the factors of three dimensions) are those of
//! [`Machine::cpu`] and [`Machine::gpu`], which were fitted to measurements. Layouts affect the speed of a run and nothing else.

use super::machine::{Machine, RankLink};

/// A machine by its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Hardware {
    /// The cores of a processor.
    Cpu(CpuHardware),
    /// A GPU.
    Gpu(GpuHardware),
}

impl Hardware {
    /// The planner's machine of `threads` threads; `None` if this is a GPU.
    #[doc(hidden)]
    pub fn cpu(&self, threads: usize) -> Option<Machine> {
        match self {
            Hardware::Cpu(cpu) => Some(cpu.machine(threads)),
            Hardware::Gpu(_) => None,
        }
    }

    /// The planner's model of it; `None` if it is a CPU.
    #[doc(hidden)]
    pub fn gpu(&self) -> Option<Machine> {
        match self {
            Hardware::Cpu(_) => None,
            Hardware::Gpu(gpu) => Some(gpu.machine()),
        }
    }
}

/// A core of a processor, and what it shares with others.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuHardware {
    /// Cycles in a nanosecond.
    pub clock: f64,
    /// Bits of a vector register.
    pub vector_bits: u64,
    /// Operations on vectors in a cycle.
    pub pipes: f64,
    /// Vector registers.
    pub registers: u64,
    /// Bytes of the three caches, from the first.
    pub caches: [f64; 3],
    /// Gigabytes in a second that one core moves from and to the third cache.
    pub cache_bandwidth: f64,
    /// The same of memory.
    pub memory_bandwidth: f64,
    /// Cores that move as much as all together.
    pub memory_threads: f64,
    /// Bits of the widest operand whose ones an instruction counts, at most as many as a vector register has.
    pub popcount_bits: u64,
    /// Such instructions in a cycle.
    pub popcounts: f64,
    /// Cycles until an addition's result can be added to: what sums that are carried along wait for.
    pub addition: f64,
    /// Vector registers loaded from the first cache in a cycle.
    pub loads: f64,
    /// The lines of a set of each cache.
    pub ways: [u64; 3],
}

/// A GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuHardware {
    /// Cycles in a nanosecond.
    pub clock: f64,
    /// Multiprocessors.
    pub multiprocessors: u64,
    /// Lanes of one that do an operation on bits in a cycle; each takes three operands.
    pub logic_lanes: f64,
    /// Lanes of one that do an operation on numbers in a cycle.
    pub numeric_lanes: f64,
    /// Lanes of one that load a word from the first cache in a cycle.
    pub load_lanes: f64,
    /// Registers that a kernel may take in a thread before it spills.
    pub registers: u64,
    /// Bytes of the second cache.
    pub cache: f64,
    /// Gigabytes in a second from the second cache.
    pub cache_bandwidth: f64,
    /// The same of memory.
    pub memory_bandwidth: f64,
    /// Nanoseconds of a kernel that does nothing.
    pub launch: f64,
    /// The ways between GPUs of one machine, and of several machines.
    pub links: [RankLink; 2],
}

/// Threads of a GPU that are busy, on each multiprocessor: 39 800 of an H100. Measured: fitted to `squeeze bench --layouts` on it.
const THREADS: f64 = 39_800.0 / 132.0;
/// The share of a load's time that shows on a GPU, where loads are done while others are. Measured: fitted to the same on an H100.
const LOADS: f64 = 0.177;
/// The clock and the multiprocessors of the H100 that random bits were measured on. Measured: its driver tells them.
const FITTED: (f64, f64) = (1.755, 132.0);
/// Cycles of finding the neighbours of a superblock and calling a kernel, and of permuting a register's lanes. Guess: not measured.
const SUPERBLOCK: f64 = 100.0;
const PERMUTATION: f64 = 48.0;

impl CpuHardware {
    /// A core of a Xeon with AVX-512 (Cascade Lake): where nothing is known, and what files that lack entries get. Measured: rates of caches and memory,
    /// on that processor. Guess: popcounts, additions, loads and ways, as its maker describes them.
    pub const USUAL: CpuHardware = CpuHardware {
        clock: 2.5,
        vector_bits: 512,
        pipes: 2.0,
        registers: 32,
        caches: [32_768.0, 1_048_576.0, 25_165_824.0],
        cache_bandwidth: 17.5,
        memory_bandwidth: 9.4,
        memory_threads: 4.0,
        popcount_bits: 64,
        popcounts: 1.0,
        addition: 1.0,
        loads: 2.0,
        ways: [8, 16, 11],
    };

    /// The planner's machine of `threads` threads.
    #[doc(hidden)]
    pub fn machine(&self, threads: usize) -> Machine {
        let usual = Machine::cpu(threads);
        let operation = 1.0 / (self.pipes * self.clock);
        let [first, second, third] = self.caches;
        let (from_third, from_memory) = (self.cache_bandwidth.recip(), self.memory_bandwidth.recip());
        let [(_, near), ..] = usual.memory;
        Machine {
            vector_bits: self.vector_bits,
            registers: self.registers as f64,
            operation,
            numeric: operation,
            superblock: SUPERBLOCK / self.clock,
            permutation: PERMUTATION / self.clock,
            first_cache: first / 2.0,
            beyond_first_cache: 8.0 / (64.0 * self.clock),
            memory: [(first, near), (second, near), (third, from_third), (f64::INFINITY, from_memory)],
            memory_threads: self.memory_threads,
            ..usual
        }
    }
}

impl GpuHardware {
    /// The planner's model of it.
    #[doc(hidden)]
    pub fn machine(&self) -> Machine {
        let usual = Machine::gpu();
        let multiprocessors = self.multiprocessors as f64;
        let threads = THREADS * multiprocessors;
        let each = |lanes: f64| threads / (multiprocessors * lanes * self.clock);
        let (from_cache, from_memory) = (self.cache_bandwidth.recip(), self.memory_bandwidth.recip());
        let share = multiprocessors / FITTED.1;
        Machine {
            registers: self.registers as f64,
            // One instruction does two operations of two operands.
            operation: each(self.logic_lanes) / 2.0,
            numeric: each(self.numeric_lanes),
            load: each(self.load_lanes) * LOADS,
            memory: [
                (self.cache / 4.0, from_cache),
                (self.cache / 2.0, from_cache),
                (self.cache, from_cache),
                (f64::INFINITY, from_memory),
            ],
            threads,
            random: usual.random * FITTED.0 / self.clock,
            random_threads: usual.random_threads * share,
            pass: self.launch,
            links: self.links,
            ..usual
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_fitted_machines_follow_from_their_parameters() {
        let machine = CpuHardware::USUAL.machine(1);
        let found = [machine.operation, machine.superblock, machine.permutation, machine.beyond_first_cache];
        for (found, expected) in found.into_iter().zip([0.20, 40.0, 19.2, 0.05]) {
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
        let h100 = GpuHardware {
            clock: 1.755,
            multiprocessors: 132,
            logic_lanes: 64.0,
            numeric_lanes: 128.0,
            load_lanes: 32.0,
            registers: 200,
            cache: 40e6,
            cache_bandwidth: 5500.0,
            memory_bandwidth: 2800.0,
            launch: 2200.0,
            links: RankLink::OF_GPUS,
        };
        let machine = h100.machine();
        for (found, expected) in [machine.operation, machine.numeric, machine.load, machine.threads]
            .into_iter()
            .zip([1.34, 1.34, 0.95, 39_800.0])
        {
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
    }
}
