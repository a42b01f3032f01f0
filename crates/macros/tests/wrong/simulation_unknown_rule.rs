squeeze_macros::simulation! {
    mod a: nothing on vicsek;
}

fn main() {}
