//! Arrays that are packed by masks, and encodings of masks.

use squeeze::compiler::numbers::digest::mix;
use squeeze_packing::bench::compare_on_gpu;
use squeeze_packing::cuda::PackDevice;
use squeeze_packing::{Mask, Packer, Processor};

/// The device packs and unpacks as the processor does.
pub(crate) fn packing() {
    let (device, all) = (PackDevice::first().unwrap(), squeeze_tests::all_cases());
    let sizes = [1, 31, 32, 33, 1023, 1024, 1025, 32_769, 65_535, 65_536, 65_537, 150_001];
    for (number, places) in sizes.into_iter().enumerate() {
        // Arrays of many blocks with one of them each, by turns, or with two where all cases are asked for.
        let densities = [0, 3, 40, 230, 256].into_iter().enumerate();
        for (_, density) in
            densities.filter(|(turn, _)| places < 32_769 || (turn + 5 - number % 5) % 5 < if all { 2 } else { 1 })
        {
            let cell = |place: u64| mix(place * 31 + density) % 256 < density;
            let mask =
                Mask::from_places([places, 1, 1], &(0..u64::from(places)).map(cell).collect::<Vec<_>>()).unwrap();
            let size = [1, 2, 4, 8, 16][(number + density as usize) % 5];
            let values: Vec<u8> = (0..u64::from(places) * size as u64).map(|byte| mix(byte) as u8).collect();
            let told = format!("{places} places of {size} bytes, {density} of 256 cells");
            let packed = Processor.pack(&mask, size, &values).unwrap();
            assert!(device.pack(&mask, size, &values).unwrap() == packed, "{told}");
            let hole: Vec<u8> = (0..size as u8).collect();
            let unpacked = Processor.unpack(&mask, &hole, &packed).unwrap();
            assert!(device.unpack(&mask, &hole, &packed).unwrap() == unpacked, "{told}");
        }
    }
    // Each point is checked before it is measured.
    for places in [1 << 10, 5001] {
        let compared = compare_on_gpu(places, |_| ()).unwrap();
        assert!(compared.experiments.iter().any(|experiment| experiment.name == "unpack-of-copy"));
    }
    println!("what is packed and unpacked agrees with the processor");
}
