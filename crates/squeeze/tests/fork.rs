//! A child of a process that simulates: its parent's simulations answer with an error, and do not hang.

#![cfg(unix)]

use squeeze::{Backend, Member, Simulation, SimulationBuilder, resolve};
use std::time::{Duration, Instant};

fn builder() -> SimulationBuilder {
    let (fractal, rule) = (resolve::fractal("vicsek").unwrap(), resolve::rule("life").unwrap());
    Simulation::builder(fractal, rule).level(4).seed(1).backend(Backend::Cpu).threads(2)
}

/// Whether work in a child comes to its end in time, and is content.
fn in_a_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: this is the only thread here that holds locks, and the child ends by itself.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "there is no child");
    if child == 0 {
        // Whatever hangs or panics, the parent sees no 0.
        let content = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(false);
        // SAFETY: it ends the child, with nothing of the parent's in it.
        unsafe { libc::_exit(i32::from(!content)) };
    }
    let (begin, mut status) = (Instant::now(), 0);
    loop {
        // SAFETY: it asks for the child's end.
        match unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } {
            0 if begin.elapsed() < Duration::from_secs(60) => std::thread::sleep(Duration::from_millis(5)),
            0 => {
                // SAFETY: the child is this test's own.
                unsafe { libc::kill(child, libc::SIGKILL) };
                panic!("the child hangs");
            }
            _ => return libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
        }
    }
}

#[test]
fn simulations_of_the_parent_are_errors_in_a_child() {
    let mut one = builder().build().unwrap();
    let mut all = builder().members([Member::new(1), Member::new(2)]).build().unwrap();
    one.step(3).unwrap();
    all.step(3).unwrap();
    let is_refused = |error: squeeze::SimulationError| error.to_string().contains("forked off");
    assert!(in_a_child(|| one.step(1).is_err_and(is_refused) && one.time() == 3));
    assert!(in_a_child(|| one.observe().is_err_and(is_refused) && one.digests().is_err_and(is_refused)));
    assert!(in_a_child(|| one.field::<bool>("alive").is_err_and(is_refused)));
    assert!(in_a_child(|| one.set_field("alive", 0, &[true]).is_err_and(is_refused)));
    assert!(in_a_child(|| one.copy().is_err_and(is_refused) && one.restart(1, &[""; 0]).is_err_and(is_refused)));
    assert!(in_a_child(|| all.step(1).is_err_and(is_refused) && all.observe().is_err_and(is_refused)));
    // One that the child makes is its own, also in a child of it.
    assert!(in_a_child(|| {
        let mut own = builder().build().unwrap();
        own.step(3).unwrap();
        own.time() == 3 && in_a_child(|| own.step(1).is_err_and(is_refused)) && own.step(1).is_ok()
    }));
    one.step(1).unwrap();
    all.step(1).unwrap();
    assert_eq!((one.time(), all.time()), (4, 4), "the parent goes on");
}
