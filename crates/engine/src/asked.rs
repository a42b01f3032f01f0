//! Values that are made when they are first asked for.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The values that were asked for, made once for each key.
pub(crate) struct Asked<K, T>(Mutex<BTreeMap<K, Arc<T>>>);

impl<K, T> Default for Asked<K, T> {
    fn default() -> Self {
        Asked(Mutex::default())
    }
}

impl<K: Ord, T> Asked<K, T> {
    /// The value for a key, which `make` makes on first use. Callers wait while any value is being made: they are likely to need the same.
    pub(crate) fn get<Q: Ord + ToOwned<Owned = K> + ?Sized, E>(
        &self,
        key: &Q,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E>
    where
        K: Borrow<Q>,
    {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = all.get(key) {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(make()?);
        all.insert(key.to_owned(), Arc::clone(&made));
        Ok(made)
    }

    /// The keys that were asked for.
    #[cfg(test)]
    pub(crate) fn keys(&self) -> Vec<K>
    where
        K: Clone,
    {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}
