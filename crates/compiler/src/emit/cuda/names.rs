//! Names that CUDA C accepts and that are used once.

use super::helpers::Helper;
pub use crate::emit::names::Namer;

/// Words of the language and of the headers that are always there, and the names of the skeleton.
const TAKEN: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept const \
    const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return \
    short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try \
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq NULL \
    abs acos asin atan ceil cos cosh exp fabs fabsf atomicAdd atomicAnd atomicMax atomicMin atomicOr uint4 none let_next_begin after_pass_before floor fmod log max min pow rint round sin sinh sqrt tan tanh \
    threadIdx blockIdx blockDim gridDim warpSize dim3 clock assert printf malloc free memcpy memset size_t \
    u8 u32 u64 LANES WORDS STRIDE MICRO_CELLS DIRECTIONS STAY ABSENT Term World Neighbour neighbour UNITS MEMBER_BLOCKS PARAMS \
    member member_superblock member_seed member_params all_members is_here is_served served unserved slot_totals lanes_there totals Totals i64 f32 f64 \
    Sum Min Max add_up \
    MICRO_WIDTH MICRO_HEIGHT MICRO_DEPTH MIDDLE_WIDTH MIDDLE_HEIGHT MIDDLE_DEPTH TOP_WIDTH TOP_HEIGHT TOP_DEPTH BEYOND FarNeighbour \
    all_threads first_superblock from_thread counted_thread counted_member \
    link turned far_neighbour lane_beyond far_source_lane far_word far_presence \
    world thread superblock word place lane first_cell own_number number RandomPlane word_of_plane random_quad WarpBlocks place_of_word QUADS QuadsOfBits quad time columns term last i exp_f32 exp_f64 log_f32 log_f64 sin_f32 sin_f64 cos_f32 cos_f64 tanh_f32 \
    tanh_f64 pow_f32 pow_f64 log2_f32 log2_f64 tan_f32 tan_f64 asin_f32 asin_f64 acos_f32 acos_f64 atan_f32 atan_f64 atan2_f32 atan2_f64";

/// Macros of C's and CUDA's headers, which no scope hides: a printed text may stand behind any of them.
const MACROS: &str = include_str!("../../../templates/macros.txt");

/// The names of the skeleton of masks and boxes.
const TAKEN_IN_ROWS: &str = "WIDTH HEIGHT DEPTH PERIODIC_X PERIODIC_Y PERIODIC_Z SIDE COLUMNS_OF_ROW FULL STORES_ALL Place turn row_at \
    column_of place_at is_cell turned_word row_word cells_of own_cells row column cells cell x y z order none time first_place odd_row \
    let_next_begin after_pass_before is_within first first_column i \
    CellIndex CELLS PLANE_WORDS stored_word packed_word store_packed store_part Gathering here \
    row_around word_around STEPS REACH MARGIN ALL ROW_WORDS TURN LENGTH left at there step j first_time kept \
    Several around widen keep hand_on COLUMNS ROWS RIM BESIDE PARTS PART BEYOND_Y stores xs cells_ahead down oldest of_row from_left from_right inside \
    stored_row is_stored above loaded \
    tile list_around Changes changes_at nth_tile TILES_ACROSS TILE_WIDTH TILE_HEIGHT REACH_X REACH_Y REACH_Z \
    TURNS_X TURNS_Y TURNS_Z MOST_ACROSS MOST_DOWN LAYERS";

/// The names in the code that lists tiles.
const TAKEN_IN_WATCHED: &str =
    "Watch watch TILES count first changed differ store_watched list_all list_tile list_beside take_away";

/// The names in the code that goes through waves.
const TAKEN_IN_WAVES: &str = "flags wave told tell before of_thread bit_of put_bit number_of ALONG ACROSS SHEAR LINES ABOVE BACK STRIP STRIPS TILE \
    TILES place_in along across line walk strip from to first base needed k b c r here at done begin end begin_of end_of walk_tile tile last first_strip \
    compute INSIDE take look_above waited least greatest PITCH ask_for bits_of from_bits hear say BLOCK BEHIND AHEAD TOGETHER ticket thread warp messages \
    message step value bits place values all block blocks compute_block ask keep hear_above write behind_strip speaker SPEAKERS";

impl Namer {
    pub(crate) fn new() -> Namer {
        Namer::with("")
    }

    /// For code in the skeleton of masks and boxes.
    pub(crate) fn in_rows() -> Namer {
        Namer::with(&format!("{TAKEN_IN_ROWS} {TAKEN_IN_WATCHED}"))
    }

    /// For code that goes through waves of masks and boxes.
    pub(crate) fn in_waves() -> Namer {
        Namer::with(&format!("{TAKEN_IN_ROWS} {TAKEN_IN_WAVES}"))
    }

    /// For a kernel that takes superblocks of a list.
    pub(crate) fn in_watched() -> Namer {
        Namer::with(TAKEN_IN_WATCHED)
    }

    /// For code among more words.
    fn with(words: &str) -> Namer {
        Namer::among(words.split_whitespace().map(str::to_owned))
    }

    /// For code among skeletons that have these names.
    pub fn among(names: impl Iterator<Item = String>) -> Namer {
        let tables = (0..64).flat_map(|number| [format!("Row{number}"), format!("rows_{number}")]);
        let words = [TAKEN, MACROS].into_iter().flat_map(str::split_whitespace).chain(Helper::ALL.map(Helper::name));
        Namer::of(words.map(str::to_owned).chain(tables).chain(names))
    }
}
