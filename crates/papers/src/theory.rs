//! Figures that follow from formulas: memory reduction factors and dimensions.

use squeeze_bench::claim::{Claim, ClaimedFigure, FORMULA, short};
use squeeze_compiler::geometry::{Domain, hausdorff_dimension};
use squeeze_compiler::ir::Fractal;
use squeeze_records::chart::{self, ChartAxis, Curve, CurvePoint, Page, Panel, Scale};
use std::sync::Arc;

/// The largest side that the papers' plots show.
const LARGEST: f64 = 65536.0;

/// The memory reduction factor of three fractals over n: 2022, Fig. 10, and 2021, Fig. 8.
pub(crate) fn reduction(figure: &'static str, fractals: &[Arc<Fractal>]) -> ClaimedFigure {
    let mut csv = "fractal,level,n,cells,mrf\n".to_owned();
    let mut curves = Vec::new();
    let mut at_end = Vec::new();
    for (ink, fractal) in fractals.iter().enumerate() {
        let mut points = Vec::new();
        for level in 0..=16 {
            let Ok(domain) = Domain::new(Arc::clone(fractal), level) else { break };
            let (n, factor) = (domain.side() as f64, domain.sizes(1).reduction);
            if n > LARGEST {
                break;
            }
            csv.push_str(&format!("{},{level},{n},{},{factor:?}\n", fractal.name, domain.cells()));
            points.push(CurvePoint::new(n, factor));
        }
        // Between levels n^(2 − H), as the lines of the papers' plots have it.
        at_end.push(LARGEST.powf(2.0 - hausdorff_dimension(fractal).unwrap_or(f64::NAN)));
        curves.push(Curve { name: fractal.name.replace('_', " "), points, ink, marked: true });
    }
    let panel = Panel {
        x: ChartAxis { label: "side n of the embedding".to_owned(), scale: Scale::Doublings },
        y: ChartAxis { label: "memory reduction factor".to_owned(), scale: Scale::Decades },
        curves,
        ..Panel::default()
    };
    let title = "Memory of the bounding box over that of the compact form".to_owned();
    let note = "From the formula n² / k^{r}; points are levels.".to_owned();
    let svg = chart::sheet(&Page { title, note, columns: 1, panels: vec![panel] }, None).to_svg();
    let mut claims = Vec::new();
    if figure.starts_with("2022") {
        for ((fractal, paper), here) in fractals.iter().zip([400.0, 105.0, 3.4]).zip(at_end) {
            let says = format!("MRF of {} at n = 2^16 “close to” {paper}", fractal.name.replace('_', " "));
            // Read off a plot: the digits are not those of the formula, the size is.
            let ratio: f64 = here / paper;
            let text = format!("n^(2 − H) = {} (held within 10%)", short(here));
            claims.push(Claim::new(figure, &says, FORMULA, text, (ratio - 1.0).abs() <= 0.1).with_ratio(ratio));
        }
    } else {
        let near = block_factor(20, 2);
        let says = "memory usage reduced 234× (abstract), 247× (conclusions)";
        let here =
            format!("{near:.1} with ρ = 2, {:.1} with ρ = 1 at r = 20; neither number follows", block_factor(20, 1));
        let claim = Claim::new(figure, says, FORMULA, here, false).with_ratio(near / 234.0);
        claims.push(claim.because("no block size gives either, and they differ from each other"));
        let share = 100.0 / at_end[1];
        let says = "at n = 2^16 the compact triangle takes ~1% of the bounding box";
        let holds = (0.95..1.05).contains(&share);
        claims.push(Claim::new(figure, says, FORMULA, format!("{share:.4}%"), holds).with_ratio(share));
    }
    claims.push(Claim::new(
        figure,
        "the factor grows exponentially with the level",
        FORMULA,
        "s²/k for each level: a straight line over the level".to_owned(),
        true,
    ));
    ClaimedFigure { svg, csv, claims }
}

/// The factor of the block-level scheme (2022, §3.5) on the triangle: places of the grid over places that are kept.
pub(crate) fn block_factor(level: u32, rho: u64) -> f64 {
    let levels = level as i32 - rho.ilog2() as i32;
    // Both powers are whole numbers that f64 holds, so that it does not matter in which order they are multiplied.
    let factor = 4f64.powi(levels.abs()) / 3f64.powi(levels.abs());
    if levels < 0 { 1.0 / factor } else { factor }
}

