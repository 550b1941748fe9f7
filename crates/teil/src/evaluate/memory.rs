//! Memory that traps: contents of tensors, defined at the indices of their shapes and nowhere else.

use std::collections::BTreeMap;
use std::fmt;

/// An access outside of what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// The tensor.
    pub tensor: String,
    /// The indices, from 1.
    pub at: Vec<u64>,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` has no element {:?}", self.tensor, self.at)
    }
}

/// The contents of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Contents<T> {
    /// Its sizes.
    pub shape: Vec<u64>,
    /// Its elements, the last index running fastest.
    pub elements: Vec<T>,
}

/// The contents of every tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory<T> {
    tensors: BTreeMap<String, Contents<T>>,
}

impl<T: Clone> Memory<T> {
    /// Nothing.
    pub fn new() -> Memory<T> {
        Memory { tensors: BTreeMap::new() }
    }

    /// Adds a tensor, or replaces it.
    pub fn insert(&mut self, name: &str, contents: Contents<T>) {
        self.tensors.insert(name.to_owned(), contents);
    }

    /// The contents of a tensor.
    pub fn tensor(&self, name: &str) -> Option<&Contents<T>> {
        self.tensors.get(name)
    }

    /// The indices at which it is defined: each tensor with its sizes.
    pub fn domain(&self) -> impl Iterator<Item = (&str, &[u64])> {
        self.tensors.iter().map(|(name, contents)| (name.as_str(), contents.shape.as_slice()))
    }

    /// The element at these indices.
    ///
    /// # Errors
    /// A trap, where there is none.
    pub fn read(&self, name: &str, at: &[u64]) -> Result<T, Trap> {
        let trap = || Trap { tensor: name.to_owned(), at: at.to_vec() };
        let contents = self.tensors.get(name).ok_or_else(trap)?;
        let place = place(&contents.shape, at).ok_or_else(trap)?;
        contents.elements.get(place).cloned().ok_or_else(trap)
    }

    /// Changes the element at these indices.
    ///
    /// # Errors
    /// A trap, where there is none.
    pub fn write(&mut self, name: &str, at: &[u64], value: T) -> Result<(), Trap> {
        let trap = || Trap { tensor: name.to_owned(), at: at.to_vec() };
        let contents = self.tensors.get_mut(name).ok_or_else(trap)?;
        let place = place(&contents.shape, at).ok_or_else(trap)?;
        *contents.elements.get_mut(place).ok_or_else(trap)? = value;
        Ok(())
    }
}

impl<T: Clone> Default for Memory<T> {
    fn default() -> Memory<T> {
        Memory::new()
    }
}

/// Where an element stands, if these are indices of the shape.
fn place(shape: &[u64], at: &[u64]) -> Option<usize> {
    let inside = shape.len() == at.len() && shape.iter().zip(at).all(|(n, i)| (1..=*n).contains(i));
    let flat = || shape.iter().zip(at).fold(0, |flat, (n, i)| flat * n + (i - 1));
    if inside { usize::try_from(flat()).ok() } else { None }
}

/// All indices of a shape, from 1, the last running fastest.
pub fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![vec![]], |all, n| {
        let longer = |at: Vec<u64>| (1..=*n).map(move |i| at.iter().copied().chain([i]).collect());
        all.into_iter().flat_map(longer).collect()
    })
}
