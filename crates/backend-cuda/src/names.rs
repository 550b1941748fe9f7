//! Identifiers: a name as it is, or behind `v_` where it could be taken.

use atl_c_text::names::is_reserved;
use atl_loops::Name;

/// Words of C++ that are no words of C, words of CUDA, and functions that the text calls.
const OWN: &str = "and and_eq bitand bitor catch class compl const_cast decltype delete dynamic_cast explicit export friend main mutable \
    namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast static_cast template \
    this throw try typeid typename using virtual wchar_t xor xor_eq char8_t char16_t char32_t concept requires co_await \
    co_return co_yield consteval constinit threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 stream floor floorf \
    fabs fabsf sqrt sqrtf abs min max int32_t int64_t uint8_t uint32_t uint64_t cudaStream_t cudaSuccess";

/// The identifiers of names.
#[derive(Clone, Copy, Default)]
pub(crate) struct Names;

impl Names {
    /// An identifier that no other name has. `'` is no letter of C++.
    pub(crate) fn identifier(self, name: &Name) -> String {
        let name = name.as_str();
        let is_own = name.starts_with("v_") || name.to_ascii_lowercase().starts_with("atl_");
        let is_odd =
            name.starts_with('_') || name.ends_with('_') || name.contains("__") || name.contains('\'');
        if is_own || is_odd || is_reserved(name, &[OWN]) {
            return format!("v_{}", name.replace('_', "_u").replace('\'', "_q"));
        }
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_that_could_be_taken_are_changed_and_stay_apart() {
        let name = |name: &str| Names.identifier(&name.into());
        assert_eq!(name("acc_1"), "acc_1");
        assert_eq!(name("int"), "v_int");
        assert_eq!(name("threadIdx"), "v_threadIdx");
        assert_eq!(name("i'"), "v_i_q");
        assert_eq!(name("v_int"), "v_v_uint");
        assert_eq!(name("i_q'"), "v_i_uq_q");
        assert_eq!(name("ATL_X"), "v_ATL_uX");
    }
}
