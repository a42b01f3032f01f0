//! The kernels that find clusters, printed for the sizes of their tiles and the offsets of a bond.

use super::abi::{ClusterDraw, ClusterField, ClusterTiles, ClusterWork};
use super::helpers::Helper;
use super::words::SHARED_TABLE;
use crate::geometry::Domain;
use crate::plan::TilesOfClusters;

const TYPES: &str = "typedef unsigned char u8;\ntypedef unsigned int u32;\ntypedef unsigned long long u64;\ntypedef long long i64;\n\
                     typedef float f32;\ntypedef double f64;\n";

/// Tiles that a block of most kernels takes.
pub const TILES_OF_BLOCK: u32 = 4;

/// The kernels of `templates/clusters.cu` for bonds at these offsets, of which there is one. `is_rising`: the numbers of the cells of a tile rise along each row.
pub fn cluster_kernels(tiles: &TilesOfClusters, domain: &Domain, offsets: &[[i32; 3]], is_rising: bool) -> String {
    let levels = if tiles.levels.is_some() { domain.level() } else { 0 };
    // Of a single cell the index has one digit, which is 0.
    let patterns: Vec<String> = (1..=levels).map(|mu| domain.pattern(mu).k().to_string()).collect();
    let cells_of_levels = if patterns.is_empty() { "1".to_owned() } else { patterns.join(", ") };
    let [width, height, depth] = tiles.sides;
    let number = |at: Option<usize>| at.map_or("NONE".to_owned(), |at| at.to_string());
    let along = offsets.iter().position(|offset| *offset == [1, 0, 0]);
    // A run must lie behind the one that it hangs below.
    let linked = offsets.iter().position(|[_, y, z]| *y != 0 || *z != 0);
    let [x, y, z] = linked.map_or([0; 3], |at| offsets[at]);
    let list: Vec<String> = offsets.iter().map(|[x, y, z]| format!("{{{x}, {y}, {z}}}")).collect();
    let sizes = format!(
        "// Clusters in tiles of {width} x {height} x {depth} places.\n\n{TYPES}\n\
         constexpr u32 WIDTH = {width}, HEIGHT = {height}, DEPTH = {depth}, ROWS = HEIGHT * DEPTH, CELLS = {cells}, AXES = {axes};\n\
         // Tiles that a block takes, where it needs little shared memory; else it is one.\nconstexpr u32 TILES = {TILES_OF_BLOCK};\n\
         // The cells of the patterns of all levels, from the finest up.\n#define CELLS_OF_LEVELS {cells_of_levels}\nconstexpr u32 LEVELS = {count_of_levels};\n\
         constexpr bool FRACTAL = {fractal}, RISING = {is_rising};\n\
         // The positive offsets of the bond; that of the next place of a row, and one to another row.\n\
         constexpr u32 BONDS = {count};\n{SHARED_TABLE} int OFFSETS[BONDS][3] = {{{list}}};\n\
         constexpr u32 ALL = 0xffffffff, NONE = 0xffffffff, ALONG = {along}, LINKED = {linked};\nconstexpr int LINKED_X = {x}, LINKED_Y = {y}, LINKED_Z = {z};\n",
        cells = tiles.cells,
        axes = domain.dimension().axes(),
        count_of_levels = patterns.len().max(1),
        fractal = tiles.levels.is_some(),
        count = offsets.len(),
        list = list.join(", "),
        along = number(along),
        linked = number(linked),
    );
    let helpers = [Helper::Plane, Helper::RandomWord, Helper::PlaneOfDraw, Helper::Happens].map(Helper::text).concat();
    let structs = [ClusterTiles::text(), ClusterField::text(), ClusterWork::text(), ClusterDraw::text()].join("\n");
    [sizes.as_str(), &structs, &helpers, include_str!("../../../templates/clusters.cu")].join("\n")
}
