//! What quantities must hold beyond the recorded vectors.

use super::*;
use proptest::prelude::*;

fn q(text: &str) -> Quantity {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn canonical_form_keeps_the_family_and_loses_nothing() {
    for (text, canonical) in [
        ("0", "0"),
        ("1.5", "1500m"),
        ("1.5Gi", "1536Mi"),
        ("1000Ki", "1000Ki"),
        ("1024Ki", "1Mi"),
        ("1023", "1023"),
        ("0.5Ki", "512"),
        ("1.0001Ki", "1024102400u"),
        ("12E", "12E"),
        ("12E0", "12"),
        ("12E3", "12e3"),
        ("1e-10", "1e-9"),
        ("-1e-10", "-1e-9"),
        ("0.0000000001", "1n"),
        ("8Ei", "9223372036854775807"),
        ("9007199254740993", "9007199254740993"),
        ("12000E", "12e21"),
        ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        (".", "0"),
        ("+", "0"),
        ("Ki", "0"),
    ] {
        assert_eq!(q(text).to_string(), canonical, "{text}");
        let again = q(canonical);
        assert_eq!(again, q(text), "{text} read back");
        assert_eq!(again.to_string(), canonical, "{text} read back");
    }
}

#[test]
fn errors_use_the_words_people_search_for() {
    let format =
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    for (text, message) in [
        ("", format),
        ("ten", format),
        ("1 ", format),
        ("--1", "unable to parse quantity's suffix"),
        ("1..5", format),
        ("1é", format),
        ("1K", "unable to parse quantity's suffix"),
        ("1ki", "unable to parse quantity's suffix"),
        ("1e99999999999999999999", "unable to parse quantity's suffix"),
        ("Pi", "unable to parse numeric part of quantity"),
        ("+.e-10", "unable to parse numeric part of quantity"),
    ] {
        assert_eq!(parse(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn texts_the_reference_remembers_stay_as_written() {
    for (text, kept) in [
        ("1.500", "1.500"),
        ("1.5", "1500m"),
        ("+5Ki", "+5Ki"),
        ("8Ki", "8Ki"),
        ("1024Ki", "1Mi"),
        (" 1k ", "1k"),
        ("1000", "1k"),
        ("5E3", "5E3"),
        ("0.5", "500m"),
        ("1000000000000000000", "1E"),
    ] {
        assert_eq!(keep_or_rewrite(text).as_deref(), Ok(kept), "{text}");
    }
}

#[test]
fn rounding_is_away_from_zero_and_overflow_is_the_reference_s() {
    assert_eq!((q("1.1").value(), q("-1.1").value()), (2, -2));
    assert_eq!((q("1u").milli_value(), q("-1u").milli_value()), (1, -1));
    assert_eq!(q("9223372036854775807m").milli_value(), i64::MAX);
    assert_eq!(q("9E").milli_value(), 0, "does not fit, few digits, an odd step");
    assert_eq!(
        q("82281764044264k").milli_value(),
        8494787749425793536,
        "does not fit, few digits, a short cut"
    );
    assert_eq!(q("9223372036854775807").milli_value(), -1000, "does not fit, many digits: lowest 64 bits");
    assert_eq!(q("1e2000000000").value(), 0);
    assert_eq!(q("1234567890123456789e2000000000").value(), 0);
}

#[test]
fn huge_exponents_cost_nothing_and_compare() {
    assert!(q("1e2147483647") > q("1e2147483646"));
    assert!(q("-1e2147483647") < q("1n"));
    assert!(q("1e999").approximate().is_infinite());
    assert_eq!(q("12345678901234567890e30").to_string(), "12345678901234567890e30");
    assert_eq!(q("1e30").checked_add(q("1n")), None);
    assert_eq!(q("0e400").approximate(), 0.0);
}

#[test]
fn sums_are_exact_and_zero_has_no_format() {
    let sum = q("9007199254740993").checked_add(q("1n"));
    assert_eq!(sum.map(|it| it.to_string()).as_deref(), Some("9007199254740993000000001n"));
    assert_eq!(q("0").checked_add(q("1Ki")).map(|it| it.format()), Some(Format::BinarySi));
    assert_eq!(q("1k").checked_sub(q("1Ki")).map(|it| it.to_string()).as_deref(), Some("-24"));
}

proptest! {
    #[test]
    fn anything_parses_or_is_refused_without_a_panic(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn quantity_like_texts_survive_a_round_trip(
        text in "[+-]?[0-9]{0,40}(\\.[0-9]{0,40})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,3})?"
    ) {
        if let Ok(quantity) = parse(&text) {
            let canonical = quantity.to_string();
            prop_assert_eq!(parse(&canonical), Ok(quantity), "{} as {}", text, canonical);
            prop_assert_eq!(q(&canonical).to_string(), canonical);
            let kept = keep_or_rewrite(&text).expect("it parsed");
            prop_assert_eq!(parse(&kept), Ok(quantity));
            let _ = (quantity.value(), quantity.milli_value(), quantity.approximate());
        }
    }

    #[test]
    fn order_and_sums_agree(a in any::<i64>(), b in any::<i64>(), c in any::<i64>()) {
        let (a, b) = (Quantity::from_milli(a, Format::DecimalSi), Quantity::from_value(b, Format::BinarySi));
        let c = Quantity::from_milli(c, Format::DecimalExponent);
        let sum = a.checked_add(b).expect("fits");
        prop_assert_eq!(sum.checked_sub(b), Some(a));
        prop_assert_eq!(a.cmp(&b), a.checked_add(c).cmp(&b.checked_add(c)));
        prop_assert_eq!(a.checked_add(b), b.checked_add(a));
    }
}
