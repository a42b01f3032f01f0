squeeze_macros::rule! {
    rule empty { }
}

fn main() {}
