//! Compiled kernels on disk, so that a second run does not compile.
//!
//! An entry is a file: a magic word, the key, the code and a checksum. Its name is a hash of the key, and the key itself is
//! compared, so that no two keys are ever taken for one. The key holds all that affects the code: the text, the architecture, the
//! kind of output, the compiler's options and version, and the version of Squeeze.
//!
//! Writers fill a temporary file and rename it, so that readers see a whole entry or none, even if other processes write or are
//! killed. An entry that is damaged is compiled anew. Failures here are not errors: the cache is then not used.
//!
//! The code of an entry runs on the GPU, so a user who can write one can run anything there. The folder must therefore belong to the user
//! (or to the system's administrator), and no other user may be allowed to write to it; the same holds for each entry, which must be a regular
//! file. Anything else is ignored.

use super::error::CudaError;
use super::nvrtc::{Architecture, MachineCode, Nvrtc, Output};
use squeeze_host::files::{self, Bounded, FileError, Links, PendingFile};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The first bytes of an entry; the number rises when the format changes.
const MAGIC: &[u8; 8] = b"SQZKRN01";
/// The end of the names of entries; other files in the folder are not touched.
const ENTRY: &str = "kernel";
/// The most bytes of all entries together, unless a [`KernelCache`] says otherwise.
const MOST_BYTES: u64 = 256 << 20;
/// The most bytes of one entry; compiled kernels have some hundred thousand.
const MOST_BYTES_OF_ENTRY: u64 = 64 << 20;
/// A temporary file as old as this has lost its writer.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The folder of compiled kernels.
#[derive(Clone, Debug)]
pub struct KernelCache {
    /// `None` if there is no cache.
    folder: Option<PathBuf>,
    most_bytes: u64,
}

/// The contents of a folder of compiled kernels, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheContents {
    /// The number of entries.
    pub entries: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl KernelCache {
    /// The folder that `SQUEEZE_CACHE` names, or none if that is empty; unless it is set, `squeeze/kernels` in `XDG_CACHE_HOME`
    /// or in `~/.cache`.
    pub fn usual() -> KernelCache {
        let folder = match std::env::var_os("SQUEEZE_CACHE") {
            Some(folder) => Some(folder).filter(|folder| !folder.is_empty()).map(PathBuf::from),
            None => {
                let absolute = |folder: OsString| Some(PathBuf::from(folder)).filter(|folder| folder.is_absolute());
                let caches = std::env::var_os("XDG_CACHE_HOME").and_then(absolute);
                let home = || std::env::var_os("HOME").and_then(absolute).map(|home| home.join(".cache"));
                caches.or_else(home).map(|caches| caches.join("squeeze").join("kernels"))
            }
        };
        KernelCache { folder, most_bytes: MOST_BYTES }
    }

    /// No cache: everything is compiled.
    pub fn none() -> KernelCache {
        KernelCache { folder: None, most_bytes: 0 }
    }

    /// A cache in this folder of at most `most_bytes` bytes.
    pub fn at(folder: impl Into<PathBuf>, most_bytes: u64) -> KernelCache {
        KernelCache { folder: Some(folder.into()), most_bytes }
    }

    /// The folder; `None` if there is no cache.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// How much it holds.
    pub(crate) fn contents(&self) -> CacheContents {
        let entries = self.entries();
        CacheContents { entries: entries.len(), bytes: entries.iter().map(|entry| entry.bytes).sum() }
    }

    /// Whether entries can be written there; the reason if not.
    ///
    /// # Errors
    /// The system's words.
    pub(crate) fn writable(&self) -> Result<(), String> {
        let folder = self.folder.as_ref().ok_or("there is no folder for it")?;
        files::make_private_folders(folder).map_err(|error| error.to_string())?;
        trusted(&fs::metadata(folder).map_err(|error| error.to_string())?)?;
        PendingFile::begin_here(&folder.join("writable")).map(|_| ()).map_err(|error| error.to_string())
    }

    /// Compiles, unless the same was compiled before.
    ///
    /// # Errors
    /// As [`Nvrtc::compile`].
    pub fn compile(
        &self,
        nvrtc: &Nvrtc,
        text: &str,
        architecture: Architecture,
        output: Output,
    ) -> Result<MachineCode, CudaError> {
        let (major, minor) = nvrtc.version();
        let options = Nvrtc::options(architecture, output).join(" ");
        let key = format!("squeeze {} nvrtc {major}.{minor} {options} {output:?}\n{text}", env!("CARGO_PKG_VERSION"));
        // SAFETY: NVRTC makes it.
        unsafe { self.get_or(&key, || Ok(nvrtc.compile(text, architecture, output)?.0)) }.map(MachineCode)
    }

    /// The code stored under a key, else the code that `make` makes, which is then stored.
    ///
    /// # Errors
    /// The errors of `make`.
    ///
    /// # Safety
    /// The code that `make` makes comes from NVRTC, of the text and options that the key names: [`compile`](KernelCache::compile) relies on it.
    pub unsafe fn get_or<E>(&self, key: &str, make: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
        let Some(folder) = &self.folder else { return make() };
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let path = folder.join(format!("{:016x}.{ENTRY}", hasher.finish()));
        let is_trusted = || fs::metadata(folder).is_ok_and(|metadata| trusted(&metadata).is_ok());
        if is_trusted()
            && let Some(code) = read(&path, key)
        {
            return Ok(code);
        }
        let code = make()?;
        // A cache that cannot be written is none.
        if files::make_private_folders(folder).is_ok() && is_trusted() && write(&path, key, &code).is_ok() {
            self.shrink(&path);
        }
        Ok(code)
    }

    fn entries(&self) -> Vec<EntryFile> {
        let list = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let of = |entry: fs::DirEntry| {
            let path = entry.path();
            let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            let is_entry = path.extension().is_some_and(|end| end == ENTRY);
            is_entry.then(|| EntryFile {
                path,
                bytes: data.len(),
                used: data.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            })
        };
        list.into_iter().flatten().flatten().filter_map(of).collect()
    }

    /// Removes the entries that were not used for longest until the rest fits, but not the one just written; and files that killed writers left.
    fn shrink(&self, newest: &Path) {
        let mut entries = self.entries();
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        if bytes <= self.most_bytes {
            return;
        }
        entries.sort_by_key(|entry| entry.used);
        for entry in entries {
            if bytes > self.most_bytes && entry.path != newest && files::remove_tree(&entry.path).is_ok() {
                bytes -= entry.bytes;
            }
        }
        let Some(list) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else { return };
        for file in list.flatten() {
            let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            if files::is_part(&file.file_name()) && age.is_some_and(|age| age > ABANDONED) {
                // Another process may have removed it.
                _ = files::remove_tree(&file.path());
            }
        }
    }
}

