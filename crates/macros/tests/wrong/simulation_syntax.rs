squeeze_macros::simulation! {
    pub mod a: life at vicsek;
}

fn main() {}
