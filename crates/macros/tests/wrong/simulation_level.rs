squeeze_macros::simulation! {
    mod a: life on vicsek at level 99;
}

fn main() {}
