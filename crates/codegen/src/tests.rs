//! Compiled kernels against the meaning of kernels, bit for bit.

mod chance;
mod operations;
pub(crate) mod world;

use squeeze_compiler::geometry::{Domain, FittedRule};
use squeeze_compiler::ir::{Dimension, Fractal, Rule};
use squeeze_compiler::kernel::Kernel;
use squeeze_compiler::kernel::derived::Derived;
use squeeze_compiler::layout::{Layout, Storage};
use squeeze_compiler::lower::{MOST_OPERANDS, lower, lower_init, lower_observables};
use squeeze_compiler::passes::prepare;
use squeeze_compiler::target::KernelPass;
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{Library, NoFiles, Target, shipped};
use std::sync::Arc;
use world::{Dice, Harness};

/// The passes of all processors up to where kernels are cut.
const UNTIL_CUT: &[KernelPass] = &[
    KernelPass::RandomBits,
    KernelPass::Boolean,
    KernelPass::Adders,
    KernelPass::Legalise,
    KernelPass::Interleave,
    KernelPass::CutAtDraws,
];

fn library(name: &str, text: &str) -> Library {
    let mut sources = Sources::new();
    let root = sources.add(name, text);
    squeeze_compiler::check(&mut sources, root, &mut NoFiles).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

fn fractal(name: &str) -> Arc<Fractal> {
    Arc::clone(&library(name, shipped::fractal_source(name).expect("shipped")).fractals[0])
}

fn rule(name: &str) -> Arc<Rule> {
    Arc::clone(&library(name, shipped::rule_source(name).expect("shipped")).rules[0])
}

/// The kernels of a rule on a layout: steps if they fit, init, and observables if they fit.
fn kernels(rule: &FittedRule, layout: &Layout, steps: u32) -> Vec<Kernel> {
    let steps = if rule.step_by_step() { 1 } else { steps };
    let storage = Storage::replicas(layout.clone());
    let mut kernels = lower(rule, (&storage, false), steps).unwrap_or_default();
    kernels.extend(lower_init(rule, (&storage, false)));
    kernels.extend(lower_observables(rule, (&storage, false), MOST_OPERANDS));
    // Flushing, and logic on three operands, are the business of the tests that compile the bodies.
    let target = Target::cpu(1).with_passes(UNTIL_CUT);
    let bodies = |kernel| prepare(kernel, None, &target, &mut Derived::default()).expect("sound").bodies().to_vec();
    kernels.into_iter().flat_map(bodies).map(|body| Kernel::clone(&body)).collect()
}

#[test]
fn shipped_rules() {
    let dice = &mut Dice(1);
    let mut checked = 0;
    for (name, _) in shipped::RULES {
        let rule = rule(name);
        // Lanes: 1, 3, 9, 81, 125, 64, 8, 16.
        for (fractal_name, t, l, steps) in [
            ("sierpinski_triangle", 0, 9, 1),
            ("sierpinski_triangle", 1, 2, 2),
            ("sierpinski_triangle", 2, 1, 1),
            ("sierpinski_triangle", 4, 3, 1),
            ("vicsek", 3, 1, 1),
            ("sierpinski_carpet", 2, 1, 1),
            ("sierpinski_carpet", 1, 2, 1),
            ("tetrix", 2, 1, 1),
        ] {
            let fractal = fractal(fractal_name);
            if rule.needs_three_dimensions && fractal.dimension != Dimension::Three {
                continue;
            }
            let level = if l == 9 { 3 } else { t + l + 1 };
            let domain = Domain::new(fractal, level).expect("small");
            let layout = Layout::new(&domain, t, l).expect("small");
            let Ok(rule) = domain.fit(&rule) else { continue };
            for kernel in kernels(&rule, &layout, steps) {
                Harness::new(&kernel, layout.lanes(), dice).check();
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "{checked} kernels");
}

#[cfg(any(feature = "cranelift", not(all(target_arch = "x86_64", unix))))]
#[test]
fn code_is_shared_by_threads_and_outlives_its_kernel() {
    use crate::native::compile;
    use squeeze_compiler::layout::columns::Shape;
    fn shared<T: Send + Sync>(_: &T) {}
    let domain = Domain::new(fractal("sierpinski_triangle"), 5).expect("small");
    let layout = Layout::new(&domain, 3, 1).expect("small");
    let kernel = kernels(&domain.fit(&rule("life")).expect("it runs there"), &layout, 1).remove(0);
    let compiled = compile(&world::ready(&kernel, None), Shape::of(&layout)).expect("supported");
    shared(&compiled);
    drop(kernel);
    drop(compiled);
}

#[test]
fn kernels_that_mean_nothing_are_refused() {
    let domain = Domain::new(fractal("sierpinski_triangle"), 5).expect("small");
    let layout = Layout::new(&domain, 3, 1).expect("small");
    let mut kernel = kernels(&domain.fit(&rule("life")).expect("it runs there"), &layout, 1).remove(0);
    kernel.steps = 0;
    let error = prepare(kernel, None, &Target::cpu(1), &mut Derived::default()).expect_err("no steps");
    assert_eq!(error.to_string(), "a kernel covers at least one step");
}
