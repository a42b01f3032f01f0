//! A rule of one's own, its observables over time, and its state as numbers: heat that leaks out of a carpet.

squeeze::rule! {
    /// Diffusion on what is there, with a loss everywhere.
    rule leaking {
        param alpha: f32 = 0.1
        param loss: f32 = 0.01
        state u: f32
        init u = if x < 3 && y < 3 { 100.0 } else { 0.0 }
        next u = (u + alpha * sum(von_neumann, nb.u - u)) * (1.0 - loss)
        observe total = sum(u)
        observe hottest = max(u)
    }
}

/// The total at the times 0, 10, …, 50; the last two with four times the loss.
pub(crate) fn totals() -> Result<Vec<f64>, squeeze::Error> {
    let fractal = squeeze::resolve::fractal("sierpinski_carpet")?;
    let mut simulation = leaking::on(fractal).level(4).param("alpha", 0.2).build()?;
    let mut totals = Vec::new();
    for round in 0..=5 {
        if round == 4 {
            simulation.set_param("loss", 0.04)?;
        }
        if round > 0 {
            simulation.step(10)?;
        }
        for (name, value) in simulation.observe()? {
            println!("t = {:2}  {name} = {value}", simulation.time());
            if let (squeeze::ObservedValue::Float(value), "total") = (value, name) {
                totals.push(value);
            }
        }
    }
    // The corner of the expanded grid; holes are `None`.
    let corner = simulation.window::<f32>("u", [0, 0, 0], [4, 4, 1])?;
    for row in corner.values.chunks(4) {
        let shown: Vec<String> = row.iter().map(|u| u.map_or("     ".to_owned(), |u| format!("{u:5.2}"))).collect();
        println!("{}", shown.join(" "));
    }
    // All cells, by canonical index.
    let field: Vec<f32> = simulation.field("u")?;
    println!("{} of {} cells are warm", field.iter().filter(|u| **u > 0.1).count(), field.len());
    Ok(totals)
}

fn main() -> Result<(), squeeze::Error> {
    totals().map(|_| ())
}
