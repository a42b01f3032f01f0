//! The modules that the macros generate for everything that ships: their λ and ν against the library's maps.

use squeeze::Domain;

/// The modules of all shipped fractals.
mod shipped {
    squeeze::include_fractal!("../fractals/bridge.fractal");
    squeeze::include_fractal!("../fractals/candy.fractal");
    squeeze::include_fractal!("../fractals/cantor_dust_3d.fractal");
    squeeze::include_fractal!("../fractals/cantor_line.fractal");
    squeeze::include_fractal!("../fractals/cantor_set.fractal");
    squeeze::include_fractal!("../fractals/chandelier.fractal");
    squeeze::include_fractal!("../fractals/corners.fractal");
    squeeze::include_fractal!("../fractals/empty_bottles.fractal");
    squeeze::include_fractal!("../fractals/filigree.fractal");
    squeeze::include_fractal!("../fractals/full_square.fractal");
    squeeze::include_fractal!("../fractals/h_fractal.fractal");
    squeeze::include_fractal!("../fractals/lace.fractal");
    squeeze::include_fractal!("../fractals/line.fractal");
    squeeze::include_fractal!("../fractals/menger_sponge.fractal");
    squeeze::include_fractal!("../fractals/mosely_snowflake.fractal");
    squeeze::include_fractal!("../fractals/random_carpet.fractal");
    squeeze::include_fractal!("../fractals/sierpinski_carpet.fractal");
    squeeze::include_fractal!("../fractals/sierpinski_triangle.fractal");
    squeeze::include_fractal!("../fractals/tetrix.fractal");
    squeeze::include_fractal!("../fractals/vicsek.fractal");
    squeeze::include_fractal!("../fractals/vicsek_3d.fractal");
    squeeze::include_fractal!("../fractals/x_fractal.fractal");
}

/// Compares λ and ν of modules with the library's, on all cells of small levels, on holes, and far up.
macro_rules! compare {
    ($($name:ident)*) => { [$({
        use shipped::$name::{DIMENSION, LARGEST_LEVEL, cells, fractal, lambda, nu, side};
        let point = |point: [u64; DIMENSION]| {
            let mut three = [0; 3];
            three[..DIMENSION].copy_from_slice(&point);
            three
        };
        let domain = |level| Domain::new(fractal(), level).unwrap();
        let name = stringify!($name);
        assert_eq!(LARGEST_LEVEL, Domain::largest_level(&fractal()), "{name}");
        for level in 0..=LARGEST_LEVEL {
            let domain = domain(level);
            assert_eq!((side(level), cells(level)), (Some(domain.side()), Some(domain.cells())), "{name}");
            // All cells of a small level, and some of a large one.
            let step = (domain.cells() / 200).max(1);
            for c in (0..domain.cells()).step_by(step as usize).chain([domain.cells() - 1]) {
                let place = lambda(level, c).unwrap();
                assert_eq!(point(place), domain.lambda(c), "{name}, level {level}, cell {c}");
                assert_eq!(nu(level, place), Some(c), "{name}, level {level}, cell {c}");
                let beside = place.map(|v| v + 1);
                assert_eq!(nu(level, beside), domain.nu(point(beside)), "{name}, level {level}, beside {c}");
            }
            assert_eq!(lambda(level, domain.cells()), None, "{name}");
        }
        assert_eq!(lambda(LARGEST_LEVEL + 1, 0), None, "{name}");
        name
    }),*] };
}

#[test]
fn maps_of_modules_are_those_of_the_library() {
    let compared = compare!(
        bridge candy cantor_dust_3d cantor_line cantor_set chandelier corners empty_bottles filigree full_square h_fractal lace line
        menger_sponge mosely_snowflake random_carpet sierpinski_carpet sierpinski_triangle tetrix vicsek vicsek_3d x_fractal
    );
    let files = squeeze_tests::files(std::path::Path::new("../fractals"), &["fractal"]);
    let names: Vec<&str> = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
    assert_eq!(compared.as_slice(), names, "every shipped fractal is compared");
}
