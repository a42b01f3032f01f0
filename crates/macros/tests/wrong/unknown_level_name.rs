squeeze_macros::fractal! {
    fractal mixed { levels [vicsek, sierpinsky_carpet] }
}

fn main() {}
