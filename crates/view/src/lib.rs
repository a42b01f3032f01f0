//! A running simulation in a browser: a server on this machine's own addresses, and the page that it serves.
//!
//! A [`Server`] hands out the files of the page and talks over one WebSocket with each page; [`watch`] computes steps and, between passes, the frames that
//! pages ask for. Pages ask for the next frame when they have drawn the one before, so that a slow page gets fewer frames and nothing waits for it.
//!
//! A frame has no holes where the grid is a 2-D fractal: the page names replicas of a level, the *tiles*, and gets a number for each block in them, in canonical order;
//! the page's shader finds each pixel's block by the patterns of the levels between (the map ν). Of masks, boxes and layers of 3-D grids it names a window.
//!
//! Whoever reads or sends something must know the token, which is in the URL behind `#`: other users of this machine can connect as well. `head` says which
//! requests are refused.
//!
//! The command has this as `squeeze view`, with its feature `view`.

mod carried;
mod copied;
mod film;
mod frame;
mod guests;
mod head;
mod history;
mod inline_pictures;
mod message;
mod observed;
mod pencil;
mod reproduce;
mod run;
mod saved;
mod saving;
mod scene;
mod server;
mod shared;
mod socket;
mod terminal;
mod viewers;

pub use carried::{CarriedAnswer, CarriedView};
pub use copied::copy_states;
pub use guests::Guests;
pub use head::{PAGE_FILE, STYLE_FILE, widget_module};
pub use reproduce::RunCommand;
pub use run::{MembersOfSweep, PAGE, Subject, watch};
pub use saved::{SavedRun, show_saved};
pub use server::{Server, ViewError};
pub use terminal::{TerminalScreen, watch_in_terminal};
