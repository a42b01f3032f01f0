//! Exports of small states, read back.

use super::*;
use crate::pattern::{self, ImportedPattern};
use crate::resolve;
use crate::state::given::Given;
use squeeze_compiler::geometry::Domain;

fn triangle() -> Domain {
    Domain::new(resolve::fractal("sierpinski_triangle").unwrap(), 2).unwrap()
}

fn read(text: &str) -> ImportedPattern {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rle");
    std::fs::write(&path, text).unwrap();
    pattern::read(&path, 1 << 20).unwrap()
}

fn places(text: &str) -> Vec<[u64; 2]> {
    let pattern = read(text);
    pattern.runs.into_iter().flat_map(|([x, y], count)| (x..x + count).map(move |x| [x, y])).collect()
}

#[test]
fn a_pattern_survives_rle() {
    let domain = triangle();
    let field = Given(domain.clone(), Type::Bit, vec![0b1010_0101, 1]);
    let text = rle::of_window(field.view(), &Window::whole(&domain), None).unwrap();
    let mut live: Vec<u64> = places(&text).iter().map(|&[x, y]| domain.nu([x, y, 0]).unwrap()).collect();
    live.sort_unstable();
    assert_eq!(live, [0, 2, 5, 7, 8], "{text}");
    assert!(text.starts_with("x = 4, y = 4\n") && text.ends_with("!\n"));
}

#[test]
fn states_survive_rle() {
    let domain = triangle();
    let values = vec![0, 1, 2, 24, 25, 48, 49, 254, 255];
    let field = Given(domain.clone(), Type::U8, values.clone());
    let text = rle::of_window(field.view(), &Window::whole(&domain), Some("B2/S/C256")).unwrap();
    let pattern = read(&text);
    assert_eq!(pattern.rule.as_deref(), Some("B2/S/C256"), "{text}");
    let mut read = vec![0; 9];
    for ([x, y], count, state) in pattern.runs.iter().zip(&pattern.states).map(|((at, n), state)| (*at, *n, *state)) {
        (x..x + count).for_each(|x| read[domain.nu([x, y, 0]).unwrap() as usize] = state);
    }
    assert_eq!(read, values, "{text}");
}

#[test]
fn holes_hold_what_was_asked_for() {
    let domain = triangle();
    let field = Given(domain.clone(), Type::U8, (10..19).collect());
    let window = Window::parse("0,0,2,2", &domain).unwrap();
    assert_eq!(dense(field.view(), &window, &[255]).unwrap(), [10, 255, 11, 12]);
}

#[test]
fn too_large_a_window_is_refused_before_it_is_allocated() {
    let huge = Domain::new(resolve::fractal("sierpinski_triangle").unwrap(), 31).unwrap();
    let field = Given(huge.clone(), Type::F64, Vec::new());
    let error = dense(field.view(), &Window::whole(&huge), &[0; 8]).unwrap_err();
    assert!(error.to_string().contains("is available") && error.is_users(), "{error}");
}
