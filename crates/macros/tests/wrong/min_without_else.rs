squeeze_macros::rule! {
    rule lowest {
        state u: f32
        next u = min(moore, nb.u)
    }
}

fn main() {}
