//! The messages of pages, as JSON: an object with one entry.

use serde_json::Value;
use squeeze_records::picture::{Background, Colours};

/// The most cells that a message draws.
const MOST_DRAWN: usize = 1024;
/// The most pixels of a place along a side.
const MOST_ENLARGED: u32 = 1024;
/// The most tiles of a look.
const MOST_TILES: usize = 4096;

/// A message.
#[derive(Debug, PartialEq)]
pub(crate) enum PageMessage {
    /// The secret that the first message must say.
    Token(String),
    /// The part of the grid that the page shows, and how.
    Look(PageLook),
    /// The page wants a frame.
    Next,
    /// Something to do.
    Command(PageCommand),
}

/// A command for the run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PageCommand {
    /// Steps are computed, or not.
    Play(bool),
    /// This number of steps, then a pause.
    Step(u32),
    /// One step back, then a pause.
    Back,
    /// This number of steps for each frame of a thirtieth of a second; as many as can be if it is 0.
    Speed(u32),
    /// The beginning, with this seed.
    Reset(u64),
    /// A parameter's value.
    Set(String, String),
    /// A state's cells at these places get a value.
    Draw(PencilMark),
    /// The last stroke is taken back.
    Undo,
    /// The rule becomes this text.
    Rule(String),
    /// This member of a sweep begins.
    Member(u32),
    /// The saved state of this time is shown, or the next one behind it.
    At(u32),
    /// The cell at this place is reported with each frame of the page; none.
    Probe(Option<[u64; 3]>),
    /// What is in view, as a file.
    Save(SavedForm, Box<PageView>),
    /// A film of this begins; it ends.
    Film(Option<Box<PageView>>),
    /// The command that computes and draws what is in view.
    Words(Box<PageView>),
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SavedForm {
    /// A picture.
    Png,
    /// A pattern.
    Rle,
}

impl SavedForm {
    /// How the name of such a file ends.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            SavedForm::Png => "png",
            SavedForm::Rle => "rle",
        }
    }
}

/// A window as a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageView {
    /// The window, and how it is shown.
    pub(crate) look: PageLook,
    /// The pixels of a place along a side.
    pub(crate) enlarge: u32,
}

/// A part of a stroke.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PencilMark {
    /// The number of the state.
    pub(crate) state: u16,
    /// The value, as text.
    pub(crate) value: String,
    /// What gets it.
    pub(crate) shape: DrawnShape,
    /// Whether it goes on with the stroke before.
    pub(crate) goes_on: bool,
    /// How often the page knows the rule to have changed: the number of a state is another one's afterwards. Any.
    pub(crate) edition: Option<u32>,
}

/// The places that are drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DrawnShape {
    /// These.
    Places(Vec<[u64; 3]>),
    /// Those of the box between two corners of a layer.
    Rectangle([[u64; 3]; 2]),
    /// A place, and the places of the same value that are connected to it.
    Fill([u64; 3]),
    /// The live cells of a pattern with its corner here, which bring their own values.
    Stamp([u64; 3], String),
}

/// What a page shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageLook {
    /// The page's number of it, which comes back with frames.
    pub(crate) id: u64,
    /// The number of the state.
    pub(crate) state: u16,
    /// The page's background.
    pub(crate) background: Background,
    /// The colours.
    pub(crate) colours: Colours,
    /// Whether they lie on a logarithmic scale.
    pub(crate) logarithmic: bool,
    /// The values at the ends of the colours; those of each frame.
    pub(crate) range: Option<[f64; 2]>,
    /// Values left out for such a range, of a thousand, at either end.
    pub(crate) of_thousand: usize,
    /// The part.
    pub(crate) part: PagePart,
}

/// A part of the grid.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PagePart {
    /// The blocks of level `mu` in replicas of a level.
    Tiles {
        /// The level of the blocks.
        mu: u32,
        /// The level of the replicas.
        level: u32,
        /// Their numbers.
        replicas: Vec<u64>,
    },
    /// A window of a layer.
    Window {
        /// Its least coordinates.
        origin: [u64; 3],
        /// Its width and height.
        size: [u64; 2],
        /// The places of a pixel along a side.
        reduce: u32,
    },
    /// All of a 3-D grid as a solid, after some quarter turns; 4 more show its lower side.
    Solid(u8),
}

