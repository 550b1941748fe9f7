//! A folder of artefacts, each under the hash of its key.
//!
//! One idea: an entry is a folder that appears in one step, by renaming, with three files in it: the artefact, its whole
//! key, and a seal (length and hash of the artefact). An entry counts only if the key is the one asked for and the seal
//! fits, so a hash collision, a truncated file or a bad sector leads to a new build, never to wrong code. Two processes
//! that build the same entry do the work twice; the second finds the place taken and uses the first one's.
//!
//! The hash is FNV-1a with 128 bits: it only has to spread. The cache is trusted like the user's own files: it is made
//! readable and writable by its owner alone. Where it cannot be written, whatever the reason, a temporary folder of this process
//! takes its place (`own`), and what is already in the cache is still found.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, io, thread};

use super::{CompileError, own};
use crate::replace::unique_suffix;

const KEY: &str = "key";
const SEAL: &str = "seal";
const LOCK: &str = ".lock";

/// The size of a usual artefact.
const ROOM: usize = 1 << 18;

/// How long to wait for others, who need a moment each.
const PATIENCE: Duration = Duration::from_secs(10);

/// The user's cache: `$ATL_CACHE`, else `atl` in `$XDG_CACHE_HOME` or `$HOME/.cache`. Where none of these is set it is a path
/// at which no folder can be made, so that a temporary one takes its place.
pub fn default_cache() -> PathBuf {
    static DEFAULT: OnceLock<PathBuf> = OnceLock::new();
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    DEFAULT.get_or_init(|| choose(set).unwrap_or_default()).clone()
}

