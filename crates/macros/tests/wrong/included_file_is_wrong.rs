squeeze_macros::include_rule!("../texts/wrong.rule");

fn main() {}
