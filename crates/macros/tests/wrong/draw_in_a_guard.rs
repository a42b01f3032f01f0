squeeze_macros::rule! {
    rule dice {
        state a: bit
        init a = random(0.5)
        step throw when random(0.5) { next a = !a }
    }
}

fn main() {}
