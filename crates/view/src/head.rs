//! The heads of HTTP requests: which are answered, and which are refused.
//!
//! - One `Host` alone, with a name of this machine or one that the user allows, whatever the port: behind `ssh -L` it is another one. A page of
//!   another server, whose name was made to mean this machine, has its own name there.
//! - A WebSocket's `Origin` is the server that `Host` names, or has a name that the user allows: proxies may change `Host`.
//! - No cookies, which know no ports and would go to other servers of the same name. Files of the page hold no secret; the first message of a socket does.

/// The most bytes of a head.
pub(crate) const LONGEST: usize = 8192;
/// The most lines of a head.
const MOST_LINES: usize = 64;
/// Names of this machine.
const OWN: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The files of the page by their names, with their types.
const FILES: [(&str, &str, &str); 4] = [
    ("", "text/html; charset=utf-8", include_str!("../page/index.html")),
    // Browsers ask for an icon, which is empty here.
    ("favicon.ico", "image/x-icon", ""),
    ("view.css", "text/css; charset=utf-8", include_str!("../page/view.css")),
    ("view.js", "text/javascript; charset=utf-8", include_str!("../page/view.js")),
];

/// The page, of which a notebook shows what lies in its body, and its style.
pub const PAGE_FILE: &str = FILES[0].2;
/// The style of the page.
pub const STYLE_FILE: &str = FILES[2].2;

/// The script of the page as the module of a widget for notebooks, as anywidget takes it.
pub fn widget_module() -> String {
    [FILES[3].2, include_str!("../page/widget.js")].concat()
}

/// An answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HttpAnswer {
    /// The head is not complete yet.
    More,
    /// A file of the page: its type and its text.
    File(&'static str, &'static str),
    /// A socket, with the key that proves that the request was meant, behind this many bytes.
    Socket(String, usize),
    /// A status with its reason.
    Refused(&'static str),
}

const BAD: HttpAnswer = HttpAnswer::Refused("400 Bad Request");
const FORBIDDEN: HttpAnswer = HttpAnswer::Refused("403 Forbidden");
const TOO_LARGE: HttpAnswer = HttpAnswer::Refused("431 Request Header Fields Too Large");

/// Judges the head at the beginning of these bytes. `allowed` are names beside those of this machine.
pub(crate) fn judge(bytes: &[u8], allowed: &[String]) -> HttpAnswer {
    let mut lines = [httparse::EMPTY_HEADER; MOST_LINES];
    let mut request = httparse::Request::new(&mut lines);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < LONGEST => return HttpAnswer::More,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => return TOO_LARGE,
        Err(_) => return BAD,
    };
    let (Some(method), Some(target)) = (request.method, request.path) else { return BAD };
    // The one line of this name; `Err` if there are several, or bytes that are no text.
    let one = |name: &str| {
        let mut found = request.headers.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (None, _) => Ok(None),
            (Some(line), None) => std::str::from_utf8(line.value).map(|text| Some(text.trim())).map_err(|_| BAD),
            (Some(_), Some(_)) => Err(BAD),
        }
    };
    let answer = || {
        let host = one("host")?.ok_or(BAD)?;
        let is_own = |name: &str| OWN.iter().any(|own| name.eq_ignore_ascii_case(own));
        let is_allowed = |name: &str| allowed.iter().any(|known| name.eq_ignore_ascii_case(known));
        if !name(host).is_some_and(|name| is_own(name) || is_allowed(name)) {
            return Err(FORBIDDEN);
        }
        if method != "GET" {
            return Err(HttpAnswer::Refused("405 Method Not Allowed"));
        }
        // Proxies may leave their own folders in front.
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or_default();
        if file != "socket" {
            let found = FILES.iter().find(|(name, ..)| *name == file);
            return found
                .map(|(_, kind, text)| HttpAnswer::File(kind, text))
                .ok_or(HttpAnswer::Refused("404 Not Found"));
        }
        let origin = one("origin")?.ok_or(FORBIDDEN)?;
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")).ok_or(FORBIDDEN)?;
        if !authority.eq_ignore_ascii_case(host) && !name(authority).is_some_and(is_allowed) {
            return Err(FORBIDDEN);
        }
        let lists = |name: &str, word: &str| {
            one(name)
                .map(|line| line.is_some_and(|line| line.split(',').any(|part| part.trim().eq_ignore_ascii_case(word))))
        };
        if !lists("upgrade", "websocket")?
            || !lists("connection", "upgrade")?
            || one("sec-websocket-version")? != Some("13")
        {
            return Err(HttpAnswer::Refused("426 Upgrade Required"));
        }
        let key = one("sec-websocket-key")?.filter(|key| key.len() == 24 && key.ends_with("==")).ok_or(BAD)?;
        Ok(HttpAnswer::Socket(key.to_owned(), length))
    };
    answer().unwrap_or_else(|refused| refused)
}

