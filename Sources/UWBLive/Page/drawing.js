// Pictures of a state, as SVG. Text in them keeps its size: a picture is drawn for the width that it has.

const namespace = "http://www.w3.org/2000/svg";

function add(parent, name, attributes, text) {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// A point at an azimuth (degrees, positive to the right, 0 is up) and a radius.
function polar(azimuth, radius) {
  const angle = azimuth * Math.PI / 180;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}

// The part of a disc between two azimuths.
function wedge(from, to, radius) {
  const [x0, y0] = polar(from, radius), [x1, y1] = polar(to, radius);
  return `M0 0L${x0} ${y0}A${radius} ${radius} 0 ${to - from > 180 ? 1 : 0} 1 ${x1} ${y1}Z`;
}

export function drawArrow(svg, peer) {
  svg.replaceChildren();
  add(svg, "circle", { class: "ring", r: 100 });
  for (let azimuth = 0; azimuth < 360; azimuth += 30) {
    const [x0, y0] = polar(azimuth, 100), [x1, y1] = polar(azimuth, 92);
    add(svg, "line", { class: "ring", x1: x0, y1: y0, x2: x1, y2: y1 });
  }
  const azimuth = peer?.azimuth_deg;
  if (azimuth == null) {
    add(svg, "text", { class: "big", "text-anchor": "middle", y: 6 }, peer ? "no direction" : "no peer");
    return;
  }
  const doubt = Math.min(90, 2 * (peer.azimuth_std_deg ?? 0));
  if (doubt > 0) add(svg, "path", { class: "doubt", d: wedge(azimuth - doubt, azimuth + doubt, 90) });
  add(svg, "path", { class: "pointer", d: "M0 -84L34 44L0 22L-34 44Z", transform: `rotate(${azimuth})` });
}

// 1, 2 or 5 times a power of ten, such that four of them reach so far.
function ringStep(largest) {
  const raw = Math.max(largest, 0.4) / 4, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
}

export function drawRadar(svg, peers, chosen) {
  svg.replaceChildren();
  const size = Math.max(240, Math.min(360, svg.clientWidth || 320)), half = size / 2, radius = half - 22;
  svg.setAttribute("viewBox", `${-half} ${-half} ${size} ${size}`);
  const known = peers.filter((peer) => peer.distance_m != null);
  const step = ringStep(Math.max(0, ...known.map((peer) => peer.distance_m)));
  const scale = radius / (4 * step);
  for (let ring = 1; ring <= 4; ring++) add(svg, "circle", { class: ring === 4 ? "ring" : "grid", fill: "none", r: ring * step * scale });
  add(svg, "line", { class: "grid", x1: -radius, x2: radius });
  add(svg, "line", { class: "grid", y1: -radius, y2: radius });
  add(svg, "path", { class: "axis", d: "M-6 5L0 -8L6 5Z" });
  for (const ring of [2, 4]) add(svg, "text", { x: 4, y: ring * step * scale - 4 }, `${+(ring * step).toPrecision(3)} m`);
  const taken = [];
  for (const peer of known) {
    const at = Math.max(0, peer.distance_m) * scale;
    if (peer.azimuth_deg == null) {
      add(svg, "circle", { class: "around", r: Math.max(3, at) });
      label(svg, peer.peer, at * 0.71, -at * 0.71, half, taken, peer.peer === chosen);
      continue;
    }
    const [x, y] = polar(peer.azimuth_deg, at);
    if (isBlocked(peer)) add(svg, "rect", { class: "dot blocked", x: x - 6, y: y - 6, width: 12, height: 12 });
    else add(svg, "circle", { class: peer.gone ? "dot gone" : "dot", cx: x, cy: y, r: peer.peer === chosen ? 9 : 7 });
    label(svg, peer.peer, x, y, half, taken, peer.peer === chosen);
  }
  svg.setAttribute("aria-label", known.length === 0 ? "No peers." : known.map((peer) =>
    `${peer.peer}: ${peer.distance_m.toFixed(2)} metres` +
    (peer.azimuth_deg == null ? ", direction unknown" : `, ${side(peer.azimuth_deg)}`)).join("; "));
  return { unknown: known.filter((peer) => peer.azimuth_deg == null).length, blocked: known.some((peer) => peer.azimuth_deg != null && isBlocked(peer)) };
}

function isBlocked(peer) {
  return peer.line_of_sight_probability != null && peer.line_of_sight_probability < 0.5;
}

// A name beside its point, where no other name is; without room it is left to the table.
function label(svg, name, x, y, half, taken, first) {
  const short = name.length > 10 ? "…" + name.slice(-8) : name;
  const width = 8 * short.length + 4;
  for (const [dx, dy] of [[11, 5], [-11 - width, 5], [-width / 2, -12], [-width / 2, 24]]) {
    const box = [x + dx, y + dy - 13, x + dx + width, y + dy + 4];
    if (box[0] < -half || box[2] > half || box[1] < -half || box[3] > half) continue;
    if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
    taken.push(box);
    add(svg, "text", { class: "name", x: x + dx, y: y + dy, ...(first ? { "font-weight": 700 } : {}) }, short);
    return;
  }
}

// An azimuth in words.
export function side(azimuth) {
  const degrees = Math.round(Math.abs(azimuth));
  if (degrees < 3) return "straight ahead";
  if (degrees > 177) return "behind";
  return `${degrees}° to the ${azimuth > 0 ? "right" : "left"}`;
}

export function drawResponse(svg, response) {
  svg.replaceChildren();
  const width = Math.max(260, svg.clientWidth || 360), height = 210;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const left = 36, right = width - 8, top = 20, bottom = height - 40;
  const values = response.magnitudes, spacing = response.tap_spacing_ns;
  // Decibels show a weak first path beside a strong one.
  const floor = -40;
  const x = (tap) => left + (tap - response.start_tap) / Math.max(1, values.length - 1) * (right - left);
  const y = (magnitude) => {
    const level = Math.max(floor, 20 * Math.log10(Math.max(magnitude, 1e-6)));
    return top + level / floor * (bottom - top);
  };
  for (const level of [0, -10, -20, -30, -40]) {
    const at = top + level / floor * (bottom - top);
    add(svg, "line", { class: "grid", x1: left, x2: right, y1: at, y2: at });
    if (level % 20 === 0) add(svg, "text", { x: left - 5, y: at + 4, "text-anchor": "end" }, `${level}`.replace("-", "−"));
  }
  add(svg, "text", { x: 4, y: 12 }, "dB");
  const span = (values.length - 1) * spacing, step = ringStep(span);
  for (let time = 0; time <= span + 1e-9; time += step) {
    const at = left + time / Math.max(span, 1e-9) * (right - left);
    if (at > right - 14) break;
    add(svg, "line", { class: "axis", x1: at, x2: at, y1: bottom, y2: bottom + 4 });
    add(svg, "text", { x: at, y: bottom + 18, "text-anchor": "middle" }, `${+time.toPrecision(3)}`);
  }
  add(svg, "text", { x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, `ns after tap ${response.start_tap}`);
  add(svg, "polyline", { class: "trace", points: values.map((value, index) =>
    `${x(response.start_tap + index).toFixed(1)},${y(value).toFixed(1)}`).join(" ") });
  const first = response.first_path_taps;
  if (first != null && first >= response.start_tap && first <= response.start_tap + values.length - 1) {
    add(svg, "line", { class: "first", x1: x(first), x2: x(first), y1: top - 4, y2: bottom });
    add(svg, "path", { class: "mark", d: `M${x(first) - 5} ${top - 8}h10l-5 8z` });
    add(svg, "text", { x: x(first) + 8, y: 13 }, "first path");
  }
  const text = first == null ? "no first path found" : `first path at tap ${first.toFixed(2)}`;
  svg.setAttribute("aria-label", `Magnitudes of ${values.length} taps of the message ${response.message}: ${text}.`);
  return text;
}
