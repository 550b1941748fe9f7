//! Words that no identifier may be.

/// Words of C that are words of C++, too, and macros of both.
pub const RESERVED: &str = "alignas alignof asm auto bool break case char const constexpr continue default do double else enum \
    extern false float for goto if inline int long nullptr register return short signed sizeof static static_assert struct switch \
    thread_local true typedef union unsigned void volatile while linux unix NULL";

/// Is the word reserved, or in one of these lists of words between spaces?
pub fn is_reserved(word: &str, lists: &[&str]) -> bool {
    [&[RESERVED], lists].concat().iter().any(|list| list.split_ascii_whitespace().any(|known| known == word))
}
