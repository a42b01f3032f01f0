squeeze_macros::include_rule!("nowhere.rule");

fn main() {}
