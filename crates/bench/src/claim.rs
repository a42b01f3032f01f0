//! A claim of a paper, and the result here.

/// The hardware of 2022 and 2021 for most figures.
pub const A100: &str = "A100 40 GB";
/// Claims that follow from formulas.
pub const FORMULA: &str = "formula";

/// Whether a claim holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Held,
    /// It does not.
    NotHeld,
    /// The measurement that would tell is missing, and why.
    NotMeasured(String),
}

/// Something that a figure or a table of a paper says.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The name of the figure.
    pub figure: &'static str,
    /// The paper's statement.
    pub says: String,
    /// The hardware that it was measured on there.
    pub hardware: &'static str,
    /// The result here.
    pub here: String,
    /// The result here over that of the paper, where both are numbers.
    pub ratio: Option<f64>,
    /// Whether it holds.
    pub verdict: Verdict,
}

impl Claim {
    /// A claim that can be told true or false.
    pub fn new(figure: &'static str, says: &str, hardware: &'static str, here: String, holds: bool) -> Claim {
        let verdict = if holds { Verdict::Held } else { Verdict::NotHeld };
        Claim { figure, says: says.to_owned(), hardware, here, ratio: None, verdict }
    }

    /// A claim about a number, which holds if it is met within a factor.
    pub fn number(
        figure: &'static str,
        says: &str,
        hardware: &'static str,
        (paper, here): (f64, f64),
        factor: f64,
    ) -> Claim {
        let ratio = here / paper;
        let text = format!("{} (held within a factor of {factor})", short(here));
        Claim::new(figure, says, hardware, text, (1.0 / factor..=factor).contains(&ratio)).with_ratio(ratio)
    }

    /// The same claim with the ratio of the result here to the paper's.
    pub fn with_ratio(self, ratio: f64) -> Claim {
        Claim { ratio: Some(ratio), ..self }
    }

    /// A claim that nothing here can tell.
    pub fn not_measured(figure: &'static str, says: &str, hardware: &'static str, why: &str) -> Claim {
        let verdict = Verdict::NotMeasured(why.to_owned());
        Claim { figure, says: says.to_owned(), hardware, here: "–".to_owned(), ratio: None, verdict }
    }
}

/// A figure, its numbers and its claims.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedFigure {
    /// The picture.
    pub svg: String,
    /// The numbers in it.
    pub csv: String,
    /// The paper's claims about it.
    pub claims: Vec<Claim>,
}

/// A number with about three digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "–".to_owned(),
        v if v >= 1e5 || v < 1e-3 && v > 0.0 => format!("{value:.2e}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
