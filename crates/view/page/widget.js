
// A copy of the page in a notebook, behind `mount`: messages go through the model of a widget (anywidget), each with the number of its page. Buffers that do not
// arrive are asked for as base64.

/** Fills an element of a notebook. */
function render({ model, el }) {
  const page = crypto.getRandomValues(new Uint32Array(2)).join("-"), away = new AbortController();
  // Keys that are meant for the page are not the notebook's.
  const box = document.createElement("div"), root = box.attachShadow({ mode: "open" }), body = document.createElement("div");
  box.dataset.lmSuppressShortcuts = "true";
  for (const kind of ["keydown", "keyup", "keypress"]) box.addEventListener(kind, (event) => event.stopPropagation());
  body.className = "body";
  body.innerHTML = model.get("_page");
  const sheet = document.createElement("style");
  const high = model.get("_height");
  sheet.textContent = `${model.get("_style")}.body:not(.narrow) { height: ${high}px; } .narrow { min-height: 0; } .narrow #stage { height: ${Math.round(0.7 * high)}px; }`;
  root.append(sheet, body);
  el.append(box);
  for (const id of ["link", "words"]) root.getElementById(id).hidden = true;

  let base64 = false, waiting = 0;
  const post = (more) => model.send({ page, base64, ...more });
  const link = {
    pixels: 1 << 17, signal: away.signal, hear() {}, away() {}, restore() {}, remember() {},
    send(text) {
      post({ text });
      // The answer to a wish for a frame may come late: nothing says when a state has changed in the notebook.
      if (text === '{"next":true}') later(700);
    },
  };
  const later = (time) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (!document.hidden && box.isConnected) link.send('{"next":true}'); else later(700); }, time);
  };
  const hear = (content, buffers) => {
    if (content.page !== page) return;
    if (content.trial) {
      base64 = !(buffers && buffers[0] && buffers[0].byteLength === 1);
      post({ ready: true });
    } else if (content.later !== undefined) later(content.later);
    else if (content.text !== undefined) link.hear(content.text);
    else if (typeof content.base64 === "string") link.hear(Uint8Array.from(atob(content.base64), (letter) => letter.charCodeAt(0)).buffer);
    else if (buffers && buffers[0]) {
      const { buffer, byteOffset, byteLength } = buffers[0];
      clearTimeout(waiting);
      link.hear(buffer ? buffer.slice(byteOffset, byteOffset + byteLength) : buffers[0]);
    }
  };
  try {
    // Tests look at it.
    box.view = mount(link, root);
    model.on("msg:custom", hear);
    post({ open: true });
  } catch (error) {
    root.getElementById("state").textContent = String(error.message || error);
  }
  return () => {
    clearTimeout(waiting);
    away.abort();
    model.off("msg:custom", hear);
    post({ close: true });
  };
}

export default { render };
