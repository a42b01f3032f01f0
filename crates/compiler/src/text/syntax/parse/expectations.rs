//! The expectations of pest, in words of the language.

use super::grammar::Rule;
use super::{KEYWORDS, PieceParser};
use crate::text::diagnostics::{Diagnostic, habits};
use crate::text::words::beginning;
use pest::error::{Error, ErrorVariant, InputLocation};

/// The longest piece of the user's text that a message repeats.
const LONGEST_QUOTE: usize = 40;

impl PieceParser<'_> {
    /// The error of a failed attempt and its offset.
    pub(super) fn explain(&self, error: &Error<Rule>, attempt: &str) -> (usize, Diagnostic) {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        // Blanks may stand before the offending token.
        let at = at + attempt[at..].len() - attempt[at..].trim_start().len();
        let (positives, in_picture) = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => (positives.as_slice(), positives.contains(&Rule::row)),
            ErrorVariant::CustomError { message } => {
                return (at, Diagnostic::new(message.clone(), self.span(at, at), ""));
            }
        };
        let token = match attempt[at..].chars().next() {
            // In a picture every character counts.
            Some(c) if in_picture => &attempt[at..at + c.len_utf8()],
            _ => token_at(attempt, at),
        };
        let span = self.span(at, at + token.len());
        if in_picture && token != "}" {
            return (at, bad_picture(token, span));
        }
        let expected = in_words(positives);
        let is_entry = positives.contains(&Rule::kw_observe) && !positives.contains(&Rule::multiply);
        let in_short = if is_entry { "an entry of a rule" } else { &expected };
        let found = if token.is_empty() { "the end".to_owned() } else { format!("`{}`", shorten(token)) };
        let mut diagnostic =
            Diagnostic::new(format!("expected {in_short}, found {found}"), span, format!("expected {expected}"));
        if let Some(help) = advice(positives, attempt, at, token) {
            diagnostic = diagnostic.help(help);
        }
        (at, diagnostic)
    }
}

/// The error for a character that does not belong into a picture.
pub(super) fn bad_picture(found: &str, span: crate::text::source::Span) -> Diagnostic {
    Diagnostic::new(format!("`{}` in a picture", shorten(found)), span, "not a cell of a picture").help(
        "rows consist of `#` for a replica, `0`-`9` and `a`-`z` for a replica with a number, and `.` for a hole; a line \
         of dashes separates the planes of a 3-D picture",
    )
}

/// A short form of the user's text for a message.
pub(super) fn shorten(text: &str) -> String {
    beginning(text, LONGEST_QUOTE)
}

/// The token at `at`: a word or number, a string, an operator, or one character; empty at the end.
pub(super) fn token_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else { return "" };
    if first.is_ascii_alphanumeric() || first == '_' {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        return &rest[..rest.find(|c| !word(c)).unwrap_or(rest.len())];
    }
    if first == '"' {
        return &rest[..rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 2)];
    }
    let operators = ["..=", "..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "->", "=>", "++", "+=", "-="];
    operators
        .iter()
        .find(|operator| rest.starts_with(**operator))
        .map_or(&rest[..first.len_utf8()], |operator| &rest[..operator.len()])
}

