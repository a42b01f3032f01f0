/// What a thread's processor does with floats, and the flags of what has happened to them. There is one mode alone on processors that are not named here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode([u64; 2]);

impl FloatMode {
    /// What Rust takes for granted: results are rounded to the nearest, nothing is flushed to zero, nothing is trapped.
    pub const DEFAULT: FloatMode = FloatMode([if cfg!(target_arch = "x86_64") { 0x1f80 } else { 0 }, 0]);

    /// That of this thread.
    pub fn get() -> FloatMode {
        #[allow(unused_mut)]
        let mut mode = FloatMode::DEFAULT;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: it writes the four bytes of the control word.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mode.0, options(nostack, preserves_flags));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: it reads the control word and the flags.
        unsafe {
            let [control, flags] = &mut mode.0;
            std::arch::asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) *control, out(reg) *flags, options(nostack));
        }
        mode
    }

    /// Makes it that of this thread.
    pub fn set(self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: it reads four bytes, a control word that there was. Floats are computed by the default, which is what Rust's own code takes for granted.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.0, options(nostack));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: a control word that there was, as above.
        unsafe {
            std::arch::asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) self.0[0], in(reg) self.0[1], options(nostack));
        }
    }
}
