squeeze_macros::rule! {
    rule heat {
        state u: f32
        next u = if u { 1.0 } else { 0.0 }
    }
}

fn main() {}
