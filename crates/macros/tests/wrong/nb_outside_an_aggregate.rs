squeeze_macros::rule! {
    rule whose {
        state u: i32
        next u = nb.u
            + 1
    }
}

fn main() {}
