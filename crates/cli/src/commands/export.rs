//! `export DIR -o FILE`

use super::input::window;
use crate::args::Export;
use crate::report::{CliError, print, remark, tell_missing};
use serde_json::json;
use squeeze::export::{adjacency, default_hole, npy, rle, vti, zarr};
use squeeze::files::PendingFile;
use squeeze::golly::{self, Emulation};
use squeeze::ir::{Dimension, Neighbourhood, Rule, StateId, Type};
use squeeze::numbers::{self, counted};
use squeeze::picture::{self, Colours, Extent, Format, Picture};
use squeeze::run::animation::{Form, animation, check_ffmpeg};
use squeeze::run::{Drawing, Manifest, RunFolder};
use squeeze::state::state_named;
use squeeze::store::{ArrayShape, StoredFields};
use squeeze::{Domain, Message, StateView, Window, files};
use std::fs;
use std::sync::Arc;

/// Writes a saved state, or the adjacency of its cells, for other programs.
pub(crate) fn export(arguments: &Export) -> Result<(), CliError> {
    let plan = ExportPlan::of(arguments)?;
    let path = &arguments.output;
    let what = match plan.ending.as_str() {
        "zarr" => return print(&format!("{}: {}\n", path.display(), plan.stack()?)),
        "npz" => {
            adjacency::write(&plan.domain, &plan.neighbours, path)?;
            format!("which cells are neighbours, {}", neighbourhood(arguments))
        }
        "gif" | "mp4" => plan.animate()?,
        _ if arguments.coordinates => {
            npy::write_places(&plan.domain, path)?;
            "the coordinates of all cells".to_owned()
        }
        _ => plan.write_state()?,
    };
    let size = fs::metadata(path).map_or(0, |metadata| metadata.len());
    print(&format!("{}: {what}, {}\n", path.display(), numbers::bytes(size as f64)))
}

/// The name of the neighbourhood that an adjacency matrix is of.
fn neighbourhood(arguments: &Export) -> &str {
    arguments.neighbourhood.as_deref().unwrap_or("von_neumann")
}

/// Consistent arguments, and the run that they name. None of its states was read yet.
struct ExportPlan<'a> {
    arguments: &'a Export,
    /// The ending of the file, which says its format.
    ending: String,
    folder: RunFolder,
    manifest: Manifest,
    domain: Domain,
    rule: Arc<Rule>,
    drawing: Drawing,
    /// The states to be written: the named one, or all.
    fields: Vec<StateId>,
    window: Window,
    /// The value of holes, as the bytes of one element.
    hole: Vec<u8>,
    neighbours: Neighbourhood,
}

