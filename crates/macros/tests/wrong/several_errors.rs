squeeze_macros::rule! {
    rule many {
        state a: bit
        param p: f23 = 1.0
        next a = a + 1
        observe total = sum(b)
    }
}

fn main() {}
