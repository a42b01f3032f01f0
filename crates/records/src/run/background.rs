//! Work that is done beside the simulation: compressing and writing.

use squeeze_engine::failure::{Error, Result};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

type BackgroundJob = Box<dyn FnOnce() -> Result<()> + Send>;

/// A thread that does jobs in order. After a job has failed, the others are dropped undone.
pub(super) struct BackgroundThread {
    jobs: Option<Sender<(u64, BackgroundJob)>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<JobQueue>,
    limit: u64,
}

#[derive(Default)]
struct JobQueue {
    load: Mutex<QueueLoad>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueLoad {
    /// Bytes that jobs hold which are not done.
    bytes: u64,
    jobs: u64,
    failure: Option<Error>,
    failed: bool,
}

impl BackgroundThread {
    /// Starts the thread. Jobs that are not done hold at most about `limit` bytes.
    pub(super) fn new(limit: u64) -> Result<BackgroundThread> {
        let (jobs, queue): (_, Receiver<(u64, BackgroundJob)>) = channel();
        let shared = Arc::new(JobQueue::default());
        let of_thread = Arc::clone(&shared);
        let work = move || {
            for (bytes, job) in queue {
                let failed = of_thread.load.lock().unwrap_or_else(PoisonError::into_inner).failed;
                let result = if failed { Ok(()) } else { job() };
                let mut load = of_thread.load.lock().unwrap_or_else(PoisonError::into_inner);
                load.bytes -= bytes;
                load.jobs -= 1;
                if let Err(error) = result {
                    load.failed = true;
                    load.failure = Some(error);
                }
                of_thread.changed.notify_all();
            }
        };
        let thread = std::thread::Builder::new().name("writer".to_owned()).spawn(work);
        let thread = thread.map_err(|error| Error::system(format!("no thread to write with: {error}")))?;
        Ok(BackgroundThread { jobs: Some(jobs), thread: Some(thread), shared, limit })
    }

    /// Hands over a job that holds `bytes` bytes, as soon as there is room for them.
    ///
    /// # Errors
    /// The error of an earlier job, returned once.
    pub(crate) fn submit(&self, bytes: u64, job: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
        let mut load = self.shared.load.lock().unwrap_or_else(PoisonError::into_inner);
        while load.bytes > 0 && load.bytes + bytes > self.limit {
            load = self.shared.changed.wait(load).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(error) = load.failure.take() {
            return Err(error);
        }
        load.bytes += bytes;
        load.jobs += 1;
        drop(load);
        let jobs = self.jobs.as_ref().expect("it is taken only when this is dropped");
        jobs.send((bytes, Box::new(job))).map_err(|_| Error::system("the thread that writes has ended".to_owned()))
    }

    /// Waits until all jobs are done.
    ///
    /// # Errors
    /// The error of a job, returned once.
    pub(super) fn wait(&self) -> Result<()> {
        let mut load = self.shared.load.lock().unwrap_or_else(PoisonError::into_inner);
        while load.jobs > 0 {
            load = self.shared.changed.wait(load).unwrap_or_else(PoisonError::into_inner);
        }
        load.failure.take().map_or(Ok(()), Err)
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A job that panicked has shown its message already.
            _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_done_in_order_and_one_failure_ends_them() {
        let background = BackgroundThread::new(10).unwrap();
        let done = Arc::new(Mutex::new(Vec::new()));
        for i in 0..20 {
            let done = Arc::clone(&done);
            let job = move || {
                done.lock().unwrap().push(i);
                if i == 12 { Err(Error::system("full".to_owned())) } else { Ok(()) }
            };
            if background.submit(4, job).is_err() {
                break;
            }
        }
        _ = background.wait();
        assert_eq!(*done.lock().unwrap(), (0..=12).collect::<Vec<_>>());
    }
}