impl PageMessage {
    /// Reads a message.
    ///
    /// # Errors
    /// The message as words for the page, if it is none.
    pub(crate) fn parse(text: &str) -> Result<PageMessage, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("a message is no JSON: {error}"))?;
        let one = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
        let (name, value) = one.ok_or("a message is an object with one entry")?;
        let wrong = || format!("a message `{name}` has a wrong value");
        let message = match name.as_str() {
            "token" => value.as_str().map(|token| PageMessage::Token(token.to_owned())),
            "next" => Some(PageMessage::Next),
            "look" => PageLook::parse(value).map(PageMessage::Look),
            "play" => value.as_bool().map(|play| PageMessage::Command(PageCommand::Play(play))),
            "step" => number(value).map(|steps| PageMessage::Command(PageCommand::Step(steps))),
            "back" => Some(PageMessage::Command(PageCommand::Back)),
            "speed" => number(value).map(|steps| PageMessage::Command(PageCommand::Speed(steps))),
            "reset" => large(value).map(|seed| PageMessage::Command(PageCommand::Reset(seed))),
            "set" => pair(value).map(|(name, text)| PageMessage::Command(PageCommand::Set(name, text))),
            "draw" => PencilMark::parse(value).map(|drawn| PageMessage::Command(PageCommand::Draw(drawn))),
            "rule" => value.as_str().map(|text| PageMessage::Command(PageCommand::Rule(text.to_owned()))),
            "member" => number(value).map(|member| PageMessage::Command(PageCommand::Member(member))),
            "at" => number(value).map(|time| PageMessage::Command(PageCommand::At(time))),
            "undo" => Some(PageMessage::Command(PageCommand::Undo)),
            "probe" if value.is_null() => Some(PageMessage::Command(PageCommand::Probe(None))),
            "probe" => list(value, large).map(|place| PageMessage::Command(PageCommand::Probe(Some(place)))),
            "save" => PageView::parse(value)
                .zip(SavedForm::parse(value))
                .map(|(view, form)| PageMessage::Command(PageCommand::Save(form, Box::new(view)))),
            "film" if value.is_null() => Some(PageMessage::Command(PageCommand::Film(None))),
            "film" => PageView::parse(value).map(|view| PageMessage::Command(PageCommand::Film(Some(Box::new(view))))),
            "words" => PageView::parse(value).map(|view| PageMessage::Command(PageCommand::Words(Box::new(view)))),
            _ => return Err(format!("there is no message `{name}`")),
        };
        message.ok_or_else(wrong)
    }
}

impl PencilMark {
    fn parse(value: &Value) -> Option<PencilMark> {
        let places = value.get("places")?.as_array().filter(|places| places.len() <= MOST_DRAWN)?;
        let places: Vec<[u64; 3]> = places.iter().map(|place| list(place, large)).collect::<Option<_>>()?;
        let shape = match (value.get("shape").map_or(Some("places"), Value::as_str)?, &places[..]) {
            ("places", _) => DrawnShape::Places(places),
            ("rectangle", [from, to]) => DrawnShape::Rectangle([*from, *to]),
            ("fill", [place]) => DrawnShape::Fill(*place),
            ("stamp", [place]) => DrawnShape::Stamp(*place, value.get("pattern")?.as_str()?.to_owned()),
            _ => return None,
        };
        Some(PencilMark {
            state: number(value.get("state")?)?.try_into().ok()?,
            value: value.get("value")?.as_str()?.to_owned(),
            shape,
            goes_on: value.get("on")?.as_bool()?,
            edition: value.get("edition").and_then(number),
        })
    }
}

impl SavedForm {
    fn parse(value: &Value) -> Option<SavedForm> {
        [SavedForm::Png, SavedForm::Rle]
            .into_iter()
            .find(|form| value.get("as").is_some_and(|name| name == form.ending()))
    }
}

impl PageView {
    fn parse(value: &Value) -> Option<PageView> {
        let enlarge = number(value.get("enlarge")?).filter(|pixels| (1..=MOST_ENLARGED).contains(pixels))?;
        let look = PageLook::parse(value).filter(|look| !matches!(look.part, PagePart::Tiles { .. }))?;
        Some(PageView { look, enlarge })
    }
}

