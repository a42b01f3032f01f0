squeeze_macros::simulation! {
    rule data {
        input a: f32 along x
        state u: f32
        next u = u + a
    }
    mod a: data on vicsek;
}

fn main() {}
