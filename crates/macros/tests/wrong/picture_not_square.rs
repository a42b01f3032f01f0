squeeze_macros::fractal! {
    fractal oblong {
        scale 3
        pattern {
            ".#."
            "##"
            ".#."
        }
    }
}

fn main() {}
