//! Names that CUDA C accepts and that are used once.

use super::helpers::Helper;
use std::collections::HashSet;

/// Words of the language and of the headers that are always there, and the names of the skeleton.
const TAKEN: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const \
    const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return \
    short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try \
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq NULL \
    abs acos asin atan ceil cos cosh exp fabs floor fmod log max min pow rint round sin sinh sqrt tan tanh \
    threadIdx blockIdx blockDim gridDim warpSize dim3 clock assert printf malloc free memcpy memset size_t \
    u8 u32 u64 LANES WORDS STRIDE MICRO_CELLS DIRECTIONS STAY ABSENT Term World Neighbour neighbour \
    world thread superblock word place lane time columns term last i exp_f32 exp_f64 log_f32 log_f64 sin_f32 sin_f64 cos_f32 cos_f64 tanh_f32 \
    tanh_f64 pow_f32 pow_f64";

/// Gives each name once.
pub(super) struct Namer {
    taken: HashSet<String>,
}

impl Namer {
    pub fn new() -> Namer {
        let words = TAKEN.split_whitespace().chain(Helper::ALL.map(Helper::name)).map(str::to_owned);
        Namer { taken: words.collect() }
    }

    /// The name itself if it is free, else with underscores behind it.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "v_");
        }
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}