impl<'a> ExportPlan<'a> {
    /// Checks the arguments, and reads the run's manifest and the texts in it.
    fn of(arguments: &'a Export) -> Result<ExportPlan<'a>, CliError> {
        let path = &arguments.output;
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        check_flags(arguments, &ending)?;
        let folder = RunFolder::look(&arguments.folder)?;
        let manifest = Manifest::read(&folder)?;
        let domain = Domain::new(manifest.fractal.fractal()?, manifest.level)?;
        let rule = manifest.rule.rule()?.in_dimension(domain.dimension());
        let neighbours = adjacency::neighbourhood(neighbourhood(arguments), &rule, domain.dimension())?;
        let drawing = arguments.look.drawing(arguments.field.as_deref(), &arguments.part);
        if ["gif", "mp4"].contains(&ending.as_str()) {
            drawing.check(&rule, &domain)?;
        }
        if ending == "mp4" {
            check_ffmpeg()?;
        }
        if ending == "zarr" && path.exists() && !path.join("zarr.json").exists() {
            let message = format!("`{}` is there, and is no group of Zarr", path.display());
            return Err(CliError::input(message, "take another name"));
        }
        let window = window(&arguments.part, &domain)?;
        let fields = match &arguments.field {
            _ if ["png", "svg", "pdf", "gif", "mp4"].contains(&ending.as_str()) => vec![drawing.state(&rule)?],
            Some(name) => vec![state_named(&rule, name)?],
            None => (0..rule.states.len()).map(|i| StateId(i as u16)).collect(),
        };
        let hole = hole(arguments, &rule, fields[0])?;
        let first = rule.state(fields[0]);
        if ending == "rle" {
            let what = match (first.ty, domain.dimension()) {
                (Type::Bit | Type::U8 | Type::Enum(_), Dimension::Two) => None,
                (Type::Bit | Type::U8 | Type::Enum(_), Dimension::Three) => Some("3-D".to_owned()),
                (ty, _) => Some(rule.type_name(ty)),
            };
            if let Some(what) = what {
                let name = &first.name;
                let message = format!("RLE holds bits, u8 and enums of a 2-D grid, and `{name}` is {what}");
                return Err(Message::users(message).into());
            }
        }
        Ok(ExportPlan { arguments, ending, folder, manifest, domain, rule, drawing, fields, window, hole, neighbours })
    }

    /// The shapes of all states.
    fn shapes(&self) -> Vec<ArrayShape> {
        ArrayShape::of_rule(&self.rule, self.domain.cells())
    }

    /// The steps whose states were saved.
    fn times(&self) -> Result<Vec<u32>, CliError> {
        let times = self.folder.state_times()?;
        if times.is_empty() { Err(self.folder.no_state().into()) } else { Ok(times) }
    }

    /// Writes the states of one step, and says which.
    fn write_state(&self) -> Result<String, CliError> {
        let ExportPlan { arguments, domain, rule, fields, window, .. } = self;
        let path = &arguments.output;
        let (step, state) = self.folder.state(&self.manifest, arguments.step, self.shapes())?;
        let stored = StoredFields { state: &state, domain };
        let first = StateView::numbered(&stored, fields[0])?;
        match self.ending.as_str() {
            "vti" => {
                let view = |id: &StateId| Ok((rule.state(*id).name.as_str(), StateView::numbered(&stored, *id)?));
                vti::write(&fields.iter().map(view).collect::<Result<Vec<_>, CliError>>()?, window, path)?;
                return Ok(format!("step {step}"));
            }
            "npy" if arguments.part.window.is_none() && arguments.part.slice.is_none() => {
                npy::write_cells(first, path)?;
            }
            "npy" => npy::write_window(first, window, &self.hole, path)?,
            "rle" => {
                let notation = golly::notation(rule);
                if notation.is_none() {
                    remark(&format!(
                        "note: `{}` is none of Golly's rules, so that the head names none; Golly takes such a pattern for one of B3/S23",
                        rule.name
                    ));
                }
                if let Some(Emulation::Dual(dual)) = notation.as_deref().and_then(golly::emulation) {
                    remark(&format!(
                        "note: of a rule with B0 and S8 Golly runs the dual on a file's cells, here {dual}: exchange live and dead cells to see the same there"
                    ));
                }
                let grid = golly::grid_of(domain).filter(|_| *window == Window::whole(domain));
                let grid = grid.map_or_else(String::new, |grid| format!(":{grid}"));
                let head = notation.map(|rule| format!("{rule}{grid}"));
                files::write_atomically(path, rle::of_window(first, window, head.as_deref())?.as_bytes())?;
            }
            _ => {
                let (view, mut style) = (self.drawing.view(domain)?, self.drawing.style(rule, Extent::Fit));
                style.paper = arguments.width;
                let picture = picture::of_state(domain, rule, fields[0], first, view.as_ref(), &style)?;
                let format = path.extension().and_then(Format::of_extension).unwrap_or(Format::Png);
                tell_missing(&picture.sheet.missing(format));
                files::write_atomically(path, &picture.sheet.bytes(format))?;
            }
        }
        let name = arguments.field.as_ref().unwrap_or(&rule.state(fields[0]).name);
        Ok(format!("{name} of step {step}"))
    }

    /// Writes an animation of all saved states, and says of which. One range of colours spans all of them, unless another was asked for.
    fn animate(&self) -> Result<String, CliError> {
        let ExportPlan { arguments, folder, manifest, domain, rule, drawing, .. } = self;
        let (state, view) = (drawing.state(rule)?, drawing.view(domain)?);
        let times = self.times()?;
        let draw = |time: u32, extent: Extent| -> Result<Picture, CliError> {
            let (_, stored) = folder.state(manifest, Some(time), self.shapes())?;
            let stored = StoredFields { state: &stored, domain };
            let field = StateView::numbered(&stored, state)?;
            let mut style = drawing.style(rule, extent);
            style.caption = Some(format!("step {time}"));
            Ok(picture::of_state(domain, rule, state, field, view.as_ref(), &style)?)
        };
        if let [only] = times[..] {
            let pictures = folder.animation_path(manifest.drawing.animation.film);
            let drawn = if pictures.exists() {
                format!("; `{}` has the pictures of the run", pictures.display())
            } else {
                String::new()
            };
            remark(&format!(
                "note: the state of step {only} is the only one that was saved{drawn}; `run --save-every N` saves more"
            ));
        }
        let file = PendingFile::begin(&arguments.output)?;
        let mut extent = Extent::Fit;
        if !matches!(drawing.style(rule, extent).extent, Extent::Fixed(..)) && drawing.extent.is_none() {
            for &time in &times {
                if let Some([low, high]) = draw(time, extent)?.range {
                    extent = Extent::AtLeast(low, high);
                }
            }
        }
        let form = Form { film: self.ending == "mp4", max_size: arguments.max_size, ..drawing.animation };
        animation::<CliError>(&times, form, file, &|time| {
            let sheet = draw(time, extent)?.sheet;
            if time == times[0] {
                tell_missing(&sheet.missing(Format::Png));
            }
            Ok(Some(sheet.to_image()))
        })?;
        Ok(format!("{} of {}", rule.state(state).name, counted(times.len() as u64, "step")))
    }

    /// Exports all saved states into one array, in the order of time, and says how many there are.
    fn stack(&self) -> Result<String, CliError> {
        let ExportPlan { folder, manifest, domain, .. } = self;
        let (times, all) = (self.times()?, self.shapes());
        let shapes: Vec<(usize, ArrayShape)> =
            self.fields.iter().map(|field| (usize::from(field.0), all[usize::from(field.0)].clone())).collect();
        let about = json!({
            "rule": manifest.rule.definition,
            "fractal": manifest.fractal.definition,
            "level": manifest.level,
            "seed": manifest.seed,
            "params": manifest.values(),
        });
        let states = times.iter().map(|time| folder.state(manifest, Some(*time), all.clone()));
        let states = states.collect::<Result<Vec<_>, _>>()?;
        zarr::write(domain, &shapes, &states, about, &self.arguments.output)?;
        Ok(counted(times.len() as u64, "step"))
    }
}

/// A flag that would have no effect is a mistake.
fn check_flags(arguments: &Export, ending: &str) -> Result<(), CliError> {
    if !["npy", "vti", "png", "svg", "pdf", "gif", "mp4", "rle", "npz", "zarr"].contains(&ending) {
        let path = arguments.output.display();
        return Err(Message::users(format!(
            "`{path}` cannot be written: valid endings are .npy, .vti, .png, .svg, .pdf, .gif, .mp4, .rle, .npz and .zarr"
        ))
        .into());
    }
    let window = arguments.part.window.is_some() || arguments.part.slice.is_some();
    let film = ["gif", "mp4"].contains(&ending);
    let still = ["png", "svg", "pdf"].contains(&ending);
    let picture = film || still;
    let flags = [
        ("--window and --slice", window, !["npz", "zarr"].contains(&ending)),
        ("--step", arguments.step.is_some(), !film && !["npz", "zarr"].contains(&ending)),
        ("--field", arguments.field.is_some(), ending != "npz"),
        ("--zoom", arguments.look.zoom.is_some(), picture),
        ("--range", arguments.look.range.is_some(), picture),
        ("--colours", arguments.look.colours != Colours::default(), picture),
        ("--log", arguments.look.log, picture),
        ("--theme", arguments.look.theme.is_some(), picture),
        ("--axes", arguments.look.axes, picture),
        ("--label", arguments.look.label.is_some(), picture),
        ("--width", arguments.width.is_some(), still),
        ("--fps", arguments.look.fps.is_some(), film),
        ("--max-size", arguments.max_size.is_some(), ending == "gif"),
        ("--hole", arguments.hole.is_some(), ending == "npy" && window),
        ("--coordinates", arguments.coordinates, ending == "npy" && !window),
        ("--neighbourhood", arguments.neighbourhood.is_some(), ending == "npz"),
    ];
    match flags.iter().find(|(_, given, valid)| *given && !valid) {
        Some((flag, ..)) => Err(CliError::input(
            format!("{flag} has no effect on this .{ending}"),
            "the flags for pictures are for .png, .svg, .pdf, .gif and .mp4, --width is for the first three, --hole is for windows as .npy, --coordinates for .npy without a \
             window, --neighbourhood for .npz, --step for a single state",
        )),
        None => Ok(()),
    }
}

/// The value of holes, as the bytes of one element.
fn hole(arguments: &Export, rule: &Rule, state: StateId) -> Result<Vec<u8>, CliError> {
    let ty = rule.state(state).ty;
    let Some(text) = &arguments.hole else { return Ok(default_hole(ty)) };
    let bytes = match ty {
        Type::Bit | Type::U8 | Type::Enum(_) => text.parse::<u8>().ok().map(|v| vec![v]),
        Type::U16 => text.parse::<u16>().ok().map(|v| v.to_le_bytes().to_vec()),
        Type::I32 => text.parse::<i32>().ok().map(|v| v.to_le_bytes().to_vec()),
        Type::U32 => text.parse::<u32>().ok().map(|v| v.to_le_bytes().to_vec()),
        Type::I64 => text.parse::<i64>().ok().map(|v| v.to_le_bytes().to_vec()),
        Type::F32 => text.parse::<f32>().ok().map(|v| v.to_le_bytes().to_vec()),
        Type::F64 => text.parse::<f64>().ok().map(|v| v.to_le_bytes().to_vec()),
    };
    bytes.ok_or_else(|| {
        let width = match ty {
            Type::Bit | Type::U8 | Type::Enum(_) => "whole numbers from 0 to 255".to_owned(),
            _ => format!("numbers of the type {}", rule.type_name(ty)),
        };
        CliError::input(format!("`{text}` is not a value for holes"), format!("valid are {width}"))
    })
}
