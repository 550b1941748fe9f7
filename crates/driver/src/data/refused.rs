//! A data file that is refused, as a diagnostic: one code for each kind of fault.

use atl_data::{DataError, Fault};
use atl_diag::{Diagnostic, Span, err};
use atl_runtime::ConvertError;

/// What a file is read for.
#[derive(Clone, Copy)]
pub(crate) enum Role<'a> {
    /// A parameter of this name, at this place if it is one of the function's.
    Argument(&'a str, Option<Span>),
    /// To be converted.
    Input,
}

/// The diagnostic of a file that is not read.
pub(crate) fn refused(why: &DataError, role: Role<'_>) -> Diagnostic {
    let (span, what) = match role {
        Role::Argument(name, span) => (span, format!("the argument `{name}` cannot be read: {why}")),
        Role::Input => (None, why.to_string()),
    };
    let d = match (why, role) {
        (DataError::Refused { refusal, .. }, _) => match refusal.fault {
            Fault::Syntax | Fault::Shapeless => err!(E0530, span, "{what}"),
            Fault::Range => err!(E0531, span, "{what}"),
            Fault::Duplicate => err!(E0532, span, "{what}"),
            Fault::Value => err!(E0533, span, "{what}"),
            Fault::Structure | Fault::Shape | Fault::Symmetry => err!(E0534, span, "{what}"),
            Fault::TooLarge => err!(E0535, span, "{what}"),
        },
        (DataError::Convert { source: ConvertError::NotRepresentable { .. }, .. }, _) => {
            err!(E0533, span, "{what}")
        }
        (_, Role::Argument(..)) => err!(E0520, span, "{what}"),
        (_, Role::Input) => err!(E0536, span, "{what}"),
    };
    d.label("this parameter").help(remedy(why, role))
}

/// What to do about a value that a parameter's type does not have.
const OTHER_TYPE: &str = "declare the parameter with an element type that has it, or write another value to the file: floats are rounded to the nearest value of the type as they are read, and nothing else is changed";

/// What to do about a value that the wanted type does not have.
const OTHER_OPTION: &str = "choose a type that has it with `--type`, or write another value to the file: floats are rounded to the nearest value of the type as they are read, and nothing else is changed";

/// What to do about complex numbers of Matrix Market.
const OF_MARKET: &str = "for a dense parameter such as `c128[N, M]` write a NumPy file in Python: `numpy.save(\"a.npy\", scipy.io.mmread(\"a.mtx\"))`, after `.toarray()` of what has coordinates; formats store real numbers: write the parts of `a`, `a.real` and `a.imag`, to a file each by `scipy.io.mmwrite`, and declare a tensor for each";

fn remedy(why: &DataError, role: Role<'_>) -> &'static str {
    match (why, role) {
        (DataError::Io { .. }, Role::Argument(..)) => "check the path after `--in NAME=`",
        (DataError::Io { .. }, Role::Input) => "check the path",
        (DataError::Convert { source: ConvertError::Buffer(_), .. }, _) => "give a smaller array",
        (DataError::Convert { .. }, Role::Argument(..)) => OTHER_TYPE,
        (DataError::Corrupt { .. }, _) => "mend the file, or write it again with the program that made it",
        (DataError::Complex { path, .. }, Role::Argument(..))
            if path.extension().is_some_and(|extension| extension == "mtx") =>
        {
            OF_MARKET
        }
        (DataError::Complex { .. }, Role::Argument(..)) => {
            "complex numbers are read from `.npy` and `.npz` by a parameter such as `c128[N]`; else write the real and the imaginary parts to a file each, and declare a tensor for each"
        }
        (DataError::Complex { .. }, _) => {
            "complex numbers are not converted: write the real and the imaginary parts to a file each, with a tensor for each"
        }
        (DataError::WrongRank { .. }, _) => "reshape the data, or change the parameter's type",
        (DataError::Refused { refusal, .. }, role) => match (refusal.fault, role) {
            (Fault::Syntax, _) => "mend the file, or write it again with the program that made it",
            (Fault::Shapeless, Role::Argument(..)) => {
                "`atl convert FILE.tns FILE.npz --shape N,M` makes a file of it that says its shape"
            }
            (Fault::Shapeless, Role::Input) => "give its shape, as `--shape 2,3`, or add the entries",
            (Fault::Range, _) => "mend the file; if it is right, give it the shape that it has",
            (Fault::Duplicate, _) => "`atl convert --add-duplicates` adds such entries up",
            (Fault::Value, Role::Argument(..)) => OTHER_TYPE,
            (Fault::Value, Role::Input) => OTHER_OPTION,
            (Fault::Structure | Fault::Symmetry, _) => {
                "mend the file, or write it again with the program that made it"
            }
            (Fault::Shape, Role::Argument(..)) => "give a file of the shape that is wanted",
            (Fault::Shape, Role::Input) => {
                "if the file is right, give its shape with `--shape`, or leave that out; if not, mend the file"
            }
            (Fault::TooLarge, Role::Argument(..)) => "give a part of the tensor",
            (Fault::TooLarge, Role::Input) => "choose a format of sparse tensors",
        },
        (DataError::Convert { .. }, Role::Input) => OTHER_OPTION,
        (DataError::Unsupported { .. }, _) => {
            "do as this says, or write the data as another array or kind of file"
        }
        (_, Role::Argument(..)) => "give the data in one of the formats that `atl run --help` lists",
        (_, Role::Input) => "give the data in one of the formats that `atl convert --help` lists",
    }
}
