//! The files that a macro reads: found beside the user's source, and remembered, so that cargo rebuilds when one changes.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use squeeze_compiler::text::source::Source;
use squeeze_compiler::{Loaded, Loader};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The longest file that is read, as on the command line.
const LIMIT: u64 = 16 << 20;

/// The folder of the file in which a macro is called; the package's folder where the compiler does not tell.
pub(crate) fn folder_of(place: Span) -> PathBuf {
    let file = place.local_file();
    let folder = file.as_deref().and_then(Path::parent).map(Path::to_owned);
    let folder = folder.or_else(|| std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)).unwrap_or_default();
    // The compiler's own folder is the workspace's, and what is included must not depend on it.
    std::path::absolute(&folder).unwrap_or(folder)
}

/// The bytes of a regular file of bearable length.
///
/// # Errors
/// Why it cannot be had, as part of a sentence.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        _ => format!("cannot read `{shown}`: {error}"),
    })?;
    if !metadata.is_file() {
        return Err(format!("`{shown}` is not a regular file"));
    }
    if metadata.len() > LIMIT {
        return Err(format!("`{shown}` is too long: a text has at most 16 MiB"));
    }
    std::fs::read(path).map_err(|error| format!("cannot read `{shown}`: {error}"))
}

/// One answer of a [`Files`]: what `path`, written in the text called `from`, led to.
struct FileAnswer {
    from: String,
    path: String,
    name: String,
    file: PathBuf,
}

/// Reads the files that a text uses, and remembers them.
#[derive(Default)]
pub(crate) struct Files {
    /// Per name the file.
    names: BTreeMap<String, PathBuf>,
    answers: Vec<FileAnswer>,
}

impl Files {
    /// A text of this name stands in a file, or in this folder.
    pub(crate) fn register(&mut self, name: &str, file: PathBuf) {
        self.names.insert(name.to_owned(), file);
    }

    /// The answers, for the expansion: it loads the same texts again when the program runs, and `include_str!` makes cargo
    /// watch them.
    pub(crate) fn used(&self) -> TokenStream {
        let answers = self.answers.iter().map(|FileAnswer { from, path, name, file }| {
            let file = file.display().to_string();
            quote!(::squeeze::expansion::Used { from: #from, path: #path, name: #name, text: ::core::include_str!(#file) })
        });
        quote!(&[#(#answers),*])
    }
}

impl Loader for Files {
    fn load(&mut self, path: &str, from: &Source) -> Result<Loaded, String> {
        let base = self.names.get(&from.name).cloned().unwrap_or_default();
        let folder = if base.is_dir() { base.as_path() } else { base.parent().unwrap_or(Path::new("")) };
        let file = folder.join(path);
        let bytes = read(&file).map_err(|error| error.replace(&file.display().to_string(), path))?;
        let file = file.canonicalize().unwrap_or(file);
        let known = self.names.iter().find(|(_, known)| **known == file);
        let name = known.map_or_else(|| path.to_owned(), |(name, _)| name.clone());
        // Two files may be written alike in different folders.
        let taken = self.names.get(&name).is_some_and(|other| *other != file);
        let name = if taken { file.display().to_string() } else { name };
        self.names.insert(name.clone(), file.clone());
        self.answers.push(FileAnswer { from: from.name.clone(), path: path.to_owned(), name: name.clone(), file });
        Ok(Loaded { name, bytes })
    }
}
