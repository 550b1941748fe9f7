//! SHA-256, by which the reader knows helpers whose texts are long.
//!
//! The constants are what the standard says they are: the first bits of the fractions of roots of primes.

/// The first primes, as many as there are rounds.
fn primes() -> impl Iterator<Item = u128> {
    (2..).filter(|n: &u128| (2..*n).all(|d| !n.is_multiple_of(d))).take(64)
}

/// The first 32 bits of the fraction of a root of a prime.
fn fraction(prime: u128, power: u32) -> u32 {
    let of = prime << (32 * power);
    // A root of a number of 9 bits has 4 before its fraction.
    let root = (0..36).rev().fold(0u128, |root, bit| {
        let more = root | 1 << bit;
        if more.pow(power) <= of { more } else { root }
    });
    (root & u128::from(u32::MAX)) as u32
}

/// The digest of a text, in hexadecimal digits.
pub(super) fn digest(text: &[u8]) -> String {
    let rounds: Vec<u32> = primes().map(|prime| fraction(prime, 3)).collect();
    let mut state: Vec<u32> = primes().take(8).map(|prime| fraction(prime, 2)).collect();
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64), 0);
    let length = padded.len();
    padded[length - 8..].copy_from_slice(&(8 * text.len() as u64).to_be_bytes());
    for block in padded.chunks(64) {
        let words = block.chunks(4).map(|word| word.iter().fold(0, |all, byte| all << 8 | u32::from(*byte)));
        let mut words: Vec<u32> = words.collect();
        for k in 16..64 {
            let (early, late) = (words[k - 15], words[k - 2]);
            let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
            let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
            words.push(words[k - 16].wrapping_add(early).wrapping_add(words[k - 7]).wrapping_add(late));
        }
        let mut now = state.clone();
        for (word, constant) in words.iter().zip(&rounds) {
            let [a, b, c, e, f, g] = [now[0], now[1], now[2], now[4], now[5], now[6]];
            let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let added = [sum, (e & f) ^ (!e & g), *constant, *word];
            let first = added.into_iter().fold(now[7], u32::wrapping_add);
            let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = sum.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            now.rotate_right(1);
            now[4] = now[4].wrapping_add(first);
            now[0] = first.wrapping_add(second);
        }
        state.iter_mut().zip(now).for_each(|(all, own)| *all = all.wrapping_add(own));
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn digests_are_those_of_the_standard() {
        let check = |text: &[u8], expected: &str| assert_eq!(digest(text), expected);
        check(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check(b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check(
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        );
        check(&[b'a'; 63], "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
        check(&[b'a'; 1_000_000], "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
