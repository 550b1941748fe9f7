//! How large the extents are that typing a term computes.
//!
//! A definition may put its argument's extents into larger ones, and so on along a chain of `let`s: the extents of
//! `concat(x, x)` of `concat(y, y)` and so on double with every step. This is typing with the number of nodes of
//! an extent in place of the extent, so it is done before the kernel computes any.

use crate::limits;
use crate::measure::{Within, extent};
use atl_kernel::{Ctx, Definition, Entry, Expr, Ix, Node, Var};

/// Are all extents that typing this term computes within the limit? The term's nodes are, unfolded.
pub(crate) fn within(ctx: &Ctx, e: &Expr) -> Within<()> {
    let mut scope = Scope { free: Free::Context(ctx), binders: Vec::new() };
    scope.shape(e).map(|_| ())
}

/// The nodes of each extent, outermost first.
type Shape = Vec<u64>;

/// What free variables are.
enum Free<'a> {
    /// Those of a context.
    Context(&'a Ctx),
    /// A definition's parameters: the nodes of the index terms, and the shapes of the tensors, that stand for them.
    Parameters(Vec<(u32, u64)>, Vec<(u32, Shape)>),
}

struct Scope<'a> {
    free: Free<'a>,
    /// The shape of each variable that is bound; a loop's index has none.
    binders: Vec<Shape>,
}

fn find<T: Clone + Default>(known: &[(u32, T)], level: u32) -> T {
    known.iter().find(|(l, _)| *l == level).map(|(_, value)| value.clone()).unwrap_or_default()
}

impl Scope<'_> {
    /// A variable's shape. What is not there is refused by the kernel.
    fn variable(&self, v: Var) -> Within<Shape> {
        match (v, &self.free) {
            (Var::Bound(k), _) => Ok(self.binders.iter().rev().nth(k as usize).cloned().unwrap_or_default()),
            (Var::Free(level), Free::Parameters(_, tensors)) => Ok(find(tensors, level)),
            (Var::Free(level), Free::Context(ctx)) => match ctx.entry(level) {
                Some(Entry::Tensor(_, ty)) => {
                    let nodes = |n: &Ix| extent(n, limits::EXTENT);
                    ty.shape.iter().map(|n| nodes(n).map(|size| size.nodes)).collect()
                }
                _ => Ok(Shape::new()),
            },
        }
    }

    fn nodes(&self, ix: &Ix) -> Within<u64> {
        let nodes = match (ix, &self.free) {
            (Ix::Var(Var::Free(level)), Free::Parameters(indices, _)) => find(indices, *level).max(1),
            (Ix::Lit(_) | Ix::Var(_), _) => 1,
            (Ix::Bin(_, ab), _) => 1 + self.nodes(&ab.0)? + self.nodes(&ab.1)?,
            (Ix::Read(_, at), _) => at.iter().try_fold(1, |nodes, i| Ok(nodes + self.nodes(i)?))?,
        };
        if nodes > limits::EXTENT { Err("the nodes of an extent") } else { Ok(nodes) }
    }

    fn under(&mut self, binder: Shape, e: &Expr) -> Within<Shape> {
        self.binders.push(binder);
        let shape = self.shape(e);
        self.binders.pop();
        shape
    }

    fn shape(&mut self, e: &Expr) -> Within<Shape> {
        match &**e {
            Node::Var(v) => self.variable(*v),
            Node::Lit(..) | Node::Index(..) => Ok(Shape::new()),
            Node::Gen(_, n, body) => {
                let n = self.nodes(n)?;
                let mut shape = self.under(Shape::new(), body)?;
                shape.insert(0, n);
                Ok(shape)
            }
            Node::Sum(_, n, body) => {
                self.nodes(n)?;
                self.under(Shape::new(), body)
            }
            Node::Guard(_, body) | Node::View(_, body) => self.shape(body),
            Node::Select(_, a, b) => {
                let shape = self.shape(a)?;
                self.shape(b)?;
                Ok(shape)
            }
            Node::Let(_, bound, body) => {
                let bound = self.shape(bound)?;
                self.under(bound, body)
            }
            Node::Iterate(it) => {
                self.nodes(&it.extent)?;
                let outside = self.binders.len();
                let states = it.states.iter().map(|s| self.shape(&s.init)).collect::<Within<Vec<_>>>()?;
                self.binders.extend(states.iter().cloned());
                for (state, shape) in it.states.iter().zip(&states) {
                    self.under(Shape::new(), &state.step)?;
                    self.binders.push(shape.clone());
                }
                self.binders.truncate(outside + states.len());
                let shape = self.shape(&it.body);
                self.binders.truncate(outside);
                shape
            }
            Node::Get(array, _) => {
                let shape = self.shape(array)?;
                Ok(shape.get(1..).unwrap_or_default().to_vec())
            }
            Node::Prim(_, args) => {
                let shapes = args.iter().map(|arg| self.shape(arg)).collect::<Within<Vec<_>>>()?;
                Ok(shapes.into_iter().next().unwrap_or_default())
            }
            // Of several results no extent is read.
            Node::Bundle(_, parts) => {
                parts.iter().try_for_each(|part| self.shape(part).map(drop))?;
                Ok(Shape::new())
            }
            Node::Op(definition, ixs, args) => {
                let ixs = ixs.iter().map(|ix| self.nodes(ix)).collect::<Within<Vec<_>>>()?;
                let args = args.iter().map(|arg| self.shape(arg)).collect::<Within<Vec<_>>>()?;
                let free = parameters(definition, ixs, args);
                Scope { free, binders: Vec::new() }.shape(&definition.body)
            }
        }
    }
}

/// A definition's parameters with these arguments, as many as there are.
fn parameters(definition: &Definition, ixs: Vec<u64>, args: Vec<Shape>) -> Free<'static> {
    let mut indices: Vec<(u32, u64)> = (0..definition.index_params).zip(ixs).collect();
    let mut tensors = Vec::new();
    for (k, shape) in args.into_iter().enumerate().take(definition.tensor_params.len()) {
        let tensor = definition.tensor_level(k);
        let first = tensor - definition.tensor_params[k];
        indices.extend((first..tensor).zip(shape.iter().copied()));
        tensors.push((tensor, shape));
    }
    Free::Parameters(indices, tensors)
}
