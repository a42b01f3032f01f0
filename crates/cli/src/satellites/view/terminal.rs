//! The terminal of `view --terminal`: its size, its colours, and the mode in which keys come at once.

use crate::report::CliError;
use squeeze_view::TerminalScreen;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use terminal_size::{Height, Width, terminal_size};

/// The longest wait for a key, in milliseconds.
const MOMENT: i32 = 30;

/// The terminal of standard input and output, whose keys come without a line's end and are not shown until it is dropped.
pub(super) struct OpenTerminal {
    before: libc::termios,
}

impl OpenTerminal {
    /// Takes the terminal.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn open() -> Result<OpenTerminal, CliError> {
        let none = || {
            let help = "leave out `--terminal`: a browser shows the run";
            CliError::input("standard input and output are no terminal", help)
        };
        if !stdin().is_terminal() || !stdout().is_terminal() {
            return Err(none());
        }
        // SAFETY: all zeros are a mode, and the system fills it in before it is read.
        unsafe {
            let mut before: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(libc::STDIN_FILENO, &raw mut before) != 0 {
                return Err(none());
            }
            // Ctrl-C stays a signal.
            let mut now = before;
            now.c_lflag &= !(libc::ICANON | libc::ECHO);
            (now.c_cc[libc::VMIN], now.c_cc[libc::VTIME]) = (0, 0);
            if libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const now) != 0 {
                return Err(none());
            }
            Ok(OpenTerminal { before })
        }
    }
}

impl Drop for OpenTerminal {
    fn drop(&mut self) {
        // SAFETY: it is the mode that was there.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw const self.before) };
    }
}

impl TerminalScreen for OpenTerminal {
    fn size(&self) -> [u64; 2] {
        terminal_size().map_or([80, 24], |(Width(columns), Height(rows))| [columns.into(), rows.into()])
    }

    fn keys(&mut self) -> Option<Vec<u8>> {
        let mut wish = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
        // SAFETY: it is one wish, and lives as long as the call.
        let ready = unsafe { libc::poll(&raw mut wish, 1, MOMENT) };
        if ready <= 0 {
            return Some(Vec::new());
        }
        let mut bytes = [0; 256];
        match stdin().lock().read(&mut bytes) {
            // The terminal is gone.
            Ok(0) => None,
            Ok(count) => Some(bytes[..count].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Some(Vec::new()),
            Err(_) => None,
        }
    }

    fn write(&mut self, text: &str) -> bool {
        let mut out = stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
    }

    fn has_all_colours(&self) -> bool {
        std::env::var("COLORTERM").is_ok_and(|kind| kind == "truecolor" || kind == "24bit")
    }
}
