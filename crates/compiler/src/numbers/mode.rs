//! The mode of the processor's floating point, which belongs to a thread and not to this library.
//!
//! A thread may flush subnormal numbers to zero (a library built with `-ffast-math` sets this in each thread that loads it), round in another way, or trap
//! on inexact results. Results here need the default mode, which Rust's compiler takes for granted. So all code that computes floats for a caller holds a
//! [`DefaultMode`] from its first line on: the checker, the oracle, simulations, statistics, pictures. Threads that are started have the default from
//! the beginning. Callers' code that runs in the middle has the default too, except code that is called between steps. A program that uses parts of
//! the compiler by themselves enters the default itself.

include!("../../templates/mode.rs");

use std::marker::PhantomData;

/// Gives the thread the default mode for as long as it lives. Then the thread has its own again, and its flags.
#[derive(Debug)]
#[must_use]
pub struct DefaultMode {
    before: FloatMode,
    /// It stays on its thread.
    _thread: PhantomData<*const ()>,
}

impl DefaultMode {
    /// Begins it.
    pub fn enter() -> DefaultMode {
        let before = FloatMode::get();
        // Flags of past exceptions, the lowest bits of x86-64, have no part in how floats are computed.
        let control = |FloatMode([word, _]): FloatMode| if cfg!(target_arch = "x86_64") { word & !0x3f } else { word };
        if control(before) != control(FloatMode::DEFAULT) {
            FloatMode::DEFAULT.set();
        }
        DefaultMode { before, _thread: PhantomData }
    }
}

impl Drop for DefaultMode {
    fn drop(&mut self) {
        if FloatMode::get() != self.before {
            self.before.set();
        }
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Flushed; rounded down, up and to zero; then flags of exceptions, or one NaN for all.
    const OWN: [u64; 5] = match cfg!(target_arch = "x86_64") {
        true => [0x9fc0, 0x3f80, 0x5f80, 0x7f80, 0x1fa1],
        false => [0x100_0000, 0x80_0000, 0x40_0000, 0xc0_0000, 0x200_0000],
    };

    #[test]
    fn the_default_is_there_and_then_what_was_before() {
        let least = || black_box(f32::MIN_POSITIVE) * black_box(0.5);
        let sum = || black_box(1.0f32) + black_box(1e-10);
        std::thread::spawn(move || {
            for word in OWN {
                let own = FloatMode([word, 0]);
                own.set();
                {
                    let _mode = DefaultMode::enter();
                    let found = [least().to_bits(), sum().to_bits()];
                    assert_eq!(found, [0x40_0000, 1.0f32.to_bits()], "{word:x}");
                }
                assert_eq!(FloatMode::get(), own);
                let caught = std::panic::catch_unwind(|| {
                    let _mode = DefaultMode::enter();
                    std::panic::resume_unwind(Box::new(()));
                });
                assert!(caught.is_err());
                assert_eq!(FloatMode::get(), own);
            }
        })
        .join()
        .expect("all modes are as they were");
    }
}
