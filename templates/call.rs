/// What a kernel is called with: the work of one superblock.
#[repr(C)]
#[derive(Debug)]
pub struct Call {
    /// At `state * (directions + 1) + place` the first byte of the old columns of a state: in the superblock itself (place 0) or in its
    /// neighbour in a direction. Null for states that the kernel does not load.
    pub reads: *const *const u8,
    /// For each state the first byte of the superblock's new columns. Null where nothing is stored.
    pub writes: *const *mut u8,
    /// For each direction the words of bits that say in which lanes the neighbour exists.
    pub presence: *const *const u32,
    /// The parameters, each as the bits of its value.
    pub params: *const u64,
    /// For each of the three axes, by lane, the corner of the fractal that the lane holds.
    pub lane_corners: *const *const i32,
    /// For each set of axes, bit a standing for axis a, the words of bits that say in which lanes the superblock's corner has coordinates with an
    /// odd sum on them. Null for sets that the kernel does not ask for.
    pub odd_corners: *const *const u32,
    /// The superblock's corner within the fractal of a lane.
    pub superblock_corner: [i32; 3],
    /// The first time that is computed.
    pub time: u32,
    /// The level.
    pub level: i32,
    /// The side, or 0 if it does not fit (the rule does not name it then).
    pub side: i32,
    /// A column of random words for each micro cell and draw that the kernel asks for. Null if it asks for none.
    pub random: *const u32,
    /// Decides `random(p)` of the cell and the draw whose word stands at a place of `random`; it takes this call. Kernels ask where the word is equal to
    /// ⌊p · 2^32⌋.
    pub chance: unsafe extern "C" fn(call: *const Call, place: usize, p: f64) -> bool,
    /// The cells that it decides for. Null if there are no random words.
    pub drawn: *const (),
}

/// A compiled kernel.
///
/// # Safety
/// The [`Call`] must be filled as its fields say, for the shape of columns that the kernel was compiled for.
pub type KernelFn = unsafe extern "C" fn(*const Call);
