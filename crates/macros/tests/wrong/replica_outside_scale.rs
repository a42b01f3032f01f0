squeeze_macros::fractal! {
    fractal corner {
        scale 2
        replicas { 0: (0, 0)  1: (0, 2) }
    }
}

fn main() {}
