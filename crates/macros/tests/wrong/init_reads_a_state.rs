squeeze_macros::rule! {
    rule early {
        state a: bit
        init a = a
        next a = !a
    }
}

fn main() {}
