//! Loops that are compiled for each instruction set.

/// A function whose loops are compiled for each instruction set, and the choice among them. What it calls must be inlined.
macro_rules! with_vectors {
    ($(#[$doc:meta])* $visible:vis fn $name:ident = $body:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)?) => {
        $(#[$doc])*
        $visible fn $name($($argument: $ty),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                /// # Safety
                /// The processor must have AVX-512F and AVX-512VL.
                #[target_feature(enable = "avx512f,avx512vl,popcnt")]
                unsafe fn wide($($argument: $ty),*) $(-> $result)? {
                    $body($($argument),*)
                }
                /// # Safety
                /// The processor must have AVX2.
                #[target_feature(enable = "avx2,popcnt")]
                unsafe fn with_avx2($($argument: $ty),*) $(-> $result)? {
                    $body($($argument),*)
                }
                if is_x86_feature_detected!("popcnt") {
                    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                        // SAFETY: the features were just detected.
                        return unsafe { wide($($argument),*) };
                    }
                    if is_x86_feature_detected!("avx2") {
                        // SAFETY: the features were just detected.
                        return unsafe { with_avx2($($argument),*) };
                    }
                }
            }
            $body($($argument),*)
        }
    };
}

pub(super) use with_vectors;
