//! A fractal and a rule in Rust source, checked when this is compiled.

squeeze::fractal! {
    /// A plus made of pluses.
    fractal plus { scale 3  pattern { ".#." "###" ".#." } }
}
squeeze::rule! {
    rule majority {
        state up: bit
        init up = random(0.5)
        next up = 2 * count(moore, nb.up) > degree(moore)
        observe ups = sum(up)
    }
}

/// Runs the rule on the fractal.
pub(crate) fn run(level: u32) -> Result<(), squeeze::Error> {
    // The maps between compact and expanded space are constant functions of the fractal's module.
    assert_eq!(plus::lambda(2, 7), Some([1, 4]));
    assert_eq!(plus::nu(2, [1, 4]), Some(7));
    let mut simulation = majority::on(plus::fractal()).level(level).seed(1).build()?;
    simulation.step(100)?;
    println!("{:?} {:?}", simulation.observe()?, simulation.digests()?);
    Ok(())
}

fn main() -> Result<(), squeeze::Error> {
    run(9)
}
