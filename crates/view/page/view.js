// The page of a simulation: `mount(link)` fills it, or a copy below some root. A link has `send` for texts, and calls `hear` with texts and frames.

const MOST_IN_TILE = 65536; // blocks of a tile
const MOST_LEVELS = 16;
const MOST_TILES = 4000;
const LONGEST_TILE = 2048;
const MOST_PIXELS = 1 << 19; // of a window
const MOST_PER_CELL = 96;
const HOLE = 0xffffffff;
const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 1000, 0];
const MAPS = ["rule", "perceptual", "diverging", "cyclic", "grey", "viridis", "magma", "inferno", "plasma", "cividis", "twilight", "coolwarm"];

const VERTEX = `#version 300 es
in vec2 corner; uniform vec4 box; out vec2 along;
void main() { along = corner; vec2 at = box.xy + corner * box.zw; gl_Position = vec4(at * vec2(2, -2) + vec2(-1, 1), 0, 1); }`;
const FRAGMENT = `#version 300 es
precision highp float; precision highp int; precision highp usampler2D;
in vec2 along; out vec4 colour;
uniform int levels, first, form; uniform ivec4 level[${MOST_LEVELS}]; uniform ivec2 side;
uniform usampler2D values, tables; uniform sampler2D palette;
void main() {
  ivec2 place = min(ivec2(along * vec2(side)), side - 1);
  int at = 0, weight = 1;
  if (levels < 0) { at = place.y * side.x + place.x; }
  for (int j = 0; j < ${MOST_LEVELS}; j++) {
    if (j >= levels) break;
    ivec2 q = place % level[j].xy; int entry = level[j].w + q.y * level[j].x + q.x;
    uint digit = texelFetch(tables, ivec2(entry % 256, entry / 256), 0).r;
    if (digit == ${HOLE}u) discard;
    at += int(digit) * weight; weight *= level[j].z; place /= level[j].xy;
  }
  at += first;
  uvec4 value = texelFetch(values, ivec2(at % 2048, at / 2048), 0);
  if (form == 3) { colour = vec4(vec3(value.rgb) / 255.0, 1); return; }
  if (value.r == 255u) discard;
  colour = texelFetch(palette, ivec2(int(value.r), 0), 0);
}`;

