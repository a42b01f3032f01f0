//! Device functions for operations that CUDA C has no operator for, or another meaning of it. A program holds those that it uses.
//!
//! They stand in `templates/helpers`, each behind a line with four slashes and its name here.

use super::text::sections;

/// The files of helpers.
const FILES: [&str; 7] = [
    include_str!("../../../templates/helpers/lanes.cu"),
    include_str!("../../../templates/helpers/quads.cu"),
    include_str!("../../../templates/helpers/decide.cu"),
    include_str!("../../../templates/helpers/planes.cu"),
    include_str!("../../../templates/helpers/random_bits.cu"),
    include_str!("../../../templates/helpers/cells.cu"),
    include_str!("../../../templates/helpers/numbers.cu"),
];

/// Declares helpers in the order in which they stand in a program: each with its name in CUDA C and the helpers that it needs.
macro_rules! helpers {
    ($($helper:ident $name:literal $([$($needed:ident),*])?,)*) => {
        /// One function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(in crate::emit) enum Helper {
            $($helper),*
        }

        impl Helper {
            /// All of them, in the order in which they stand in a program.
            pub(crate) const ALL: [Helper; [$(Helper::$helper),*].len()] = [$(Helper::$helper),*];

            /// Its name in CUDA C.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Helper::$helper => $name),*
                }
            }

            /// The helpers that it needs.
            pub(crate) const fn needs(self) -> &'static [Helper] {
                match self {
                    $(Helper::$helper => &[$($(Helper::$needed),*)?]),*
                }
            }
        }
    };
}

helpers! {
    Moved "moved",
    Presence "presence",
    SourceLane "source_lane",
    Lop3 "lop3",
    Quad "Quad" [Lop3],
    QuadPresence "presence",
    StoreBits "store_bits",
    Reversed "reversed",
    Plane "random_plane",
    RandomWord "random_word" [Plane],
    RandomWords "random_words" [Plane],
    RandomWordsOfRow "random_words_of_row" [Plane],
    PlaneOfDraw "plane_of_draw" [Plane],
    Happens "happens" [PlaneOfDraw],
    Probability "Probability",
    NumberOfPlace "number_of_place",
    Threshold "threshold_of",
    Digits "digits_of" [Threshold],
    RandomClass "RandomClass" [Threshold, Probability],
    RandomQuad "block_of_quad" [Plane, Quad],
    RandomQuadOfWarp "blocks_of_warp" [Plane, Quad],
    Decide "decide" [Plane, Quad, Threshold, Digits, Probability],
    Gathering "Gathering",
    FirstCells "FirstCells",
    BelowExactly "below_exactly" [PlaneOfDraw, RandomClass],
    RandomBits "random_bits" [Plane, BelowExactly],
    RandomBitsOfRow "random_bits_of_row" [Plane, BelowExactly],
    RandomBitsOfMembers "random_bits_of_members" [RandomWord, Happens, RandomClass],
    Chance "chance" [Happens, Threshold],
    DivideI32 "whole_quotient",
    RemainderI32 "whole_remainder",
    DivideU32 "whole_quotient",
    RemainderU32 "whole_remainder",
    DivideI64 "whole_quotient",
    RemainderI64 "whole_remainder",
    SaturateU8 "saturate_u8",
    SaturateU16 "saturate_u16",
    SaturateI32 "saturate_i32",
    SaturateU32 "saturate_u32",
    SaturateI64 "saturate_i64",
    CanonicalF32 "canonical",
    CanonicalF64 "canonical",
    FlushedSum "flushed_sum",
    FlushedDifference "flushed_difference",
    HiddenF32 "hidden",
    HiddenF64 "hidden",
    Negated "negated",
    AddBit "add_bit",
    AddDigits "add_digits",
    LaneCount "lane_count",
}

impl Helper {
    /// Its definition; that of [`Helper::Reversed`] depends on the fractal.
    pub(crate) fn text(self) -> String {
        let name = format!("{self:?}");
        let text = FILES.iter().flat_map(|file| sections(file)).find(|(of, _)| *of == name);
        text.map(|(_, text)| format!("{text}\n")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_helper_has_one_section() {
        let mut found: Vec<&str> = FILES.iter().flat_map(|file| sections(file)).map(|(name, _)| name).collect();
        let helpers = Helper::ALL.iter().filter(|helper| **helper != Helper::Reversed);
        let mut wanted: Vec<String> = helpers.map(|helper| format!("{helper:?}")).collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }
}
