squeeze_macros::fractal! {
    fractal twice {
        scale 2
        replicas { 0: (0, 0)  1: (0, 1)  2: (0, 0) }
    }
}

fn main() {}