/** Draws frames with WebGL2. */
class Painter {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true, alpha: false });
    if (!gl) throw new Error("this browser has no WebGL2");
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "corner");
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.at = (name) => gl.getUniformLocation(program, name);
    this.textures = ["values", "tables", "palette"].map((name, unit) => {
      const texture = gl.createTexture();
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
      gl.uniform1i(this.at(name), unit);
      return texture;
    });
    this.ground = [0, 0, 0];
  }

  fill(unit, inner, width, height, format, type, data) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type, data);
  }

  /** The places of replicas in all patterns. */
  setTables(tables) {
    const height = Math.max(1, Math.ceil(tables.length / 256)), all = new Uint32Array(256 * height);
    all.set(tables);
    this.fill(1, this.gl.R32UI, 256, height, this.gl.RED_INTEGER, this.gl.UNSIGNED_INT, all);
  }

  setPalette(colours) {
    const all = new Uint8Array(256 * 4).fill(255);
    colours.forEach((colour, i) => all.set(colour, 4 * i));
    this.fill(2, this.gl.RGBA8, 256, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, all);
  }

  setValues(bytes, form) {
    const gl = this.gl, count = bytes.length / form, height = Math.max(1, Math.ceil(count / 2048));
    const all = new Uint8Array(2048 * height * form);
    all.set(bytes);
    const [inner, format] = form === 3 ? [gl.RGB8UI, gl.RGB_INTEGER] : [gl.R8UI, gl.RED_INTEGER];
    this.fill(0, inner, 2048, height, format, gl.UNSIGNED_BYTE, all);
    this.form = form;
  }

  clear(width, height) {
    const gl = this.gl;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...this.ground.map((v) => v / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform1i(this.at("form"), this.form || 1);
  }

  /** Draws values into a box, given in parts of the canvas. */
  draw(box, side, first, levels) {
    const gl = this.gl;
    gl.uniform4f(this.at("box"), ...box);
    gl.uniform2i(this.at("side"), ...side);
    gl.uniform1i(this.at("first"), first);
    gl.uniform1i(this.at("levels"), levels ? levels.length : -1);
    if (levels && levels.length) gl.uniform4iv(this.at("level"), new Int32Array(levels.flat()));
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}

/** The grid, with the maps between places and tiles. */
class Grid {
  constructor(hello) {
    this.extent = hello.extent.map(BigInt);
    this.axes = hello.axes;
    this.patterns = hello.patterns.map(({ scale, replicas }) => {
      const table = new Uint32Array(scale[0] * scale[1]).fill(HOLE);
      replicas.forEach(([x, y], digit) => { table[y * scale[0] + x] = digit; });
      return { scale, count: replicas.length, table, at: 0 };
    });
    let at = 0;
    for (const pattern of this.patterns) { pattern.at = at; at += pattern.table.length; }
    this.tables = this.patterns.flatMap((pattern) => [...pattern.table]);
    this.levels = hello.levels.map((number) => this.patterns[number]);
    // A block that is a pixel along one axis shall be one along the other.
    const isSquare = this.patterns.every(({ scale }) => scale[0] === scale[1]);
    this.tiled = hello.level !== null && this.axes === 2 && this.levels.length === hello.level && isSquare;
    this.sides = [[1n, 1n]];
    this.cells = [1n];
    this.levels.forEach(({ scale, count }, i) => {
      this.sides.push([0, 1].map((a) => this.sides[i][a] * BigInt(scale[a])));
      this.cells.push(this.cells[i] * BigInt(count));
    });
  }

  /** The number of the replica at a place; none for a hole. */
  number(level, x, y) {
    let number = 0n, weight = 1n;
    for (const { scale, count, table } of this.levels.slice(level)) {
      const [sx, sy] = scale.map(BigInt);
      const digit = table[Number(y % sy) * scale[0] + Number(x % sx)];
      if (digit === HOLE) return null;
      number += BigInt(digit) * weight;
      weight *= BigInt(count);
      x /= sx; y /= sy;
    }
    return number;
  }
}

const clamp = (value, low, high) => (value < low ? low : value > high ? high : value);
const floor = (value) => BigInt(Math.floor(value));
const short = (value) => (typeof value !== "number" ? String(value ?? "") : Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : Number(value.toPrecision(5)).toString());
const colours = (hex) => (hex.match(/.{6}/g) || []).map((code) => [0, 2, 4].map((i) => parseInt(code.slice(i, i + 2), 16)));

/** Values over time, at most 1200: then every other one goes. */
class Curve {
  constructor(name) {
    this.row = document.createElement("div");
    this.row.className = "curve";
    const label = document.createElement("span");
    label.textContent = name;
    label.title = name;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.output = document.createElement("output");
    this.output.setAttribute("aria-label", name);
    this.output.setAttribute("aria-live", "off");
    this.row.append(label, this.canvas, this.output);
    [this.points, this.rows] = [[], []];
  }

  /** Takes rows of a time and a value, which is null where it is no finite number. */
  take(rows) {
    [this.rows, this.points] = [rows, rows.filter(([, value]) => value !== null)];
  }

  add(time, value) {
    const last = this.points.at(-1);
    if (last && last[0] > time) this.points = [];
    this.output.textContent = short(value);
    const number = Number(value);
    if (last && last[0] === time) last[1] = number;
    else if (value !== null && Number.isFinite(number)) this.points.push([time, number]);
    if (this.points.length > 1200) this.points = this.points.filter((_, i) => i % 2 === 0);
  }

  /** Marks a time, with the value there or the last one before it. */
  show(time) {
    this.mark = time;
    const row = this.rows.findLast((row) => row[0] <= time), value = row && (row[1] === null ? "not finite" : short(row[1]));
    this.output.textContent = !row ? "" : row[0] === time ? value : `${value} (step ${row[0]})`;
  }

  draw() {
    const ratio = devicePixelRatio || 1, [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((v) => Math.round(v * ratio));
    if (!width || this.points.length < 2) return;
    if (this.canvas.width !== width) [this.canvas.width, this.canvas.height] = [width, height];
    const context = this.canvas.getContext("2d"), times = [this.points[0][0], this.points.at(-1)[0]];
    let low = Infinity, high = -Infinity;
    for (const [, value] of this.points) { low = Math.min(low, value); high = Math.max(high, value); }
    context.clearRect(0, 0, width, height);
    context.beginPath();
    for (const [time, value] of this.points) {
      const x = ((time - times[0]) / (times[1] - times[0] || 1)) * (width - 2) + 1;
      const y = high > low ? height - 2 - ((value - low) / (high - low)) * (height - 4) : height / 2;
      context.lineTo(x, y);
    }
    context.strokeStyle = getComputedStyle(this.row).getPropertyValue("--mark");
    context.lineWidth = 1.5 * ratio;
    context.stroke();
    if (this.mark === undefined) return;
    context.fillStyle = context.strokeStyle;
    context.fillRect(clamp((this.mark - times[0]) / (times[1] - times[0] || 1), 0, 1) * (width - 1), 0, ratio, height);
  }
}

export function mount(link, root = document) {
  const $ = (id) => root.getElementById(id), isPage = root === document, top = isPage ? document.body : root.lastElementChild, looks = isPage ? document.documentElement : top;
  const canvas = $("grid"), painter = new Painter(canvas);
  let hello = null, grid = null, camera = null, shown = null, asked = new Map(), count = 0, sent = "", owed = false;
  let palette = [], range = null, histogram = [], fixed = null, playing = true, time = 0, drawing = false, lookTimer = 0, lastLook = 0;
  let filming = false, curves = new Map(), probes = new Map(), params = new Map();
  const tell = (message) => {
    const lost = link.send(JSON.stringify(message)) === false;
    if (lost && !message.look && !message.next) complain("no connection: this was not done");
  };

  // What is shown.

  const size = () => [canvas.clientWidth || 1, canvas.clientHeight || 1];
  const longest = () => Number(grid.extent[0] > grid.extent[1] ? grid.extent[0] : grid.extent[1]);

  function whole() {
    const [width, height] = size(), extent = grid.extent.map(Number);
    const scale = Math.max(extent[0] / width, grid.axes > 1 ? extent[1] / height : 0) * 1.02;
    camera = { x: grid.extent[0] / 2n, y: grid.extent[1] / 2n, fx: Number(grid.extent[0] % 2n) / 2, fy: Number(grid.extent[1] % 2n) / 2, scale };
    moved();
  }

  function move(dx, dy) {
    camera.fx += dx * camera.scale;
    camera.fy += dy * camera.scale;
    for (const [whole, part, a] of [["x", "fx", 0], ["y", "fy", 1]]) {
      const steps = Math.floor(camera[part]);
      camera[whole] += BigInt(steps);
      camera[part] -= steps;
      const inside = clamp(camera[whole], 0n, grid.extent[a]);
      if (inside !== camera[whole]) { camera[whole] = inside; camera[part] = 0; }
    }
    moved();
  }

  /** Zooms about a point of the canvas. */
  function zoom(factor, at) {
    const [width, height] = size(), [x, y] = at || [width / 2, height / 2], before = camera.scale;
    camera.scale = clamp(before * factor, 1 / MOST_PER_CELL, (2.5 * longest()) / Math.min(width, height));
    const part = before / camera.scale - 1;
    move((x - width / 2) * part, (y - height / 2) * part);
  }

  function moved() {
    redraw();
    look();
  }

  /** The place at a point of the canvas; none outside of the grid. */
  function placeAt([x, y]) {
    const [width, height] = size();
    const place = [camera.x + floor(camera.fx + (x - width / 2) * camera.scale), grid.axes > 1 ? camera.y + floor(camera.fy + (y - height / 2) * camera.scale) : 0n, layer()];
    return !isSolid() && place.every((v, a) => v >= 0n && v < grid.extent[a]) ? place : null;
  }

  const layer = () => (grid.axes > 2 ? BigInt($("layer").value) : 0n);
  const field = () => hello.states[$("field").value];
  const isNumber = () => field().number;
  const names = () => field().names;
  const isVector = () => field().own === "direction";

  /** The tiles in view, and the level of their blocks. */
  function tiles() {
    const [width, height] = size(), perPixel = camera.scale / (devicePixelRatio || 1);
    let mu = 0;
    while (mu < hello.level && grid.sides[mu].some((side) => Number(side) < perPixel)) mu++;
    let level = Math.min(mu + 1, hello.level);
    const fits = (level) => level - mu <= MOST_LEVELS && grid.cells[level] / grid.cells[mu] <= BigInt(MOST_IN_TILE) && grid.sides[level].every((side, a) => side / grid.sides[mu][a] <= BigInt(LONGEST_TILE));
    while (level < hello.level && fits(level + 1)) level++;
    for (; ; level++) {
      const bounds = [[camera.x, camera.fx, width], [camera.y, camera.fy, height]].map(([whole, part, pixels], a) => {
        const half = (pixels / 2) * camera.scale, side = grid.sides[level][a];
        const ends = [whole + floor(part - half), whole + floor(part + half)].map((v) => clamp(v, 0n, grid.extent[a] - 1n) / side);
        return ends;
      });
      const [[left, right], [top, bottom]] = bounds, found = [];
      if ((right - left + 1n) * (bottom - top + 1n) > BigInt(4 * MOST_TILES) && level < hello.level) continue;
      for (let y = top; y <= bottom; y++) {
        for (let x = left; x <= right; x++) {
          const number = grid.number(level, x, y);
          if (number !== null && found.length < MOST_TILES) found.push({ x, y, number });
        }
      }
      found.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0));
      return { mu, level, tiles: found };
    }
  }

  /** The window in view and some of what lies around it, in squares of places. */
  function windowed() {
    const pixels = size(), perPixel = camera.scale / (devicePixelRatio || 1);
    let reduce = 1;
    while (reduce < perPixel && reduce < 2 ** 31) reduce *= 2;
    for (; ; reduce *= 2) {
      const step = BigInt(reduce) * 16n;
      const spans = [[camera.x, camera.fx], [camera.y, camera.fy]].map(([whole, part], a) => {
        if (grid.axes <= a) return [0n, 1n];
        const half = (pixels[a] / 2) * camera.scale * 1.2;
        const [from, to] = [whole + floor(part - half), whole + floor(part + half) + 1n].map((v) => clamp(v, 0n, grid.extent[a]));
        const first = (from / step) * step, end = clamp(((to + step - 1n) / step) * step, 1n, grid.extent[a]);
        return first < end ? [first, end - first] : [first - step < 0n ? 0n : first - step, 1n];
      });
      const counts = spans.map(([, length]) => Number((length + BigInt(reduce) - 1n) / BigInt(reduce)));
      if (counts[0] * counts[1] > (link.pixels || MOST_PIXELS) && reduce < 2 ** 31) continue;
      return { origin: [spans[0][0], spans[1][0], layer()], size: spans.map(([, length]) => length), reduce, counts };
    }
  }

  /** Says what is in view, if it is something else than before. */
  function look() {
    if (!grid || lookTimer) return;
    const wait = lastLook + 40 - performance.now();
    if (wait > 0) { lookTimer = setTimeout(() => { lookTimer = 0; look(); }, wait); return; }
    const solid = isSolid(), part = solid ? { solid: true } : grid.tiled ? tiles() : windowed();
    const words = solid ? { solid: turn } : grid.tiled
      ? { mu: part.mu, level: part.level, tiles: part.tiles.map(({ number }) => String(number)) }
      : { origin: part.origin.map(String), size: part.size.map(String), reduce: part.reduce };
    const text = JSON.stringify({ ...style(), ...words });
    if (text === sent) return;
    sent = text;
    lastLook = performance.now();
    asked.set(++count, part);
    for (const id of asked.keys()) if (id < count - 64) asked.delete(id);
    tell({ look: { id: count, ...style(), ...words } });
    clearTimeout(look.timer);
    look.timer = setTimeout(() => link.remember(described()), 300);
  }

  const style = () => ({
    state: field().state, theme: looks.dataset.theme, colours: isVector() || $("colours").value === "rule" ? field().own || "rule" : $("colours").value,
    log: isNumber() && $("log").checked, range: names() ? null : fixed, trim: Number($("trim").value),
  });

  let turn = 0; // quarter turns of a solid, 4 more upside down
  const isSolid = () => grid.axes > 2 && $("solid").checked;

  /** What is in view, with whole numbers of pixels or places. */
  function view() {
    const scale = camera.scale / (devicePixelRatio || 1), reduce = clamp(Math.ceil(scale - 1e-9), 1, 2 ** 31);
    const spans = [[camera.x, camera.fx], [camera.y, camera.fy]].map(([whole, part], a) => {
      if (grid.axes <= a) return [0n, 1n];
      const half = (size()[a] / 2) * camera.scale;
      const [from, end] = [whole + floor(part - half), whole + floor(part + half) + 1n].map((v) => clamp(v, 0n, grid.extent[a]));
      return from < end ? [from, end - from] : [clamp(from, 0n, grid.extent[a] - 1n), 1n];
    });
    const look = style();
    if (look.trim && range) look.range = range[0] < range[1] ? range : null;
    if (isSolid()) return { id: 0, ...look, solid: turn, enlarge: 1 };
    const [origin, length] = [0, 1].map((i) => spans.map((span) => String(span[i])));
    return { id: 0, ...look, origin: [...origin, String(layer())], size: length, reduce, enlarge: clamp(Math.round(1 / scale), 1, 1024) };
  }

  /** The view in the words of an address. */
  function described() {
    const words = new URLSearchParams(), { log, range, trim } = style(), colours = $("colours").value;
    for (const [name, part] of [["x", "fx"], ["y", "fy"]]) words.set(name, `${camera[name]}${camera[part].toFixed(4).slice(1)}`);
    words.set("scale", String(Number(camera.scale.toPrecision(6))));
    if (grid.axes > 2) words.set("z", String(layer()));
    if (hello.states.length > 1) words.set("state", field().name);
    if (colours !== hello.look.colours) words.set("colours", colours);
    if (range) words.set("range", range.join(":"));
    if (log) words.set("log", "1");
    if (trim) words.set("trim", String(trim));
    return String(words);
  }

  /** Shows the view of an address, as far as there is one. */
  link.restore = (text) => {
    if (!grid) return;
    const words = new URLSearchParams(text), said = (name, form) => form.exec(words.get(name) || "");
    const state = hello.states.findIndex(({ name }) => name === words.get("state"));
    if (state >= 0) { $("field").value = String(state); ranged.known = false; }
    const ends = said("range", /^[-+.\de]+:[-+.\de]+$/i)?.[0].split(":").map(Number);
    ranged(ends && ends.every(Number.isFinite) && ends[0] < ends[1] ? ends : fixed);
    const own = said("colours", /^[\da-f]{6}(,[\da-f]{6})+$/i)?.[0];
    if (own) $("colours").append(Object.assign(document.createElement("option"), { value: own, textContent: own }));
    for (const [name, form] of [["colours", /.+/], ["trim", /^\d+$/]]) {
      const value = said(name, form)?.[0];
      if ([...$(name).options].some((option) => option.value === value)) $(name).value = value;
    }
    if (words.get("log")) $("log").checked = true;
    const z = said("z", /^\d{1,20}$/);
    if (z && BigInt(z[0]) < grid.extent[2]) $("layer").value = z[0];
    const scale = Number(words.get("scale")), [x, y] = ["x", "y"].map((name) => said(name, /^(\d{1,20})(\.\d+)?$/));
    if (x && y && scale > 0 && Number.isFinite(scale)) {
      camera = { x: clamp(BigInt(x[1]), 0n, grid.extent[0]), y: clamp(BigInt(y[1]), 0n, grid.extent[1]), fx: Number(x[2] || 0), fy: Number(y[2] || 0), scale };
      zoom(1);
    }
    chosen();
    look();
  };

  function redraw() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => { drawing = false; paint(); });
  }

  function paint() {
    if (!grid) return;
    const ratio = devicePixelRatio || 1, [width, height] = size(), pixels = [width, height].map((v) => Math.round(v * ratio));
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
    painter.clear(...pixels);
    if (!shown) return;
    const along = (a, place, length) => {
      const [whole, part, side] = a ? [camera.y, camera.fy, height] : [camera.x, camera.fx, width];
      return [(Number(place - whole) - part) / camera.scale / side + 0.5, length / camera.scale / side];
    };
    if (shown.tiles) {
      const { mu, level, tiles } = shown, between = grid.levels.slice(mu, level);
      const sides = grid.sides[level], counts = [0, 1].map((a) => Number(sides[a] / grid.sides[mu][a]));
      const blocks = Number(grid.cells[level] / grid.cells[mu]);
      const tables = between.map(({ scale, count, at }) => [scale[0], scale[1], count, at]);
      tiles.forEach(({ x, y }, i) => {
        const [left, wide] = along(0, x * sides[0], Number(sides[0])), [top, high] = along(1, y * sides[1], Number(sides[1]));
        painter.draw([left, top, wide, high], counts, i * blocks, tables);
      });
    } else if (shown.solid) {
      const scale = Math.min(width / shown.counts[0], height / shown.counts[1]), [wide, high] = [width, height].map((v, a) => (shown.counts[a] * scale) / v);
      painter.draw([(1 - wide) / 2, (1 - high) / 2, wide, high], shown.counts, 0, null);
    } else {
      const { origin, reduce, counts } = shown;
      const [left, wide] = along(0, origin[0], counts[0] * reduce);
      const [top, high] = grid.axes > 1 ? along(1, origin[1], counts[1] * reduce) : [0.3, 0.4];
      painter.draw([left, top, wide, high], counts, 0, null);
    }
  }

  // What comes.

  link.hear = (data) => {
    if (typeof data !== "string") return frame(data);
    const message = JSON.parse(data);
    if (message.hello) begin(message.hello);
    if (message.params) Object.entries(message.params).forEach(([name, value]) => params.get(name)?.(value));
    if (message.faults && !editTimer) faults(message.faults);
    if (message.times) { hello.rows = message.rows; timed(message.times); }
    if (message.error) {
      complain(message.error);
      if (hello?.member) $("member").value = hello.member.number;
    }
    if (message.words) {
      [$("command").hidden, $("command").value] = [false, message.words];
      copy(message.words);
    }
    if (message.look !== undefined) {
      // Colours that do not fit are left, and frames come again.
      if ($("log").checked) { $("log").checked = false; look(); }
      setTimeout(next, 500);
    }
  };

  function complain(text) {
    $("error").textContent = text;
    $("error").hidden = false;
    clearTimeout(complain.timer);
    complain.timer = setTimeout(() => { $("error").hidden = true; }, 8000);
  }

  function frame(data) {
    const length = new DataView(data).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    if (head.file) return save(head, new Uint8Array(data, 4 + length));
    const part = asked.get(head.id);
    if (head.palette) {
      palette = colours(head.palette);
      painter.setPalette(palette);
      painter.ground = colours(head.ground)[0];
      chosen.paint?.();
    }
    if (part) {
      painter.setValues(new Uint8Array(data, 4 + length), head.form);
      shown = part;
      if (part.solid) part.counts = head.size;
      for (const id of asked.keys()) if (id < head.id) asked.delete(id);
    }
    if (head.at !== undefined) {
      $("at").value = String(head.at);
      for (const curve of curves.values()) curve.show(head.time);
    } else if (head.time < time) for (const curve of [...curves.values(), ...probes.values()]) curve.points = [];
    [time, playing, range, histogram] = [head.time, head.playing, head.range, head.histogram];
    $("time").textContent = `step ${head.time}`;
    $("rate").textContent = head.playing && head.rate ? `${short(Number(head.rate.toPrecision(3)))} steps/s` : "";
    $("play").textContent = head.playing ? "Pause" : "Play";
    if (root.activeElement !== $("speed")) $("speed").value = String(head.speed);
    if (head.observed) Object.entries(head.observed.values).forEach(([name, value]) => curves.get(name)?.add(head.observed.time, value));
    filming = head.film !== undefined;
    $("film").textContent = filming ? `End film (${head.film})` : "Film";
    pick(head.probe);
    legend();
    redraw();
    curves.forEach((curve) => curve.draw());
    probes.forEach((curve) => curve.draw());
    next();
  }

  function next() {
    owed = document.hidden;
    if (!owed) tell({ next: true });
  }
  document.addEventListener("visibilitychange", () => { if (owed && !document.hidden && hello) next(); }, link);

  function begin(description) {
    const same = hello && hello.fractal === description.fractal && String(hello.extent) === String(description.extent);
    const again = same && hello.rule === description.rule && hello.edition === description.edition, state = hello?.states[$("field").value]?.name;
    hello = description;
    top.dataset.mode = hello.mode;
    grid = new Grid(hello);
    painter.setTables(grid.tables);
    const where = hello.level === null ? hello.extent.slice(0, hello.axes).join(" × ") : `level ${hello.level}`;
    if (isPage) document.title = `${hello.rule} on ${hello.fractal}`;
    $("title").textContent = `${hello.rule} on ${hello.fractal}, ${where}`;
    $("about").textContent = hello.about;
    $("state").textContent = `${hello.cells} cells, ${hello.backend}`;
    top.classList.remove("away");
    [sent, asked] = ["", new Map()];
    if (!again) {
      [time, shown] = [0, null];
      edit(hello.text);
      $("seed").value = hello.seed;
      options($("field"), hello.states.map(({ name, type }, i) => [i, `${name} (${type})`]), hello.look.state);
      const kept = hello.states.findIndex(({ name }) => name === state);
      if (kept >= 0) $("field").value = String(kept);
      $("states").hidden = hello.states.length < 2;
      const maps = MAPS.includes(hello.look.colours) ? MAPS : [hello.look.colours, ...MAPS];
      options($("colours"), maps.map((name) => [name, name === "rule" ? "as the rule says" : name]), hello.look.colours);
      $("layers").hidden = grid.axes < 3;
      [$("layer").max, $("layer").value] = [String(grid.extent[2] - 1n), hello.look.slice];
      $("log").checked = hello.look.log;
      ranged.known = hello.look.fit;
      ranged(hello.look.range);
      makeParams();
      makeCurves();
      if (!same) {
        whole();
        link.restore(link.view || "");
      }
    } else {
      // What was changed without a connection does not run.
      hello.params.forEach(({ name, value }) => params.get(name)?.(value));
      if (isEdited()) tell({ rule: $("source").value });
    }
    const { member } = hello;
    $("members").hidden = !member;
    if (member) [$("member").max, $("member").value, $("values").textContent] = [member.count - 1, member.number, member.words];
    timed(hello.times);
    chosen();
    $("z").textContent = $("layer").value;
    look();
    next();
  }

  /** The steps of a saved run. */
  function timed(times) {
    hello.times = times;
    $("saved").hidden = !times;
    if (times) $("at").max = String(times.length - 1);
    for (const [name, curve] of times ? curves : []) curve.take((hello.rows?.values[name] || []).map((value, i) => [hello.rows.times[i], value]));
  }

  /** A cell's number and values, and their curves. */
  function pick(probe) {
    if (!probe) {
      if (probes.size) { probes.clear(); $("probes").replaceChildren(); }
      return;
    }
    const place = probe.place.slice(0, hello.axes).join(", ");
    $("picked").textContent = probe.index === null ? `(${place}) is a hole` : `cell ${probe.index} at (${place})`;
    if (probe.index !== pick.index) { probes.clear(); $("probes").replaceChildren(); pick.index = probe.index; }
    for (const [name, value] of Object.entries(probe.values || {})) {
      if (!probes.has(name)) { probes.set(name, new Curve(name)); $("probes").append(probes.get(name).row); }
      const names = hello.states.find((state) => state.name === name)?.names, curve = probes.get(name);
      curve.add(time, names ? names.indexOf(value) : value === "" ? null : Number(value));
      curve.output.textContent = value;
    }
  }

  function legend() {
    if (names()) return;
    const bar = $("bar"), ratio = devicePixelRatio || 1, [width, height] = [bar.clientWidth, bar.clientHeight].map((v) => Math.round(v * ratio));
    if (!width) return;
    if (bar.width !== width || bar.height !== height) [bar.width, bar.height] = [width, height];
    const context = bar.getContext("2d"), strip = Math.round(height * 0.35), count = palette.length - 1;
    context.clearRect(0, 0, width, height);
    for (let x = 0; x < width; x++) {
      context.fillStyle = `rgb(${palette[Math.min(count - 1, Math.floor((x / width) * count))]})`;
      context.fillRect(x, height - strip, 1, strip);
    }
    const most = Math.max(1, ...histogram);
    context.fillStyle = getComputedStyle(bar).getPropertyValue("--quiet");
    if (!isVector()) histogram.forEach((number, i) => {
      const high = Math.ceil((number / most) * (height - strip - 2));
      context.fillRect(Math.floor((i * width) / histogram.length), height - strip - high, Math.ceil(width / histogram.length) - 1, high);
    });
    const [low, high] = range ? range.map(short) : ["", ""];
    $("low").textContent = isVector() ? "angle 0" : low;
    $("high").textContent = isVector() ? `2π, length ${low} to ${high}` : high;
  }

  // Keeping.

  function save({ file, type }, bytes) {
    const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([bytes], { type })), download: file });
    link.saved = file;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
  }
  const copy = (text) => navigator.clipboard?.writeText(text).catch(() => {});
  for (const form of ["png", "rle"]) $(form).onclick = () => tell({ save: { as: form, ...view() } });
  $("film").onclick = () => tell({ film: filming ? null : view() });
  $("words").onclick = () => tell({ words: view() });
  $("link").onclick = () => {
    link.remember(described());
    [$("command").hidden, $("command").value] = [false, location.href];
    copy(location.href);
  };

  // The text of the rule.

  let editTimer = 0;
  function edit(text) {
    $("rule").hidden = typeof text !== "string";
    if ($("rule").hidden) return;
    if (!editTimer) { $("source").value = text; faults([]); }
    // Commands in comments behind the word Try.
    const tried = [...text.matchAll(/squeeze run .*/g)].map(([line]) => [...line.matchAll(/--set (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
    const all = new Map([[], ...tried].map((sets) => [sets.map((set) => set.join("=")).join(" "), sets]));
    $("presets").replaceChildren(...(all.size > 1 ? [...all] : []).map(([name, sets]) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: name || "as written" });
      button.onclick = () => {
        const own = new Map(sets);
        for (const param of hello.params) if (!param.follows || own.has(param.name)) tell({ set: [param.name, own.get(param.name) ?? param.default] });
        $("reset").click();
      };
      return button;
    }));
  }

  /** Underlines what is wrong in the text, and says it. */
  function faults(list) {
    const text = $("source").value, bytes = new TextEncoder().encode(text), marks = [];
    const at = (end) => new TextDecoder().decode(bytes.slice(0, end)).length;
    let before = 0;
    for (const place of list.map((fault) => fault.bytes).filter(Boolean).sort((a, b) => a[0] - b[0])) {
      const [from, to] = place.map(at);
      if (from < before) continue;
      const mark = document.createElement("u");
      mark.textContent = text.slice(from, Math.max(to, from + 1)).replace(/^\n?$/, " ");
      marks.push(text.slice(before, from), mark);
      before = from + mark.textContent.length;
    }
    $("marks").replaceChildren(...marks, `${text.slice(before)}\n`);
    $("source").onscroll();
    $("source").setAttribute("aria-invalid", String(list.length > 0));
    $("faults").replaceChildren(...list.map(({ line, column, message, help }) => {
      const where = line ? `${line}:${column}: ` : "";
      return Object.assign(document.createElement("p"), { textContent: [where + message, ...(help || [])].join("; ") });
    }));
  }
  $("source").onscroll = () => { [$("marks").scrollTop, $("marks").scrollLeft] = [$("source").scrollTop, $("source").scrollLeft]; };
  $("source").oninput = () => {
    faults([]);
    clearTimeout(editTimer);
    editTimer = setTimeout(() => { editTimer = 0; tell({ rule: $("source").value }); }, 700);
  };
  const isEdited = () => typeof hello.text === "string" && $("source").value !== hello.text.replace(/\r\n?/g, "\n");
  $("keep").onclick = () => {
    if (isEdited()) complain("the saved text is not the one that runs");
    save({ file: "edited.rule", type: "text/plain" }, $("source").value);
  };

  // Controls.

  function options(select, list, value) {
    select.replaceChildren(...list.map(([value, text]) => Object.assign(document.createElement("option"), { value: String(value), textContent: text })));
    select.value = String(value);
  }

  /** Shows the controls that go with the state, and its legend. */
  function chosen() {
    const list = names(), values = list || (isNumber() ? null : ["0", "1"]);
    if (values && $("value").dataset.of !== String(values)) options($("value"), values.map((one) => [one, one]), values[1] || values[0]);
    $("value").dataset.of = String(values);
    $("value").hidden = !values;
    $("number").hidden = Boolean(values);
    $("scale").hidden = Boolean(list);
    $("logs").hidden = $("trims").hidden = !isNumber();
    $("colours").disabled = isVector();
    if (fixed) $("trims").hidden = true;
    const shade = (i) => `rgb(${palette[i] || [128, 128, 128]})`;
    chosen.paint = () => [...$("legend").querySelectorAll("span")].forEach((span, i) => { span.style.background = shade(i); });
    $("legend").replaceChildren(...(list || []).map((name) => {
      const item = document.createElement("li"), colour = document.createElement("span");
      item.append(colour, name);
      return item;
    }));
    chosen.paint();
  }

  /** Takes this range, or leaves it to frames. */
  function ranged(ends) {
    const own = ends || (fixed === null && !ranged.known ? field().range : null);
    ranged.known = true;
    fixed = own;
    $("range").value = own ? "fixed" : "each";
    $("fixed").hidden = !own;
    if (own) [$("from").value, $("to").value] = own.map(String);
  }

  function makeParams() {
    params = new Map();
    const rows = hello.params.map(({ name, type, names, value, about, range }) => {
      const row = document.createElement("div"), label = document.createElement("label"), inputs = [];
      row.className = "param";
      const make = (tag, more) => {
        const input = Object.assign(document.createElement(tag), more);
        input.setAttribute("aria-label", name);
        inputs.push(input);
        return input;
      };
      const isFloat = type === "f32" || type === "f64";
      let timer = 0;
      const send = (text) => { clearTimeout(timer); timer = setTimeout(() => tell({ set: [name, text] }), 60); };
      if (names) {
        const select = make("select", {});
        options(select, names.map((one) => [one, one]), value);
        select.onchange = () => send(select.value);
      } else if (type === "bit") {
        const box = make("input", { type: "checkbox" });
        box.onchange = () => send(String(box.checked));
      } else {
        const number = make("input", { type: "number", step: isFloat ? "any" : "1" });
        number.onchange = () => send(number.value);
        if (range && Number(range[1]) - Number(range[0]) <= 1e12) {
          const [low, high] = range.map(Number);
          const slider = make("input", { type: "range", min: low, max: high, step: isFloat ? (high - low) / 400 : 1 });
          slider.oninput = () => { number.value = slider.value; send(slider.value); };
        }
      }
      for (const input of inputs) input.disabled = hello.mode !== "steered";
      const show = (text) => inputs.forEach((input) => {
        if (input.type === "checkbox") input.checked = text === "true" || text === "1";
        else if (root.activeElement !== input) input.value = text;
      });
      show(value);
      params.set(name, show);
      label.append(name);
      const line = document.createElement("div");
      line.className = "row";
      line.append(label, ...inputs);
      row.append(line);
      if (about) row.append(Object.assign(document.createElement("p"), { textContent: about }));
      return row;
    });
    $("params").replaceChildren(...rows);
  }

  function makeCurves() {
    curves = new Map(hello.observables.slice(0, 24).map((name) => [name, new Curve(name)]));
    $("observables").replaceChildren(...[...curves.values()].map((curve) => curve.row));
  }

  options($("speed"), SPEEDS.map((steps) => [steps, steps ? String(steps) : "fastest"]), 1);
  $("play").onclick = () => tell({ play: !playing });
  $("back").onclick = () => tell({ back: true });
  $("step").onclick = () => tell({ step: 1 });
  $("member").onchange = ({ target }) => {
    if (target.value && target.checkValidity()) tell({ member: Number(target.value) });
    else target.value = hello.member.number;
  };
  $("at").oninput = () => tell({ at: hello.times[$("at").value] });
  $("speed").onchange = () => tell({ speed: Number($("speed").value) });
  $("reset").onclick = () => {
    const seed = $("seed").value.trim();
    if (/^[0-9]{1,20}$/.test(seed) && BigInt(seed) < 1n << 64n) tell({ reset: String(BigInt(seed)) });
    else complain("a seed is a whole number from 0 to 18446744073709551615");
  };
  $("field").onchange = () => { [ranged.known, fixed] = [false, null]; ranged(null); chosen(); look(); };
  $("colours").onchange = look;
  $("log").onchange = look;
  $("trim").onchange = look;
  $("solid").onchange = () => { $("turn").hidden = $("tilt").hidden = !$("solid").checked; moved(); };
  $("turn").onclick = () => { turn = (turn & 4) | ((turn + 1) & 3); moved(); };
  $("tilt").onclick = () => { turn ^= 4; moved(); };
  $("layer").oninput = () => { $("z").textContent = $("layer").value; moved(); };
  $("range").onchange = () => {
    const choice = $("range").value;
    const [low, high] = range || [0, 1];
    ranged(choice === "each" ? null : [low, high > low ? high : low + (Math.abs(low) || 1)]);
    chosen();
    look();
  };
  $("from").onchange = $("to").onchange = () => {
    const ends = [$("from").value, $("to").value].map(Number);
    if (ends.every(Number.isFinite) && ends[0] < ends[1]) { fixed = ends; look(); } else complain("a range is two numbers, the lower one first");
  };
  $("closer").onclick = () => zoom(0.5);
  $("farther").onclick = () => zoom(2);
  $("whole").onclick = whole;

  const media = matchMedia("(prefers-color-scheme: dark)");
  function themed() {
    const choice = $("theme").value, jupyter = document.body.dataset.jpThemeLight, isDark = jupyter ? jupyter === "false" : media.matches;
    looks.dataset.theme = choice === "auto" ? (isDark ? "dark" : "light") : choice;
    if (grid) look();
  }
  $("theme").onchange = themed;
  media.addEventListener("change", themed, link);
  themed();

  // The pencil.

  const MOST_DRAWN = 1024; // cells of a message
  let stroke = null; // the place where the stroke began, there on the canvas, and its last place

  const tool = () => $("tool").value;
  const mark = (more) => {
    if (isVector()) return complain("draw the components of a vector");
    tell({ draw: { state: field().state, value: $("value").hidden ? $("number").value : $("value").value, on: false, edition: hello.edition, ...more } });
  };

  /** Draws the cells from one place to another. */
  function line(from, place, goesOn) {
    if (camera.scale > 1) return complain("zoom in until cells are pixels, and draw then");
    const span = [0, 1].map((a) => Number(place[a] - from[a])), count = Math.max(...span.map(Math.abs)), cells = [];
    for (let i = goesOn ? 1 : 0; i <= count; i++) {
      cells.push([0, 1].map((a) => String(from[a] + BigInt(Math.round(count ? (span[a] * i) / count : 0)))).concat(String(place[2])));
    }
    for (let i = 0; i < cells.length; i += MOST_DRAWN) mark({ places: cells.slice(i, i + MOST_DRAWN), on: goesOn || i > 0 });
  }

  /** A stroke begins, goes on, or ends at a place; none outside of the grid. */
  const strokes = {
    pencil: [(place) => line(place, place, false), (place) => { line(stroke.at || place, place, Boolean(stroke.at)); stroke.at = place; }],
    line: [null, null, (place) => line(stroke.from, place, false)],
    rectangle: [null, null, (place) => mark({ shape: "rectangle", places: [stroke.from, place].map((one) => one.map(String)) })],
    fill: [(place) => mark({ shape: "fill", places: [place.map(String)] })],
    stamp: [(place) => mark({ shape: "stamp", places: [place.map(String)], pattern: $("stamp").value })],
  };

  function ghost(from, to) {
    $("ghost").hidden = !from;
    if (!from) return;
    [["left", "width"], ["top", "height"]].forEach(([start, length], a) => {
      $("ghost").style[start] = `${Math.min(from[a], to[a])}px`;
      $("ghost").style[length] = `${Math.abs(to[a] - from[a])}px`;
    });
  }

  $("undo").onclick = () => tell({ undo: true });
  $("tool").onchange = () => {
    canvas.classList.toggle("pencil", tool() !== "move");
    $("stamp").hidden = tool() !== "stamp";
  };
  $("stamp").ondragover = (event) => event.preventDefault();
  $("stamp").ondrop = async (event) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    if (file.size > 1e5) return complain("patterns of at most 100 kB can be stamped");
    $("stamp").value = await file.text();
  };

  // Pointers and keys.

  const pointers = new Map();
  let travelled = 0;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    travelled = pointers.size > 1 ? Infinity : 0;
    stroke = null;
    ghost();
    if (grid && tool() !== "move" && hello.mode === "steered" && pointers.size === 1) {
      const place = placeAt(at(event));
      stroke = { from: place, point: at(event), at: place };
      if (place) strokes[tool()][0]?.(place);
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grid) return;
    const now = at(event), before = pointers.get(event.pointerId);
    const place = placeAt(now);
    $("place").textContent = place ? place.slice(0, grid.axes).join(", ") : "";
    if (!before) return;
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
    pointers.set(event.pointerId, now);
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (stroke) {
      if (strokes[tool()][2]) ghost(stroke.point, now);
      if (place) strokes[tool()][1]?.(place);
      else stroke.at = null;
      return;
    }
    const share = other ? 0.5 : 1;
    if (other || travelled > 4) move((before[0] - now[0]) * share, (before[1] - now[1]) * share);
    if (other && apart(now) > 0) zoom(apart(before) / apart(now), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
  });
  const release = (event) => {
    if (event.type === "pointerup" && stroke?.from && grid) {
      const place = placeAt(at(event));
      if (place) strokes[tool()][2]?.(place);
    }
    ghost();
    if (event.type === "pointerup" && !stroke && travelled <= 4 && grid && pointers.has(event.pointerId)) probe(placeAt(at(event)));
    pointers.delete(event.pointerId);
    stroke = null;
  };
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, release);
  canvas.addEventListener("pointerleave", () => { $("place").textContent = ""; });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (grid) zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 20 : 1), -240, 240) * (event.ctrlKey ? 0.01 : 0.002)), at(event));
  }, { passive: false });
  const probe = (place) => { if (place) tell({ probe: place.map(String) }); };
  const keys = {
    ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0), ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "−": () => zoom(2), 0: whole, Home: whole,
    " ": () => $("play").click(), s: () => $("step").click(), b: () => $("back").click(),
    d: () => { $("tool").value = tool() === "move" ? "pencil" : "move"; $("tool").onchange(); }, u: () => $("undo").click(),
    Enter: () => probe(placeAt(size().map((v) => v / 2))),
    Escape: () => { tell({ probe: null }); $("picked").textContent = ""; },
  };
  canvas.addEventListener("keydown", (event) => {
    if (!grid || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  new ResizeObserver(() => {
    top.classList.toggle("narrow", top.clientWidth <= 768);
    if (grid) moved();
  }).observe(canvas);

  link.away = (text) => {
    $("state").textContent = text;
    top.classList.add("away");
  };
  // For tests.
  return {
    place: (x, y, scale) => { camera = { x: BigInt(x), y: BigInt(y), fx: 0, fy: 0, scale }; moved(); },
    saved: () => link.saved, view,
    point: (x, y) => {
      const box = canvas.getBoundingClientRect(), [width, height] = size();
      return [box.left + width / 2 + (x + 0.5 - Number(camera.x) - camera.fx) / camera.scale, box.top + height / 2 + (y + 0.5 - Number(camera.y) - camera.fy) / camera.scale];
    },
    state: () => ({ time, playing, range, form: painter.form, shown, palette, busy: sent === "" || asked.size > 1 || drawing || lookTimer > 0 }),
  };
}

/** Opens the socket of this page's server, and opens it again when it was closed. */
function connect(link) {
  // Behind # stand the token and the view; the token leaves the address, and the view stays.
  const parts = location.hash.slice(1).split("&"), said = parts[0].includes("=") ? "" : parts.shift();
  const token = said || sessionStorage.getItem("squeeze-view") || "";
  link.remember = (view) => history.replaceState(null, "", `${location.pathname}${location.search}#${view}`);
  link.view = parts.join("&");
  if (said) {
    sessionStorage.setItem("squeeze-view", token);
    link.remember(link.view);
  }
  // The address of another run in the same tab, or another view.
  addEventListener("hashchange", () => {
    const text = location.hash.slice(1);
    if (text && !text.split("&")[0].includes("=")) location.reload();
    else link.restore(text);
  });
  let wait = 500;
  const open = () => {
    const address = new URL("socket", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { socket.send(JSON.stringify({ token })); wait = 500; };
    socket.onmessage = (event) => link.hear(event.data);
    link.send = (text) => socket.readyState === WebSocket.OPEN && (socket.send(text), true);
    socket.onclose = (event) => {
      if (event.code === 1008 && event.reason.includes("token")) return link.away(`refused: ${event.reason}; open the address that the command printed`);
      link.away(event.reason ? `${event.reason}; trying again` : "no connection; trying again");
      setTimeout(open, (wait = Math.min(2 * wait, 5000)));
    };
  };
  open();
}

if (document.documentElement.dataset.squeeze) {
  const link = { send() {}, hear() {}, away() {}, remember() {}, restore() {} };
  try {
    window.view = mount(link);
    connect(link);
  } catch (error) {
    document.getElementById("state").textContent = String(error.message || error);
  }
}
