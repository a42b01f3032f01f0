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
    /// The result here is better than the paper's.
    Better,
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
    /// The reason for a result that is not the paper's; empty where none is known.
    pub why: &'static str,
}

impl Claim {
    /// A claim with its verdict.
    pub fn judged(figure: &'static str, says: &str, hardware: &'static str, here: String, verdict: Verdict) -> Claim {
        Claim { figure, says: says.to_owned(), hardware, here, ratio: None, verdict, why: "" }
    }

    /// A claim that can be told true or false.
    pub fn new(figure: &'static str, says: &str, hardware: &'static str, here: String, holds: bool) -> Claim {
        Claim::judged(figure, says, hardware, here, if holds { Verdict::Held } else { Verdict::NotHeld })
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

    /// The same claim with the reason that the result here is another, if it is.
    pub fn because(self, why: &'static str) -> Claim {
        Claim { why: if matches!(self.verdict, Verdict::Better | Verdict::NotHeld) { why } else { "" }, ..self }
    }

    /// A claim that nothing here can tell.
    pub fn not_measured(figure: &'static str, says: &str, hardware: &'static str, why: &str) -> Claim {
        Claim::judged(figure, says, hardware, "–".to_owned(), Verdict::NotMeasured(why.to_owned()))
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
