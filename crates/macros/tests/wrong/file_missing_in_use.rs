squeeze_macros::fractal! {
    use "nowhere.fractal"
    fractal pair { levels [vicsek] }
}

fn main() {}
