//! Heads: which parameters and results are complex, and what they become.

use super::{Split, Width, names_of, parts_of, text};
use crate::module::Complex;
use atl_diag::err;
use atl_syntax::ast::{Const, Expr, ExprKind, Function, Item, Name, Param, Type, TypeKind};

/// What a call needs to know of a function.
pub(super) struct Head {
    /// Which parameters are complex.
    pub(super) params: Vec<Option<Width>>,
    /// Which results are.
    pub(super) results: Vec<Option<Width>>,
    /// Is its result a number, not a tensor?
    pub(super) is_number: bool,
}

impl Head {
    pub(super) fn of(f: &Function) -> Head {
        let results = f.result.as_ref().map_or(Vec::new(), |ty| match &ty.kind {
            TypeKind::Several(parts) => parts.iter().map(|(_, ty)| width(ty)).collect(),
            _ => vec![width(ty)],
        });
        let is_number = f.result.as_ref().is_some_and(is_number)
            && f.params.iter().all(|param| is_number(&param.ty) || matches!(param.ty.kind, TypeKind::Size));
        Head { params: f.params.iter().map(|param| width(&param.ty)).collect(), results, is_number }
    }

    pub(super) fn is_complex(&self) -> bool {
        self.params.iter().chain(&self.results).any(Option::is_some)
    }
}

