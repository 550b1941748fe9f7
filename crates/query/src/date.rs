//! Dates as numbers of days, in the calendar that SQL uses.
//!
//! The one idea: a date is how many days it lies after 1970-01-01, so order and distance of dates are those
//! of numbers. Months are counted from March, which puts the leap day last.

use crate::query::Part;

/// The days from 1970-01-01 to a date of the proleptic Gregorian calendar; none where there is no such date.
pub(crate) fn days(year: i32, month: u32, day: u32) -> Option<i32> {
    if !(1..=9999).contains(&year) || day < 1 || day > length(year, month)? {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = i32::try_from((153 * month + 2) / 5 + day - 1).ok()?;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Is it written as year, month and day, whether or not there is such a day?
pub(crate) fn is_written(text: &str) -> bool {
    let digits =
        |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(text.split('-').collect::<Vec<_>>()[..], [y, m, d] if digits(y, 4) && digits(m, 2) && digits(d, 2))
}

/// Whether a number of days is a date of the years that [`days`] has.
pub(crate) fn has_year(date: i32) -> bool {
    (-719_162..=2_932_896).contains(&date)
}

/// Year, month and day of a number of days; the inverse of [`days`].
pub(crate) fn date(days: i32) -> (i32, u32, u32) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let (month, carry) = if shifted_month < 10 { (shifted_month + 3, 0) } else { (shifted_month - 9, 1) };
    (year + era * 400 + carry, month.unsigned_abs(), day.unsigned_abs())
}

/// A part of a date.
pub(crate) fn part(part: Part, days: i32) -> i32 {
    let (year, month, day) = date(days);
    let small = |number: u32| i32::try_from(number).unwrap_or(0);
    match part {
        Part::Year => year,
        Part::Month => small(month),
        Part::Day => small(day),
    }
}

/// A date as it is written, `1994-01-31`.
pub(crate) fn parse(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let number = |range: std::ops::Range<usize>| {
        bytes[range].iter().try_fold(0u32, |n, b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')))
    };
    days(i32::try_from(number(0..4)?).ok()?, number(5..7)?, number(8..10)?)
}

/// A date as it is written.
pub(crate) fn text(days: i32) -> String {
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date this number of months later: the same day of that month, or its last.
pub(crate) fn later(days_from: i32, months: i32) -> Option<i32> {
    let (year, month, day) = date(days_from);
    let months = year.checked_mul(12)?.checked_add(i32::try_from(month).ok()? - 1)?.checked_add(months)?;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12).unsigned_abs() + 1);
    days(year, month, day.min(length(year, month)?))
}

/// How many days a month has.
fn length(year: i32, month: u32) -> Option<u32> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if is_leap { 29 } else { 28 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_its_own() {
        let mut expected = days(1, 1, 1).expect("a date");
        assert!(has_year(expected) && !has_year(expected - 1));
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let Some(found) = days(year, month, day) else { continue };
                    assert_eq!((found, date(found)), (expected, (year, month, day)));
                    expected += 1;
                }
            }
        }
        assert_eq!(days(1970, 1, 1), Some(0));
        assert_eq!(expected - 1, 2_932_896);
        assert!(has_year(expected - 1) && !has_year(expected));
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        assert_eq!(parse("1994-01-31").map(text).as_deref(), Some("1994-01-31"));
        for wrong in
            ["1994-02-29", "1994-13-01", "1994-1-01", "19940101", "0000-01-01", "1994-01-0x", "1994-01-001"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn months_end_where_they_end() {
        let day = |text: &str| parse(text).expect("a date");
        assert_eq!(later(day("1995-01-31"), 1), Some(day("1995-02-28")));
        assert_eq!(later(day("1996-02-29"), 12), Some(day("1997-02-28")));
        assert_eq!(later(day("1996-03-15"), -3), Some(day("1995-12-15")));
        assert_eq!(later(day("9999-12-31"), 1), None);
    }
}
