//! The interface between the driver and compiled kernels.
//!
//! A compiled kernel is a function that does the work of one superblock. It was compiled for one [`Shape`], so that all
//! offsets inside a superblock are constants; what differs from superblock to superblock comes in a [`Call`].
//!
//! Memory: a superblock's columns of one state form a block, in which [`columns`](squeeze_compiler::layout::columns) says where
//! each stands. What stands in the bits and values beyond the last lane is unspecified, on both sides.
//!
//! Neighbour superblocks are given by base pointers too. Where a neighbour does not exist, or lies in another lane, the
//! driver points to a block of zeros or of columns with their lanes permuted, so that a kernel never asks. Only the columns that
//! the kernel loads are valid in such blocks.
//!
//! Reading is allowed up to [`OVERREAD`] bytes beyond any column, and beyond the words of a presence and the lanes' corners, so
//! that a kernel may load whole vectors. Writing is allowed inside the written column only: the columns behind it may belong to another thread.

pub use squeeze_compiler::layout::columns::{GROUP, Shape};

/// How many bytes behind a column a kernel may read (but not use).
pub const OVERREAD: usize = 64;

/// What a kernel is called with. Compilers take the offsets of the fields from here by `offset_of!`.
#[repr(C)]
#[derive(Debug)]
pub struct Call {
    /// For each state of the kernel and each superblock that it may look into, at
    /// [`block_index`](squeeze_compiler::ir::kernel::block_index): the first byte of that superblock's columns in the old buffer.
    /// Null for states it does not load.
    pub reads: *const *const u8,
    /// For each state of the kernel the first byte of the superblock's columns in the new buffer. Null where not stored.
    pub writes: *const *mut u8,
    /// For each of `Direction::all` the W words that say in which lanes the neighbour superblock exists.
    pub presence: *const *const u32,
    /// The parameters: each as [`Value::bits`](squeeze_compiler::ir::Value::bits).
    pub params: *const u64,
    /// For each of the three axes `stride` values: the corner of each lane's level-(r−T) fractal.
    pub lane_corners: *const *const i32,
    /// The superblock's corner within the level-(r−T) fractal.
    pub superblock_corner: [i32; 3],
    /// The first time that the run computes.
    pub time: u32,
    /// The level.
    pub level: i32,
    /// The side, or 0 if it does not fit (the rule does not name it then).
    pub side: i32,
    /// The random words that the kernel asks for: a column of `stride` words for each of
    /// [`Interface::random`](squeeze_compiler::ir::kernel::Interface::random). Null
    /// if it asks for none.
    pub random: *const u32,
}

/// A compiled kernel's function.
///
/// # Safety
/// The [`Call`] must be filled as its fields say, for the [`Shape`] that the kernel was compiled for.
pub type KernelFn = unsafe extern "C" fn(*const Call);
