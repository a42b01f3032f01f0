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

fn main() -> Result<(), squeeze::Error> {
    assert_eq!(plus::lambda(2, 7), Some([1, 4]));
    let mut simulation = majority::on(plus::fractal()).level(9).seed(1).build()?;
    simulation.step(100)?;
    println!("{:?} {:?}", simulation.observe()?, simulation.digests());
    Ok(())
}
