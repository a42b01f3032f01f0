import squeeze as sq


@sq.rule
class dither:
    """Error diffusion by Floyd and Steinberg."""

    grey = sq.state(sq.f64, init=lambda c: sq.f64(c.x) / sq.f64(sq.max(c.width - 1, 1)))
    error = sq.state(sq.f64, init=0.0)
    ink = sq.state(sq.bit, init=False)

    @sq.step(from_="+x +y")
    def scan(c):
        above = c.error.at(-1, -1, otherwise=0.0) + 5.0 * c.error.at(0, -1, otherwise=0.0) + 3.0 * c.error.at(1, -1, otherwise=0.0)
        here = c.grey + (7.0 * c.error.at(-1, 0, otherwise=0.0) + above) / 16.0
        return {"ink": here < 0.5, "error": here - sq.where(here < 0.5, 0.0, 1.0)}

    def observe(a):
        return {"dark": a.count("ink"), "lightness": a.mean("grey")}

    shown = sq.picture("ink")
