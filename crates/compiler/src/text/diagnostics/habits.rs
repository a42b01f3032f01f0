//! Suggestions for words that other languages use.

/// The help for words that begin an expression or definition in other languages.
pub(crate) fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "def" | "function" | "func" | "fun" | "lambda" | "macro" | "define" => {
            "a function is written `fn f(a: f32, b: i32) -> f32 = a * f32(b)`"
        }
        "switch" | "case" | "cond" | "select" | "when" => {
            "cases are written `match n { 0 => a, 1 | 2 => b, _ => c }`, as a value"
        }
        "elif" | "elsif" | "elseif" => "write `else if`",
        "then" => "write `if a { b } else { c }`",
        "repeat" => "in a rule `repeat 4 { … }` holds steps, and nothing else",
        "for" | "foreach" | "while" | "loop" | "do" => {
            "there are no loops: aggregates such as `sum(moore, nb.u)` run over the neighbours, and a run repeats the rule"
        }
        "return" | "yield" => "a block gives the value of its last expression, as in `{ let a = u * u  a + 1.0 }`",
        "var" | "val" | "auto" | "mut" | "local" | "double" | "float" | "int" | "bool" => {
            "a value gets its name by `let a = u * u`, a number that a run can set by `param a: f32 = 1.0`"
        }
        "#define" | "static" | "constexpr" | "constant" | "enum" => {
            "write `const a = 0.25`, or `state a: enum { one, other }`"
        }
        "import" | "include" | "#include" | "from" | "require" | "using" => "write `use \"file.rule\"`",
        "class" | "struct" | "type" | "automaton" | "model" | "cell" => {
            "a rule is written `rule NAME { state … next … }`"
        }
        "neighborhood" => "it is written `neighbourhood`",
        "print" | "output" | "measure" | "observable" | "record" => "write `observe total = sum(u)`",
        "update" | "transition" | "evolve" | "set" => "write `next u = …`",
        "field" | "variable" | "grid" | "lattice" => "write `state u: f32`",
        "parameter" | "input" | "option" => "write `param a: f32 = 1.0`",
        _ => return None,
    })
}

/// The help for operators of other languages.
pub(crate) fn operator(token: &str) -> Option<&'static str> {
    Some(match token {
        "and" => "write `&&`",
        "or" => "write `||`",
        "xor" => "write `^`",
        "mod" => "write `%`",
        "div" => "write `/`, which cuts off between whole numbers",
        "is" => "write `==`",
        "**" => "powers are written `pow(a, b)`",
        "++" | "+=" | "-=" | "*=" | "/=" | "--" => "nothing is changed in place: write `next u = u + 1`",
        "then" => "write `if a { b } else { c }`",
        _ => return None,
    })
}

/// How to write a function that is called so elsewhere.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    Some(match name {
        "ln" => "write `log(a)`",
        "log10" => "write `log(a) / log(10.0)`",
        "exp2" => "write `pow(2.0, a)`",
        "sqr" | "square" => "write `a * a`",
        "cbrt" => "write `pow(a, 1.0 / 3.0)`",
        "arcsin" => "write `asin(a)`",
        "arccos" => "write `acos(a)`",
        "arctan" => "write `atan(a)`",
        "arctan2" => "write `atan2(y, x)`",
        "sinh" => "write `(exp(a) - exp(-a)) / 2.0`",
        "cosh" => "write `(exp(a) + exp(-a)) / 2.0`",
        "sgn" | "signum" => "write `sign(a)`",
        "fabs" | "norm" => "write `abs(a)`",
        "ceiling" => "write `ceil(a)`",
        "fmod" | "modulo" | "mod" | "rem" => "write `a % b`",
        "power" => "write `pow(a, b)`",
        "fmin" | "minimum" => "write `min(a, b)`",
        "fmax" | "maximum" => "write `max(a, b)`",
        "avg" | "average" => "write `mean(moore, nb.u) else u`",
        "int" | "integer" => "write `i32(a)`",
        "float" | "real" => "write `f32(a)`",
        "double" => "write `f64(a)`",
        "complex" | "c64" | "c128" | "complex64" | "complex128" => "write two values, the real and the imaginary part",
        "bool" | "boolean" => "write `bit(a)`, or compare: `a != 0`",
        "rand" | "rnd" => {
            "write `random(p)` for a bit that is true with probability p, `uniform()` for a number between 0 and 1"
        }
        "randint" | "randrange" => "write `below(n)` for a number from 0 to n - 1",
        "gauss" | "gaussian" | "randn" => "write `normal()`",
        "choice" | "sample" => "write `pick(moore, nb.u) else u` for a neighbour's value by chance",
        "neighbors" | "neighbours" => "write `count(moore, nb.alive)`",
        "len" | "size" => "write `degree(moore)` for the number of neighbours",
        "where" | "iif" | "ifelse" => "write `if a { b } else { c }`",
        "xor" => "write `a ^ b`",
        "not" => "write `!a`",
        "laplacian" | "laplace" => "write `sum(von_neumann, nb.u - u)`",
        _ => return None,
    })
}

/// How to write a value that is called so elsewhere.
pub(crate) fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "True" | "TRUE" | "yes" => "write `true`",
        "False" | "FALSE" | "no" => "write `false`",
        "PI" | "Pi" => "write `pi`",
        "t" | "time" => "write `step`, the time that is being computed",
        "nx" | "cols" | "columns" => "write `width`, the number of places along x",
        "ny" | "rows" => "write `height`, the number of places along y",
        "i" | "j" | "row" | "col" => "write `x` and `y`, the coordinates of the cell",
        "null" | "None" | "nil" | "nan" | "NaN" => "there is no such value; `else` says what a missing neighbour gives",
        _ => return None,
    })
}
