//! Source texts and positions in them.

/// Which text of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A range of bytes of one text. Texts are at most 16 MiB, so 32 bits suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`, both in one text.
    #[doc(hidden)]
    pub fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start, end: other.end.max(self.end) }
    }

    /// The empty span at the end of `self`.
    #[doc(hidden)]
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// One text and the name under which messages speak of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A path as the user gave it, or `<name>` for a text that is not a file.
    pub name: String,
    /// The text.
    pub text: String,
    /// The offsets at which its lines begin, so that thousands of places are looked up without reading the text as often.
    lines: Vec<u32>,
}

/// All texts that take part in one compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// No texts.
    #[doc(hidden)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text and gives its id.
    #[doc(hidden)]
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text: String = text.into();
        let lines = [0].into_iter().chain(text.match_indices('\n').map(|(newline, _)| newline as u32 + 1)).collect();
        self.sources.push(Source { name: name.into(), text, lines });
        SourceId(self.sources.len() as u32 - 1)
    }

    /// The texts, in the order of their addition.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter()
    }

    /// The text with this id.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.sources[id.0 as usize]
    }

    /// The characters that a span covers.
    #[doc(hidden)]
    pub fn slice(&self, span: Span) -> &str {
        &self.get(span.source).text[span.start as usize..span.end as usize]
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn line_column(&self, source: SourceId, offset: u32) -> (usize, usize) {
        let source = self.get(source);
        let line = source.lines.partition_point(|start| *start <= offset);
        (line, source.text[source.lines[line - 1] as usize..offset as usize].chars().count() + 1)
    }
}
