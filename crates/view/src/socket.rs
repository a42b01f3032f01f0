//! The conversation with one page.

use crate::message::PageMessage;
use crate::server::Door;
use crate::shared::{Delivery, Switchboard};
use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{Error, WebSocket};

/// The most bytes of a message of a page.
const LONGEST: usize = 1 << 17;
/// The longest time until the token was said.
const UNTIL_TOKEN: Duration = Duration::from_secs(5);
/// After so long without a word a page is asked whether it is there,
const SILENCE: Duration = Duration::from_secs(20);
/// and after so long it is not.
const GONE: Duration = Duration::from_secs(60);
/// The most messages that are taken before something is sent again.
const MOST_AT_ONCE: usize = 64;
/// Between two looks for messages while a frame may come.
const MOMENT: Duration = Duration::from_millis(20);
/// Between two looks for what is to be sent while messages may come.
const WHILE: Duration = Duration::from_millis(50);

/// A socket of a page.
struct Socket<'a> {
    socket: WebSocket<TcpStream>,
    shared: &'a Switchboard,
    heard: Instant,
    asked: Instant,
}

/// The conversation is over, with a code for the page if there is one to hear it.
struct Farewell(Option<(CloseCode, &'static str)>);

/// Talks with a page until it or the run ends; `rest` was read behind the head.
pub(crate) fn talk(stream: TcpStream, rest: Vec<u8>, door: &Door) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
        .read_buffer_size(1 << 14);
    let socket = WebSocket::from_partially_read(stream, rest, Role::Server, Some(config));
    let now = Instant::now();
    let mut socket = Socket { socket, shared: &door.shared, heard: now, asked: now };
    let Farewell(told) = match socket.is_invited(&door.token) {
        Ok(()) => match door.shared.enter() {
            Some(page) => {
                let over = socket.converse(page);
                door.shared.leave(page);
                over
            }
            None => Farewell(Some((CloseCode::Again, "too many pages"))),
        },
        Err(over) => over,
    };
    if let Some((code, reason)) = told {
        _ = socket.socket.close(Some(CloseFrame { code, reason: reason.into() }));
        _ = socket.socket.flush();
    }
}

impl Socket<'_> {
    /// Reads a message, if one comes within this time.
    fn read(&mut self, within: Duration) -> Result<Option<PageMessage>, Farewell> {
        self.socket
            .get_ref()
            .set_read_timeout(Some(within.max(Duration::from_millis(1))))
            .map_err(|_| Farewell(None))?;
        match self.socket.read() {
            Ok(tungstenite::Message::Text(text)) => {
                self.heard = Instant::now();
                let message = PageMessage::parse(text.as_str());
                message.map(Some).map_err(|_| Farewell(Some((CloseCode::Policy, "not a message of this page"))))
            }
            Ok(tungstenite::Message::Binary(_)) => Err(Farewell(Some((CloseCode::Unsupported, "messages are texts")))),
            Ok(_) => {
                self.heard = Instant::now();
                Ok(None)
            }
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(None),
            Err(Error::Capacity(_)) => Err(Farewell(Some((CloseCode::Size, "too long")))),
            Err(Error::Utf8(_) | Error::Protocol(_)) => Err(Farewell(Some((CloseCode::Protocol, "no message")))),
            Err(_) => Err(Farewell(None)),
        }
    }

    /// Waits for the first message, which must be the token.
    fn is_invited(&mut self, token: &str) -> Result<(), Farewell> {
        let until = Instant::now() + UNTIL_TOKEN;
        let refused = |reason| Farewell(Some((CloseCode::Policy, reason)));
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.shared.is_closed() {
                return Err(refused("the token is missing"));
            }
            match self.read(left.min(WHILE))? {
                None => {}
                Some(PageMessage::Token(said)) if is_same(&said, token) => return Ok(()),
                Some(PageMessage::Token(_)) => return Err(refused("this token is not that of the run")),
                Some(_) => return Err(refused("the first message is the token")),
            }
        }
    }

    /// Takes messages and sends what the run has for the page, until one of them ends.
    fn converse(&mut self, page: u64) -> Farewell {
        let mut wants = false;
        loop {
            if self.shared.is_closed() {
                return Farewell(Some((CloseCode::Away, "the run has ended")));
            }
            while let Some(sent) = self.shared.next(page, if wants { MOMENT } else { Duration::ZERO }) {
                let message = match sent {
                    Delivery::Text(text) => tungstenite::Message::text(&*text),
                    Delivery::File(bytes) => tungstenite::Message::binary(bytes),
                    Delivery::Frame(bytes) => {
                        wants = false;
                        tungstenite::Message::binary(bytes)
                    }
                };
                if self.socket.send(message).is_err() {
                    return Farewell(None);
                }
            }
            // A page may say much at once: it is heard out before the next frame.
            let mut within = if wants { Duration::ZERO } else { WHILE };
            for _ in 0..MOST_AT_ONCE {
                match self.read(within) {
                    Ok(None) => break,
                    Ok(Some(PageMessage::Next)) => {
                        wants = true;
                        self.shared.want(page);
                    }
                    Ok(Some(PageMessage::Look(look))) => self.shared.look(page, look),
                    Ok(Some(PageMessage::Command(command))) => self.shared.command(page, command),
                    Ok(Some(PageMessage::Token(_))) => {
                        return Farewell(Some((CloseCode::Policy, "the token was said")));
                    }
                    Err(over) => return over,
                }
                within = Duration::ZERO;
            }
            if self.heard.elapsed() > GONE {
                return Farewell(Some((CloseCode::Away, "nothing was heard")));
            }
            if self.heard.max(self.asked).elapsed() > SILENCE {
                self.asked = Instant::now();
                if self.socket.send(tungstenite::Message::Ping(Vec::new().into())).is_err() {
                    return Farewell(None);
                }
            }
        }
    }
}

/// Whether two texts are the same; the time that it takes tells nothing of where they differ.
fn is_same(said: &str, token: &str) -> bool {
    let differs = said.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    said.len() == token.len() && std::hint::black_box(differs) == 0
}
