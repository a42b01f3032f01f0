squeeze_macros::fractal! {
    fractal broken {
        scale 2
        replicas { 0: (0, 0) 1: (0 1) }
    }
}

fn main() {}
