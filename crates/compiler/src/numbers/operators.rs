//! The operators and functions of the language that rules and kernels share, each with its name.
//!
//! A new function is a variant here, its name, its type in `check`, and its value in `numbers`. Errors of rustc then lead to every backend: a function of two numbers takes some
//! forty lines in ten files. They do not lead to three places: the list in `check/names.rs`, `docs/src/language.md` (a test does) and the random programs of `crates/testing`.

/// Defines an enum together with the names of its variants: in kernels' texts and, where the language calls it by name, in rules and in
/// printed code.
macro_rules! named {
    ($(#[$outer:meta])* pub enum $name:ident { $($(#[$inner:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// The operator of this name, if there is one.
            pub fn named(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

pub(crate) use named;

named! {
    /// Operations with one operand.
    pub enum UnaryOp {
        /// `-a` of numbers; integers wrap; flips the sign of a float.
        Negate = "negate",
        /// `!a` of a bit, or of an integer bit by bit.
        Not = "not",
        /// `abs(a)` of numbers; wraps for the smallest i32.
        Abs = "abs",
    }
}

named! {
    /// Operations with two operands of one type.
    pub enum BinaryOp {
        /// Numbers.
        Add = "add",
        /// Numbers.
        Subtract = "subtract",
        /// Numbers.
        Multiply = "multiply",
        /// Numbers; of integers by 0 gives 0, and i32::MIN / −1 wraps.
        Divide = "divide",
        /// Numbers; the sign of the dividend, as in Rust and C; of integers by 0 gives 0, and i32::MIN % −1 is 0.
        Remainder = "remainder",
        /// Bits and integers.
        And = "and",
        /// Bits and integers.
        Or = "or",
        /// Bits and integers.
        Xor = "xor",
        /// Numbers: `if b < a { b } else { a }`.
        Min = "min",
        /// Numbers: `if a < b { b } else { a }`.
        Max = "max",
    }
}

named! {
    /// Comparisons; IEEE for floats.
    pub enum CompareOp {
        /// `==`
        Equal = "equal",
        /// `!=`
        NotEqual = "not_equal",
        /// `<`
        Less = "less",
        /// `<=`
        LessEqual = "less_equal",
        /// `>`
        Greater = "greater",
        /// `>=`
        GreaterEqual = "greater_equal",
    }
}

named! {
    /// Functions of one float.
    pub enum MathFn {
        /// IEEE square root.
        Sqrt = "sqrt",
        /// The largest integer not above.
        Floor = "floor",
        /// The smallest integer not below.
        Ceil = "ceil",
        /// The nearest integer, halves away from zero.
        Round = "round",
        /// e^x.
        Exp = "exp",
        /// Natural logarithm.
        Log = "log",
        /// Binary logarithm.
        Log2 = "log2",
        /// Sine of radians.
        Sin = "sin",
        /// Cosine of radians.
        Cos = "cos",
        /// Tangent of radians.
        Tan = "tan",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Arcsine, from −π/2 to π/2; NaN beyond ±1.
        Asin = "asin",
        /// Arccosine, from 0 to π; NaN beyond ±1.
        Acos = "acos",
        /// Arctangent.
        Atan = "atan",
    }
}

named! {
    /// Functions of two floats.
    pub enum MathFn2 {
        /// `pow(base, exponent)`.
        Pow = "pow",
        /// `atan2(y, x)`: the angle of the point (x, y).
        Atan2 = "atan2",
    }
}
