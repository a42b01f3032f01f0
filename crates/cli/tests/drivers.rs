//! Machines with a driver that lack something else: a driver that does nothing stands in for NVIDIA's.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

/// All functions that are imported from the driver, but for the newest. Queries are answered for one GPU of architecture 9.0.
const DRIVER: &str = r#"
#define OK(name) int name() { return 0; }
OK(cuInit) OK(cuDeviceGet) OK(cuDevicePrimaryCtxRetain) OK(cuCtxSetCurrent) OK(cuStreamSynchronize)
OK(cuMemAlloc_v2) OK(cuMemFree_v2) OK(cuMemsetD8_v2) OK(cuMemcpyHtoD_v2) OK(cuMemcpyDtoH_v2) OK(cuMemcpyDtoDAsync_v2)
OK(cuMemcpyDtoHAsync_v2) OK(cuMemHostRegister_v2) OK(cuMemHostUnregister)
OK(cuMemsetD32Async) OK(cuModuleLoadData) OK(cuModuleUnload) OK(cuModuleGetFunction)
OK(cuStreamCreate) OK(cuStreamCreateWithPriority) OK(cuStreamWaitEvent) OK(cuStreamQuery) OK(cuMemHostAlloc) OK(cuMemFreeHost)
OK(cuDeviceGetUuid_v2) OK(cuDeviceCanAccessPeer) OK(cuCtxEnablePeerAccess) OK(cuStreamDestroy_v2) OK(cuStreamBeginCapture_v2)
OK(cuEventCreate) OK(cuEventDestroy_v2) OK(cuEventRecord) OK(cuEventSynchronize) OK(cuEventElapsedTime)
OK(cuStreamEndCapture) OK(cuGraphInstantiateWithFlags) OK(cuGraphDestroy) OK(cuGraphExecDestroy) OK(cuGraphLaunch)
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGetName(char *name, int length, int device) { name[0] = 'X'; name[1] = 0; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 100; return 0; }
int cuDeviceTotalMem_v2(unsigned long *bytes, int device) { *bytes = 80ul << 30; return 0; }
int cuMemGetInfo_v2(unsigned long *free, unsigned long *total) { *free = *total = 80ul << 30; return 0; }
int cuGetErrorString(int error, const char **text) { *text = "an error"; return 0; }
"#;

/// A folder with such a driver; none without a compiler of C, which must be there where CI=true.
fn driver(more: &str) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("driver.c");
    std::fs::write(&source, format!("{DRIVER}{more}")).unwrap();
    let cc = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(folder.path().join("libcuda.so.1"))
        .arg(source)
        .status();
    if cc.is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "there is no compiler of C");
    println!("SKIPPED: there is no compiler of C");
    None
}

/// Runs the command where nothing but this driver can be found.
fn squeeze(driver: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_squeeze"));
    command.env_clear().env("LD_LIBRARY_PATH", driver).current_dir(driver);
    command.args(arguments).output().unwrap()
}

/// Checks all commands on a machine whose GPU cannot be used, for a reason that their messages hold.
fn says(driver: &Path, reason: &str) {
    let run = ["run", "vicsek", "--rule", "life", "--level", "3", "--steps", "2"];
    let told = |more: &[&str], code| {
        let output = squeeze(driver, &[&run[..], more].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{more:?}: {error}");
        assert!(error.contains(reason) && !error.contains("panicked"), "{more:?}: {error}");
        error
    };
    assert!(told(&["--backend", "cuda"], 1).contains("help: "));
    #[cfg(feature = "papers")]
    assert!(told(&["--strategy", "squeeze"], 1).contains("help: "));
    let fallen = told(&["--backend", "auto"], 0);
    assert!(fallen.starts_with("note: ") && fallen.lines().count() == 1, "{fallen}");
    let cpu = squeeze(driver, &[&run[..], &["--backend", "cpu"]].concat());
    assert!(cpu.status.success() && cpu.stderr.is_empty());
    let doctor = squeeze(driver, &["doctor"]);
    assert!(doctor.status.success() && String::from_utf8(doctor.stdout).unwrap().contains(reason));
}

#[test]
fn a_gpu_without_nvrtc_is_told_what_is_missing() {
    if let Some(folder) = driver("OK(cuLaunchKernelEx)") {
        let doctor = squeeze(folder.path(), &["doctor"]).stdout;
        if !String::from_utf8(doctor).unwrap().contains("NVRTC  none") {
            return println!("SKIPPED: this machine has NVRTC where everybody finds it");
        }
        says(folder.path(), "NVRTC, which compiles CUDA C, was not found");
    }
}

#[test]
fn a_driver_that_is_too_old_is_told_so() {
    if let Some(folder) = driver("") {
        says(folder.path(), "too old: it has no `cuLaunchKernelEx`");
    }
}
