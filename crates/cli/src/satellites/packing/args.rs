//! The arguments of `mask` and of `bench --encodings`

use crate::args::values::device;
use clap::{Args, Subcommand};
use squeeze::Backend;
use std::path::PathBuf;

/// How it is called.
pub(super) const EXAMPLES: &str = "Examples:
  squeeze mask info rock.png
  squeeze mask pack rock.png heat.npy -o cells.npy
  squeeze mask unpack rock.png cells.npy -o heat.npy";

/// `mask`
#[derive(Subcommand)]
pub(crate) enum MaskCommand {
    /// Show the number of cells, their connected components, and the size of each encoding
    #[command(after_help = "Example:\n  squeeze mask info rock.png")]
    Info {
        #[command(flatten)]
        mask: MaskFile,
        /// Print one JSON object and nothing else
        #[arg(long)]
        json: bool,
    },
    /// Pack an array of all places into the values at the cells, in reading order
    #[command(after_help = "Example:\n  squeeze mask pack rock.png heat.npy -o cells.npy")]
    Pack {
        #[command(flatten)]
        mask: MaskFile,
        /// The array: .npy with the shape of the mask, [y, x] or [z, y, x]
        #[arg(value_name = "ARRAY.npy")]
        array: PathBuf,
        /// Where the array is packed
        #[arg(long, value_name = "BACKEND", default_value = "cpu", value_parser = device())]
        backend: Backend,
        /// The file to write
        #[arg(short, long = "out", alias = "output", value_name = "FILE.npy")]
        output: PathBuf,
    },
    /// Unpack the values at the cells into an array of all places
    #[command(after_help = "Example:\n  squeeze mask unpack rock.png cells.npy --hole nan -o heat.npy")]
    Unpack {
        #[command(flatten)]
        mask: MaskFile,
        /// The values of the cells in reading order: .npy of one dimension
        #[arg(value_name = "CELLS.npy")]
        packed: PathBuf,
        /// Where the array is unpacked
        #[arg(long, value_name = "BACKEND", default_value = "cpu", value_parser = device())]
        backend: Backend,
        /// The file to write
        #[arg(short, long = "out", alias = "output", value_name = "FILE.npy")]
        output: PathBuf,
        /// The value of holes
        #[arg(long, value_name = "VALUE", default_value = "0", allow_negative_numbers = true)]
        hole: String,
    },
}

/// A mask or a box.
#[derive(Args)]
pub(crate) struct MaskFile {
    /// The mask: .png, .npy or a pattern such as .rle, or a mask or a box in a file, FILE or FILE#NAME
    #[arg(value_name = "MASK")]
    pub mask: String,
}

/// `bench --encodings`
#[derive(Args)]
pub(crate) struct EncodingBenchArgs {
    /// Compare the encodings of masks: the time to build them and to pack arrays, and their size. --seconds is per point [default: 0.05]
    #[arg(long, conflicts_with_all = ["cases", "layouts", "peers", "cliffs", "saving", "observables", "fields", "members", "at_once", "periodic", "edge", "isa", "activity", "machine", "ledger", "wavefronts"], help_heading = "What is measured instead")]
    pub encodings: bool,
    /// With --encodings: the number of places in the largest mask [default: 4194304, on a GPU 268435456]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1024..), allow_negative_numbers = true)]
    pub places: Option<u32>,
    /// With --encodings: write the plots into this folder
    #[arg(short, long, alias = "output", value_name = "DIR")]
    pub out: Option<PathBuf>,
}
