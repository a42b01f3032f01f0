squeeze_macros::rule! {
    rule dice {
        state a: bit
        let chance = random(0.5)
        next a = chance
    }
}

fn main() {}
