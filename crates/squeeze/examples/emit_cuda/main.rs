//! CUDA C for a program of one's own: `emit_cuda FOLDER [LEVEL] [STEPS]`.
//!
//! Writes `life.cu`, the kernels, `life.world`, the tables that they need, `host.cu`, a program in C++ that runs them, and `world.h`, which it includes.
//! Its head says how to compile the program. No GPU is needed here. (`squeeze emit sierpinski_triangle --rule life
//! --level 12 --prefix triangle -o life.cu --world life.world` writes the same two files; `numbers.cu` runs a rule of numbers, see `docs/src/cuda.md`.)

use squeeze::compiler::{Program, Target};
use squeeze::{Backend, Domain, Error, Simulation, cuda, files, params, resolve};
use std::path::Path;

/// Writes the files for one level; the population and the digest after `steps` steps, as the host has to find them.
pub(crate) fn write(folder: &Path, level: u32, steps: u64) -> Result<(u64, u64), Error> {
    let (fractal, rule) = (resolve::fractal("sierpinski_triangle")?, resolve::rule("life")?);
    let fitted = Domain::new(fractal.clone(), level)?.fit(&rule)?;
    // The plan for a GPU: how cells are laid out, and how many steps a kernel carries.
    let program = Program::of(&fitted, &Target::cuda())?;
    let mut tables = Vec::new();
    let params = params::resolve(&rule, &[""; 0])?;
    cuda::write_world(&mut tables, &program.plan, &rule, &params).expect("memory takes all of it");
    files::write_atomically(&folder.join("life.world"), &tables)?;
    files::write_atomically(&folder.join("life.cu"), cuda::program(&program, Some("triangle")).text.as_bytes())?;
    files::write_atomically(&folder.join("host.cu"), include_bytes!("host.cu"))?;
    files::write_atomically(&folder.join("world.h"), include_bytes!("world.h"))?;

    let mut simulation = Simulation::builder(fractal, rule).level(level).seed(1).backend(Backend::Cpu).build()?;
    simulation.step(steps)?;
    let alive: Vec<bool> = simulation.field("alive")?;
    Ok((alive.iter().filter(|alive| **alive).count() as u64, simulation.digests()?[0].1))
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "target/emit_cuda".to_owned());
    let mut numbers = arguments.map_while(|argument| argument.parse::<u32>().ok());
    let (level, steps) = (numbers.next().unwrap_or(12), numbers.next().unwrap_or(1000));
    std::fs::create_dir_all(&folder).map_err(|error| Error::system(format!("cannot make {folder}: {error}")))?;
    let (population, digest) = write(Path::new(&folder), level, u64::from(steps))?;
    println!("cd {folder}");
    println!("nvcc -O3 -std=c++17 -arch=native {} host.cu -o host", squeeze::compiler::emit::cuda::FLAGS.join(" "));
    println!("./host life.world {steps}    # population {population}, digest {digest:016x}");
    Ok(())
}