/// The expected tokens as a list in words: expressions, names and brackets rather than the rules of the grammar.
fn in_words(positives: &[Rule]) -> String {
    let expression = positives.iter().any(|rule| matches!(rule, Rule::variable | Rule::expression));
    let operator = positives.contains(&Rule::multiply);
    let ty = positives.contains(&Rule::kw_enum);
    if operator && positives.contains(&Rule::kw_next) {
        return "an operator or the next entry".to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    if expression {
        words.push("an expression".to_owned());
    }
    if ty {
        words.push("a type".to_owned());
    }
    for &rule in positives {
        let begins_expression = matches!(
            rule,
            Rule::negate
                | Rule::not
                | Rule::kw_if
                | Rule::if_expression
                | Rule::kw_match
                | Rule::match_expression
                | Rule::open_brace
                | Rule::open_paren
                | Rule::block
                | Rule::parenthesised
                | Rule::integer
                | Rule::float
                | Rule::yes
                | Rule::no
        );
        let continues_expression = matches!(
            rule,
            Rule::open_paren
                | Rule::open_bracket
                | Rule::dot
                | Rule::otherwise
                | Rule::kw_in
                | Rule::within
                | Rule::disorder
                | Rule::kw_from
                | Rule::of_cluster
                | Rule::at_cluster
                | Rule::kw_of
                | Rule::kw_at
        );
        if (expression && (begins_expression || rule == Rule::kw_let))
            || (operator && continues_expression)
            || (ty && matches!(rule, Rule::kw_enum | Rule::name))
        {
            continue;
        }
        let word = word(rule);
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    // The end of the list is named last.
    words.sort_by_key(|word| matches!(word.as_str(), "`}`" | "`)`" | "`]`"));
    match words.as_slice() {
        [] if operator => "an operator".to_owned(),
        [] => "something else".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// A token in words; empty if it goes without saying: operators, `;`.
fn word(rule: Rule) -> String {
    let word = match rule {
        Rule::open_brace | Rule::block | Rule::arms | Rule::colours => "`{`",
        Rule::close_brace => "`}`",
        Rule::open_paren | Rule::weighted | Rule::place | Rule::arguments | Rule::shown => "`(`",
        Rule::close_paren => "`)`",
        Rule::open_bracket | Rule::offsets | Rule::level_list | Rule::list | Rule::places => "`[`",
        Rule::table | Rule::table_type => "`[`",
        Rule::close_bracket => "`]`",
        Rule::comma => "`,`",
        Rule::colon | Rule::const_type => "`:`",
        Rule::assign => "`=`",
        Rule::arrow => "`->`",
        Rule::fat_arrow => "`=>`",
        Rule::name | Rule::level_entry => "a name",
        Rule::number | Rule::integer => "a whole number",
        Rule::string => "a quoted text",
        Rule::parameter => "a parameter with its type",
        Rule::arm | Rule::pattern_range => "a value to look for",
        Rule::colour => "a colour",
        Rule::replica => "a replica",
        Rule::row => "a row of the picture",
        Rule::dashes => "a line of dashes",
        Rule::axis => "an axis (x, y or z)",
        Rule::const_entry => "`const`",
        Rule::function => "`fn`",
        Rule::neighbourhood_entry => "`neighbourhood`",
        Rule::otherwise => "`else`",
        Rule::within => "`in`",
        Rule::base => "`fractal`",
        Rule::random_levels => "`random`",
        Rule::setting => "`param`",
        Rule::let_entry => "`let`",
        Rule::disorder => "`from`",
        Rule::guard => "`when`",
        Rule::coloured => "`colour`",
        Rule::ordered => "`from`",
        Rule::order => "`(`",
        Rule::signed_axis => "an axis with its sign (`+x` or `-x`)",
        Rule::by_level => "`by`",
        Rule::at_end => "`at`",
        // Keywords, and what is called as the keyword with which it begins.
        rule => {
            let name = format!("{rule:?}");
            let keyword = name.strip_prefix("kw_").unwrap_or(&name);
            let is_known = KEYWORDS.values().any(|known| known == keyword);
            return if is_known { format!("`{keyword}`") } else { String::new() };
        }
    };
    word.to_owned()
}

/// A guess at the user's intention, where a glance at the token tells.
fn advice(positives: &[Rule], text: &str, at: usize, token: &str) -> Option<String> {
    let operator = positives.contains(&Rule::multiply);
    let expression = positives.iter().any(|rule| matches!(rule, Rule::variable | Rule::expression));
    let after_digit = text[..at].ends_with(|c: char| c.is_ascii_digit());
    let before = text[..at].trim_end();
    let entry = before.lines().last().and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    let help = match token {
        "from" if positives.contains(&Rule::open_brace) => {
            "an order stands behind the name of the step: `step scan from (+x, +y) when x > 0 { … }`"
        }
        "=" if operator => "equality is written `==`",
        "=" if entry == "state" => "what it is at first stands on a line of its own: `init u = 0.5`",
        "(" if entry == "observe" && positives.contains(&Rule::assign) => "it has a name: `observe total = sum(u)`",
        ".." if operator => "a range includes its last value: write `2..=3`",
        "." if operator && after_digit => "a number has digits on both sides of its point: write `1.0`",
        "." if operator => "only `nb` has fields, as in `nb.alive`, on one line",
        "." if expression => "a number has digits on both sides of its point: write `0.5`",
        _ if operator && before.ends_with("not") => "write `!`",
        "*" if expression && before.ends_with('*') => "powers are written `pow(a, b)`",
        "=" | "{" if positives.contains(&Rule::arrow) => {
            "a function says what type it gives: write `fn f(a: f32, b: i32) -> f32 = a * f32(b)`"
        }
        "{" if positives.contains(&Rule::assign) => "write `=` before the value, as in `fn f(a: f32) -> f32 = { … }`",
        ":" | "->" if positives.contains(&Rule::fat_arrow) => "cases are written `2..=3 | 7 => 1`",
        "," if before.ends_with(|c: char| c.is_ascii_digit()) && positives.contains(&Rule::close_paren) => {
            "a list of offsets stands in brackets: `any([(-1, 0), (1, 0)], nb.alive)`"
        }
        ")" | "," if positives.contains(&Rule::colon) => {
            "a parameter of a function has a type: write `fn f(a: f32, b: i32) -> f32 = a * f32(b)`"
        }
        "+=" | "-=" | "*=" | "/=" if positives.contains(&Rule::assign) => {
            "nothing is changed in place: write `next u = u + 1`"
        }
        "->" | "=>" => "values are assigned with `=`",
        "if" | "else" | "match" | "let" | "true" | "false" | "in" if positives.contains(&Rule::name) => {
            return Some(format!("`{token}` is a word of the language and cannot be a name"));
        }
        "else" if operator => {
            "`else` belongs to an `if`, to a call such as `min(moore, nb.u)` or to a read such as `u[1, 0]`"
        }
        _ if expression && token.starts_with(|c: char| c.is_ascii_digit()) => {
            "numbers are written `12`, `0x1f`, `0b101`, `1.5`, `2e-3`"
        }
        "(" | "[" | "-" if operator => "a line that begins with `-`, `(` or `[` does not continue the expression above",
        _ => {
            let of_operator = if operator { habits::operator(token) } else { None };
            // Where an entry or an expression begins; behind an expression the next entry may.
            return of_operator.or_else(|| habits::statement(token)).map(str::to_owned);
        }
    };
    Some(help.to_owned())
}
