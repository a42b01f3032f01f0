//! Random rules of vectors and complex numbers, each beside the same rule of numbers: every operation is written a second time for its components, by the
//! definitions of the language chapter.

use std::fmt::Write;

/// A kind of value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberOrVector {
    Number,
    Vec2,
    Vec3,
    Complex,
}

const VECTORS: [NumberOrVector; 3] = [NumberOrVector::Vec2, NumberOrVector::Vec3, NumberOrVector::Complex];
const KINDS: [NumberOrVector; 4] =
    [NumberOrVector::Number, NumberOrVector::Vec2, NumberOrVector::Vec3, NumberOrVector::Complex];

impl NumberOrVector {
    fn name(self) -> &'static str {
        ["number", "vec2", "vec3", "complex"][self as usize]
    }

    fn components(self) -> &'static [&'static str] {
        match self {
            NumberOrVector::Number => &[""],
            NumberOrVector::Vec2 | NumberOrVector::Complex => &["x", "y"],
            NumberOrVector::Vec3 => &["x", "y", "z"],
        }
    }

    /// The state, the parameter and the let of the rule of this kind.
    fn state(self) -> &'static str {
        ["n", "a", "b", "c"][self as usize]
    }

    /// The names by which a rule of numbers knows what has this name.
    fn parts_of(self, name: &str) -> Vec<String> {
        let part =
            |component: &&str| if component.is_empty() { name.to_owned() } else { format!("{name}_{component}") };
        self.components().iter().map(part).collect()
    }
}

/// A value as it is written with vectors, and its components as they are written with numbers.
#[derive(Clone)]
struct WrittenTwice {
    vectors: String,
    parts: Vec<String>,
}

/// Two rules, `vectors` and `by_hand`, and the names of states and observables in both, in the same order.
pub struct RulesOfVectors {
    /// The text of both.
    pub text: String,
    /// The states of the first rule, each with the same state of the second.
    pub states: Vec<[String; 2]>,
    /// The same of observables.
    pub observables: Vec<[String; 2]>,
}

struct VectorWriter<'a> {
    choices: std::slice::Iter<'a, u16>,
    blocks: usize,
    /// The values that blocks around have given names to.
    locals: Vec<(NumberOrVector, WrittenTwice)>,
    /// Where no draw is known.
    still: bool,
    /// In a step, where the lets of the rule are known, which may draw.
    in_step: bool,
    /// Inside an aggregate, where nothing else is looked at.
    is_term: bool,
    /// In a function, which knows its parameters alone.
    is_function: bool,
}

/// The rules that a list of choices describes.
pub fn rules_of_vectors(choices: &[u16]) -> RulesOfVectors {
    let (blocks, locals, choices) = (0, Vec::new(), choices.iter());
    VectorWriter { choices, blocks, locals, still: true, in_step: false, is_term: false, is_function: false }.rules()
}

