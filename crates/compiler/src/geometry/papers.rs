//! The formulas of the two papers as they print them, for tests to hold against [`Domain`](super::Domain) and
//! [`CompactSpace`](super::CompactSpace): plain fractals in two dimensions, coordinates (x, y), μ and every name as in
//! the papers.
//!
//! *2022* is F. Quezada, C. Navarro, N. Hitschfeld and B. Bustos, "Squeeze: Efficient Compact Fractals for Tensor Core
//! GPUs"; *2021* is F. Quezada and C. Navarro, "Accelerating Compact Fractals with Tensor Core GPUs". Four formulas are
//! misprinted; they stand here corrected, and each says how it is printed.

/// A fractal of the papers: scale s, replicas k, replica table H_λ, level r.
pub(super) struct Fractal<'a> {
    /// The scale.
    pub s: u64,
    /// H_λ: the place of each replica.
    pub h_lambda: &'a [(u64, u64)],
    /// The level.
    pub r: u32,
}

impl Fractal<'_> {
    /// The number of replicas k.
    pub(super) fn k(&self) -> u64 {
        self.h_lambda.len() as u64
    }

    /// 2022, Eq. 1: V = k^r.
    pub(super) fn volume(&self) -> u64 {
        self.k().pow(self.r)
    }

    /// 2022, §3.1: the compact region. Printed as k^⌊r/2⌋ × k^⌈r/2⌉, but the text beside it scales x at odd μ, so the
    /// first factor, the width, is the one with ⌈r/2⌉.
    pub(super) fn region(&self) -> (u64, u64) {
        (self.k().pow(self.r.div_ceil(2)), self.k().pow(self.r / 2))
    }

    /// 2022, Eq. 2: λ(ω) = Σ_{μ=1..r} Δ_μ.
    pub(super) fn lambda(&self, omega: (u64, u64)) -> (u64, u64) {
        let offsets = (1..=self.r).map(|mu| self.delta(omega, mu));
        offsets.fold((0, 0), |sum, delta| (sum.0 + delta.0, sum.1 + delta.1))
    }

    /// 2022, Eqs. 3 and 4: Δ_μ = H_λ[β_μ] · s^{μ−1}.
    fn delta(&self, omega: (u64, u64), mu: u32) -> (u64, u64) {
        let tau = self.h_lambda[self.beta(omega, mu) as usize];
        (tau.0 * self.s.pow(mu - 1), tau.1 * self.s.pow(mu - 1))
    }

    /// 2022, Eq. 5: β_μ = ⌊(ω_x (μ mod 2) + ω_y ((μ+1) mod 2)) / k^{⌈μ/2⌉−1}⌋ mod k.
    fn beta(&self, omega: (u64, u64), mu: u32) -> u64 {
        let chosen = omega.0 * u64::from(mu % 2) + omega.1 * u64::from((mu + 1) % 2);
        chosen / self.k().pow(mu.div_ceil(2) - 1) % self.k()
    }

    /// 2022, Eqs. 11–13: ν_x = Σ Δ_μ^ν H_ν[θ_μ] f_x(μ), and likewise ν_y; `None` where H_ν has no entry.
    pub(super) fn nu(&self, omega: (u64, u64)) -> Option<(u64, u64)> {
        let mut sum = (0, 0);
        for mu in 1..=self.r {
            let offset = self.delta_nu(mu) * self.h_nu(self.theta(omega, mu))?;
            sum.0 += offset * f_x(mu);
            sum.1 += offset * f_y(mu);
        }
        Some(sum)
    }

    /// 2022, Eq. 6, printed as ⌊(ω mod s^μ) / s^μ⌋, which is always 0: θ_μ = ⌊(ω mod s^μ) / s^{μ−1}⌋.
    fn theta(&self, omega: (u64, u64), mu: u32) -> (u64, u64) {
        let digit = |coordinate: u64| coordinate % self.s.pow(mu) / self.s.pow(mu - 1);
        (digit(omega.0), digit(omega.1))
    }

    /// 2022, Eq. 7: Δ_μ^ν = k^⌊(μ−1)/2⌋.
    fn delta_nu(&self, mu: u32) -> u64 {
        self.k().pow((mu - 1) / 2)
    }

    /// H_ν: the replica at a place.
    fn h_nu(&self, theta: (u64, u64)) -> Option<u64> {
        self.h_lambda.iter().position(|place| *place == theta).map(|replica| replica as u64)
    }

    /// 2021, Eqs. 3–8, where μ counts from 0: ν_x = Σ τ_x H, ν_y = Σ τ_y H.
    pub(crate) fn nu_2021(&self, omega: (u64, u64)) -> Option<(u64, u64)> {
        let mut sum = (0, 0);
        for mu in 0..self.r {
            // Eqs. 4 and 5 print k^{μ/2}: the exponent is ⌊μ/2⌋.
            let tau = (self.k().pow(mu / 2) * u64::from((mu + 1) % 2), self.k().pow(mu / 2) * u64::from(mu % 2));
            let replica = self.h_nu(self.theta(omega, mu + 1))?;
            sum.0 += tau.0 * replica;
            sum.1 += tau.1 * replica;
        }
        Some(sum)
    }
}

/// 2022, Eq. 9, printed as (μ − 1) mod 2: then ν would not invert λ, whose β_μ (Eq. 5) takes odd μ from x.
fn f_x(mu: u32) -> u64 {
    u64::from(mu % 2)
}

/// 2022, Eq. 10, printed as μ mod 2: see [`f_x`].
fn f_y(mu: u32) -> u64 {
    u64::from((mu - 1) % 2)
}

/// 2022, Eqs. 19–22, for cells of the Sierpinski triangle: ν with H_ν[θ] = θ_x + θ_y. Eq. 19 prints the weight as
/// 3^{(μ−1)/2}; the exponent is ⌊(μ−1)/2⌋.
pub(crate) fn triangle_nu(r: u32, omega: (u64, u64)) -> (u64, u64) {
    let mut sum = (0, 0);
    for mu in 1..=r {
        let theta = |coordinate: u64| coordinate % 2u64.pow(mu) / 2u64.pow(mu - 1);
        let offset = 3u64.pow((mu - 1) / 2) * (theta(omega.0) + theta(omega.1));
        sum.0 += offset * f_x(mu);
        sum.1 += offset * f_y(mu);
    }
    sum
}

/// 2021, Eq. 2, where μ counts from 0: the replica of the Sierpinski triangle that holds a cell at level μ + 1.
pub(crate) fn triangle_replica(omega: (u64, u64), mu: u32) -> u64 {
    let digit = |coordinate: u64| coordinate % 2u64.pow(mu + 1) / 2u64.pow(mu);
    digit(omega.0) + digit(omega.1)
}

/// 2022, §3.5: the level r_b of the coarser fractal that remains when blocks of side ρ are seen as one cell. Printed as
/// r − log_2 ρ for any power of two ρ; it is r − log_s ρ, and ρ a power of s.
pub(crate) fn block_level(r: u32, s: u64, rho: u64) -> u32 {
    r - rho.ilog(s)
}
