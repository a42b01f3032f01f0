//! Structs that kernels take, each defined once: in Rust as the host fills it, and in CUDA C.
//!
//! The test `structs_of_kernels_stand_as_the_host_fills_them` of `tests/cuda.rs` compares sizes and offsets.

use crate::target::Members;

/// A field as CUDA C declares it, and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructField {
    /// The declaration.
    pub declaration: &'static str,
    /// Its meaning, as the comment behind the declaration.
    pub about: &'static str,
}

/// A struct as the host fills it: its declaration in CUDA C, its bytes, and the names of its fields with the bytes before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostStruct {
    /// In CUDA C, where `u8`, `u32`, `u64` and `i64` are known.
    pub text: String,
    /// Its name there.
    pub name: &'static str,
    /// Its bytes.
    pub size: usize,
    /// Its fields there.
    pub offsets: Vec<(String, usize)>,
}

impl HostStruct {
    /// A struct of `size` bytes, from its fields and the offset of each.
    pub fn new(name: &'static str, size: usize, text: String, fields: &[StructField], offsets: &[usize]) -> HostStruct {
        let name_of = |field: &StructField| {
            let last = field.declaration.rsplit([' ', '*']).next().unwrap_or_default();
            last.split('[').next().unwrap_or_default().to_owned()
        };
        let offsets = fields.iter().map(name_of).zip(offsets.iter().copied()).collect();
        HostStruct { text, name, size, offsets }
    }
}

/// The declaration of a struct; comments begin behind `width` characters if fields end before.
pub fn declaration(name: &str, width: usize, fields: impl IntoIterator<Item = StructField>) -> String {
    let line = |StructField { declaration, about }: StructField| {
        let declaration = format!("{declaration};");
        if about.is_empty() { format!("    {declaration}\n") } else { format!("    {declaration:width$} // {about}\n") }
    };
    format!("struct {name} {{\n{}}};\n", fields.into_iter().map(line).collect::<String>())
}

