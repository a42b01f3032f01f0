squeeze_macros::simulation! {
    rule relax {
        state u: f32
        step go from (+x, +y) { next u = 0.25 * sum(von_neumann, nb.u) }
    }
    mod a: relax on vicsek;
}

fn main() {}
