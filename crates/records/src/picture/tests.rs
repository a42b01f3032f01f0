//! Pictures of small fractals, looked at pixel by pixel.

use super::blocks::PictureBlocks;
use super::*;
use crate::resolve;
use crate::state::given::Given;
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::Fractal;
use squeeze_compiler::text::source::Sources;
use squeeze_compiler::{NoFiles, check};
use std::sync::Arc;

const WHITE: [u8; 3] = [255; 3];

fn fractal(dimension: Dimension, scale: u32, replicas: &[[u32; 3]]) -> Arc<Fractal> {
    let axes = dimension.axes();
    let replica = |(number, at): (usize, &[u32; 3])| format!("{number}: ({:?})\n", &at[..axes]).replace(['[', ']'], "");
    let replicas: String = replicas.iter().enumerate().map(replica).collect();
    let mut sources = Sources::new();
    let text = format!("fractal f {{ dimension {axes} scale {scale} replicas {{\n{replicas}}} }}");
    let root = sources.add("f", text);
    Arc::clone(&check(&mut sources, root, &mut NoFiles).unwrap().fractals[0])
}

fn triangle(level: u32) -> Domain {
    Domain::new(fractal(Dimension::Two, 2, &[[0, 0, 0], [0, 1, 0], [1, 1, 0]]), level).unwrap()
}

#[test]
fn a_small_fractal_is_enlarged_by_a_whole_factor() {
    let image = of_fractal(&triangle(1), None, Background::Light).unwrap();
    assert_eq!((image.width, image.height), (1024, 1024));
    let ink = Theme::of(Background::Light).bare(Dimension::Two).to_srgb();
    assert_eq!([image.get(0, 0), image.get(511, 511), image.get(512, 512), image.get(0, 1023)], [ink; 4]);
    assert_eq!([image.get(512, 0), image.get(1023, 511)], [WHITE; 2]);
}

#[test]
fn a_large_fractal_is_reduced_to_blocks_that_can_be_seen() {
    for background in Background::ALL {
        let image = of_fractal(&triangle(30), None, background).unwrap();
        assert_eq!((image.width, image.height), (1024, 1024));
        let ground = Theme::of(background).ground().to_srgb();
        let cells = image.pixels.chunks(3).filter(|pixel| *pixel != ground).count();
        assert_eq!(cells as u64, triangle(10).cells());
    }
}

#[test]
fn lines_of_sparse_fractals_are_wide() {
    let cross = fractal(Dimension::Two, 3, &[[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]]);
    let blocks = flat::blocks(&Domain::new(Arc::clone(&cross), 12).unwrap()).longest();
    assert_eq!(blocks, 243, "5⁵ of 243² blocks are 5.3%");
    let of_level = |level| flat::blocks(&Domain::new(Arc::clone(&cross), level).unwrap()).longest();
    assert_eq!(
        [of_level(5), of_level(6)],
        [243, 243],
        "single cells, and blocks of nine places where cells would be tiny"
    );
}

#[test]
fn a_level_of_large_scale_shares_pixels_among_blocks() {
    let diagonal: Vec<[u32; 3]> = (0..10_000).map(|i| [i, i, 0]).collect();
    let domain = Domain::new(fractal(Dimension::Two, 10_000, &diagonal), 1).unwrap();
    let image = of_fractal(&domain, None, Background::Light).unwrap();
    assert_eq!((image.width, image.height), (1000, 1000));
    let inked = image.pixels.chunks(3).filter(|pixel| *pixel != WHITE).count();
    assert_eq!(inked, 1000);
}

#[test]
fn a_picture_of_blocks_has_an_inset_of_cells() {
    let rule = crate::resolve::rule("wave").unwrap();
    let drawn = |level| {
        let domain = triangle(level);
        let shades = Shades::of(&rule, StateId(0), &Style::default()).unwrap();
        let field = Given::numbers(&domain);
        draw(&domain, &PictureSubject::Field(field.view(), shades), None, (Theme::of(Background::Dark), 0)).unwrap()
    };
    let (cells, blocks) = (drawn(9), drawn(10));
    assert_eq!((cells.image.width, cells.scale, cells.single), (512, 3, true), "three pixels for each cell");
    assert!(cells.inset.is_none());
    assert_eq!((blocks.image.width * blocks.scale, blocks.single), (1024, false));
    let inset = blocks.inset.unwrap();
    assert_eq!((inset.image.width, inset.place), (64, [544.0, 32.0, 448.0, 448.0]), "seven pixels each, in the hole");
    let [x, y, width, height] = inset.shown;
    assert_eq!((width, height), (64.0, 64.0));
    assert!(x <= y, "cells lie there");
}

#[test]
fn pictures_of_states_are_framed() {
    let rule = crate::resolve::rule("wave").unwrap();
    let domain = triangle(5);
    let style = Style { caption: Some("step 1".to_owned()), background: Background::Dark, ..Style::default() };
    let picture = of_state(&domain, &rule, StateId(0), Given::numbers(&domain).view(), None, &style).unwrap();
    assert_eq!(picture.range, Some([0.0, 242.0]));
    let [svg, pdf] = [Format::Svg, Format::Pdf].map(|format| picture.sheet.bytes(format));
    let svg = String::from_utf8(svg).unwrap();
    for part in [">u</text>", ">200</text>", ">step 1</text>", "data:image/png;base64,", "fill=\"#0c111b\""] {
        assert!(svg.contains(part), "{part}");
    }
    assert!(pdf.starts_with(b"%PDF-1.4"));
    let image = picture.sheet.to_image();
    let ground = Theme::of(Background::Dark).ground().to_srgb();
    assert_eq!((image.width, image.get(30, 30)), (1024 + 62, ground), "a margin");
    assert_ne!(image.get(31, 31), ground);
}

#[test]
fn a_block_is_the_mean_of_its_cells() {
    let domain = triangle(9);
    let blocks = PictureBlocks { domain: &domain, level: 8, sides: [2, 2, 1] };
    assert_eq!((blocks.cells(), blocks.count()), (6561, 3));
    let shades = Shades::of(&resolve::rule("heat").unwrap(), StateId(0), &Style::default()).unwrap();
    let means = blocks.means(Given::numbers(&domain).view(), &shades).unwrap();
    assert_eq!(means.iter().map(|mean| mean[0]).collect::<Vec<_>>(), [3280.0, 9841.0, 16402.0]);
    assert_eq!(blocks.place(1), [0, 1, 0]);
}

#[test]
fn the_cube_of_a_solid_fills_a_hexagon() {
    let tetrix = fractal(Dimension::Three, 2, &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    let image = of_fractal(&Domain::new(tetrix, 0).unwrap(), None, Background::Light).unwrap();
    assert_eq!(image.get(0, 0), WHITE);
    let (x, y) = (image.width / 2, image.height / 2);
    let faces = [image.get(x, y - 300), image.get(x - 300, y + 300), image.get(x + 300, y + 300)];
    assert!(faces.iter().all(|&face| face != WHITE));
    assert!(faces[0] != faces[1] && faces[1] != faces[2], "{faces:?}");
}
