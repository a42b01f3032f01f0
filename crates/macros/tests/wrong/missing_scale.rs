squeeze_macros::fractal! {
    fractal formless {
        replicas { 0: (0, 0)  1: (0, 1) }
    }
}

fn main() {}