/// Declares structs that kernels take: each with its name in CUDA C and the width of its fields there, and of each field the declaration there and
/// what it is. It is no part of the stable surface.
#[doc(hidden)]
#[macro_export]
macro_rules! kernel_structs {
    ($($(#[$about:meta])* $name:ident = $cuda_name:literal $width:literal {
        $($field:ident: $ty:ty = $declaration:literal $field_about:literal,)*
    })*) => {
        $($(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(C)]
        pub struct $name {
            $(#[doc = concat!("`", $declaration, "`: ", $field_about)] pub $field: $ty,)*
        }

        impl $name {
            /// Its fields in CUDA C.
            #[doc(hidden)]
            pub fn fields() -> Vec<$crate::emit::cuda::abi::StructField> {
                vec![$($crate::emit::cuda::abi::StructField { declaration: $declaration, about: $field_about }),*]
            }

            /// Its declaration in CUDA C.
            pub(crate) fn text() -> String {
                $crate::emit::cuda::abi::declaration($cuda_name, $width, $name::fields())
            }
        })*

        /// All structs that kernels take.
        pub fn shared_structs() -> Vec<$crate::emit::cuda::HostStruct> {
            vec![$($crate::emit::cuda::HostStruct::new(
                $cuda_name,
                size_of::<$name>(),
                $name::text(),
                &$name::fields(),
                &[$(std::mem::offset_of!($name, $field)),*],
            )),*]
        }
    };
}

kernel_structs! {
    /// Bits that move together between lanes, of words of 32: (column\[word\] rotated left) & mask.
    Term = "Term" 0 {
        word: u32 = "u32 word" "",
        rotate: u32 = "u32 rotate" "",
        mask: u32 = "u32 mask" "",
    }

    /// The tables and inputs of a pass on replica lanes besides the states. Behind the last block of each state stands one that is 0, `absent`: a
    /// neighbour that does not exist in any lane.
    LaneWorld = "World" 29 {
        neighbours: u64 = "const u32 *neighbours" "superblock * DIRECTIONS + direction: the block of a superblock, or the one behind those of a member",
        edges: u64 = "const u8 *edges" "superblock: the sides of its lane that it touches, bit 2a the low one of axis a, 2a + 1 the high",
        sources: u64 = "const u32 *sources" "wrap * LANES + lane: the lane that is seen, or ABSENT",
        presence: u64 = "const u32 *presence" "wrap * WORDS + word: the lanes whose source is not ABSENT",
        first_terms: u64 = "const u32 *first_terms" "wrap * WORDS + word: where its terms begin; the next word's begin where they end",
        terms: u64 = "const Term *terms" "bits that move together",
        params: u64 = "const u64 *params" "the parameters' bits",
        lane_corners: u64 = "const int *lane_corners" "axis * LANES + lane: where the lane begins in the whole",
        superblock_corners: u64 = "const int *superblock_corners" "3 * superblock + axis: where the superblock begins in its lane",
        clock: u64 = "const u32 *clock" "one number, the time from which `later` counts",
        seed: u64 = "u64 seed" "",
        absent: u32 = "u32 absent" "the block behind those of all members, which is 0",
        first: u32 = "u32 first" "the first block of the pass, or the first reversed number of its superblocks",
        end: u32 = "u32 end" "the one after its last",
        later: u32 = "u32 later" "the first time that the pass computes, less *clock",
        level: i32 = "int level" "",
        side: i32 = "int side" "",
        places: u64 = "const u32 *places" "a place of the middle fractal's box, x first: the block of the superblock there, or the one behind those of a member",
        lanes_at: u64 = "const u32 *lanes_at" "a place of the top fractal's box, x first: the lane there, or ABSENT",
        lane_places: u64 = "const int *lane_places" "3 * lane + axis: where the lane lies in the top fractal",
        first_unit: u64 = "u64 first_unit" "the superblock of block 0, the first of those that a part computes",
    }

    /// The tables and inputs of a pass on a mask or a box besides the states. Where every place is a cell there are no tables.
    RowWorld = "World" 18 {
        index: u64 = "const u32 *index" "row * COLUMNS_OF_ROW + column in it: the stored column, or the number of columns if it has no cell",
        mask: u64 = "const u32 *mask" "column * WORDS + word: a bit for each lane that is a cell; behind the last column there are none",
        cell_indices: u64 = "const CellIndex *cell_indices" "column * WORDS + word: the index of its first cell",
        params: u64 = "const u64 *params" "the parameters' bits",
        clock: u64 = "const u32 *clock" "one number, the time from which `later` counts",
        seed: u64 = "u64 seed" "",
        columns: u32 = "u32 columns" "",
        first: u32 = "u32 first" "the first row of the pass",
        end: u32 = "u32 end" "the one after its last",
        later: u32 = "u32 later" "the first time that the pass computes, less *clock",
    }

    /// Where reductions over all cells are added up: in `slots` places, so that blocks do not wait for each other; other threads add those up.
    Totals = "Totals" 0 {
        values: u64 = "i64 *values" "",
        slots: u32 = "u32 slots" "",
    }

    /// The tiles to compute. A pass computes the tiles of a list, and makes the list of the next pass: each tile that looks at one which differs from its
    /// state two passes ago, once. Other tiles need not be computed. The order of a list does not matter.
    Watch = "Watch" 17 {
        count: u64 = "u32 *count" "how many tiles the pass computes",
        next_count: u64 = "u32 *next_count" "how many the next one does; 0 before the pass",
        later_count: u64 = "u32 *later_count" "that of the pass behind it, which is made 0",
        list: u64 = "u32 *list" "",
        next_list: u64 = "u32 *next_list" "",
        marks: u64 = "u32 *marks" "a bit for each tile of the list; the pass takes them away",
        next_marks: u64 = "u32 *next_marks" "those of the next list",
    }

    /// Columns of a state, and which cells stand in their lanes. Where the cells alone are stored they are the lanes of one column.
    MeasuredColumns = "Columns" 25 {
        values: u64 = "const void *values" "planes of bits, words after words, or numbers",
        replicas: u64 = "const u32 *replicas" "of replica lanes: of each lane; else null",
        mask: u64 = "const u32 *mask" "of rows: word: a bit for each lane that is a cell; null if every place is one",
        cell_indices: u64 = "const void *cell_indices" "of rows with a mask: word: the index of its first cell",
        first: u64 = "u64 first" "the number of the first column; of cells alone the index of the first cell",
        lanes: u64 = "u64 lanes" "of a column",
        lane_stride: u64 = "u64 lane_stride" "of replica lanes: indices from a replica to the next",
        lane: u32 = "u32 lane" "the first of them, where it is not the first of the column",
        planes: u32 = "u32 planes" "of bits; 0 for numbers",
        bytes: u32 = "u32 bytes" "of a number",
        words: u32 = "u32 words" "of a plane",
        stride: u32 = "u32 stride" "numbers from column to column",
        wide: u32 = "u32 wide" "whether indices have 64 bits",
        columns_of_row: u32 = "u32 columns_of_row" "of rows without a mask; 0 for cells alone",
        width: u32 = "u32 width" "of them",
    }

    /// The tiles in which clusters are found, and how cells are stored.
    ClusterTiles = "ClusterTiles" 29 {
        numbers: u64 = "const u32 *numbers" "of fractals: 32 * row + x: the number of the cell of a tile, or NONE",
        rows: u64 = "const u32 *rows" "of fractals: row: the places of a tile that are cells",
        neighbours: u64 = "const u32 *neighbours" "of fractals: tile * directions + direction: the tile there, or the number of tiles",
        edges: u64 = "const u8 *edges" "of fractals: tile: the sides of the domain that it touches, bit 2a the low one of axis a, 2a + 1 the high",
        corners: u64 = "const int *corners" "of fractals: 3 * tile + axis: where it begins",
        replicas: u64 = "const u32 *replicas" "of replica lanes: of each lane",
        lanes_of_replicas: u64 = "const u32 *lanes_of_replicas" "the lane of each",
        index: u64 = "const u32 *index" "of rows: of each column of the domain the stored one; null if these are all",
        mask: u64 = "const u32 *mask" "of rows: a bit for each lane that is a cell; null if every place is one",
        cell_indices: u64 = "const void *cell_indices" "of rows with a mask: word: the index of its first cell",
        lane_stride: u64 = "u64 lane_stride" "of replica lanes: indices from a replica to the next",
        columns: u64 = "u64 columns" "of rows: how many are stored",
        count: u32 = "u32 count" "tiles of a member",
        members: u32 = "u32 members" "",
        periodic: u32 = "u32 periodic" "a bit for each axis",
        width: u32 = "u32 width" "of the domain",
        height: u32 = "u32 height" "",
        depth: u32 = "u32 depth" "",
        along_x: u32 = "u32 along_x" "of rows: tiles along an axis",
        along_y: u32 = "u32 along_y" "",
        tiles_of_lane: u32 = "u32 tiles_of_lane" "of replica lanes: tiles that lie in one lane",
        words: u32 = "u32 words" "of a plane of a column",
        stride: u32 = "u32 stride" "numbers from column to column",
        lanes: u32 = "u32 lanes" "of a column",
        columns_of_row: u32 = "u32 columns_of_row" "of rows",
        mask_words: u32 = "u32 mask_words" "of rows: of the mask of a column",
        numbered_row: u32 = "u32 numbered_row" "of rows: draw numbers of a row",
        packed: u32 = "u32 packed" "whether the cells of rows are stored alone",
        wide: u32 = "u32 wide" "whether indices have 64 bits",
    }

    /// A state or field that clusters are found from, or that is given values of them.
    ClusterField = "ClusterField" 15 {
        values: u64 = "void *values" "planes of bits, words after words, or numbers",
        of_member: u64 = "u64 of_member" "bytes of a member",
        planes: u32 = "u32 planes" "of bits; 0 for numbers",
        bytes: u32 = "u32 bytes" "of a number",
        is_signed: u32 = "u32 is_signed" "",
        unused: u32 = "u32 unused" "",
    }

    /// What is found of clusters: lists of rows, in which each tile of each member has ROWS entries, and of cells, in which it has CELLS.
    ClusterWork = "ClusterWork" 27 {
        belong: u64 = "u32 *belong" "rows: the cells that belong to clusters; null if all do",
        bonds: u64 = "u32 *bonds" "rows: of each offset the open bonds",
        given: u64 = "u32 *given" "rows: bits that are combined, or given",
        starts: u64 = "u32 *starts" "rows: the first cell of each run",
        first_runs: u64 = "unsigned short *first_runs" "rows: runs of the tile before",
        runs: u64 = "unsigned short *runs" "cells: the local cluster of each run",
        forest: u64 = "u32 *forest" "cells: of each local cluster the parent, in the end the root",
        least: u64 = "u32 *least" "cells: its first cell, of roots that of all",
        counts: u64 = "u32 *counts" "tiles: its local clusters",
        values: u64 = "i64 *values" "cells: at roots the value of the cluster",
        rounds: u64 = "u64 *rounds" "cells: parents, and how often the way there goes round an axis",
        of_bond: u64 = "u64 of_bond" "rows of all tiles",
    }

    /// A draw for clusters.
    ClusterDraw = "ClusterDraw" 23 {
        seeds: u64 = "const u64 *seeds" "of each member; null if there is one",
        seed: u64 = "u64 seed" "",
        clock: u64 = "const u32 *clock" "one number, the time from which `later` counts",
        probability: u64 = "u64 probability" "the bits of a f64, where it is that of all cells",
        number: u32 = "u32 number" "",
        later: u32 = "u32 later" "the time of the draw, less *clock",
    }

    /// A pattern of the middle fractal, from the finest level up.
    Level = "Level" 14 {
        sides: [u32; 3] = "u32 sides[3]" "",
        cells: u32 = "u32 cells" "",
        places: u32 = "u32 places" "where in `digits` its cells' places begin: x, y, z",
        sorted: u32 = "u32 sorted" "where its cells begin in the order of their places: x, y, z, number; z counts first, then y",
    }
}

impl LaneWorld {
    /// Its fields for kernels of members, for those that look far, and for those of a part; others take nothing for that.
    pub(super) fn fields_for(members: Members, far: bool, cut: bool) -> Vec<StructField> {
        let in_turn = members.in_turn();
        let of_members = |field: StructField| match field.declaration {
            "u64 seed" if in_turn || members.as_lanes() => {
                StructField { declaration: "const u64 *seeds", about: "of each member" }
            }
            "const u64 *params" if in_turn => {
                StructField { about: "the parameters' bits, member after member", ..field }
            }
            _ => field,
        };
        let left_out = if cut { 0 } else { 1 } + if far || cut { 0 } else { 3 };
        let mut fields = LaneWorld::fields();
        fields.truncate(fields.len() - left_out);
        fields.into_iter().map(of_members).collect()
    }
}
