//! What sockets and the run have in common.

use crate::message::{PageCommand, PageLook};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most pages at once.
const MOST_PAGES: usize = 16;
/// The most commands that wait for the run, and texts that wait for a page.
const MOST_WAITING: usize = 256;

/// The most files that wait for a page.
const MOST_FILES: usize = 4;

/// Between two looks whether there is room for a command.
const A_MOMENT: Duration = Duration::from_millis(10);
/// The longest wait of a page for a run that begins.
const UNTIL_RUN: Duration = Duration::from_secs(10);

/// The pages, and what the run is to do.
#[derive(Default)]
pub(crate) struct Switchboard {
    hub: Mutex<Hub>,
    /// Something for the run to do.
    to_do: Condvar,
    /// Something to send.
    to_send: Condvar,
    /// Whether a page shows something else since frames were made.
    is_hurried: AtomicBool,
}

#[derive(Default)]
struct Hub {
    /// The description of the run; pages wait until there is one.
    hello: Option<Arc<str>>,
    pages: BTreeMap<u64, OpenPage>,
    next: u64,
    commands: VecDeque<(u64, PageCommand)>,
    closed: bool,
}

/// A page that has said the token.
#[derive(Default)]
struct OpenPage {
    look: Option<Arc<PageLook>>,
    /// Whether it waits for a frame.
    wants: bool,
    /// The version of the run that it has seen with this look.
    seen: Option<u64>,
    texts: VecDeque<Arc<str>>,
    files: VecDeque<Vec<u8>>,
    frame: Option<Vec<u8>>,
}

/// Something to send to a page.
pub(crate) enum Delivery {
    /// A text.
    Text(Arc<str>),
    /// A file to keep.
    File(Vec<u8>),
    /// A frame.
    Frame(Vec<u8>),
}

impl Switchboard {
    fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets pages in, which get this description first.
    pub(crate) fn open(&self, hello: String) {
        self.hub().hello = Some(hello.into());
        self.to_send.notify_all();
    }

    /// Lets all pages begin again, with this description.
    pub(crate) fn begin_anew(&self, hello: String) {
        let hello: Arc<str> = hello.into();
        let mut hub = self.hub();
        hub.hello = Some(Arc::clone(&hello));
        for page in hub.pages.values_mut() {
            // They were of what was there before.
            (page.look, page.frame) = (None, None);
            page.texts.push_back(Arc::clone(&hello));
        }
        self.to_send.notify_all();
    }

    /// Sends all pages away.
    pub(crate) fn close(&self) {
        self.hub().closed = true;
        self.to_send.notify_all();
        self.to_do.notify_all();
    }

    /// Whether pages are to go.
    pub(crate) fn is_closed(&self) -> bool {
        self.hub().closed
    }

