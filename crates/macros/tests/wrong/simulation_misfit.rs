squeeze_macros::simulation! {
    mod a: life_3d on vicsek;
}

fn main() {}
