squeeze_macros::rule! {
    rule life {
        state alive: bit
        next alive = alvie
    }
}

fn main() {}