/// The type of the elements, if they are complex.
pub(super) fn width(ty: &Type) -> Option<Width> {
    match &ty.kind {
        TypeKind::Tensor { element, .. } => Width::parse(&element.scalar.text),
        _ => None,
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(&ty.kind, TypeKind::Tensor { extents, .. } if extents.is_empty())
}

/// The type as it is written, for calls and messages.
fn written(ty: &Type) -> String {
    let TypeKind::Tensor { element, extents, .. } = &ty.kind else { return String::new() };
    match extents.is_empty() {
        true => element.scalar.text.clone(),
        false => {
            let extents: Vec<String> = extents.iter().map(text::written).collect();
            format!("{}[{}]", element.scalar.text, extents.join(", "))
        }
    }
}

impl Split<'_> {
    /// Does the function have complex numbers, or call what has?
    pub(super) fn concerns(&mut self, f: &Function) -> bool {
        let head = self.file.heads.get(&f.name.text).is_some_and(Head::is_complex);
        head || f.preconditions.iter().chain([&f.body]).any(|e| self.touches(e))
    }

    pub(super) fn is_complex(&self, c: &Const) -> bool {
        width(&c.ty).is_some() || self.touches(&c.value)
    }

    /// The type of the parts of what has this type.
    pub(super) fn part(&mut self, ty: &Type, of: Width) -> Option<Type> {
        let mut made = ty.clone();
        let TypeKind::Tensor { element, format, extents } = &mut made.kind else { return Some(made) };
        if let Some(semiring) = &element.semiring {
            return self.report(
                err!(E0205, element.span, "`{}` is no algebra of `{}`", semiring.text, of.name())
                    .label("complex numbers are added and multiplied")
                    .help(format!("there is `{}` alone", of.name())),
            );
        }
        if format.is_some() {
            let parts = format!("`re: {}[..] as ..`, `im: {}[..] as ..`", of.part(), of.part());
            return self.report(
                err!(E0394, ty.span, "a complex tensor has no format").label("every element is stored").help(
                    format!("take its parts as two tensors, {parts}, or declare it without the format"),
                ),
            );
        }
        of.part().clone_into(&mut element.scalar.text);
        extents.iter_mut().try_for_each(|extent| {
            *extent = self.plain(extent)?;
            Some(())
        })?;
        Some(made)
    }

    /// Reports a name that is already one of something else.
    fn is_free(&mut self, name: &Name) -> Option<()> {
        for part in parts_of(&name.text) {
            if self.taken.contains(&part) {
                return self.report(
                    err!(E0207, name.span, "`{part}` is the name of a part of `{}`", name.text)
                        .label("a complex tensor is stored as two arrays, which are called so")
                        .help("give the other one another name; the part is `re(z)` or `im(z)`"),
                );
            }
        }
        Some(())
    }

    /// A function of the parts, and what was complex in its head.
    pub(super) fn function(&mut self, f: &Function) -> Option<(Function, Vec<Complex>)> {
        self.collect_names(f);
        let mut made = f.clone();
        let mut complex = Vec::new();
        made.params.clear();
        let mut fine = Some(());
        for param in &f.params {
            let of = width(&param.ty);
            self.bind(&param.name, of);
            let Some(of) = of else {
                if is_number(&param.ty) || matches!(param.ty.kind, TypeKind::Size) {
                    self.numbers.insert(param.name.text.clone());
                }
                made.params.push(param.clone());
                continue;
            };
            fine = fine.and(self.is_free(&param.name));
            let Some(ty) = self.part(&param.ty, of) else {
                fine = None;
                continue;
            };
            if is_number(&param.ty) {
                self.numbers.extend(parts_of(&param.name.text));
            }
            for name in names_of(&param.name) {
                made.params.push(Param { name, ty: ty.clone(), default: None, span: param.span });
            }
            complex.push(Complex {
                name: param.name.text.clone(),
                ty: written(&param.ty),
                is_double: of == Width::C128,
                parts: parts_of(&param.name.text),
                is_result: false,
            });
        }
        fine?;
        for condition in &mut made.preconditions {
            *condition = self.plain(condition)?;
        }
        let declared = self.declared(f, &mut made, &mut complex)?;
        made.body = self.results(&f.body, f, &declared)?;
        Some((made, complex))
    }

    /// Which results are complex; those of the function that is made are their parts.
    fn declared(
        &mut self,
        f: &Function,
        made: &mut Function,
        complex: &mut Vec<Complex>,
    ) -> Option<Vec<Option<Width>>> {
        let Some(result) = &f.result else { return Some(vec![None]) };
        let (parts, alone) = match &result.kind {
            TypeKind::Several(parts) => (parts.clone(), false),
            _ => (vec![(None, result.clone())], true),
        };
        if parts.iter().all(|(_, ty)| width(ty).is_none()) {
            return Some(vec![None; parts.len()]);
        }
        let mut several = Vec::new();
        for (k, (name, ty)) in parts.iter().enumerate() {
            let unnamed = if alone { "out".to_owned() } else { format!("out{k}") };
            let name = name.clone().unwrap_or_else(|| Name::new(self.unused(&unnamed), ty.span));
            let Some(of) = width(ty) else {
                several.push((Some(name), ty.clone()));
                continue;
            };
            self.is_free(&name)?;
            self.messages.names.insert(name.text.clone(), of);
            let part = self.part(ty, of)?;
            several.extend(names_of(&name).map(|name| (Some(name), part.clone())));
            complex.push(Complex {
                name: name.text.clone(),
                ty: written(ty),
                is_double: of == Width::C128,
                parts: parts_of(&name.text),
                is_result: true,
            });
        }
        made.result = Some(Type { kind: TypeKind::Several(several), span: result.span });
        Some(parts.iter().map(|(_, ty)| width(ty)).collect())
    }

    /// The constants that are the parts.
    pub(super) fn constant(&mut self, c: &Const) -> Option<Vec<Item>> {
        self.collect(&c.value);
        let Some(of) = width(&c.ty) else {
            return Some(vec![Item::Const(Const { value: self.plain_body(&c.value)?, ..c.clone() })]);
        };
        self.messages.names.insert(c.name.text.clone(), of);
        let ty = self.part(&c.ty, of)?;
        let parts = self.complex_body(&c.value, of, &c.name.text)?;
        let made = names_of(&c.name).into_iter().zip(parts);
        Some(
            made.map(|(name, value)| Item::Const(Const { name, ty: ty.clone(), value, ..c.clone() }))
                .collect(),
        )
    }

    /// Every name in the function is taken.
    fn collect_names(&mut self, f: &Function) {
        self.taken.extend(f.params.iter().map(|param| param.name.text.clone()));
        f.preconditions.iter().chain([&f.body]).for_each(|e| self.collect(e));
        let mut extents = |ty: &Type| {
            if let TypeKind::Tensor { extents, .. } = &ty.kind {
                extents.iter().for_each(|e| self.collect(e));
            }
        };
        f.params.iter().for_each(|param| extents(&param.ty));
        match f.result.as_ref().map(|ty| &ty.kind) {
            Some(TypeKind::Several(parts)) => parts.iter().for_each(|(_, ty)| extents(ty)),
            _ => f.result.iter().for_each(extents),
        }
    }

    fn collect(&mut self, e: &Expr) {
        let mut e = e.clone();
        self.collect_in(&mut e);
    }

    fn collect_in(&mut self, e: &mut Expr) {
        if let ExprKind::Name(name) = &e.kind {
            self.taken.insert(name.clone());
        }
        self.taken.extend(e.bound_mut().into_iter().map(|name| name.text.clone()));
        e.children_mut().into_iter().for_each(|child| self.collect_in(child));
    }

    /// A name that nothing has in the function.
    pub(super) fn unused(&mut self, plain: &str) -> String {
        let parts_free = |name: &str| parts_of(name).iter().all(|part| !self.taken.contains(part));
        let free = |name: &String| {
            !self.taken.contains(name) && !self.file.heads.contains_key(name) && parts_free(name)
        };
        let tries = std::iter::once(plain.to_owned()).chain((2..).map(|n| format!("{plain}{n}")));
        let name = tries.into_iter().find(free).unwrap_or_else(|| plain.to_owned());
        self.taken.insert(name.clone());
        name
    }
}