/// The name in `name:port`, whose port may be missing; `[::1]` for an address of IPv6.
pub(crate) fn name(authority: &str) -> Option<&str> {
    let (name, rest) = match authority.find(']') {
        Some(end) if authority.starts_with('[') => authority.split_at(end + 1),
        Some(_) => return None,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let valid = rest.is_empty()
        || rest.strip_prefix(':').is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    (valid && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(lines: &[&str]) -> HttpAnswer {
        judge((lines.join("\r\n") + "\r\n\r\n").as_bytes(), &["hub.example".to_owned()])
    }

    fn socket(host: &str, origin: &str) -> HttpAnswer {
        let lines = ["Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13"];
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
        answer(&[&["GET /socket HTTP/1.1", host, origin][..], &lines, &[key]].concat())
    }

    #[test]
    fn the_name_of_the_host_counts_and_not_its_port() {
        let page = |host: &str| answer(&["GET / HTTP/1.1", host]);
        let own =
            ["Host: 127.0.0.1:8931", "Host: localhost:9000", "host: LOCALHOST", "Host: [::1]:1", "Host: hub.example"];
        for host in own {
            assert!(matches!(page(host), HttpAnswer::File("text/html; charset=utf-8", _)), "{host}");
        }
        for host in [
            "Host: evil.example",
            "Host: localhost.evil.example",
            "Host: 127.0.0.1:x",
            "Host: [::1",
            "Host: a]",
            "Host:",
            "Host: :80",
        ] {
            assert_eq!(page(host), FORBIDDEN, "{host}");
        }
        assert_eq!(answer(&["GET / HTTP/1.1"]), BAD);
        assert_eq!(answer(&["GET / HTTP/1.1", "Host: localhost", "Host: evil.example"]), BAD);
        assert_eq!(answer(&["GET / HTTP/1.1", "Host: localhost", "hOST: localhost"]), BAD);
    }

    #[test]
    fn files_are_found_behind_folders_of_proxies() {
        let get = |line: &str| answer(&[line, "Host: localhost"]);
        assert!(matches!(
            get("GET /rnode/n7/8931/view.js?x=1 HTTP/1.1"),
            HttpAnswer::File("text/javascript; charset=utf-8", _)
        ));
        assert!(matches!(get("GET /proxy/8931/ HTTP/1.1"), HttpAnswer::File("text/html; charset=utf-8", _)));
        assert_eq!(get("GET /../../etc/passwd HTTP/1.1"), HttpAnswer::Refused("404 Not Found"));
        assert_eq!(get("POST / HTTP/1.1"), HttpAnswer::Refused("405 Method Not Allowed"));
        assert_eq!(get("GET /socket HTTP/1.1"), FORBIDDEN, "no origin");
        assert_eq!(judge(b"\x16\x03\x01", &[]), BAD);
        assert_eq!(judge(b"GET / HT", &[]), HttpAnswer::More);
    }

    #[test]
    fn sockets_come_from_the_page_of_the_same_server() {
        assert!(matches!(socket("Host: localhost:9000", "Origin: http://localhost:9000"), HttpAnswer::Socket(..)));
        assert!(
            matches!(socket("Host: 127.0.0.1:8931", "Origin: https://hub.example"), HttpAnswer::Socket(..)),
            "a proxy"
        );
        for origin in
            ["http://localhost:9001", "http://evil.example", "null", "https://hub.example.evil.example", "file://"]
        {
            assert_eq!(socket("Host: localhost:9000", &format!("Origin: {origin}")), FORBIDDEN, "{origin}");
        }
        let none = answer(&["GET /socket HTTP/1.1", "Host: localhost", "Origin: http://localhost"]);
        assert_eq!(none, HttpAnswer::Refused("426 Upgrade Required"));
    }

    #[test]
    fn heads_have_a_greatest_size() {
        let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nA: {}", "a".repeat(LONGEST));
        assert_eq!(judge(&long.as_bytes()[..LONGEST], &[]), TOO_LARGE);
        let many = "A: b\r\n".repeat(MOST_LINES + 1);
        assert_eq!(judge(format!("GET / HTTP/1.1\r\n{many}\r\n").as_bytes(), &[]), TOO_LARGE);
    }

    #[test]
    fn the_page_is_small_and_names_no_other_server() {
        let bytes: usize = FILES.iter().map(|(.., text)| text.len()).sum();
        assert!(bytes < 60_000, "{bytes}");
        for (name, _, text) in FILES {
            let foreign = ["http://", "https://", " style=", " onclick=", "eval(", "@import", "url("];
            assert_eq!(foreign.iter().find(|word| text.contains(**word)), None, "{name}");
        }
    }
}
