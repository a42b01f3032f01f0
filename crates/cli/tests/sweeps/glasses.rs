//! Ground states of spin glasses: what members that exchange their states find is the least energy of all states, by the couplings that a run exports.

use super::sweep::{succeed, tables};
use std::fs;
use std::path::Path;

/// A box whose last side is not joined, and the steps in which all its ground states were found.
struct Glass {
    name: &'static str,
    sides: &'static [usize],
    joined: &'static [usize],
    steps: u32,
}

const GLASSES: [Glass; 3] = [
    Glass { name: "sheet", sides: &[16, 16], joined: &[0], steps: 40000 },
    Glass { name: "open", sides: &[16, 16], joined: &[], steps: 8000 },
    Glass { name: "bar", sides: &[4, 4, 8], joined: &[0, 1], steps: 2000 },
];
const DOMAINS: &str = "domain sheet { size (16, 16)  periodic x }
domain open { size (16, 16) }
domain bar { size (4, 4, 8)  periodic x, y }
";

/// Which pairs of cells want to be equal: the later cell in reading order, the earlier one, and whether they do.
fn couplings(folder: &Path, glass: &Glass, disorder: u32) -> Vec<(usize, usize, bool)> {
    let run = format!("run g.rule#{} --rule edwards_anderson --steps 1 --save-every 1 --quiet", glass.name);
    succeed(folder, &format!("{run} --disorder {disorder} --out {}{disorder}", glass.name));
    let cells: usize = glass.sides.iter().product();
    let mut all = Vec::new();
    for axis in 0..glass.sides.len() {
        let file = format!("{}{disorder}-{axis}.npy", glass.name);
        succeed(folder, &format!("export {}{disorder} --field equal.{axis} -o {file}", glass.name));
        let bytes = fs::read(folder.join(file)).unwrap();
        let stride: usize = glass.sides[..axis].iter().product();
        for (cell, equal) in bytes[bytes.len() - cells..].iter().enumerate() {
            let at = cell / stride % glass.sides[axis];
            let other = match at + 1 < glass.sides[axis] {
                true => cell + stride,
                false if glass.joined.contains(&axis) => cell - at * stride,
                false => continue,
            };
            all.push((cell.max(other), cell.min(other), *equal == 1));
        }
    }
    all
}

/// The least energy of all states, cell by cell: for each state of the last `width` cells the least of all that came before.
fn least(couplings: &[(usize, usize, bool)], width: usize, cells: usize) -> i32 {
    let mut least = vec![0i32; 1 << width];
    for cell in 0..cells {
        let bit = 1 << (cell % width);
        let pairs: Vec<(usize, bool)> = couplings
            .iter()
            .filter(|(later, ..)| *later == cell)
            .map(|(_, earlier, equal)| (*earlier, *equal))
            .collect();
        // The cell takes the place of the one `width` before it, which may be either way.
        let cost = |before: usize, up: bool| {
            let of = |(earlier, equal): &(usize, bool)| {
                if (before >> (earlier % width) & 1 == 1) == (up == *equal) { -1 } else { 1 }
            };
            least[before] + pairs.iter().map(of).sum::<i32>()
        };
        least = (0..1 << width)
            .map(|state| cost(state & !bit, state & bit != 0).min(cost(state | bit, state & bit != 0)))
            .collect();
    }
    least.into_iter().min().expect("states")
}

#[test]
fn exchange_finds_the_ground_states_of_couplings_of_both_signs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("g.rule"), DOMAINS).unwrap();
    let all = squeeze_testing::all_cases();
    for glass in GLASSES.iter().filter(|glass| all || glass.name == "sheet") {
        for disorder in 0..if all { 10 } else { 1 } {
            let width = glass.sides.iter().rev().skip(1).product();
            let exact = least(&couplings(folder, glass, disorder), width, glass.sides.iter().product());
            let steps = if all { glass.steps } else { 1500 };
            let sweep =
                format!("sweep g.rule#{} --rule edwards_anderson --steps {steps} --observe-every 5", glass.name);
            let more = "--set beta=0.4..=2.8/0.3 --exchange beta --exchange-every 5 --seeds 1 --quiet";
            let name = format!("s{}{disorder}", glass.name);
            succeed(folder, &format!("{sweep} {more} --disorder {disorder} --out {name}"));
            let rows = tables(folder, &name)[1].clone();
            let found = rows.lines().skip(1).map(|row| row.rsplit(',').next().unwrap().parse::<i32>().unwrap()).min();
            assert_eq!(found, Some(exact), "{} with disorder {disorder}", glass.name);
        }
    }
}
