//! Settings of switches in which any two meet.

use squeeze::compiler::{Off, Speciality};

/// A few settings of the specialities of CPUs, or of GPUs: any two of them are both on in one, both off in one, and each is off alone in one. In the
/// first setting all are on.
///
/// Each is off in its own choice of more than half of the other settings, all of one size: two such choices meet, and neither holds the other.
pub fn settings(cpu: bool) -> Vec<Off> {
    let all: Vec<Speciality> = Speciality::ALL.iter().copied().filter(|speciality| speciality.is_of(cpu)).collect();
    let choices = |count: u32| (0..1u32 << count).filter(move |choice| choice.count_ones() == count / 2 + 1);
    let count = (1..).find(|count| choices(*count).count() >= all.len()).expect("there are few");
    let setting = |number: u32| {
        let off = all.iter().zip(choices(count)).filter(|(_, choice)| choice >> number & 1 == 1);
        off.map(|(speciality, _)| *speciality).collect()
    };
    std::iter::once(Off::none()).chain((0..count).map(setting)).collect()
}
