//! Frames: the colours of what a page shows, behind a head in JSON.
//!
//! A frame is made of the states first, and has its colours then, without them: meanwhile the run goes on.

use crate::message::{PageLook, PagePart};
use crate::scene::Scene;
use serde_json::{Map, Value, json};
use squeeze_compiler::geometry::Domain;
use squeeze_compiler::ir::{StateId, Type};
use squeeze_engine::failure::{Message, Result};
use squeeze_engine::simulation::{StateView, Window};
use squeeze_records::picture::colouring::{CellColours, ColouredCells, PixelColours, TileSums};
use squeeze_records::picture::{Extent, Style};

/// The most values of a frame.
const MOST_VALUES: u64 = 1 << 22;

impl PageLook {
    /// The colours of a state of this type.
    pub(crate) fn style(&self, ty: Type) -> Style {
        let mut style = Style::default();
        (style.colours, style.background) = (self.colours.clone(), self.background);
        style.logarithmic = self.logarithmic;
        if let (Some([low, high]), false) = (self.range, matches!(ty, Type::Enum(_))) {
            style.extent = Extent::Fixed(low, high);
        }
        if let PagePart::Solid(turn) = self.part {
            style.turn = turn;
        }
        style
    }

    /// The window, with the places of a pixel along a side.
    ///
    /// # Errors
    /// If the part is none, or reaches beyond the grid.
    pub(crate) fn window(&self, domain: &Domain) -> Result<(Window, u32), Message> {
        let PagePart::Window { origin, size: [width, height], reduce } = self.part else {
            return Err(Message::users("a window is wanted"));
        };
        let (window, extent) = (Window { origin, size: [width, height, 1] }, domain.extent());
        let inside = (0..3)
            .all(|a| window.size[a] > 0 && origin[a].checked_add(window.size[a]).is_some_and(|end| end <= extent[a]));
        if inside { Ok((window, reduce)) } else { Err(Message::users("the window lies outside the grid")) }
    }
}

/// The head of a frame, and what its colours are made of.
pub(crate) struct ViewFrame {
    head: Map<String, Value>,
    found: FoundCells,
    colouring: CellColours,
    of_thousand: usize,
}

/// What was found of the states.
enum FoundCells {
    Sums(TileSums),
    Coloured(ColouredCells),
}

impl ViewFrame {
    /// The frame of what a page shows of a scene.
    ///
    /// # Errors
    /// If there is no such part or state, the colours do not fit the state, or the machine fails.
    pub(crate) fn of(scene: &Scene<'_>, look: &PageLook) -> Result<ViewFrame> {
        let state = StateId(look.state);
        let field = StateView::numbered(scene.fields, state)?;
        let colouring = CellColours::new(scene.rule, state, &look.style(field.ty()))?;
        let domain = scene.domain();
        let mut size = None;
        let found = match &look.part {
            PagePart::Tiles { mu, level, replicas } => {
                let all = domain.levels().filter(|levels| mu <= level && level <= levels).map(|_| {
                    (
                        domain.cells() / domain.cell_product(*level),
                        domain.cell_product(*level) / domain.cell_product(*mu),
                    )
                });
                let fits = all.is_some_and(|(tiles, blocks)| {
                    replicas.iter().all(|replica| *replica < tiles)
                        && blocks.saturating_mul(replicas.len() as u64) <= MOST_VALUES
                });
                if !fits {
                    return Err(Message::users("there are no such tiles, or they are too many").into());
                }
                FoundCells::Sums(colouring.tile_sums(field, (*mu, *level), replicas)?)
            }
            PagePart::Solid(turn) => {
                let (coloured, shown) = colouring.solid(field, *turn)?;
                size = Some(shown);
                FoundCells::Coloured(coloured)
            }
            PagePart::Window { .. } => {
                let (window, reduce) = look.window(domain)?;
                let reduced = |side: u64| side.div_ceil(u64::from(reduce));
                if reduced(window.size[0]).saturating_mul(reduced(window.size[1])) > MOST_VALUES {
                    return Err(Message::users("the window is too large").into());
                }
                FoundCells::Coloured(colouring.window(field, window, reduce, look.of_thousand)?)
            }
        };
        let mut head = Map::new();
        head.insert("id".to_owned(), look.id.into());
        head.insert("size".to_owned(), json!(size));
        head.insert("palette".to_owned(), hex(&colouring.palette()).into());
        head.insert("ground".to_owned(), hex(&[colouring.ground()]).into());
        Ok(ViewFrame { head, found, colouring, of_thousand: look.of_thousand })
    }

    /// Adds an entry to the head.
    pub(crate) fn add(&mut self, name: &str, value: Value) {
        self.head.insert(name.to_owned(), value);
    }

    /// Leaves the palette out if the page has got the same one before.
    pub(crate) fn without_known_palette(&mut self, known: &mut Value) {
        let both = json!([self.head["palette"], self.head["ground"]]);
        if both == *known {
            self.head.remove("palette");
        } else {
            *known = both;
        }
    }

    /// The frame as a page reads it, with its colours: the bytes of the head as 4 bytes, little end first, the head, and the colours.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let coloured = match self.found {
            FoundCells::Sums(sums) => self.colouring.of_tiles(sums, self.of_thousand),
            FoundCells::Coloured(coloured) => coloured,
        };
        let (form, bytes) = match coloured.colours {
            PixelColours::Numbers(bytes) => (1, bytes),
            PixelColours::Bytes(bytes) => (3, bytes),
        };
        let range = coloured.range.filter(|[low, high]| low.is_finite() && high.is_finite());
        for (name, value) in [("form", json!(form)), ("range", json!(range)), ("histogram", json!(coloured.histogram))]
        {
            self.head.insert(name.to_owned(), value);
        }
        let head = Value::Object(self.head).to_string();
        [&(head.len() as u32).to_le_bytes()[..], head.as_bytes(), &bytes].concat()
    }
}

fn hex(colours: &[[u8; 3]]) -> String {
    colours.iter().map(|[r, g, b]| format!("{r:02x}{g:02x}{b:02x}")).collect()
}