impl VectorWriter<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |choice| (usize::from(*choice) * n) >> 16)
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn rules(&mut self) -> RulesOfVectors {
        let float = self.one_of(&["f32", "f64"]);
        let of = |kind: NumberOrVector| {
            if kind == NumberOrVector::Number { float.to_owned() } else { format!("{}<{float}>", kind.name()) }
        };
        let [mut vectors, mut by_hand] = [String::new(), String::new()];
        let mut heads = [String::new(), String::new()];
        // A function of each kind, of a vector and a number.
        for kind in VECTORS {
            self.locals = vec![(kind, named(kind, "v")), (NumberOrVector::Number, named(NumberOrVector::Number, "k"))];
            (self.is_term, self.is_function) = (true, true);
            let value = self.value(kind, 2);
            self.locals.clear();
            (self.is_term, self.is_function) = (false, false);
            let name = format!("f_{}", kind.name());
            writeln!(heads[0], "fn {name}(v: {0}, k: {float}) -> {0} = {1}", of(kind), value.vectors).expect("text");
            let given: Vec<String> = kind.parts_of("v").iter().map(|part| format!("{part}: {float}")).collect();
            for (part, component) in value.parts.iter().zip(kind.parts_of(&name)) {
                writeln!(heads[1], "fn {component}({}, k: {float}) -> {float} = {part}", given.join(", "))
                    .expect("text");
            }
        }
        let (mut states, mut observables) = (Vec::new(), Vec::new());
        let pairs = |kind: NumberOrVector, name: &str| {
            let whole = kind.components().iter().map(move |component| match *component {
                "" => name.to_owned(),
                component => format!("{name}.{component}"),
            });
            whole.zip(kind.parts_of(name)).map(|(one, other)| [one, other]).collect::<Vec<_>>()
        };
        for kind in KINDS {
            let (name, ty) = (kind.state(), of(kind));
            writeln!(
                vectors,
                "    state {name}: {ty}\n    param p_{name}: {ty} = {}",
                literal(kind, [0.5, -1.25, 2.0])
            )
            .expect("text");
            for (part, value) in kind.parts_of(name).iter().zip(["0.5", "-1.25", "2.0"]) {
                let param = format!("p_{part}");
                writeln!(by_hand, "    state {part}: {float}\n    param {param}: {float} = {value}").expect("text");
            }
            states.extend(pairs(kind, name));
        }
        for kind in KINDS {
            let parts = (0..kind.components().len())
                .map(|part| format!("{float}(x) * 0.375 - {float}(y * {}) / 4.0 + {float}(uniform() - 0.5)", part + 1));
            let parts: Vec<String> = parts.collect();
            let value = if kind == NumberOrVector::Number {
                parts[0].clone()
            } else {
                format!("{}({})", kind.name(), parts.join(", "))
            };
            writeln!(vectors, "    init {} = {value}", kind.state()).expect("text");
            for (name, part) in kind.parts_of(kind.state()).iter().zip(parts) {
                writeln!(by_hand, "    init {name} = {part}").expect("text");
            }
        }
        // A draw that both see, and lets that neighbours read.
        for text in [&mut vectors, &mut by_hand] {
            writeln!(text, "    let r = {float}(uniform())").expect("text");
        }
        for kind in KINDS {
            self.still = self.below(2) == 0;
            let value = self.typed(kind);
            entry("    let ", kind, &format!("l_{}", kind.state()), &value, [&mut vectors, &mut by_hand]);
        }
        for step in ["one", "two when "] {
            self.still = true;
            let guard = if step == "one" { [String::new(), String::new()] } else { self.condition() };
            for (text, guard) in [&mut vectors, &mut by_hand].into_iter().zip(&guard) {
                writeln!(text, "    step {step}{guard} {{").expect("text");
            }
            (self.still, self.in_step) = (false, true);
            let kind = self.one_of(&VECTORS);
            let value = self.typed(kind);
            entry("        let ", kind, "own", &value, [&mut vectors, &mut by_hand]);
            self.locals.push((kind, named(kind, "own")));
            for kind in KINDS {
                let value = self.value(kind, 3);
                entry("        next ", kind, kind.state(), &value, [&mut vectors, &mut by_hand]);
            }
            self.locals.clear();
            self.in_step = false;
            [&mut vectors, &mut by_hand].into_iter().for_each(|text| text.push_str("    }\n"));
        }
        self.still = true;
        for kind in KINDS {
            let (name, value) = (format!("o_{}", kind.state()), self.value(kind, 2));
            let reduction = self.one_of(&["sum", "mean"]);
            let of = |term: &String| format!("{reduction}({term})");
            let value = WrittenTwice { vectors: of(&value.vectors), parts: value.parts.iter().map(of).collect() };
            entry("    observe ", kind, &name, &value, [&mut vectors, &mut by_hand]);
            observables.extend(pairs(kind, &name));
        }
        let [of_vectors, of_numbers] = heads;
        let text = format!("{of_vectors}{of_numbers}rule vectors {{\n{vectors}}}\nrule by_hand {{\n{by_hand}}}\n");
        RulesOfVectors { text, states, observables }
    }

    /// A value that is not of literals alone, which would have the types of what reads it.
    fn typed(&mut self, kind: NumberOrVector) -> WrittenTwice {
        let (own, value) = (named(kind, kind.state()), self.value(kind, 2));
        let sum = |a: &str, b: &str| format!("{a} + {b}");
        let parts = own.parts.iter().zip(&value.parts).map(|(a, b)| sum(a, b)).collect();
        WrittenTwice { vectors: sum(&own.vectors, &value.vectors), parts }
    }

    /// A condition, for both rules.
    fn condition(&mut self) -> [String; 2] {
        let number = self.value(NumberOrVector::Number, 1);
        match self.below(3) {
            0 if !self.is_function => ["(x + 2 * y) % 3 != 1".to_owned(), "(x + 2 * y) % 3 != 1".to_owned()],
            _ => [format!("({} < 0.5)", number.vectors), format!("({} < 0.5)", number.parts[0])],
        }
    }

    fn leaf(&mut self, kind: NumberOrVector) -> WrittenTwice {
        let mut names = vec![named(kind, &format!("p_{}", kind.state()))];
        names.extend(self.locals.iter().filter(|(of, _)| *of == kind).map(|(_, value)| value.clone()));
        if self.is_function {
            names.remove(0);
        } else {
            names.extend([named(kind, kind.state()), named(kind, kind.state())]);
            if !self.still && kind == NumberOrVector::Number {
                names.push(named(kind, "r"));
            }
            if self.in_step {
                names.push(named(kind, &format!("l_{}", kind.state())));
            }
            if self.is_term {
                let near = |name: &str| {
                    let parts = kind.parts_of(name).iter().map(|part| format!("nb.{part}")).collect();
                    WrittenTwice { vectors: format!("nb.{name}"), parts }
                };
                names.extend([near(kind.state()), near(kind.state())]);
            }
        }
        names.push(WrittenTwice {
            vectors: literal(kind, [1.5, -0.25, 3.0]),
            parts: ["1.5", "(-0.25)", "3.0"][..kind.components().len()].iter().map(|&part| part.to_owned()).collect(),
        });
        let which = self.below(names.len());
        names.swap_remove(which)
    }

    fn value(&mut self, kind: NumberOrVector, depth: usize) -> WrittenTwice {
        if depth == 0 {
            return self.leaf(kind);
        }
        let deeper = depth - 1;
        let each = |a: &WrittenTwice, b: &WrittenTwice, of: &dyn Fn(&str, &str) -> String| -> Vec<String> {
            a.parts.iter().zip(&b.parts).map(|(a, b)| of(a, b)).collect()
        };
        if kind == NumberOrVector::Number {
            return self.number(deeper);
        }
        match self.below(15) {
            0 => self.leaf(kind),
            1 | 2 => {
                let (a, b, op) = (self.value(kind, deeper), self.value(kind, deeper), self.one_of(&["+", "-"]));
                let of = |a: &str, b: &str| format!("({a} {op} {b})");
                WrittenTwice { vectors: of(&a.vectors, &b.vectors), parts: each(&a, &b, &of) }
            }
            3 => {
                let a = self.value(kind, deeper);
                let of = |a: &String| format!("(-{a})");
                WrittenTwice { vectors: of(&a.vectors), parts: a.parts.iter().map(of).collect() }
            }
            4 | 5 => {
                let (a, k, form) =
                    (self.value(kind, deeper), self.value(NumberOrVector::Number, deeper), self.below(3));
                let of = |a: &str, k: &str| match form {
                    0 => format!("({a} * {k})"),
                    1 => format!("({a} / {k})"),
                    _ => format!("({k} * {a})"),
                };
                let parts = a.parts.iter().map(|a| of(a, &k.parts[0])).collect();
                WrittenTwice { vectors: of(&a.vectors, &k.vectors), parts }
            }
            6 => {
                let ([one, other], a, b) = (self.condition(), self.value(kind, deeper), self.value(kind, deeper));
                let of = |condition: &str, a: &str, b: &str| format!("(if {condition} {{ {a} }} else {{ {b} }})");
                WrittenTwice {
                    vectors: of(&one, &a.vectors, &b.vectors),
                    parts: each(&a, &b, &|a, b| of(&other, a, b)),
                }
            }
            7 if !self.is_function => {
                let (a, b) = (self.value(kind, deeper), self.value(kind, deeper));
                let of = |a: &str, b: &str| format!("(match x % 3 {{ 1 => {a}, _ => {b} }})");
                WrittenTwice { vectors: of(&a.vectors, &b.vectors), parts: each(&a, &b, &of) }
            }
            8 => {
                let numbers: Vec<WrittenTwice> =
                    kind.components().iter().map(|_| self.value(NumberOrVector::Number, deeper.min(1))).collect();
                let written: Vec<&str> = numbers.iter().map(|number| number.vectors.as_str()).collect();
                WrittenTwice {
                    vectors: format!("{}({})", kind.name(), written.join(", ")),
                    parts: numbers.into_iter().map(|number| number.parts[0].clone()).collect(),
                }
            }
            9 => self.block(kind, deeper),
            10 | 11 if !self.is_term => {
                let hood = self.one_of(&["von_neumann", "moore", "[(1, 0), (0, 2)]"]);
                self.is_term = true;
                let term = self.value(kind, deeper.min(1));
                self.is_term = false;
                if self.below(2) == 0 {
                    let of = |term: &String| format!("sum({hood}, {term})");
                    return WrittenTwice { vectors: of(&term.vectors), parts: term.parts.iter().map(of).collect() };
                }
                let other = self.leaf(kind);
                // A mean of bare literals has a type of its own.
                let near = named(kind, kind.state());
                let sum = |near: &str, term: &str| format!("nb.{near} + {term}");
                let term = WrittenTwice { vectors: sum(&near.vectors, &term.vectors), parts: each(&near, &term, &sum) };
                let of = |term: &str, other: &str| format!("(mean({hood}, {term}) else {other})");
                WrittenTwice { vectors: of(&term.vectors, &other.vectors), parts: each(&term, &other, &of) }
            }
            12 if !self.is_term => {
                let (read, other) = (self.read(kind), self.leaf(kind));
                let of = |read: &str, other: &str| format!("({read} else {other})");
                WrittenTwice { vectors: of(&read.vectors, &other.vectors), parts: each(&read, &other, &of) }
            }
            13 if !self.is_function => {
                let (v, k) = (self.value(kind, deeper), self.value(NumberOrVector::Number, deeper.min(1)));
                let name = format!("f_{}", kind.name());
                let given = v.parts.join(", ");
                let call = |function: &String| format!("{function}({given}, {})", k.parts[0]);
                WrittenTwice {
                    vectors: format!("{name}({}, {})", v.vectors, k.vectors),
                    parts: kind.parts_of(&name).iter().map(call).collect(),
                }
            }
            _ => self.product(kind, deeper),
        }
    }

    /// What only vectors of this kind have.
    fn product(&mut self, kind: NumberOrVector, depth: usize) -> WrittenTwice {
        let a = self.value(kind, depth);
        let p = a.parts.clone();
        match kind {
            NumberOrVector::Vec3 => {
                let b = self.value(kind, depth);
                let part = |i: usize, j: usize| format!("({} * {} - {} * {})", p[i], b.parts[j], p[j], b.parts[i]);
                WrittenTwice {
                    vectors: format!("cross({}, {})", a.vectors, b.vectors),
                    parts: vec![part(1, 2), part(2, 0), part(0, 1)],
                }
            }
            NumberOrVector::Complex if self.below(3) == 0 => WrittenTwice {
                vectors: format!("conj({})", a.vectors),
                parts: vec![p[0].clone(), format!("(-{})", p[1])],
            },
            NumberOrVector::Complex => {
                let b = self.value(kind, depth);
                let q = &b.parts;
                let parts = vec![
                    format!("({} * {} - {} * {})", p[0], q[0], p[1], q[1]),
                    format!("({} * {} + {} * {})", p[0], q[1], p[1], q[0]),
                ];
                WrittenTwice { vectors: format!("({} * {})", a.vectors, b.vectors), parts }
            }
            _ => a,
        }
    }

    /// A state or a let at a neighbour.
    fn read(&mut self, kind: NumberOrVector) -> WrittenTwice {
        let is_let = self.in_step && self.below(2) == 1;
        let name = if is_let { format!("l_{}", kind.state()) } else { kind.state().to_owned() };
        let offset = self.one_of(&["1, 0", "-1, 0", "0, 1", "1, -1"]);
        let parts = kind.parts_of(&name).iter().map(|part| format!("{part}[{offset}]")).collect();
        WrittenTwice { vectors: format!("{name}[{offset}]"), parts }
    }

    /// A block that gives a vector a name, perhaps one that has a meaning already.
    fn block(&mut self, kind: NumberOrVector, depth: usize) -> WrittenTwice {
        let named_kind = self.one_of(&VECTORS);
        let inner = self.value(named_kind, depth);
        self.blocks += 1;
        let hides = self.below(3) == 0 && !self.is_function;
        let name = if hides { named_kind.state().to_owned() } else { format!("v{}", self.blocks) };
        let parts = named_kind.parts_of(&format!("w{}", self.blocks));
        self.locals.push((named_kind, WrittenTwice { vectors: name.clone(), parts: parts.clone() }));
        // The hidden state has no name inside: only the new value is used of this kind.
        let value = if hides { self.leaf_of_local(kind, named_kind) } else { self.value(kind, depth) };
        self.locals.pop();
        let lets: String =
            parts.iter().zip(&inner.parts).map(|(part, value)| format!("let {part} = {value}; ")).collect();
        WrittenTwice {
            vectors: format!("({{ let {name} = {}; {} }})", inner.vectors, value.vectors),
            parts: value.parts.iter().map(|value| format!("({{ {lets}{value} }})")).collect(),
        }
    }

    /// Something made of the last local alone, and of what it does not hide.
    fn leaf_of_local(&mut self, kind: NumberOrVector, of: NumberOrVector) -> WrittenTwice {
        let (_, local) = self.locals.last().expect("a block gave one").clone();
        if kind == of {
            let again = |a: &String| format!("(0.5 * {a})");
            return WrittenTwice { vectors: again(&local.vectors), parts: local.parts.iter().map(again).collect() };
        }
        let dot: Vec<String> = local.parts.iter().map(|part| format!("{part} * {part}")).collect();
        let size = (format!("dot({0}, {0})", local.vectors), format!("({})", dot.join(" + ")));
        let vector = named(kind, &format!("p_{}", kind.state()));
        let parts = vector.parts.iter().map(|part| format!("({} * {part})", size.1)).collect();
        WrittenTwice { vectors: format!("({} * {})", size.0, vector.vectors), parts }
    }

    fn number(&mut self, depth: usize) -> WrittenTwice {
        let one = |vectors: String, part: String| WrittenTwice { vectors, parts: vec![part] };
        match self.below(9) {
            0 => self.leaf(NumberOrVector::Number),
            1 => {
                let (a, b) = (self.value(NumberOrVector::Number, depth), self.value(NumberOrVector::Number, depth));
                let op = self.one_of(&["+", "-", "*"]);
                let of = |a: &str, b: &str| format!("({a} {op} {b})");
                one(of(&a.vectors, &b.vectors), of(&a.parts[0], &b.parts[0]))
            }
            2 => {
                let kind = self.one_of(&VECTORS);
                let (a, b) = (self.value(kind, depth), self.value(kind, depth));
                let products: Vec<String> = a.parts.iter().zip(&b.parts).map(|(a, b)| format!("{a} * {b}")).collect();
                one(format!("dot({}, {})", a.vectors, b.vectors), format!("({})", products.join(" + ")))
            }
            3 => {
                let kind = self.one_of(&VECTORS);
                let a = self.value(kind, depth);
                let squares: Vec<String> = a.parts.iter().map(|a| format!("{a} * {a}")).collect();
                one(format!("norm({})", a.vectors), format!("sqrt({})", squares.join(" + ")))
            }
            4 => {
                let kind = self.one_of(&[NumberOrVector::Vec2, NumberOrVector::Complex]);
                let a = self.value(kind, depth);
                one(format!("arg({})", a.vectors), format!("atan2({}, {})", a.parts[1], a.parts[0]))
            }
            5 => {
                let (a, imaginary) = (self.value(NumberOrVector::Complex, depth), self.below(2));
                one(format!("{}({})", ["re", "im"][imaginary], a.vectors), a.parts[imaginary].clone())
            }
            6 if !self.is_term => {
                let kind = self.one_of(&VECTORS);
                let (read, component) = (self.read(kind), self.below(kind.components().len()));
                let other = self.leaf(NumberOrVector::Number);
                let vectors = format!("({}.{} else {})", read.vectors, kind.components()[component], other.vectors);
                one(vectors, format!("({} else {})", read.parts[component], other.parts[0]))
            }
            _ => {
                let kind = self.one_of(&VECTORS);
                let (a, component) = (self.value(kind, depth), self.below(kind.components().len()));
                one(format!("({}).{}", a.vectors, kind.components()[component]), a.parts[component].clone())
            }
        }
    }
}

/// What has this name in both rules.
fn named(kind: NumberOrVector, name: &str) -> WrittenTwice {
    WrittenTwice { vectors: name.to_owned(), parts: kind.parts_of(name) }
}

fn literal(kind: NumberOrVector, of: [f64; 3]) -> String {
    let numbers: Vec<String> = of[..kind.components().len()].iter().map(|number| format!("{number:?}")).collect();
    if kind == NumberOrVector::Number {
        format!("({})", numbers[0])
    } else {
        format!("{}({})", kind.name(), numbers.join(", "))
    }
}

/// Writes an entry of one value into both rules.
fn entry(begin: &str, kind: NumberOrVector, name: &str, value: &WrittenTwice, [vectors, by_hand]: [&mut String; 2]) {
    writeln!(vectors, "{begin}{name} = {}", value.vectors).expect("text");
    for (name, part) in kind.parts_of(name).iter().zip(&value.parts) {
        writeln!(by_hand, "{begin}{name} = {part}").expect("text");
    }
}
