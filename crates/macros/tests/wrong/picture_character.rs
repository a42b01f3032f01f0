squeeze_macros::fractal! {
    fractal odd {
        scale 2
        pattern { "#?" "#." }
    }
}

fn main() {}