fn choose(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let user = || variable("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("atl"));
    let home = || variable("HOME").map(|path| path.join(".cache").join("atl"));
    variable("ATL_CACHE").or_else(user).or_else(home)
}

/// The path of the artefact for `key`, if there is a sound one.
pub(super) fn find(cache: &Path, key: &str, name: &str) -> Option<PathBuf> {
    let entry = place(cache, key);
    is_sound(&entry, key, name).then(|| entry.join(name))
}

/// The content of the artefact for `key`, if there is a sound one.
pub(super) fn read(cache: &Path, key: &str, name: &str) -> Option<Vec<u8>> {
    sound(&place(cache, key), key, name)
}

/// Keeps an artefact for `key`. Where the cache cannot be written no other folder takes its place: the next run would not find it.
pub(super) fn write(cache: &Path, key: &str, name: &str, bytes: &[u8]) -> Result<(), CompileError> {
    let mut build =
        |folder: &Path| fs::write(folder.join(name), bytes).map_err(CompileError::io("writing to the cache"));
    match find_or_build_in(cache, key, name, &mut build) {
        Ok(_) => Ok(()),
        Err(Failed::Cache(why) | Failed::Build(why)) => Err(why),
    }
}

fn place(cache: &Path, key: &str) -> PathBuf {
    cache.join(format!("{:032x}", fnv1a(key.as_bytes())))
}

/// The path of the artefact for `key`; `build` makes the file `name` in a folder if there is no sound one.
pub(super) fn find_or_build(
    cache: &Path,
    key: &str,
    name: &str,
    mut build: impl FnMut(&Path) -> Result<(), CompileError>,
) -> Result<PathBuf, CompileError> {
    let found = match find_or_build_in(cache, key, name, &mut build) {
        Err(Failed::Cache(why)) => match own::folder(cache, &why) {
            Some(own) => find_or_build_in(&own, key, name, &mut build),
            None => Err(Failed::Cache(why)),
        },
        found => found,
    };
    found.map_err(|(Failed::Cache(why) | Failed::Build(why))| why)
}

/// Why there is no artefact: the cache cannot be used, or there is none to be kept.
enum Failed {
    Cache(CompileError),
    Build(CompileError),
}

fn find_or_build_in(
    cache: &Path,
    key: &str,
    name: &str,
    build: &mut dyn FnMut(&Path) -> Result<(), CompileError>,
) -> Result<PathBuf, Failed> {
    let unusable = |action: String| |why| Failed::Cache(CompileError::io(action)(why));
    if cache.as_os_str().is_empty() {
        // A path below it would be one of the working directory, of which nothing is known.
        return Err(unusable("finding a folder for the cache".to_owned())(io::ErrorKind::NotFound.into()));
    }
    let entry = place(cache, key);
    let artefact = entry.join(name);
    if is_sound(&entry, key, name) {
        return Ok(artefact);
    }
    make_folder(cache).map_err(unusable(format!("making the cache {}", cache.display())))?;
    let draft = Draft::new(cache).map_err(Failed::Cache)?;
    build(&draft.0).map_err(Failed::Build)?;
    seal(&draft.0, key, name).map_err(unusable(format!("writing to the cache {}", cache.display())))?;
    publish(&draft.0, &entry, key, name).map_err(unusable(format!("publishing {}", entry.display())))?;
    Ok(artefact)
}

/// A folder under construction; what is left of it is removed in the end.
struct Draft(PathBuf);

impl Draft {
    fn new(cache: &Path) -> Result<Draft, CompileError> {
        let path = cache.join(format!(".draft-{}", unique_suffix()));
        // A process with the same number may have died here before.
        let made = make_folder(&path).and_then(|()| clear(&path)).and_then(|()| has_room(&path));
        made.map_err(CompileError::io(format!("making {}", path.display())))?;
        Ok(Draft(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After publishing there is nothing to remove, and nothing depends on the removal.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}

/// Whether a file of a usual artefact's size can be written. A full disk is noticed here rather than by the compiler, whose
/// complaint would look like one about the source.
fn has_room(folder: &Path) -> io::Result<()> {
    let probe = folder.join("probe");
    let written = fs::write(&probe, [1; ROOM]);
    fs::remove_file(&probe).and(written)
}

fn seal(folder: &Path, key: &str, name: &str) -> io::Result<()> {
    let bytes = fs::read(folder.join(name))?;
    fs::write(folder.join(SEAL), seal_of(&bytes))?;
    fs::write(folder.join(KEY), key)
}

pub(super) fn seal_of(bytes: &[u8]) -> String {
    format!("{} {:032x}\n", bytes.len(), fnv1a(bytes))
}

fn is_sound(entry: &Path, key: &str, name: &str) -> bool {
    sound(entry, key, name).is_some()
}

/// The content of an entry's artefact, if the key is the one asked for and the seal fits.
fn sound(entry: &Path, key: &str, name: &str) -> Option<Vec<u8>> {
    let read = |file: &str| fs::read(entry.join(file)).ok();
    let (stored_key, seal, artefact) = (read(KEY)?, read(SEAL)?, read(name)?);
    (stored_key == key.as_bytes() && seal == seal_of(&artefact).as_bytes()).then_some(artefact)
}

/// Moves a finished draft to its place. A sound entry that came there first stays; a damaged one is discarded.
fn publish(draft: &Path, entry: &Path, key: &str, name: &str) -> io::Result<()> {
    // Publishers take turns, so that none discards what another has just published. Readers need no turn.
    let _turn = turn(&entry.with_file_name(LOCK), PATIENCE)?;
    if is_sound(entry, key, name) {
        return Ok(());
    }
    if entry.is_dir() {
        // A program that has loaded the artefact keeps it until it ends.
        fs::remove_dir_all(entry)?;
    } else if entry.exists() {
        fs::remove_file(entry)?;
    }
    fs::rename(draft, entry)
}

/// The lock, held until it is dropped.
fn turn(lock: &Path, patience: Duration) -> io::Result<File> {
    let file = File::create(lock)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Without locks a race can cost one more build.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => {
                let (lock, seconds) = (lock.display(), patience.as_secs());
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!(
                        "another process has held {lock} for {seconds} seconds; end it, or set ATL_CACHE to another folder"
                    ),
                ));
            }
        }
    }
}

