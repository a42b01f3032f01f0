//! Texts that the check accepts, with the programs that it makes of them, and texts that it refuses. Rendered files test how errors look.

use super::*;
use crate::ir::{NodeId, Op, Rule, Step, Type, Value};
use crate::oracle::Oracle;
use crate::shipped;
use std::collections::{BTreeSet, HashMap};

/// Files by path; a path is its own identity.
struct Files(HashMap<&'static str, &'static str>);

impl Loader for Files {
    fn load(&mut self, path: &str, _from: &crate::text::source::Source) -> Result<Loaded, String> {
        let text = self.0.get(path).ok_or("there is no such file")?;
        Ok(Loaded { name: path.to_owned(), bytes: text.as_bytes().to_vec() })
    }
}

fn compile_files(files: &[(&'static str, &'static str)]) -> Result<Library, Vec<String>> {
    let mut sources = Sources::new();
    let root = sources.add(files[0].0, files[0].1);
    check(&mut sources, root, &mut Files(files.iter().copied().collect()))
        .map_err(|errors| errors.into_iter().map(|error| error.message).collect())
}

fn library(text: &'static str) -> Library {
    compile_files(&[("test", text)]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn errors(text: &'static str) -> Vec<String> {
    compile_files(&[("test", text)]).expect_err("the text is wrong")
}

/// The rule around one `next u: f32` of the given text.
fn rule_of(next: &str) -> Arc<Rule> {
    let text = format!("rule r {{ state u: f32  state n: i32  state a: bit  state w: u32  {next} }}");
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    let library = check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{errors:?}"));
    library.rules[0].clone()
}

/// The values of a state after one step on the cells of a full square of side 2.
fn one_step(next: &str, state: &str) -> Vec<Value> {
    let rule = rule_of(next);
    let square = library("fractal q { scale 2  pattern { ## ## } }").fractals[0].clone();
    let state = rule.state_named(state).expect("a state of the test's rule");
    let mut oracle = Oracle::new(&square, 1, rule, 7, Vec::new(), 1 << 20).expect("small");
    oracle.step().expect("the first step");
    oracle.values(state).collect()
}

#[test]
fn literals_beyond_i32_begin_as_what_they_are_cast_to() {
    assert_eq!(one_step("next w = u32(4294967295)", "w")[0], Value::U32(u32::MAX));
    assert_eq!(one_step("next w = u32(-1)", "w")[0], Value::U32(u32::MAX));
    let wrong = errors("rule r { state w: u32  next w = u32(4294967296) }");
    assert_eq!(wrong, ["`4294967296` does not fit in `u32`"]);
}

/// As on systems without threads.
#[test]
fn texts_are_checked_on_the_callers_stack_as_deep_as_it_goes() {
    let checked = |text: &str| {
        let mut sources = Sources::new();
        let root = sources.add("test", text);
        let on_stack = || check(&mut sources, root, &mut NoFiles).map(|library| library.rules.len());
        crate::text::syntax::stack::on_callers_stack(on_stack)
    };
    for (name, text) in shipped::RULES {
        checked(text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    }
    let rule = |next: &str| format!("rule r {{ state u: f32  next u = {next} }}");
    for deep in [format!("{}u{}", "(".repeat(200), ")".repeat(200)), format!("u{}", " + u".repeat(900))] {
        let errors = checked(&rule(&deep)).expect_err("there is no room for it");
        assert!(errors.iter().all(|error| error.of_system), "{errors:?}");
        assert!(library_of(&rule(&deep)).is_ok());
    }
}

#[test]
fn constants_of_constants_are_evaluated_once() {
    let chain: String = (1..100).map(|n| format!("const c{n} = c{0} - c{0} + c{0}\n", n - 1)).collect();
    let text = format!("const c0 = 2.0\n{chain}rule r {{ state u: f32  next u = u * c99 }}");
    assert_eq!(library_of(&text).map(|library| library.rules.len()), Ok(1));
}

fn library_of(text: &str) -> Result<Library, Vec<Diagnostic>> {
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    check(&mut sources, root, &mut NoFiles)
}

#[test]
fn shipped_files_are_sound() {
    for (name, text) in shipped::FRACTALS.iter().chain(shipped::RULES) {
        let mut sources = Sources::new();
        let root = sources.add(*name, *text);
        if let Err(errors) = check(&mut sources, root, &mut NoFiles) {
            panic!("{name}: {errors:?}");
        }
    }
}

#[test]
fn pictures_and_tables_give_replicas_in_their_order() {
    let library = library(
        "fractal a { scale 2  replicas { 1: (0, 1)  0: (0, 0)  2: (1, 1) } }
         fractal b { scale 2  pattern { 0. 12 } }
         fractal c { scale 2  pattern { \"#.\" \"##\" } }
         fractal d { dimension 3  scale 2  pattern { \"##\" \"#.\" --- \"#.\" \"..\" } }
         fractal e { levels [a, [d2, a]] }
         fractal d2 { scale 3  pattern { .#. ### .#. } }",
    );
    let [a, b, c, d, e, _] = &library.fractals[..] else { panic!("six fractals") };
    let expected = [[0, 0, 0], [0, 1, 0], [1, 1, 0]];
    for fractal in [a, b, c] {
        assert_eq!(fractal.patterns[0].replicas, expected, "{}", fractal.name);
    }
    assert_eq!(d.patterns[0].replicas, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    assert_eq!(e.patterns.iter().map(|pattern| pattern.scale[0]).collect::<Vec<_>>(), [2, 3, 2]);
    assert_eq!(e.pattern(5).scale, [3, 3, 1], "levels repeat");
}

#[test]
fn names_come_from_the_file_then_from_used_files_then_from_shipped_ones() {
    let root =
        "use \"other\"  fractal mine { levels [vicsek, theirs, candy] }  fractal vicsek { scale 2 pattern { ## #. } }";
    let other = "use \"third\" fractal theirs { levels [deep] }";
    let third = "fractal deep { scale 5 replicas { 0: (0, 0) 1: (4, 4) } }";
    let library = compile_files(&[("test", root), ("other", other), ("third", third)]).expect("sound");
    let scales: Vec<u32> = library.fractals[0].patterns.iter().map(|pattern| pattern.scale[0]).collect();
    assert_eq!(scales, [2, 5, 4]);
    assert_eq!(library.fractal(None).expect("the last").name, "vicsek");
    let errors =
        compile_files(&[("test", "use \"other\" fractal a { levels [deep] }"), ("other", other), ("third", third)]);
    assert_eq!(errors.expect_err("not brought in by a used file's own use"), ["unknown fractal `deep`"]);
}

#[test]
fn files_in_a_circle_are_told_once() {
    let files = [("test", "use \"b\""), ("b", "use \"c\""), ("c", "use \"test\"")];
    assert_eq!(compile_files(&files).expect_err("a circle"), ["files use each other in a circle"]);
    assert_eq!(compile_files(&[("test", "use \"test\"")]).expect_err("a circle"), ["files use each other in a circle"]);
}

#[test]
fn literals_take_the_type_of_their_context() {
    for (next, state, expected) in [
        ("next u = 1", "u", Value::F32(1.0)),
        ("next u = 2 * 3 + 1", "u", Value::F32(7.0)),
        ("next u = -1", "u", Value::F32(-1.0)),
        ("next u = f32(f64(0.1) * 10)", "u", Value::F32(1.0)),
        ("next u = f32(1 << 3) + f32(f64(6 & 3))", "u", Value::F32(10.0)),
        ("next u = sqrt(4)", "u", Value::F32(2.0)),
        ("next u = if a { 1 } else { 2 }", "u", Value::F32(2.0)),
        ("next w = 4294967295", "w", Value::U32(u32::MAX)),
        ("next w = u32(-1)", "w", Value::U32(u32::MAX)),
        ("next n = -2147483648", "n", Value::I32(i32::MIN)),
        ("next n = 0xff + 0b11 + 1_000", "n", Value::I32(1258)),
        ("next n = 7 / 0 + 7 % 0", "n", Value::I32(0)),
        ("next n = if n in 0..=3 { 5 } else { 6 }", "n", Value::I32(5)),
        ("next a = w in {1, 0}", "a", Value::Bit(true)),
        ("next a = 1", "a", Value::Bit(true)),
        ("next w = 1 << 33", "w", Value::U32(2)),
        ("next n = i32(i64(5_000_000_000) >> 30) + i32(i64(1 << 40) >> 40)", "n", Value::I32(5)),
        ("next n = i32(u16(-1)) + i32(u16(70000))", "n", Value::I32(65535 + 4464)),
        ("next n = max(1, 2) - min(3, 4)", "n", Value::I32(-1)),
    ] {
        assert_eq!(one_step(next, state)[0], expected, "{next}");
    }
}

#[test]
fn draws_are_numbered_by_their_place_in_the_text() {
    let rule = rule_of(
        "next u = if random(uniform()) { uniform() } else { 0.0 }
         init u = uniform()
         next w = bits()
         init a = random(0.5)",
    );
    let draws = |nodes: &[crate::ir::Node]| -> Vec<(&str, u32)> {
        let draw = |op: &Op| match *op {
            Op::RandomBit { draw, .. } => Some(("random", draw)),
            Op::RandomUniform { draw } => Some(("uniform", draw)),
            Op::RandomBits { draw } => Some(("bits", draw)),
            _ => None,
        };
        let mut all: Vec<_> = nodes.iter().filter_map(|node| draw(&node.op)).collect();
        all.sort_by_key(|(_, number)| *number);
        all
    };
    assert_eq!(draws(&rule.init.nodes), [("uniform", 0), ("random", 1)]);
    assert_eq!(draws(&rule.steps[0].body.nodes), [("random", 0), ("uniform", 1), ("uniform", 2), ("bits", 3)]);
}

/// In each step first those of the lets that it uses, also through others, then its own; a normal number takes two.
#[test]
fn draws_of_lets_are_numbered_in_each_step_that_uses_them() {
    let rule = rule_of(
        "let unused = bits()
         let one = normal()
         let other = one + uniform()
         step s { next w = bits()  next u = sum(moore, nb.other) }
         step t { next w = below(4)  next u = one }",
    );
    let draws = |step: usize| -> Vec<u32> {
        let nodes = rule.steps[step].body.nodes.clone();
        nodes.into_iter().filter_map(|mut node| node.op.draw_mut().copied()).collect()
    };
    // The field `other` is computed in a step before the one that reads it.
    assert_eq!((0..rule.steps.len()).map(draws).collect::<Vec<_>>(), [vec![0, 1, 2], vec![3], vec![6, 4, 5]]);
    assert_eq!(rule.fields.len(), 1);
}

#[test]
fn lets_are_shared_and_stand_outside_terms() {
    let rule = rule_of("let k = degree(moore)  next n = sum(moore, k * nb.n) + k");
    let body = &rule.steps[0].body;
    let aggregates: Vec<NodeId> =
        body.cell_nodes().into_iter().filter(|&id| matches!(body.node(id).op, Op::Aggregate(_))).collect();
    assert_eq!(aggregates.len(), 2, "one for k, one for the sum: {body:#?}");
    assert_eq!(
        one_step("let k = degree(moore)  init n = 1  next n = sum(moore, k * nb.n) + k", "n")[0],
        Value::I32(12)
    );
}

#[test]
fn a_block_hides_names_from_outside() {
    assert_eq!(one_step("next n = { let n = 2  let n = n + 1  n * n }", "n")[0], Value::I32(9));
}

#[test]
fn rules_know_what_they_need() {
    assert!(!rule_of("next n = count(moore(2), nb.a)").needs_three_dimensions);
    assert!(rule_of("next n = z").needs_three_dimensions);
    assert!(rule_of("next n = sum(moore, dz)").needs_three_dimensions);
    assert!(rule_of("next n = n[1, 0, 0] else 0").needs_three_dimensions);
    assert!(rule_of("next n = side").names_coordinates);
    for extent in ["width", "height", "depth"] {
        let rule = rule_of(&format!("next n = {extent}"));
        assert!(rule.names_coordinates && rule.names_extents() && !rule.needs_three_dimensions);
    }
    assert!(!rule_of("next n = side").names_extents());
    assert!(!rule_of("next n = level").names_coordinates);
}

#[test]
fn equal_enums_are_one_type() {
    let library = library(
        "rule r { state a: enum { p, q } state b: enum { p, q } next a = b next b = if a == q { p } else { b } }",
    );
    assert_eq!(library.rules[0].enums.len(), 1);
    assert_eq!(library.rules[0].states[1].ty, Type::Enum(crate::ir::EnumId(0)));
}

#[test]
fn every_error_of_a_text_is_reported() {
    let found = errors(
        "fractal a { scale 1 pattern { # } }
         fractal b { scale 2 replicas { 0: (0, 0) 1: (0, 2) } }
         rule r { state u: f31 state v: i32 next v = v + 1.5 next v = w observe o = v }",
    );
    let expected = [
        "scale 1 is not possible",
        "replica 1 lies outside the scale",
        "unknown type `f31`",
        "a number with a point where `i32` is expected",
        "`next v` is given twice",
        "unknown name `w`",
        "`v` has a value in every cell",
    ];
    for message in expected {
        assert!(found.iter().any(|error| error == message), "{message}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

#[test]
fn what_places_forbid() {
    for (item, message) in [
        ("init u = f32(n) init n = 1 next u = u", "`init` reads `n` before it has a value"),
        ("init u = sum(moore, nb.u) next u = u", "`init` cannot read `u` at neighbours"),
        ("let d = u init u = d next u = u", "`init` cannot use `d`, which reads a state"),
        ("let d = random(0.5) step s when d { next u = u }", "a guard cannot use `d`, which draws"),
        ("let d = uniform() let e = d init u = e next u = u", "`init` cannot use `e`, which draws"),
        ("let d = uniform() next u = u observe o = sum(d)", "`observe` cannot use `d`, which draws"),
        ("let d = x let e = sum(moore, nb.d) init n = e next u = u", "`init` cannot use `e`, which reads neighbours"),
        ("let d = x init n = d[1, 0] else 0 next u = u", "`init` cannot read `d` at neighbours"),
        ("let d = nb.e let e = u next u = u", "`nb.e` outside an aggregate"),
        ("let d = sum(moore, nb.d) next u = u", "`d` is used before it is defined"),
        ("next u = u + below(2)", "two types that do not fit: `f32` and `u32`"),
        ("next n = i32(below(n))", "a bound of type `i32`"),
        ("next u = pick(moore, nb.u)", "`pick` over a neighbourhood without `else`"),
        ("next u = pick(moore, uniform()) else u", "`uniform` cannot draw inside an aggregate"),
        ("next u = uniform(u)", "`uniform` takes 2 arguments, not 1"),
        ("next u = sum(moore, uniform())", "`uniform` cannot draw inside an aggregate"),
        ("step s when random(0.5) { next u = u }", "`random` cannot draw in a guard"),
        ("next u = u observe o = sum(uniform())", "`uniform` cannot draw in `observe`"),
        ("param p: f32 = u next u = p", "the default of a parameter cannot use `u`"),
        ("next u = nb.u", "`nb.u` outside an aggregate"),
        ("next n = dx", "`dx` outside an aggregate"),
        ("next n = count(moore, any(moore, nb.a))", "an aggregate inside an aggregate"),
        ("next u = min(moore, nb.u)", "`min` over a neighbourhood without `else`"),
        ("next u = u[1, 0]", "a direct read without `else`"),
        ("next u = sum(u)", "`sum` of what neighbours?"),
        ("next n = count(moore(0), nb.a)", "the radius of `moore` is not valid"),
        ("let e = d let d = 1 next n = e", "`d` is used before it is defined"),
        ("next a = a < true", "an order comparison on `bit`"),
        ("next u = u + n", "two types that do not fit: `f32` and `i32`"),
        ("next n = u", "expected `i32`, found `f32`"),
        ("step s { next u = u } next n = n", "`next` outside the steps of a rule that has steps"),
    ] {
        let text = format!("rule r {{ state u: f32 state n: i32 state a: bit {item} }}");
        let mut sources = Sources::new();
        let root = sources.add("test", text);
        let found = check(&mut sources, root, &mut NoFiles).expect_err(item);
        assert_eq!(found.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(), [message], "{item}");
    }
}

#[test]
fn long_chains_of_lets_are_no_deep_recursion() {
    let lets =
        |count: usize| -> String { (1..count).map(|index| format!("let a{index} = a{} + 1.0\n", index - 1)).collect() };
    let rule = rule_of(&format!("let a0 = u\n{}next u = a4999", lets(5000)));
    assert!(rule.steps[0].body.nodes.len() > 5000);
    // Lets that bodies share are counted once for each.
    let uses: String = (0..900).map(|index| format!("observe o{index} = sum(a4999)\n")).collect();
    let text = format!("rule r {{ state u: f32\nlet a0 = u\n{}next u = a4999\n{uses}}}", lets(5000));
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    let errors = check(&mut sources, root, &mut NoFiles).expect_err("too many operations");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "the rule has more than 4194304 operations");
}

#[test]
fn numbers_too_long_for_any_word_are_not_shown_as_others() {
    let text = format!("fractal f {{ scale {} replicas {{ 0: (0, 0) 1: (1, 1) }} }}", "9".repeat(60));
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    let errors = check(&mut sources, root, &mut NoFiles).expect_err("the scale is too large");
    assert_eq!(errors[0].message, "scale 2^127 - 1 or more is not possible");
}

#[test]
fn names_of_megabytes_leave_room_for_others_in_messages() {
    let long = "a".repeat(1 << 20);
    let text = format!("rule r {{ state {long}: bit state other: bit next other = missing }}");
    let mut sources = Sources::new();
    let root = sources.add("test", text);
    let errors = check(&mut sources, root, &mut NoFiles).expect_err("there is no `missing`");
    let missing = errors.iter().find(|error| !error.help.is_empty()).expect("names that there are");
    assert!(missing.help[0].len() < 400 && missing.help[0].contains("`other`"), "{:?}", missing.help);
}

/// The observables of a rule at its beginning.
fn observed(items: &str) -> Vec<f64> {
    let rule = rule_of(&format!("next n = n  {items}"));
    let square = library("fractal q { scale 2  pattern { ## ## } }").fractals[0].clone();
    let oracle = Oracle::new(&square, 1, rule, 7, Vec::new(), 1 << 20).expect("small");
    let float = |value: crate::reduce::fold::ObservedValue| match value {
        crate::reduce::fold::ObservedValue::Float(value) => value,
        value => panic!("{value:?} is no float"),
    };
    oracle.observe().unwrap().into_iter().map(|(_, value)| float(value)).collect()
}

#[test]
fn lets_of_literals_take_the_type_of_their_use() {
    let third = 1.0 / 3.0;
    for (items, state, value) in [
        ("state d: f64  init d = 1.0  let third = 1.0 / 3.0  next d = d * f64(third)", "d", Value::F64(third)),
        ("state d: f64  init d = 1.0  let third = 1.0 / 3.0  next d = d * third", "d", Value::F64(third)),
        // Through others, constants, blocks, steps and functions.
        (
            "state d: f64  let three = 3  const one = 1.0  let third = one / three  next d = third",
            "d",
            Value::F64(third),
        ),
        ("state d: f64  next d = { let a = 1.0  let b = { let c = a / 3.0  c }  b }", "d", Value::F64(third)),
        ("state d: f64  step s { let a = 1.0 / 3.0  next d = f64(a) }", "d", Value::F64(third)),
        ("state d: f64  fn f(v: f64) -> f64 = { let a = 1.0 / 3.0  a * v }  next d = f(1.0)", "d", Value::F64(third)),
        ("state d: f64  fn f(v: f64) -> f64 = v  let third = 1.0 / 3.0  next d = f(third)", "d", Value::F64(third)),
        ("state d: f64  let e = sqrt(2)  next d = e", "d", Value::F64(2f64.sqrt())),
        ("state d: f64  let big = 1 << 20  next d = f64(i64(big * big))", "d", Value::F64((1u64 << 40) as f64)),
        ("state d: f64  next d = if a { 1.0 } else { let t = 0.1  t * 3.0 }", "d", Value::F64(0.1 * 3.0)),
        // One let in two types.
        (
            "state d: f64  let t = 0.1  next u = t  next d = if f64(u) == f64(t) { 1.0 } else { t }",
            "d",
            Value::F64(0.1),
        ),
        ("state d: f64  let t = 0.1  next d = t  next u = t", "u", Value::F32(0.1)),
        // An inner name hides an outer one.
        ("state d: f64  let t = 0.5  next d = { let s = t * 3.0  let t = 0.1  s + t }", "d", Value::F64(1.5 + 0.1)),
        ("let k = 3  next u = k", "u", Value::F32(3.0)),
        ("let k = 7 / 2  next u = f32(k)", "u", Value::F32(3.0)),
        // Lets that depend on the cell, too.
        ("state d: f64  let k = { let other = u  0.1 }  next d = f64(k)", "d", Value::F64(0.1)),
        ("let k = if a { 0.25 } else { 0.1 }  next u = k", "u", Value::F32(0.1)),
        ("state d: f64  let k = if a { 0.25 } else { 0.1 }  next d = f64(k) * f64(k) + d", "d", Value::F64(0.1 * 0.1)),
        ("state d: f64  let k = if a { 0.25 } else { 0.1 }  let j = -k * k  next d = j", "d", Value::F64(-0.1 * 0.1)),
        ("state d: f64  let k = match n { 0 => 0.1, _ => pi }  next d = d + k", "d", Value::F64(0.1)),
        ("state d: f64  let k = if a { 1 } else { 2 }  next d = d + k / 4", "d", Value::F64(0.5)),
        (
            "state d: f64  let k = min(if a { 1.0 } else { 0.1 }, 0.3)  next d = f64(clamp(k, 0.0, 1.0))",
            "d",
            Value::F64(0.1),
        ),
        (
            "state d: f64  next d = { let k = if a { 1.0 } else { 0.1 }  let j = k * k  f64(j) + k }",
            "d",
            Value::F64(0.1 * 0.1 + 0.1),
        ),
        ("state d: f64  step s { let k = if a { 1.0 } else { 0.1 }  next d = k }", "d", Value::F64(0.1)),
        (
            "state d: f64  fn f(v: f64) -> f64 = v  let k = if a { 1.0 } else { 0.1 }  next d = f(k)",
            "d",
            Value::F64(0.1),
        ),
        (
            "state d: f64  fn f(v: f64) -> f64 = { let k = if v > 1.0 { 1.0 } else { 0.1 }  k * v }  next d = f(1.0)",
            "d",
            Value::F64(0.1),
        ),
        ("state d: f64  let k = if a { 1e300 } else { 1e299 }  next d = k", "d", Value::F64(1e299)),
        ("state d: f64  let k = { let b = if a { 1e300 } else { 1e299 }  b }  next d = d + k", "d", Value::F64(1e299)),
        // At neighbours, and over them.
        ("state d: f64  let k = if a { 1.0 } else { 0.1 }  next d = k[1, 0] else 0.0", "d", Value::F64(0.1)),
        (
            "state d: f64  let k = if a { 1.0 } else { 0.1 }  next d = sum(von_neumann, nb.k + nb.d)",
            "d",
            Value::F64(0.2),
        ),
        (
            "state d: f64  let k = if a { 1.0 } else { 0.1 }  let j = max(von_neumann, nb.k) else k  next d = sum([(1, 0)], nb.j) + k",
            "d",
            Value::F64(0.2),
        ),
        ("state d: f64  next d = d + sum(von_neumann, if nb.a { 1.0 } else { 0.1 })", "d", Value::F64(0.2)),
        (
            "state d: f64  let s = mean(von_neumann, if nb.a { 1.0 } else { 0.1 }) else 0.3  next d = s",
            "d",
            Value::F64(0.1),
        ),
        (
            "state d: f64  let k = if a { 1.0 } else { 0.1 }  next d = f64(sum(von_neumann, { let j = k  j }))",
            "d",
            Value::F64(0.2),
        ),
        // A draw is one draw, whatever types are asked for.
        (
            "state d: f64  let k = if random(0.5) { 1.0 } else { 0.1 }  next d = if (f64(k) > 0.5) == (f32(k) > 0.5) { 3.0 } else { 4.0 }",
            "d",
            Value::F64(3.0),
        ),
    ] {
        assert_eq!(one_step(items, state)[0], value, "{items}");
    }
}

#[test]
fn constants_in_observables_are_f64() {
    for (items, value) in [
        ("const volume = 0.1  observe o = sum(if x == 0 && y == 0 { volume } else { 0.0 })", 0.1),
        ("observe o = sum(if x == 0 && y == 0 { 0.1 } else { 0.0 })", 0.1),
        ("state d: f64  const volume = 0.1  observe o = sum(if x == 0 && y == 0 { d + volume } else { 0.0 })", 0.1),
        ("let volume = 0.1  observe o = max(volume)", 0.1),
        ("let volume = if a { 1.0 } else { 0.1 }  observe o = max(volume)", 0.1),
        ("let k = if a { 1.0 } else { 0.1 }  observe o = max(abs(f64(k) - (if a { 1.0 } else { 0.1 })))", 0.0),
        ("state d: f64  let volume = if a { 1.0 } else { 0.1 }  observe o = max(volume[1, 0] else 0.0)", 0.1),
        ("let volume = 0.1  observe o = max({ let w = volume * 3.0  w })", 0.1 * 3.0),
        ("const t = [0.1, 0.2]  observe o = max(t[x])", 0.2),
        ("const t = [0.1, 0.2]  observe o = mean(t[0])", 0.1),
        ("observe o = max(pi)", std::f64::consts::PI),
        ("const volume = 0.1  observe o = volume * 3.0", 0.1 * 3.0),
        // Beside an f32 a constant is one.
        ("observe o = max(u + 0.1)", f64::from(0.1f32)),
    ] {
        assert_eq!(observed(items), [value], "{items}");
    }
}

#[test]
fn a_product_is_no_power() {
    // Why `pow` with a small exponent is not made a product: the last digit differs.
    use crate::numbers::math::HostMachine;
    use crate::numbers::math::generic::{pow32, pow64};
    let numbers = |n: u32| 1.0 + f64::from(n) / 10007.0;
    let differs = |exponent: i32| {
        let product32 = |a: f32| (1..exponent).fold(a, |so_far, _| so_far * a);
        let product64 = |a: f64| (1..exponent).fold(a, |so_far, _| so_far * a);
        let in32 =
            (0..10007).any(|n| pow32(&HostMachine, numbers(n) as f32, exponent as f32) != product32(numbers(n) as f32));
        let in64 = (0..10007).any(|n| pow64(&HostMachine, numbers(n), f64::from(exponent)) != product64(numbers(n)));
        (in32, in64)
    };
    assert_eq!((differs(3), differs(4)), ((true, true), (true, true)));
    // A square of f32 is rounded once either way, but a tie to another side.
    let ties = (4097u32..8192).step_by(2).map(|n| n as f32);
    let other = { ties }.filter(|a| pow32(&HostMachine, *a, 2.0) != a * a).count();
    assert!(other > 0 || differs(2).1, "{other}");
}

/// Steps that are repeated are those that are written so often, their draws and globals included.
#[test]
fn what_is_repeated_is_what_is_written_often() {
    let rule = |steps: &str| {
        let text = format!(
            "rule r {{ const n = 3  state u: f32  state a: bit  global g = below(9)  global first once = uniform()
            let l = random(0.5)  {steps}  step last {{ next u = uniform() + f32(g) }} }}"
        );
        let mut sources = Sources::new();
        let root = sources.add("test", text);
        check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{errors:?}")).rules[0].clone()
    };
    let one = |turn: &str| {
        format!(
            "step one{turn} {{ next a = any(moore, nb.l) != random(0.1) && g > 2 }}
            step two{turn} colour of von_neumann {{ let v = normal() next u = u + v * f32(first) }}
            step three{turn} when a {{ next u = u + 1.0 }}"
        )
    };
    let written = [1, 2, 3].map(|turn| one(&format!("_{turn}"))).join("\n");
    let (repeated, written) = (rule(&format!("repeat n {{ {} }}", one(""))), rule(&written));
    assert_eq!(repeated.steps.len(), written.steps.len());
    for (repeated, written) in repeated.steps.iter().zip(&written.steps) {
        assert_eq!(Step { name: written.name.clone(), ..repeated.clone() }, *written);
    }
    assert_eq!(repeated.coloured, written.coloured);
    let names: BTreeSet<_> = repeated.steps.iter().map(|step| &step.name).collect();
    assert_eq!(names.len(), repeated.steps.len());
}

/// Casts of numbers about all cells, and what their types do not hold.
#[test]
fn numbers_about_all_cells_are_cast() {
    for (observable, value) in [
        ("f64(u32(cells))", 4.0),
        ("f32(side) / f32(cells)", 0.5),
        ("f32(0.1)", f64::from(0.1f32)),
        ("f64(u8(300))", 44.0),
        ("f64(i32(2.9 * f64(level)))", 2.0),
        ("f64(u16(count(u == u)))", 4.0),
        ("if bit(cells) { 1.0 } else { 2.0 }", 1.0),
    ] {
        assert_eq!(observed(&format!("observe o = {observable}")), [value], "{observable}");
    }
    let count = |text: &'static str| {
        let library = library(text);
        let (triangle, rule) = (shipped_fractal("sierpinski_triangle"), &library.rules[0]);
        [20, 21].map(|level| {
            let domain = crate::geometry::Domain::new(triangle.clone(), level).expect("it fits");
            domain.fit(rule).err().map(|misfit| misfit.to_string())
        })
    };
    let wraps = "rule `r` needs 10460353203 as a `u32`, and that holds 0 to 4294967295".to_owned();
    for text in [
        "rule r { state n: i32  init n = 0  global g = below(u32(cells))  next n = n + i32(g) }",
        "rule r { state n: i32  init n = 0  global g = below(cells)  next n = n + i32(g) }",
        "rule r { state n: i32  init n = 0  next n = i32(below(u32(cells))) }",
        "rule r { state n: i32  init n = 0  next n = n  observe o = u32(cells) }",
        "rule r { state n: i32  init n = 0  next n = n  observe o = sum(n)  stop when o == u32(cells) }",
    ] {
        let [fits, beyond] = count(text);
        assert_eq!((fits, beyond), (None, Some(wraps.clone())), "{text}");
    }
    for text in [
        "rule r { state n: i32  init n = 0  next n = n  observe o = f32(cells) + f32(i64(cells)) }",
        "rule r { state n: u8  init n = u8(cells)  next n = n + u8(cells) }",
    ] {
        assert_eq!(count(text), [None, None], "{text}");
    }
}

fn shipped_fractal(name: &str) -> Arc<Fractal> {
    let text = shipped::FRACTALS.iter().find(|(known, _)| *known == name).expect("it ships").1;
    library_of(text).expect("sound").fractals[0].clone()
}

fn warnings(text: &'static str) -> Vec<String> {
    library(text).warnings.into_iter().map(|warning| warning.message).collect()
}

#[test]
fn products_of_small_states_do_not_wrap() {
    for next in [
        "if random(0.5) { 1 } else if random(0.5) { -1 } else { 0 }",
        "if random(0.1) { i32(below(3)) - 1 } else { s }",
        "max(von_neumann, nb.s) else s",
        "match s { -1 => 0, 0 => 1, _ => -1 }",
        "min(max(s, 0), 1) - (if (s[1, 0] else 0) > 0 { 1 } else { 0 })",
        "abs(s % 2)",
    ] {
        let text = format!(
            "rule r {{ state s: i32  init s = i32(below(3)) - 1  let t = s * 2  next s = {next}
            observe q = sum(s * s)  observe r = sum(t * s)  observe pairs = sum(s * sum(von_neumann, nb.s)) }}"
        );
        assert_eq!(warnings(text.leak()), Vec::<String>::new(), "{next}");
    }
    for next in ["s + 1", "s * 3", "if random(0.5) { s + s } else { 0 }", "big", "sum(moore, nb.s)"] {
        let text = format!(
            "rule r {{ state s: i32  state big: i32  init s = 1  init big = 100000  next s = {next}  observe q = sum(s * s) }}"
        );
        let warnings = warnings(text.leak());
        assert!(warnings.iter().any(|warning| warning.contains("may wrap")), "{next}: {warnings:?}");
    }
}

#[test]
fn equality_of_what_is_copied_is_exact() {
    let rule = |next: &str, observed: &str| -> &'static str {
        format!(
            "rule r {{ state u: f32  state old: f32  state name: f32  init u = uniform()  init old = 0.0  init name = uniform()
            next u = {next}  next old = u  next name = min(name, min(von_neumann, nb.name) else name)
            observe o = count({observed}) }}"
        )
        .leak()
    };
    let flows = "u + 0.1 * sum(von_neumann, nb.u - u)";
    for (next, exact) in [
        (flows, "u == max(von_neumann, nb.u) else u"),
        (flows, "(max(von_neumann, nb.u) else u) != u"),
        (flows, "old == u"),
        (flows, "(name[1, 0] else name) == name"),
        (flows, "min(u, old) == old"),
        (flows, "{ let a = u * 2.0  let b = old * 3.0  max(a, b) == b }"),
        (flows, "round(u) == 1.0"),
        (flows, "floor(u) != ceil(old)"),
        (flows, "f32(x) == 3.0"),
        ("if random(0.5) { 1.0 } else { u }", "u == 1.0"),
        ("pick(moore, nb.u) else u", "u == u[1, 0] else u"),
    ] {
        assert_eq!(warnings(rule(next, exact)), Vec::<String>::new(), "{exact}");
    }
    for (next, rounded) in [
        (flows, "u == 0.5"),
        (flows, "u == u[1, 0] else u"),
        (flows, "count(von_neumann, nb.u == u) > 0"),
        (flows, "u * 2.0 == old"),
        (flows, "name == u"),
        (flows, "u == old * 2.0"),
        (flows, "round(u) == 1.5"),
    ] {
        assert_eq!(warnings(rule(next, rounded)), ["floats compared for equality"], "{rounded}");
    }
}

#[test]
fn warnings_of_one_kind_are_not_too_many() {
    let states: String = (0..10_000).map(|number| format!("state s{number}: bit\n")).collect();
    let text = format!("rule many {{ {states} init s0 = random(0.5) next s0 = !s0 }}");
    let warnings = library(text.leak()).warnings;
    let of = |end: &str| warnings.iter().filter(|warning| warning.message.ends_with(end)).collect::<Vec<_>>();
    assert_eq!((of("is not used").len(), of("has no `init`").len(), warnings.len()), (20, 20, 40));
    assert_eq!(of("is not used")[19].help.last().map(String::as_str), Some("and 9979 more of this kind"));
    assert!(of("has no `init`")[18].help.iter().all(|help| !help.contains("more of this kind")));
}

#[test]
fn ranges_of_parameters_may_depend_on_the_dimension() {
    let text = shipped::RULES.iter().find(|(name, _)| *name == "heat").expect("it ships").1;
    let heat = library_of(text).expect("sound").rules[0].clone();
    let range = |name: &str| {
        let domain = crate::geometry::Domain::new(shipped_fractal(name), 2).expect("small");
        domain.fit(&heat).expect("it runs there").params[0].range.map(|(_, most)| most)
    };
    assert_eq!(range("sierpinski_carpet"), Some(Value::F32(0.25)));
    assert_eq!(range("menger_sponge"), Some(Value::F32(1.0 / 6.0)));
    assert_eq!(heat.params[0].range, Some((Value::F32(0.0), Value::F32(0.5))), "before it has a dimension");
    let wrong =
        errors("rule r { param p: f32 in 0.0..=1.0 / dimension = 0.4  state u: f32  init u = p  next u = dimension }");
    assert_eq!(wrong, ["the default of `p` is outside its range", "unknown name `dimension`"]);
}
