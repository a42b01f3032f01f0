//! Errors of the user's text: the message, the place, and the valid forms.

pub(crate) mod habits;
mod render;

use crate::text::source::Span;

pub use render::{in_order, render, visible};

/// "1 row", "2 rows".
pub(crate) fn counted<N: std::fmt::Display + PartialEq + From<u8>>(number: N, what: &str) -> String {
    format!("{number} {what}{}", if number == N::from(1) { "" } else { "s" })
}

/// A finding about the user's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// The error, in one line. Begins with a small letter, names things in backquotes, has no full stop.
    pub message: String,
    /// Its kind. Of a warning it is the name that `allow` takes, or `uniform_mask`. Of an error it is what is wrong, `unknown_name`,
    /// `duplicate_name` or `type`, or else the phase that found it: `syntax`, `file` (what a text uses), `domain` or `rule`.
    pub code: &'static str,
    /// Where; `None` only if there is no text to point into (a file that cannot be read as text).
    pub primary: Option<Label>,
    /// Other places that matter, such as an earlier definition.
    pub secondary: Vec<Label>,
    /// Valid forms, or the reason of the error; each rendered as `= help: …`.
    pub help: Vec<String>,
    /// The text that was probably meant, if a help asks so.
    pub suggestion: Option<Suggestion>,
    /// The system refused a resource that the check needs, such as a large stack; the text itself may be valid.
    pub of_system: bool,
    /// It is valid, but probably not meant.
    pub warning: bool,
}

/// A text that is probably meant in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The place of the other.
    pub span: Span,
    /// The text.
    pub replacement: String,
}

/// A place and a few words that stand beside its caret; the words may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words.
    pub text: String,
}

impl Diagnostic {
    /// Leaves out what was said before of the same place, perhaps of another component of one vector.
    pub(crate) fn once(all: &mut Vec<Diagnostic>) {
        let mut said = std::collections::HashSet::new();
        all.retain(|one| {
            let place = one.primary.as_ref().map(|label| (label.span.source, label.span.start, label.span.end));
            let of_any_component =
                [".y`", ".z`"].iter().fold(one.message.clone(), |told, end| told.replace(end, ".x`"));
            said.insert((of_any_component, place))
        });
    }

    /// An error at a place, with words for the caret.
    #[doc(hidden)]
    pub fn new(message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Diagnostic { primary: Some(Label { span, text: label.into() }), ..Diagnostic::without_place(message) }
    }

    /// An error that has no place in a text.
    #[doc(hidden)]
    pub fn without_place(message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), ..Diagnostic::default() }
    }

    /// The same as a warning of this code.
    pub(crate) fn into_warning(self, code: &'static str) -> Self {
        Diagnostic { warning: true, code, ..self }
    }

    /// The same with a code of its own.
    #[doc(hidden)]
    pub fn coded(self, code: &'static str) -> Self {
        Diagnostic { code, ..self }
    }

    /// Gives the code of a phase to those that it found and that have none of their own.
    pub(crate) fn found_by(phase: &'static str, errors: &mut [Diagnostic]) {
        errors.iter_mut().filter(|error| error.code.is_empty()).for_each(|error| error.code = phase);
    }

    /// Whether a reader is told the same: several phases may find one error.
    pub(crate) fn says_the_same(&self, other: &Diagnostic) -> bool {
        (self.warning, &self.message, &self.primary, &self.secondary, &self.help)
            == (other.warning, &other.message, &other.primary, &other.secondary, &other.help)
    }

    /// Asks whether another word was meant at this place.
    pub(crate) fn did_you_mean(self, word: &str, span: Span) -> Self {
        let asking = self.help(format!("did you mean `{word}`?"));
        Diagnostic { suggestion: Some(Suggestion { span, replacement: word.to_owned() }), ..asking }
    }

    /// Adds it to the errors.
    pub(crate) fn report(self, errors: &mut Vec<Diagnostic>) {
        errors.push(self);
    }

    /// Reports it, and gives nothing.
    pub(crate) fn fail<T>(self, errors: &mut Vec<Diagnostic>) -> Option<T> {
        errors.push(self);
        None
    }

    /// Adds another place.
    #[doc(hidden)]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: label.into() });
        self
    }

    /// Adds a help: the valid form, or the reason.
    #[doc(hidden)]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}
