//! One file for each command.

pub(crate) mod analyse;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod emit;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod info;
pub(crate) mod input;
pub(crate) mod list;
pub(crate) mod map;
pub(crate) mod plot;
pub(crate) mod render;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod shell;
pub(crate) mod show;
mod slurm;
pub(crate) mod sweep;

pub(crate) use plot::Drawer;