    /// The number of a new page, once there is a run; `None` if there are too many, or no run begins.
    pub(crate) fn enter(&self) -> Option<u64> {
        let begins = |hub: &mut Hub| hub.hello.is_none() && !hub.closed;
        let waited = self.to_send.wait_timeout_while(self.hub(), UNTIL_RUN, begins);
        let (mut hub, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let hello = hub.hello.clone()?;
        if hub.pages.len() >= MOST_PAGES || hub.closed {
            return None;
        }
        hub.next += 1;
        let number = hub.next;
        hub.pages.insert(number, OpenPage { texts: [hello].into(), ..OpenPage::default() });
        self.to_do.notify_all();
        Some(number)
    }

    /// A page is gone.
    pub(crate) fn leave(&self, page: u64) {
        self.hub().pages.remove(&page);
    }

    /// The page shows something else now.
    pub(crate) fn look(&self, page: u64, look: PageLook) {
        if let Some(page) = self.hub().pages.get_mut(&page) {
            (page.look, page.seen) = (Some(Arc::new(look)), None);
        }
        self.is_hurried.store(true, Ordering::Relaxed);
        self.to_do.notify_all();
    }

    /// The page wants a frame.
    pub(crate) fn want(&self, page: u64) {
        if let Some(page) = self.hub().pages.get_mut(&page) {
            page.wants = true;
        }
        self.to_do.notify_all();
    }

    /// A command of a page, once there is room for it.
    pub(crate) fn command(&self, page: u64, command: PageCommand) {
        let mut hub = self.hub();
        while hub.commands.len() >= MOST_WAITING && !hub.closed {
            hub = self.to_send.wait_timeout(hub, A_MOMENT).unwrap_or_else(PoisonError::into_inner).0;
        }
        hub.commands.push_back((page, command));
        self.to_do.notify_all();
    }

    /// The next thing to send to a page, if it comes within this time; texts come first.
    pub(crate) fn next(&self, page: u64, within: Duration) -> Option<Delivery> {
        let take = |hub: &mut Hub| {
            let page = hub.pages.get_mut(&page)?;
            let text = page.texts.pop_front().map(Delivery::Text);
            let file = || page.files.pop_front().map(Delivery::File);
            text.or_else(file).or_else(|| page.frame.take().map(Delivery::Frame))
        };
        let mut hub = self.hub();
        take(&mut hub).or_else(|| {
            if within.is_zero() || hub.closed {
                return None;
            }
            let (mut hub, _) = self.to_send.wait_timeout(hub, within).unwrap_or_else(PoisonError::into_inner);
            take(&mut hub)
        })
    }

    /// The next command that came.
    pub(crate) fn next_command(&self) -> Option<(u64, PageCommand)> {
        self.hub().commands.pop_front()
    }

    /// Whether there is a page.
    pub(crate) fn is_watched(&self) -> bool {
        !self.hub().pages.is_empty()
    }

    /// Whether there is this page.
    pub(crate) fn has(&self, page: u64) -> bool {
        self.hub().pages.contains_key(&page)
    }

    /// Whether a page shows something else since frames were made: it does not wait long.
    pub(crate) fn is_hurried(&self) -> bool {
        self.is_hurried.load(Ordering::Relaxed)
    }

    /// The pages that wait for a frame and have not seen this version of the run.
    pub(crate) fn wanted(&self, version: u64) -> Vec<(u64, Arc<PageLook>)> {
        self.is_hurried.store(false, Ordering::Relaxed);
        let hub = self.hub();
        let wanting = hub.pages.iter().filter(|(_, page)| page.wants && page.seen != Some(version));
        wanting.filter_map(|(number, page)| Some((*number, Arc::clone(page.look.as_ref()?)))).collect()
    }

    /// A frame of a version for a page, made by a look of it. If it shows something else by now, another one follows.
    pub(crate) fn show(&self, page: u64, look: &Arc<PageLook>, version: u64, frame: Vec<u8>) {
        if let Some(page) = self.hub().pages.get_mut(&page) {
            if page.look.as_ref().is_some_and(|now| Arc::ptr_eq(now, look)) {
                page.seen = Some(version);
            }
            (page.frame, page.wants) = (Some(frame), false);
        }
        self.to_send.notify_all();
    }

    /// There is no frame of a version for a page, which waits for the next version, or may wish for another frame.
    pub(crate) fn refuse(&self, page: u64, version: u64, waits: bool) {
        if let Some(page) = self.hub().pages.get_mut(&page) {
            (page.seen, page.wants) = (Some(version), waits);
        }
    }

    /// A file for a page; false if several wait already.
    pub(crate) fn send(&self, page: u64, file: Vec<u8>) -> bool {
        let mut hub = self.hub();
        // Nobody is there any more to complain.
        let Some(page) = hub.pages.get_mut(&page) else { return true };
        let has_room = page.files.len() < MOST_FILES;
        if has_room {
            page.files.push_back(file);
        }
        self.to_send.notify_all();
        has_room
    }

    /// A text for a page, or for all.
    pub(crate) fn tell(&self, page: Option<u64>, text: impl Into<Arc<str>>) {
        let text = text.into();
        let mut hub = self.hub();
        let told = hub.pages.iter_mut().filter(|(number, _)| page.is_none_or(|page| **number == page));
        for (_, page) in told.filter(|(_, page)| page.texts.len() < MOST_WAITING) {
            page.texts.push_back(Arc::clone(&text));
        }
        self.to_send.notify_all();
    }

    /// Waits for commands, pages or wishes of them, at most this long.
    pub(crate) fn wait(&self, within: Duration) {
        let hub = self.hub();
        if hub.commands.is_empty() && !hub.closed {
            _ = self.to_do.wait_timeout(hub, within);
        }
    }
}
