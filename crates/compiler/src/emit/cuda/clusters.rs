//! The kernels that find clusters, printed for the sizes of their tiles and the offsets of a bond.

use super::abi::{ClusterDraw, ClusterField, ClusterTiles, ClusterWork};
use super::helpers::Helper;
use crate::plan::TilesOfClusters;

const TYPES: &str = "typedef unsigned char u8;\ntypedef unsigned int u32;\ntypedef unsigned long long u64;\ntypedef long long i64;\n\
                     typedef float f32;\ntypedef double f64;\n";

/// The kernels of `templates/clusters.cu` for a domain of this many axes, for bonds at these offsets, of which there is one. `is_rising`: the numbers of the
/// cells of a tile rise along each row.
pub fn cluster_kernels(tiles: &TilesOfClusters, axes: usize, offsets: &[[i32; 3]], is_rising: bool) -> String {
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
         constexpr bool FRACTAL = {fractal}, RISING = {is_rising};\n\
         // The positive offsets of the bond; that of the next place of a row, and one to another row.\n\
         constexpr u32 BONDS = {count};\n__constant__ const int OFFSETS[BONDS][3] = {{{list}}};\n\
         constexpr u32 ALL = 0xffffffff, NONE = 0xffffffff, ALONG = {along}, LINKED = {linked};\nconstexpr int LINKED_X = {x}, LINKED_Y = {y}, LINKED_Z = {z};\n",
        cells = tiles.cells,
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
