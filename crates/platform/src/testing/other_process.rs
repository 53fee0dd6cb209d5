//! A process of its own that runs one test of this binary, to be killed or frozen. Used by tests of several processes.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// See the module. Ends with this value.
pub struct OtherProcess(Child);

impl OtherProcess {
    /// Starts the test of this name with further environment variables.
    pub fn start(test: &str, variables: &[(&str, &str)]) -> OtherProcess {
        let child = Command::new(std::env::current_exe().expect("a process has a file"))
            .args(["--exact", test])
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        OtherProcess(child.expect("this file can be started"))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("the process is there");
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
