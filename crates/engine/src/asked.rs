//! Values that are made when they are first asked for.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The value of a key, once it is made.
type Made<T> = Mutex<Option<Arc<T>>>;

/// The values that were asked for, made once for each key.
pub(crate) struct Asked<K, T>(Mutex<BTreeMap<K, Arc<Made<T>>>>);

impl<K, T> Default for Asked<K, T> {
    fn default() -> Self {
        Asked(Mutex::default())
    }
}

impl<K: Ord, T> Asked<K, T> {
    /// The value for a key, which `make` makes on first use. Callers wait while that of their key is being made.
    pub(crate) fn get<Q: Ord + ToOwned<Owned = K> + ?Sized, E>(
        &self,
        key: &Q,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E>
    where
        K: Borrow<Q>,
    {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(key).map(Arc::clone);
        let of_key = known.unwrap_or_else(|| Arc::clone(all.entry(key.to_owned()).or_default()));
        drop(all);
        let mut made = of_key.lock().unwrap_or_else(PoisonError::into_inner);
        let value = made.take().map_or_else(|| make().map(Arc::new), Ok)?;
        Ok(Arc::clone(made.insert(value)))
    }

    /// The keys of values that were asked for.
    #[cfg(test)]
    pub(crate) fn keys(&self) -> Vec<K>
    where
        K: Clone,
    {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread;

    /// Each of two threads waits until the other makes its own value.
    #[test]
    fn values_of_different_keys_are_made_at_the_same_time_and_each_once() {
        let (asked, both) = (Asked::<u32, u32>::default(), Barrier::new(2));
        let make = |key: u32| {
            let made = asked.get(&key, || {
                both.wait();
                Ok::<u32, ()>(10 * key)
            });
            (made.map(|value| *value), asked.get(&key, || Err(())).map(|value| *value))
        };
        let values = thread::scope(|scope| {
            let other = scope.spawn(|| make(1));
            (make(2), other.join().expect("it does not panic"))
        });
        assert_eq!(values, ((Ok(20), Ok(20)), (Ok(10), Ok(10))));
        assert_eq!(asked.get(&3, || Err(())), Err(()));
        assert_eq!((asked.get(&3, || Ok::<u32, ()>(30)).map(|value| *value), asked.keys()), (Ok(30), vec![1, 2, 3]));
    }
}
