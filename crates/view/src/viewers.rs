//! The pages that look at something: the frames that they wait for, and what they ask beside that changes nothing.

use crate::film::ViewFilm;
use crate::frame::ViewFrame;
use crate::message::{PageCommand, PageLook, PageView, SavedForm};
use crate::saving;
use crate::scene::Scene;
use crate::shared::Switchboard;
use serde_json::{Map, Value as Json, json};
use squeeze_engine::failure::{Message, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The looks of pages that wait for a frame, with the pages.
pub(crate) type WantedFrames = Vec<(u64, Arc<PageLook>)>;

/// Frames for pages that have no colours yet.
pub(crate) struct UnpaintedFrames {
    shared: Arc<Switchboard>,
    version: u64,
    frames: Vec<(u64, Arc<PageLook>, ViewFrame)>,
}

impl UnpaintedFrames {
    /// Gives them their colours, and pages the frames.
    pub(crate) fn show(self) {
        for (page, look, frame) in self.frames {
            self.shared.show(page, &look, self.version, frame.into_bytes());
        }
    }
}

/// All pages.
pub(crate) struct Viewers {
    /// What sockets and the run have in common.
    pub(crate) shared: Arc<Switchboard>,
    /// It grows with whatever pages see.
    pub(crate) version: u64,
    /// The places that pages have asked for.
    probes: BTreeMap<u64, [u64; 3]>,
    /// The palettes that pages have got.
    palettes: BTreeMap<u64, Json>,
    film: Option<ViewFilm>,
}

impl Viewers {
    /// No page yet.
    pub(crate) fn new(shared: &Arc<Switchboard>) -> Viewers {
        Viewers {
            shared: Arc::clone(shared),
            version: 0,
            probes: BTreeMap::new(),
            palettes: BTreeMap::new(),
            film: None,
        }
    }

    /// The looks of pages that wait for a frame.
    pub(crate) fn wanted(&self) -> WantedFrames {
        self.shared.wanted(self.version)
    }

    /// Makes the frames of these looks, with these facts in their heads.
    ///
    /// # Errors
    /// If the states cannot be read.
    pub(crate) fn frames(
        &mut self,
        scene: &Scene<'_>,
        wanted: WantedFrames,
        facts: &Map<String, Json>,
    ) -> Result<UnpaintedFrames> {
        let (mut frames, mut failed) = (Vec::new(), None);
        for (page, look) in wanted {
            let mut frame = match ViewFrame::of(scene, &look) {
                Ok(frame) => frame,
                Err(error) if error.is_users() => {
                    self.shared.tell(Some(page), json!({ "error": error.to_string(), "look": look.id }).to_string());
                    self.shared.refuse(page, self.version, false);
                    continue;
                }
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            };
            frame.add("time", scene.time.into());
            facts.iter().for_each(|(name, value)| frame.add(name, value.clone()));
            if let Some(place) = self.probes.get(&page) {
                match scene.probe(*place) {
                    Ok(probe) => frame.add("probe", probe),
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            if let Some(film) = self.film.as_ref().filter(|film| film.page == page) {
                frame.add("film", film.frames().into());
            }
            frame.without_known_palette(self.palettes.entry(page).or_default());
            frames.push((page, look, frame));
        }
        self.probes.retain(|page, _| self.shared.has(*page));
        self.palettes.retain(|page, _| self.shared.has(*page));
        let frames = UnpaintedFrames { shared: Arc::clone(&self.shared), version: self.version, frames };
        // Pages whose frames could be read get them.
        match failed {
            None => Ok(frames),
            Some(error) => {
                frames.show();
                Err(error)
            }
        }
    }

    /// There are no frames of this version for those who wait, and go on waiting.
    pub(crate) fn give_up(&self) {
        self.wanted().into_iter().for_each(|(page, _)| self.shared.refuse(page, self.version, true));
    }

    /// Says what was wrong to a page.
    pub(crate) fn complain(&self, page: u64, text: &str) {
        self.shared.tell(Some(page), json!({ "error": text }).to_string());
    }

    /// Does what changes nothing; gives other commands back.
    ///
    /// # Errors
    /// If the states cannot be read.
    pub(crate) fn obey(&mut self, scene: &Scene<'_>, page: u64, command: PageCommand) -> Result<Option<PageCommand>> {
        self.version += 1;
        let done = match command {
            PageCommand::Probe(Some(place)) => {
                self.probes.insert(page, place);
                Ok(())
            }
            PageCommand::Probe(None) => {
                self.probes.remove(&page);
                Ok(())
            }
            PageCommand::Save(form, view) => {
                let saved = match form {
                    SavedForm::Png => saving::png(scene, &view),
                    SavedForm::Rle => saving::rle(scene, &view),
                };
                saved.and_then(|bytes| self.send(page, scene, form.ending(), &bytes))
            }
            PageCommand::Film(Some(view)) => self.begin_film(scene, page, *view),
            PageCommand::Film(None) => match self.film.take_if(|film| film.page == page).map(ViewFilm::finish) {
                Some(Ok((ending, bytes))) => self.send(page, scene, ending, &bytes),
                // Whatever `ffmpeg` or a disk lacks, the run goes on.
                Some(Err(error)) => Err(Message::users(error.to_string()).into()),
                None => Err(Message::users("there is no film of this page").into()),
            },
            other => return Ok(Some(other)),
        };
        match done {
            Err(error) if error.is_users() => {
                self.complain(page, &error.to_string());
            }
            done => done?,
        }
        Ok(None)
    }

    fn begin_film(&mut self, scene: &Scene<'_>, page: u64, view: PageView) -> Result<()> {
        if self.film.as_ref().is_some_and(|film| film.page != page && self.shared.has(film.page)) {
            return Err(Message::users("another page makes a film; one at a time can").into());
        }
        let mut film = ViewFilm::new(page, view);
        film.take(scene)?;
        self.film = Some(film);
        Ok(())
    }

    /// Ends the film, if there is one, without a file, and says why.
    pub(crate) fn end_film(&mut self, why: &str) {
        if let Some(film) = self.film.take() {
            self.complain(film.page, why);
        }
    }

    /// Takes a picture for the film that a page makes, if one does.
    ///
    /// # Errors
    /// If the states cannot be read.
    pub(crate) fn film(&mut self, scene: &Scene<'_>) -> Result<()> {
        self.film.take_if(|film| !self.shared.has(film.page));
        let Some(film) = &mut self.film else { return Ok(()) };
        match film.take(scene) {
            Err(error) if error.is_users() => {
                let page = film.page;
                self.complain(page, &error.to_string());
                Ok(())
            }
            done => done,
        }
    }

    /// Sends a file of the present states.
    fn send(&self, page: u64, scene: &Scene<'_>, ending: &str, bytes: &[u8]) -> Result<()> {
        let name = format!("{}-{}.{ending}", scene.rule.name, scene.time);
        let head = json!({ "file": name, "type": saving::kind(ending) }).to_string();
        let file = [&(head.len() as u32).to_le_bytes()[..], head.as_bytes(), bytes].concat();
        if self.shared.send(page, file) {
            return Ok(());
        }
        Err(Message::users("files that were asked for before are still on their way").into())
    }
}