impl PageLook {
    fn parse(value: &Value) -> Option<PageLook> {
        let part = match value.get("tiles") {
            Some(tiles) => {
                let tiles = tiles.as_array().filter(|tiles| tiles.len() <= MOST_TILES)?;
                let replicas = tiles.iter().map(large).collect::<Option<Vec<u64>>>()?;
                PagePart::Tiles { mu: number(value.get("mu")?)?, level: number(value.get("level")?)?, replicas }
            }
            None if value.get("solid").is_some() => {
                PagePart::Solid(number(value.get("solid")?).filter(|turn| *turn < 8)? as u8)
            }
            None => PagePart::Window {
                origin: list(value.get("origin")?, large)?,
                size: list(value.get("size")?, large)?,
                reduce: number(value.get("reduce")?).filter(|reduce| *reduce > 0)?,
            },
        };
        let range = match value.get("range")? {
            Value::Null => None,
            range => Some(list(range, Value::as_f64).filter(|[low, high]: &[f64; 2]| low < high)?),
        };
        Some(PageLook {
            id: value.get("id")?.as_u64()?,
            state: number(value.get("state")?)?.try_into().ok()?,
            background: Background::ALL
                .into_iter()
                .find(|one| value.get("theme").is_some_and(|name| name == one.name()))?,
            colours: value.get("colours")?.as_str()?.parse().ok()?,
            logarithmic: value.get("log")?.as_bool()?,
            range,
            of_thousand: number(value.get("trim")?).filter(|part| *part < 500)? as usize,
            part,
        })
    }
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}

/// A number that JavaScript writes as text, since it may be larger than its numbers.
fn large(value: &Value) -> Option<u64> {
    value.as_str()?.parse().ok()
}

fn pair(value: &Value) -> Option<(String, String)> {
    let [name, text]: [String; 2] = list(value, |value| value.as_str().map(str::to_owned))?;
    Some((name, text))
}

fn list<T, const N: usize>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<[T; N]> {
    let all = value.as_array()?.iter().map(read).collect::<Option<Vec<T>>>()?;
    all.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let command = |text: &str| match PageMessage::parse(text) {
            Ok(PageMessage::Command(command)) => command,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(command(r#"{"play":true}"#), PageCommand::Play(true));
        assert_eq!(command(r#"{"reset":"18446744073709551615"}"#), PageCommand::Reset(u64::MAX));
        assert_eq!(command(r#"{"set":["feed","0.03"]}"#), PageCommand::Set("feed".to_owned(), "0.03".to_owned()));
        assert_eq!(command(r#"{"probe":["1","2","0"]}"#), PageCommand::Probe(Some([1, 2, 0])));
        assert_eq!(command(r#"{"probe":null}"#), PageCommand::Probe(None));
        let style = r#""id":7,"state":0,"theme":"dark","colours":"rule","log":false,"range":[0,1.5],"trim":2"#;
        let tiles = format!(r#"{{"look":{{{style},"mu":1,"level":3,"tiles":["4","9223372036854775808"]}}}}"#);
        let Ok(PageMessage::Look(look)) = PageMessage::parse(&tiles) else { panic!("{tiles}") };
        assert_eq!(look.part, PagePart::Tiles { mu: 1, level: 3, replicas: vec![4, 1 << 63] });
        assert_eq!(
            (look.id, look.range, look.of_thousand, look.background),
            (7, Some([0.0, 1.5]), 2, Background::Dark)
        );
        let window = format!(r#"{{"look":{{{style},"origin":["1","2","3"],"size":["4","5"],"reduce":6}}}}"#);
        let Ok(PageMessage::Look(look)) = PageMessage::parse(&window) else { panic!("{window}") };
        assert_eq!(look.part, PagePart::Window { origin: [1, 2, 3], size: [4, 5], reduce: 6 });
    }

    #[test]
    fn wrong_messages_are_said() {
        for (text, words) in [
            ("", "no JSON"),
            ("[1]", "one entry"),
            (r#"{"a":1,"b":2}"#, "one entry"),
            (r#"{"fly":1}"#, "no message `fly`"),
            (r#"{"step":-1}"#, "`step`"),
            (r#"{"step":4294967296}"#, "`step`"),
            (r#"{"reset":3}"#, "`reset`"),
            (r#"{"set":["a"]}"#, "`set`"),
            (r#"{"member":-1}"#, "`member`"),
            (r#"{"probe":["1","2"]}"#, "`probe`"),
            (r#"{"look":{"id":1}}"#, "`look`"),
            (r#"{"draw":{"state":0,"value":"1","places":[["1"]],"on":false}}"#, "`draw`"),
            (r#"{"draw":{"state":0,"value":"1","shape":"fill","places":[],"on":false}}"#, "`draw`"),
            (r#"{"draw":{"state":0,"value":"1","shape":"oval","places":[],"on":false}}"#, "`draw`"),
            (r#"{"draw":{"state":0,"value":"1","shape":"stamp","places":[["1","1","0"]],"on":false}}"#, "`draw`"),
        ] {
            let error = PageMessage::parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        let deep = "[".repeat(60_000);
        assert!(PageMessage::parse(&deep).is_err());
    }
}
