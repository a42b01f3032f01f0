/// The fractal `corner`.
#[allow(dead_code, unused_imports, clippy::all)]
pub mod corner {
    use ::std::prelude::rust_2021::*;
    /// D, the dimension of the space in which it lies: points are `[x, y]` or `[x, y, z]`; x grows right, y down, z into
    /// the page.
    pub const DIMENSION: usize = 3usize;
    /// The scale s: every level makes the side s times as long.
    pub const S: u64 = 2;
    /// The number of replicas k: every level has k times as many cells.
    pub const K: u64 = 4;
    /// H: where each replica stands in the box of s^D places.
    pub const REPLICAS: [[u64; DIMENSION]; 4usize] = [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
    ];
    /// The largest level whose side and number of cells fit in 64 bits.
    pub const LARGEST_LEVEL: u32 = 31u32;
    /// The text that defines it.
    pub const SOURCE: &str = "fractal corner { dimension 3 scale 2 replicas { 0: (0, 0, 0) 1: (1, 0, 0) 2: (0, 1, 0) 3: (0, 0, 1) } }\n";
    /// The side of the expanded grid at a level; `None` above [`LARGEST_LEVEL`].
    pub const fn side(level: u32) -> Option<u64> {
        if level > LARGEST_LEVEL {
            return None;
        }
        let (mut product, mut mu) = (1, 0);
        while mu < level {
            product *= S;
            mu += 1;
        }
        Some(product)
    }
    /// The number of cells at a level; `None` above [`LARGEST_LEVEL`].
    pub const fn cells(level: u32) -> Option<u64> {
        if level > LARGEST_LEVEL {
            return None;
        }
        let (mut product, mut mu) = (1, 0);
        while mu < level {
            product *= K;
            mu += 1;
        }
        Some(product)
    }
    /// λ: the point of the cell with canonical index `c`; `None` if the level has no such cell, or there is no such
    /// level. (F. Quezada and others, "Squeeze", 2022, Eqs. 2 to 5.)
    pub const fn lambda(level: u32, c: u64) -> Option<[u64; DIMENSION]> {
        if level > LARGEST_LEVEL {
            return None;
        }
        let (mut rest, mut unit, mut mu) = (c, 1, 0);
        let mut point = [0; DIMENSION];
        while mu < level {
            let replica = REPLICAS[(rest % 4) as usize];
            point[0] += replica[0] * unit;
            point[1] += replica[1] * unit;
            point[2] += replica[2] * unit;
            rest /= 4;
            unit = u64::wrapping_mul(unit, 2);
            mu += 1;
        }
        if rest == 0 { Some(point) } else { None }
    }
    /// ν: the canonical index of the cell at a point; `None` for a hole, for a point outside the grid, and if there is no
    /// such level. (F. Quezada and others, "Squeeze", 2022, Eqs. 6 to 10, corrected.)
    pub const fn nu(level: u32, point: [u64; DIMENSION]) -> Option<u64> {
        if level > LARGEST_LEVEL {
            return None;
        }
        let (mut rest, mut unit, mut mu) = (point, 1, 0);
        let mut c = 0;
        while mu < level {
            let replica = match [rest[0] % 2, rest[1] % 2, rest[2] % 2] {
                [0, 0, 0] => 0,
                [1, 0, 0] => 1,
                [0, 1, 0] => 2,
                [0, 0, 1] => 3,
                _ => return None,
            };
            c += replica * unit;
            rest[0] /= 2;
            rest[1] /= 2;
            rest[2] /= 2;
            unit = u64::wrapping_mul(unit, 4);
            mu += 1;
        }
        if rest[0] == 0 && rest[1] == 0 && rest[2] == 0 { Some(c) } else { None }
    }
    /// λ, ν and the sizes at a level that is known at compile time: what depends on the level becomes constant.
    #[derive(Clone, Copy, Debug)]
    pub struct Level<const R: u32>;
    impl<const R: u32> Level<R> {
        /// The side of the expanded grid. A level above [`LARGEST_LEVEL`] does not compile.
        pub const SIDE: u64 = side(R).expect("the level is too high");
        /// The number of cells. A level above [`LARGEST_LEVEL`] does not compile.
        pub const CELLS: u64 = cells(R).expect("the level is too high");
        /// As [`lambda`].
        #[inline]
        pub const fn lambda(c: u64) -> Option<[u64; DIMENSION]> {
            lambda(R, c)
        }
        /// As [`nu`].
        #[inline]
        pub const fn nu(point: [u64; DIMENSION]) -> Option<u64> {
            nu(R, point)
        }
    }
    /// The fractal, for simulations.
    pub fn fractal() -> ::std::sync::Arc<::squeeze::Fractal> {
        static FRACTAL: ::std::sync::OnceLock<::std::sync::Arc<::squeeze::Fractal>> = ::std::sync::OnceLock::new();
        let compiled = || ::squeeze::expansion::fractal(
            "<macro>",
            SOURCE,
            &[],
            "corner",
        );
        ::std::sync::Arc::clone(FRACTAL.get_or_init(compiled))
    }
}
