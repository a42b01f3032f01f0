//! The figures of machines that the planner's model takes, each with its source.

use crate::target::speciality::{Off, Speciality};

/// The model of a machine that executes kernels. Times are nanoseconds of one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Bits of a vector register.
    pub vector_bits: u64,
    /// Vector registers.
    pub registers: f64,
    /// One operation on one register of bits.
    pub operation: f64,
    /// One operation on one register of numbers.
    pub numeric: f64,
    /// Moving one register from or to the first cache.
    pub load: f64,
    /// One superblock: finding its neighbours, calling the kernel.
    pub superblock: f64,
    /// Permuting the lanes of one register of a halo column of bits.
    pub permutation: f64,
    /// The same of a column of numbers.
    pub permutation_of_numbers: f64,
    /// The extra time of a warp's load for each line of memory beyond the first, as a share of the load's.
    pub scatter: f64,
    /// Time of a pass for each operation of a kernel beyond `code_kept`, whose instructions no cache holds.
    pub code: f64,
    /// Operations that the cache of instructions holds.
    pub code_kept: f64,
    /// Bytes of columns that a superblock may touch without waiting for the second cache.
    pub first_cache: f64,
    /// Nanoseconds of each byte beyond them.
    pub beyond_first_cache: f64,
    /// Bytes of the caches, from the first, and nanoseconds a byte from each; the last entry is memory.
    pub memory: [(f64, f64); 4],
    /// The most threads that move memory as many times as fast as one.
    pub memory_threads: f64,
    /// Threads.
    pub threads: f64,
    /// The most bits of one column that are tried.
    pub most_column_bits: u64,
    /// The random bits of one register, where kernels of bits decide them, beyond what their operations take.
    pub random: f64,
    /// Fixed cost of drawing in a column, in registers of random bits.
    pub random_start: f64,
    /// The share by which all of that grows with each draw in a kernel beyond a few, where a thread takes four words:
    /// instructions that no cache holds come later.
    pub random_code: f64,
    /// Threads that keep the machine busy while they decide random bits.
    pub random_threads: f64,
    /// Specialities that are switched off.
    pub off: Off,
    /// Whether each register of a column has a thread of its own, which then does the work of a superblock for it.
    pub splits_columns: bool,
    /// Bytes of a column that move together, needed or not.
    pub transaction: f64,
    /// The least time of a pass.
    pub pass: f64,
    /// The ranks that divide a domain, each on such a machine,
    pub ranks: u32,
    /// and the most of them that one machine holds: more are on several.
    pub ranks_of_machine: u32,
    /// The time that a pass of a rank takes beside computing: kernels and messages more are started. Measured: on two H200 a pass took 10 to 12 µs more than half of
    /// one's.
    pub pass_of_rank: f64,
    /// The ways between ranks, of one machine and of several.
    pub links: [RankLink; 2],
    /// Whether some threads compute while others wait for memory, so that the longer of both counts almost alone.
    pub hides_memory: bool,
    /// Live numbers of a kernel at which few threads fit and memory takes twice as long.
    pub crowded: f64,
    /// The longest kernel, in operations.
    pub longest_kernel: f64,
    /// The longest kernel of a layout whose one superblock is the whole fractal, and of observables.
    pub longest_whole: f64,
    /// A kernel that holds more values at once is taken only where there is no other.
    pub most_live: f64,
    /// Factor for operations in three dimensions, where neighbours share less of their sums.
    pub operation_in_space: f64,
    /// Factor for permutations of bits in three dimensions that lie in several words: they come from more of them.
    pub permutation_in_space: f64,
}

/// The way of columns from a rank to others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankLink {
    /// Nanoseconds of an exchange with another rank, without its bytes.
    pub start: f64,
    /// Nanoseconds of each further rank.
    pub peer: f64,
    /// Gigabytes in a second that leave a rank.
    pub bandwidth: f64,
    /// Whether that was measured; else the rate is that of a data sheet, and the times are guesses.
    pub is_measured: bool,
}

impl RankLink {
    /// Of processors. Measured: MPI on one machine, with two cores. Guess: Slingshot 11 of a machine, 85% of its data sheet.
    pub const OF_CPUS: [RankLink; 2] = [
        RankLink { start: 4000.0, peer: 1000.0, bandwidth: 3.0, is_measured: true },
        RankLink { start: 16_000.0, peer: 2000.0, bandwidth: 21.0, is_measured: false },
    ];
    /// Of GPUs. Guess: 85% of the data sheets of NVLink 4 and of NDR InfiniBand for each GPU; what hosts add was not measured.
    pub const OF_GPUS: [RankLink; 2] = [
        RankLink { start: 8000.0, peer: 1000.0, bandwidth: 382.0, is_measured: false },
        RankLink { start: 14_000.0, peer: 1500.0, bandwidth: 42.0, is_measured: false },
    ];
}

/// Ranks that one machine has at most, if nobody knows. Guess: machines with GPUs mostly have eight.
const RANKS_OF_MACHINE: u32 = 8;

/// A draw below more than this is no number of few values.
pub const MOST_RESULTS: u32 = 16;

impl Machine {
    /// A CPU that runs kernels compiled with a program, which compare the words of random draws.
    pub fn comparing_words(threads: usize) -> Machine {
        Machine { off: Off::none().with(Speciality::Planes), ..Machine::cpu(threads) }
    }

    /// One of `ranks` such machines that divide a domain.
    #[must_use]
    pub fn of_ranks(self, ranks: u32) -> Machine {
        Machine { ranks, ..self }
    }