struct EntryFile {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// Checks that only the user or the system's administrator can have written the file or folder; the error says why another user could.
fn trusted(metadata: &fs::Metadata) -> Result<(), String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
        if owner != user && owner != 0 {
            return Err(format!("it belongs to the user of number {owner}, who could let any code run here"));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err(
                "others may write to it, and could let any code run here (`chmod go-w` changes that)".to_owned()
            );
        }
    }
    #[cfg(not(unix))]
    let _ = metadata;
    Ok(())
}

/// Writes an entry. It has a checksum, so it need not be durable.
fn write(path: &Path, key: &str, code: &[u8]) -> Result<(), FileError> {
    let mut bytes = Vec::with_capacity(key.len() + code.len() + 32);
    bytes.extend_from_slice(MAGIC);
    for part in [key.as_bytes(), code] {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    let checksum = crc32c::crc32c(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    if bytes.len() as u64 > MOST_BYTES_OF_ENTRY {
        return Ok(());
    }
    let mut file = PendingFile::begin_here(path)?;
    file.make_private();
    file.finish_fast(&bytes)
}

/// The code of an entry, if it is whole, of this key, and no other user can have written it.
fn read(path: &Path, key: &str) -> Option<Vec<u8>> {
    let file = Bounded::open(path, MOST_BYTES_OF_ENTRY, Links::Refused).ok()?;
    trusted(&file.metadata().ok()?).ok()?;
    let bytes = file.rest().ok()?;
    let (content, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32c::crc32c(content) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (stored, rest) = part(content.strip_prefix(MAGIC)?)?;
    let (code, rest) = part(rest)?;
    if stored != key.as_bytes() || !rest.is_empty() {
        return None;
    }
    let code = code.to_vec();
    // Says that it was used; a folder that may only be read serves as well.
    _ = files::open_to_change(path).and_then(|file| file.touch());
    Some(code)
}

/// A length, as many bytes, and the rest.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The code for a key, and whether it was made.
    fn get(cache: &KernelCache, key: &str, code: &[u8]) -> (Vec<u8>, bool) {
        let mut made = false;
        let make = || {
            made = true;
            Ok::<_, Infallible>(code.to_vec())
        };
        // SAFETY: nothing is loaded here.
        let Ok(code) = unsafe { cache.get_or(key, make) };
        (code, made)
    }

    fn only_entry(cache: &KernelCache) -> PathBuf {
        let mut entries = cache.entries();
        assert_eq!(entries.len(), 1);
        entries.remove(0).path
    }

    #[test]
    fn what_was_compiled_is_not_compiled_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::at(folder.path().join("made/when/needed"), MOST_BYTES);
        assert_eq!(get(&cache, "a", b"code of a"), (b"code of a".to_vec(), true));
        assert_eq!(get(&cache, "a", b"other"), (b"code of a".to_vec(), false));
        assert_eq!(get(&cache, "b", b""), (Vec::new(), true));
        assert_eq!(get(&cache, "b", b"other"), (Vec::new(), false));
        assert_eq!(cache.contents().entries, 2);
    }

    #[test]
    fn every_damage_is_noticed_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::at(folder.path(), MOST_BYTES);
        get(&cache, "key", b"some code");
        let path = only_entry(&cache);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(read(&path, "key"), None, "cut off after {length} bytes");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(read(&path, "key"), None, "byte {place} is wrong");
        }
        assert_eq!(get(&cache, "key", b"anew"), (b"anew".to_vec(), true));
        assert_eq!(get(&cache, "key", b"not needed"), (b"anew".to_vec(), false));
    }

    #[test]
    fn keys_with_one_hash_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::at(folder.path(), MOST_BYTES);
        get(&cache, "one", b"code of one");
        assert_eq!(read(&only_entry(&cache), "another"), None);
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        fs::write(&file, "").unwrap();
        for cache in [KernelCache::at(&file, MOST_BYTES), KernelCache { folder: None, most_bytes: 0 }] {
            assert!(cache.writable().is_err());
            assert_eq!(get(&cache, "key", b"code"), (b"code".to_vec(), true));
            assert_eq!(get(&cache, "key", b"code"), (b"code".to_vec(), true));
            assert_eq!(cache.contents(), CacheContents::default());
        }
    }

    #[test]
    fn the_size_is_bounded_and_the_oldest_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::at(folder.path(), 5000);
        let code = [7; 1000];
        for key in ["a", "b", "c", "d"] {
            get(&cache, key, &code);
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!get(&cache, "a", &code).1, "all four fit");
        std::thread::sleep(Duration::from_millis(20));
        get(&cache, "e", &code);
        assert!(cache.contents().bytes <= 5000);
        assert!(!get(&cache, "a", &code).1, "it was used just now");
        assert!(get(&cache, "b", &code).1, "it was not used for longest");
    }

    #[test]
    #[cfg(unix)]
    fn what_others_can_write_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("kernels");
        let cache = KernelCache::at(&folder, MOST_BYTES);
        let mode = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let is_used = || {
            get(&cache, "key", b"mine");
            !get(&cache, "key", b"other").1
        };
        assert!(is_used());
        let entry = only_entry(&cache);
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&entry).unwrap().permissions().mode() & 0o777, 0o600);
        mode(&folder, 0o770);
        assert!(!is_used() && cache.writable().unwrap_err().contains("others may write"));
        mode(&folder, 0o755);
        assert!(is_used() && cache.writable().is_ok());

        // An entry that others may write is made anew, and so is one that is a link, a pipe, or too long.
        let planted = |key: &str| read(&entry, key);
        mode(&entry, 0o666);
        assert!(planted("key").is_none());
        assert!(is_used() && planted("key").is_some());
        let elsewhere = place.path().join("elsewhere");
        fs::rename(&entry, &elsewhere).unwrap();
        symlink(&elsewhere, &entry).unwrap();
        assert!(planted("key").is_none());
        assert!(is_used() && !entry.is_symlink());
        fs::remove_file(&entry).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&entry).status().unwrap().success());
        assert!(planted("key").is_none());
        assert!(is_used() && planted("key").is_some());
        fs::OpenOptions::new().write(true).open(&entry).unwrap().set_len(MOST_BYTES_OF_ENTRY + 1).unwrap();
        assert!(planted("key").is_none() && is_used());
        // Who is not the administrator uses nothing of other users.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&folder, Some(12345), None).unwrap();
            assert!(!is_used() && cache.writable().unwrap_err().contains("12345"));
        }
    }

    #[test]
    fn many_writers_at_once_leave_whole_entries() {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::at(folder.path(), 40_000);
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (cache, made) = (&cache, &made);
                scope.spawn(move || {
                    for round in 0..100usize {
                        let key = format!("{}", (round * 7 + thread) % 13);
                        let wanted = key.repeat(2000).into_bytes();
                        let (code, new) = get(cache, &key, &wanted);
                        assert_eq!(code, wanted);
                        made.fetch_add(usize::from(new), Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(made.into_inner() >= 13);
        let left = fs::read_dir(folder.path()).unwrap().flatten();
        assert!(left.into_iter().all(|file| file.path().extension().is_some_and(|end| end == ENTRY)));
    }
}
