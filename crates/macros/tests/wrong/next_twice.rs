squeeze_macros::rule! {
    rule again {
        state a: bit
        next a = !a
        next a = a
    }
}

fn main() {}