    /// The share of one of `ranks` ranks in a machine that they have together. Its threads are its own; the last cache and the ways to memory serve all.
    #[must_use]
    pub fn shared_by(self, ranks: u32) -> Machine {
        let (share, [first, second, (third, of_third), last]) = (f64::from(ranks), self.memory);
        let memory = [first, second, (third / share, of_third), last];
        Machine { ranks_of_machine: ranks, memory, memory_threads: self.memory_threads / share, ..self }
    }

    /// The way between its ranks.
    pub fn link(&self) -> RankLink {
        self.links[usize::from(self.ranks > self.ranks_of_machine)]
    }

    /// Nanoseconds by which a pass of a rank takes longer than computing alone, of which it does a share, the border, only after it has heard of as many other ranks as
    /// there are `peers`, in messages of `bytes` bytes.
    pub fn wait(&self, computing: f64, border: f64, (peers, bytes): (f64, f64)) -> f64 {
        let RankLink { start, peer, bandwidth, .. } = self.link();
        let exchange = if peers > 0.0 { start + peer * (peers - 1.0) + bytes / bandwidth } else { 0.0 };
        self.pass_of_rank + (exchange - computing * (1.0 - border)).max(0.0)
    }

    /// Nanoseconds for a byte of `bytes` bytes that passes go through: they lie in the first cache that holds them, or in the last memory.
    pub(crate) fn nanoseconds_a_byte(&self, bytes: f64) -> f64 {
        let [.., (_, of_last)] = self.memory;
        self.memory.iter().find(|(most, _)| bytes <= *most).map_or(of_last, |(_, cost)| *cost)
    }

    /// A CPU core with AVX-512, roughly: fitted to what `squeeze bench --layouts` measured on a Xeon with 2.5 GHz. Printed
    /// kernels are planned for it everywhere, so that they do not depend on the machine that prints them.
    pub fn cpu(threads: usize) -> Machine {
        Machine {
            vector_bits: 512,
            registers: 32.0,
            operation: 0.24,
            numeric: 0.33,
            // Loads are done while the operations are; they show only by the cache that they come from.
            load: 0.01,
            superblock: 44.0,
            permutation: 30.0,
            permutation_of_numbers: 30.0,
            scatter: 0.0,
            code: 0.0,
            code_kept: 0.0,
            first_cache: 17_200.0,
            beyond_first_cache: 0.05,
            memory: [(32_768.0, 0.01), (1_048_576.0, 0.01), (25_165_824.0, 0.057), (f64::INFINITY, 0.106)],
            memory_threads: 4.0,
            threads: threads as f64,
            most_column_bits: 4096,
            // Fitted to eighteen cases that draw, on a Zen 4.
            random: 40.0,
            random_start: 2.0,
            random_code: 0.0,
            random_threads: threads as f64,
            off: Off::none(),
            splits_columns: false,
            transaction: 1.0,
            pass: 0.0,
            ranks: 1,
            ranks_of_machine: RANKS_OF_MACHINE,
            pass_of_rank: 5000.0,
            links: RankLink::OF_CPUS,
            hides_memory: false,
            crowded: f64::INFINITY,
            longest_kernel: 6000.0,
            longest_whole: f64::INFINITY,
            most_live: f64::INFINITY,
            operation_in_space: 1.0,
            permutation_in_space: 1.0,
        }
    }

    /// A CPU core with AVX2, roughly: vectors of half the width in half as many registers; what AVX-512 does to three operands of bits
    /// takes two instructions, and the pipes are more. A column's random bits come in planes of 128 lanes, and it takes as long as
    /// two and a half more of them than its lanes fill. Fitted to `squeeze bench --layouts` on a Zen 3 with 2.4 GHz.
    pub fn cpu_with_avx2(threads: usize) -> Machine {
        Machine {
            vector_bits: 256,
            registers: 16.0,
            operation: 0.30,
            numeric: 0.24,
            superblock: 30.0,
            permutation: 20.0,
            permutation_of_numbers: 20.0,
            random: 30.0,
            random_start: 1.25,
            ..Machine::cpu(threads)
        }
    }

    /// A large GPU, roughly: its threads are words of 32 bits, or lanes of numbers. A thread alone waits for its own results half
    /// of the time, so that two and more of them take turns. It is the same everywhere, so that the code for a GPU does not depend on
    /// the machine that prints it. Figures that follow from parameters of an H100 do so as for other GPUs ([`Hardware`](super::Hardware)); the rest was fitted
    /// to what `squeeze bench --layouts` measured in twenty cases, random bits to fourteen that draw.
    pub fn gpu() -> Machine {
        Machine {
            vector_bits: 32,
            registers: 200.0,
            operation: 1.34,
            numeric: 1.34,
            load: 0.95,
            superblock: 141.0,
            permutation: 178.0,
            permutation_of_numbers: 1.34,
            scatter: 1.51,
            code: 0.197,
            code_kept: 4040.0,
            first_cache: f64::INFINITY,
            beyond_first_cache: 0.0,
            memory: [(10e6, 0.000_182), (20e6, 0.000_182), (40e6, 0.000_182), (f64::INFINITY, 0.000_333)],
            memory_threads: 1.0,
            threads: 39_800.0,
            most_column_bits: 8192,
            random: 800.0,
            random_start: 1.1,
            random_code: 0.0064,
            random_threads: 85_000.0,
            off: Off::none(),
            splits_columns: true,
            transaction: 32.0,
            pass: 2200.0,
            ranks: 1,
            ranks_of_machine: RANKS_OF_MACHINE,
            pass_of_rank: 10_000.0,
            links: RankLink::OF_GPUS,
            hides_memory: true,
            crowded: 209.0,
            longest_kernel: 6000.0,
            // NVRTC takes some seconds for this many, and minutes for twice as many.
            longest_whole: 20_000.0,
            most_live: 400.0,
            operation_in_space: 1.29,
            permutation_in_space: 3.64,
        }
    }
}
