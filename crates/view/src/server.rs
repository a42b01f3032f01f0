//! The server: it listens on this machine's own addresses, hands out the page, and opens sockets.

use crate::head::{self, HttpAnswer};
use crate::shared::Switchboard;
use crate::socket;
use squeeze_engine::Failure;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest time until a head is complete, and until something is taken that is sent.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long more is read of a request that was refused.
const DRAINED: Duration = Duration::from_millis(200);
/// The most connections at once, each of which has a thread.
const MOST_CONNECTIONS: usize = 64;

/// The lines of all answers. A page runs its own script alone, and talks to its own server alone; no other page holds it in a frame.
const LINES: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; \
                     base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
                     X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n\
                     Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n";

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The port cannot be had.
    #[error("cannot listen on port {port} of 127.0.0.1: {source}")]
    Port {
        /// The port; 0 for any.
        port: u16,
        /// The system's reason.
        source: io::Error,
    },
    /// No name of a server.
    #[error("`{0}` is no name of a server: names such as hub.example.org are expected, without a port or a path")]
    Name(String),
    /// The system has no thread left.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl Failure for ViewError {
    fn is_users(&self) -> bool {
        match self {
            ViewError::Port { port, source } => {
                *port > 0 && matches!(source.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied)
            }
            ViewError::Name(_) => true,
            ViewError::Thread(_) => false,
        }
    }

    fn help(&self) -> Vec<String> {
        match self {
            ViewError::Port { port: 1.., .. } => vec!["without `--port` a free one is taken".to_owned()],
            _ => Vec::new(),
        }
    }
}

/// What connections need to know.
pub(crate) struct Door {
    pub(crate) shared: Arc<Switchboard>,
    pub(crate) token: String,
    /// Names in `Host` beside those of this machine.
    allowed: Vec<String>,
    connections: AtomicUsize,
}

/// A server that listens until it is dropped.
pub struct Server {
    door: Arc<Door>,
    port: u16,
    listening: Vec<(SocketAddr, JoinHandle<()>)>,
}

impl Server {
    /// Listens on `127.0.0.1` and, if it can be had, `[::1]`, on this port or a free one. Requests may name this machine, or one of `allowed`, as their host.
    ///
    /// # Errors
    /// [`ViewError`].
    pub fn start(port: Option<u16>, allowed: &[String]) -> Result<Server, ViewError> {
        if let Some(name) = allowed.iter().find(|name| !is_name(name)) {
            return Err(ViewError::Name(name.clone()));
        }
        let wanted = port.unwrap_or(0);
        let failed = |source| ViewError::Port { port: wanted, source };
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).map_err(failed)?;
        let address = first.local_addr().map_err(failed)?;
        let second = TcpListener::bind((Ipv6Addr::LOCALHOST, address.port())).ok();
        let token = tungstenite::handshake::client::generate_key();
        let token = token.replace('+', "-").replace('/', "_").replace('=', "");
        let door = Door {
            shared: Arc::new(Switchboard::default()),
            token,
            allowed: allowed.to_vec(),
            connections: AtomicUsize::new(0),
        };
        let mut server = Server { door: Arc::new(door), port: address.port(), listening: Vec::new() };
        for listener in [Some(first), second].into_iter().flatten() {
            let address = listener.local_addr().map_err(failed)?;
            let door = Arc::clone(&server.door);
            let thread = std::thread::Builder::new().name("view".to_owned()).spawn(move || listen(&listener, &door));
            server.listening.push((address, thread.map_err(ViewError::Thread)?));
        }
        Ok(server)
    }

    /// The URL of the page, with the token.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#{}", self.port, self.door.token)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn shared(&self) -> &Arc<Switchboard> {
        &self.door.shared
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.door.shared.close();
        for (address, thread) in self.listening.drain(..) {
            // A listener looks whether it is to end once someone has come.
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                _ = thread.join();
            }
        }
    }
}

/// Whether a text is the name of a server.
fn is_name(name: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    !name.is_empty() && name.bytes().all(valid) && head::name(name) == Some(name)
}

/// Answers connections, each in a thread of its own.
fn listen(listener: &TcpListener, door: &Arc<Door>) {
    for stream in listener.incoming() {
        if door.shared.is_closed() {
            return;
        }
        let Ok(stream) = stream else {
            // Such as too many open files: others may be closed meanwhile.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        _ = stream.set_write_timeout(Some(PATIENCE)).and_then(|()| stream.set_nodelay(true));
        if door.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            door.connections.fetch_sub(1, Ordering::Relaxed);
            // Nobody is waited for here: what comes takes its turn in a thread of its own, or none.
            drop(stream);
            continue;
        }
        let here = Arc::clone(door);
        let begun = std::thread::Builder::new().name("view page".to_owned()).spawn(move || {
            answer(stream, &here);
            here.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if begun.is_err() {
            door.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers one connection.
fn answer(mut stream: TcpStream, door: &Door) {
    let until = Instant::now() + PATIENCE;
    let (mut bytes, mut part) = (Vec::new(), [0; 2048]);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return refuse(stream, "408 Request Timeout");
        }
        match stream.read(&mut part) {
            Ok(0) => return,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
            Err(_) => return,
        }
        match head::judge(&bytes, &door.allowed) {
            HttpAnswer::More => {}
            HttpAnswer::File(kind, text) => {
                let length = text.len();
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{LINES}\r\n");
                _ = stream.write_all((head + text).as_bytes());
                return;
            }
            HttpAnswer::Refused(status) => return refuse(stream, status),
            HttpAnswer::Socket(key, length) => {
                let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
                let head = format!(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
                );
                if stream.write_all(head.as_bytes()).is_ok() {
                    socket::talk(stream, bytes.split_off(length), door);
                }
                return;
            }
        }
    }
}

/// Says a status, and no more.
fn refuse(mut stream: TcpStream, status: &str) {
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n{LINES}\r\n{status}\n",
        status.len() + 1
    );
    _ = stream.write_all(text.as_bytes());
    // Unread bytes would take the answer away again.
    _ = stream.shutdown(std::net::Shutdown::Write);
    let (until, mut part) = (Instant::now() + DRAINED, [0; 2048]);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero()
            || stream.set_read_timeout(Some(left)).is_err()
            || !stream.read(&mut part).is_ok_and(|n| n > 0)
        {
            return;
        }
    }
}