/// The papers' claims about memory without a plot: Table 2 of 2022 and the abstracts.
pub(crate) fn memory_claims(figure: &'static str) -> Vec<Claim> {
    let mut claims = Vec::new();
    let table = [
        (1, "0.16", "99.8"),
        (2, "0.21", "74.8"),
        (4, "0.29", "56.1"),
        (8, "0.38", "42.1"),
        (16, "0.50", "31.6"),
        (32, "0.68", "23.7"),
    ];
    for (rho, memory, factor) in table {
        let here = block_factor(16, rho);
        claims.push(digits(figure, &format!("MRF {factor} at r = 16, ρ = {rho}"), factor, (here, 1), ""));
        let gib = 4.0 * f64::from(1u32 << 16).powi(2) / here / f64::from(1u32 << 30);
        let how = format!(" GiB with the paper's 4 bytes a place ({gib:.4})");
        let claim = digits(figure, &format!("{memory} GB at r = 16, ρ = {rho}"), memory, (gib, 2), &how);
        claims.push(claim.because("the paper cuts digits off instead of rounding"));
    }
    let top = block_factor(20, 1);
    let says = "MRF ~315 at r = 20 (4096 GB of a bounding box against ~13 GB)";
    let claim = Claim::new(figure, says, FORMULA, format!("{top:.1}"), (top - 315.0).abs() < 1.0);
    claims.push(claim.with_ratio(top / 315.0));
    claims
}

/// A claim that a number has the digits of the paper, `places` of them behind the point; `how` says how it was found.
fn digits(figure: &'static str, says: &str, paper: &str, (here, places): (f64, usize), how: &str) -> Claim {
    let digits = format!("{here:.places$}");
    let text = format!("{digits}{how}, compared digit for digit");
    Claim::new(figure, says, FORMULA, text, digits == paper).with_ratio(here / paper.parse().unwrap_or(f64::NAN))
}

/// The dimensions of 2021, Table 1, with the digits of the paper.
pub(crate) const DIMENSIONS: [(&str, &str, &str); 9] = [
    ("sierpinski_triangle", "Sierpinski Gasket", "1.58"),
    ("chandelier", "Chandelier", "1.26"),
    ("h_fractal", "H-Fractal", "1.77"),
    ("candy", "Candy", "1.79"),
    ("sierpinski_carpet", "Sierpinski Carpet", "1.89"),
    ("x_fractal", "X-Fractal", "1.46"),
    ("vicsek", "Vicsek Fractal", "1.46"),
    ("empty_bottles", "Empty-Bottles", "1.77"),
    ("cantor_set", "Cantor set", "0.63"),
];

/// The claims of 2021, Table 1.
pub(crate) fn dimension_claims(figure: &'static str, fractals: &[Arc<Fractal>]) -> Vec<Claim> {
    let claim = |(fractal, (_, name, paper)): (&Arc<Fractal>, (&str, &str, &str))| {
        let here = hausdorff_dimension(fractal).unwrap_or(f64::NAN);
        digits(figure, &format!("{name}: log k / log s ≈ {paper}"), paper, (here, 2), "")
    };
    fractals.iter().zip(DIMENSIONS).map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use squeeze_bench::claim::Verdict;
    use squeeze_records::resolve;

    #[test]
    fn factors_are_those_of_the_geometry_and_of_the_paper() {
        let triangle = resolve::fractal("sierpinski_triangle").unwrap();
        let domain = Domain::new(triangle, 16).unwrap();
        for level in 0..=5 {
            assert!((block_factor(16, 1 << level) - domain.block_reduction(level)).abs() < 1e-9);
        }
        let claims = memory_claims("2022-table-2");
        assert_eq!(claims.len(), 13);
        // 544 195 584 bytes are 0.507 GiB, which the paper cuts to 0.50.
        let wrong: Vec<&Claim> = claims.iter().filter(|claim| claim.verdict != Verdict::Held).collect();
        assert!(wrong.len() == 1 && wrong[0].says.starts_with("0.50 GB"), "{wrong:?}");
    }

    #[test]
    fn dimensions_agree_digit_for_digit() {
        let fractals = DIMENSIONS.map(|(name, ..)| resolve::fractal(name).unwrap());
        let claims = dimension_claims("2021-table-1", &fractals);
        assert!(claims.iter().all(|claim| claim.verdict == Verdict::Held), "{claims:?}");
    }

    #[test]
    fn reduction_factors_are_near_those_of_the_plots() {
        let names = ["vicsek", "sierpinski_triangle", "sierpinski_carpet"];
        let fractals = names.map(|name| resolve::fractal(name).unwrap());
        for figure in ["2022-fig-10", "2021-fig-8"] {
            let outcome = reduction(figure, &fractals);
            let wrong: Vec<&Claim> = outcome.claims.iter().filter(|claim| claim.verdict != Verdict::Held).collect();
            assert!(wrong.iter().all(|claim| claim.says.contains("247×")), "{wrong:?}");
            assert!(outcome.csv.contains("sierpinski_triangle,16,65536,43046721,99.7"), "{}", outcome.csv);
        }
    }
}
