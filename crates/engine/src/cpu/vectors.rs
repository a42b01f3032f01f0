//! Loops that are compiled for each instruction set.

/// A function whose loops are compiled for some sets of instructions, the best first, and the choice among them; for AVX-512 and AVX2 where none is
/// named. Functions that it calls must be inlined.
macro_rules! with_vectors {
    ($(#[$doc:meta])* fn $($definition:tt)*) => {
        with_vectors! { for ["avx512f" "avx512vl" "popcnt"] ["avx2" "popcnt"] $(#[$doc])* fn $($definition)* }
    };
    (
        for $([$($feature:tt)*])* $(#[$doc:meta])*
        fn $name:ident $(<$generic:ident: $bound:path>)? = $body:ident $arguments:tt $(-> $result:ty)?
    ) => {
        $(#[$doc])*
        fn $name $(<$generic: $bound>)? $arguments $(-> $result)? {
            with_vectors! { @choice [$([$($feature)*])*] [$body $arguments] ($(<$generic: $bound>)?) ($(-> $result)?) }
        }
    };
    (@choice [$([$($feature:tt)*])*] $call:tt $generics:tt $result:tt) => {
        $(
            #[cfg(target_arch = "x86_64")]
            if $(is_x86_feature_detected!($feature))&&* {
                with_vectors! { @with [$($feature)*] $call $generics $result }
            }
        )*
        with_vectors! { @call $call }
    };
    (@with [$($feature:tt)*] [$body:ident $arguments:tt] ($($generics:tt)*) ($($result:tt)*)) => {
        /// # Safety
        /// The processor must have these instructions.
        #[target_feature($(enable = $feature),*)]
        unsafe fn with_them $($generics)* $arguments $($result)* {
            with_vectors! { @call [$body $arguments] }
        }
        // SAFETY: the instructions were just detected.
        return unsafe { with_vectors! { @call [with_them $arguments] } };
    };
    (@call [$function:ident ($($argument:ident: $ty:ty),*)]) => {
        $function($($argument),*)
    };
}

pub(crate) use with_vectors;
