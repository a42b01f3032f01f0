//! Colours as light, in which means may be taken.

use std::sync::LazyLock;

/// A colour as intensities of red, green and blue light from 0 to 1, in which means may be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear(pub [f32; 3]);

/// The number of parts that light is cut into before it becomes sRGB: enough that no step is larger than one of its bytes.
const PARTS: usize = 1 << 13;

/// The sRGB byte of every part of light.
static SRGB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let byte = |part: usize| {
        let v = part as f32 / PARTS as f32;
        let v = if v <= 0.0031308 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        (255.0 * v + 0.5) as u8
    };
    (0..=PARTS).map(byte).collect()
});

impl Linear {
    /// From sRGB as the web writes it, such as `0x1b3a4b`.
    pub fn from_srgb(code: u32) -> Linear {
        Linear([16, 8, 0].map(|shift| {
            let v = (code >> shift & 255) as f32 / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        }))
    }

    /// To sRGB bytes.
    pub fn to_srgb(self) -> [u8; 3] {
        let table = &*SRGB;
        self.0.map(|v| table[(v.clamp(0.0, 1.0) * PARTS as f32 + 0.5) as usize])
    }

    /// The colour a part of the way to another.
    pub fn mix(self, other: Linear, part: f32) -> Linear {
        Linear(std::array::from_fn(|i| self.0[i] + part * (other.0[i] - self.0[i])))
    }

    /// The colour under less light.
    pub fn dimmed(self, light: f32) -> Linear {
        Linear(self.0.map(|v| v * light))
    }

    /// A hue, in turns, of a fixed lightness and chroma (B. Ottosson's Oklab, 2020).
    pub fn of_hue(turns: f64) -> Linear {
        const LIGHTNESS: f64 = 0.7;
        const CHROMA: f64 = 0.12;
        let (a, b) = (CHROMA * (std::f64::consts::TAU * turns).cos(), CHROMA * (std::f64::consts::TAU * turns).sin());
        let l = (LIGHTNESS + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (LIGHTNESS - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (LIGHTNESS - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        let light = [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ];
        Linear(light.map(|v| v.clamp(0.0, 1.0) as f32))
    }

    /// The colour as the web writes it.
    pub fn code(self) -> u32 {
        let [r, g, b] = self.to_srgb().map(u32::from);
        r << 16 | g << 8 | b
    }
}