fn fnv1a(bytes: &[u8]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::testing::Scratch;

    /// Asks for the artefact of `key`, whose content is the key; returns the path and whether it was built.
    fn ask(cache: &Path, key: &str) -> (PathBuf, bool) {
        let built = AtomicUsize::new(0);
        let path = find_or_build(cache, key, "artefact", |folder| {
            built.fetch_add(1, Ordering::Relaxed);
            fs::write(folder.join("artefact"), key).map_err(CompileError::io("writing"))
        })
        .expect("built or found");
        assert_eq!(fs::read_to_string(&path).expect("readable"), key);
        (path, built.into_inner() == 1)
    }

    /// The entries of the cache, apart from its lock.
    fn entries(cache: &Path) -> usize {
        fs::read_dir(cache)
            .expect("listed")
            .filter(|entry| entry.as_ref().is_ok_and(|e| e.file_name() != LOCK))
            .count()
    }

    /// After `damage` to the entry's folder, the artefact is built anew, and then found.
    fn check(damage: impl Fn(&Path)) {
        let cache = Scratch::new();
        let (path, built) = ask(cache.path(), "a key");
        assert!(built);
        assert!(!ask(cache.path(), "a key").1, "found");
        damage(path.parent().expect("an entry"));
        assert!(ask(cache.path(), "a key").1, "built anew");
        assert!(!ask(cache.path(), "a key").1, "found again");
        assert_eq!(entries(cache.path()), 1, "nothing else is left");
    }

    #[test]
    fn damaged_entries_are_built_anew() {
        check(|entry| fs::write(entry.join("artefact"), "a ke").expect("truncated"));
        check(|entry| fs::write(entry.join("artefact"), "a kez").expect("corrupted"));
        check(|entry| fs::write(entry.join(SEAL), "").expect("seal lost"));
        check(|entry| fs::write(entry.join(KEY), "another key with the same hash").expect("collided"));
        check(|entry| fs::remove_file(entry.join("artefact")).expect("removed"));
        check(|entry| fs::remove_dir_all(entry).expect("removed"));
        check(|entry| {
            fs::remove_dir_all(entry).expect("removed");
            fs::write(entry, "a file in the way").expect("written");
        });
    }

    #[test]
    fn different_keys_have_different_entries() {
        let cache = Scratch::new();
        assert_ne!(ask(cache.path(), "one").0, ask(cache.path(), "two").0);
        assert!(!ask(cache.path(), "one").1);
    }

    #[test]
    fn concurrent_builders_agree() {
        let cache = Scratch::new();
        let paths: Vec<PathBuf> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| ask(cache.path(), "shared").0)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(paths.iter().all(|path| path == &paths[0]));
        assert_eq!(entries(cache.path()), 1);
    }

    #[test]
    fn a_lock_that_another_keeps_is_named() {
        let cache = Scratch::new();
        let lock = cache.path().join(LOCK);
        let held = turn(&lock, PATIENCE).expect("free");
        let error = turn(&lock, Duration::ZERO).expect_err("held").to_string();
        assert!(error.contains(&lock.display().to_string()) && error.contains("ATL_CACHE"), "{error}");
        drop(held);
        assert!(turn(&lock, Duration::ZERO).is_ok(), "free again");
    }

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(fnv1a(b""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(fnv1a(b"a"), 0xd228cb696f1a8caf78912b704e4a8964);
    }

    #[test]
    fn the_user_chooses_the_folder() {
        let with = |set: &[(&str, &str)]| {
            choose(|name| {
                set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| PathBuf::from(value))
            })
        };
        let check =
            |set: &[(&str, &str)], expected: &str| assert_eq!(with(set), Some(PathBuf::from(expected)));
        check(&[("ATL_CACHE", "/c"), ("HOME", "/h")], "/c");
        check(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], "/x/atl");
        check(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")], "/h/.cache/atl");
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn where_no_cache_can_be_a_folder_of_this_process_serves() {
        let scratch = Scratch::new();
        fs::write(scratch.path().join("file"), "in the way").expect("written");
        for unusable in [scratch.path().join("file"), scratch.path().join("file/below"), PathBuf::new()] {
            let (path, built) = ask(&unusable, &format!("for {}", unusable.display()));
            assert!(built && !path.starts_with(scratch.path()), "{}", path.display());
            assert!(!ask(&unusable, &format!("for {}", unusable.display())).1, "found again");
        }
        assert!(super::own::note().is_some_and(|note| note.contains("ATL_CACHE")));
    }

    #[test]
    fn what_a_compiler_refuses_is_not_asked_twice() {
        let cache = Scratch::new();
        let mut asked = 0;
        let refused = find_or_build(cache.path(), "key", "artefact", |_| {
            asked += 1;
            Err(CompileError::Failed { command: "cc".to_owned(), stderr: "no".to_owned() })
        });
        assert!(matches!(refused, Err(CompileError::Failed { .. })));
        assert_eq!(asked, 1);
    }
}
