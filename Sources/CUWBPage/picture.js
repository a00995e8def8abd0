"use strict";
// The picture at the top: peers in a polar view where directions are known, else values on one axis.

const SVG = "http://www.w3.org/2000/svg";

function draw(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// A round number of about `most` steps up to `end`.
function roundStep(end, most) {
  const rough = end / most, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

function polarPicture(place, picture) {
  const width = Math.min(place.clientWidth, 620), peers = picture.peers.filter((peer) => peer.azimuth !== null);
  const behind = peers.some((peer) => Math.abs(peer.azimuth) > 90);
  const radius = Math.min((width - 80) / 2, 250), height = behind ? 2 * radius + 60 : radius + 60;
  const [cx, cy] = [width / 2, radius + 30];
  const furthest = Math.max(...peers.map((peer) => (peer.distance ?? 0) + 2 * (peer.distanceDeviation ?? 0)), 0);
  const step = furthest > 0 ? roundStep(furthest, 4) : 0, end = step ? Math.ceil((furthest * 1.02) / step) * step : 1;
  const svg = draw(place, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": picture.label });
  const at = (distance, degrees) => {
    const r = ((distance ?? end) / end) * radius, angle = (degrees * Math.PI) / 180;
    return [cx + r * Math.sin(angle), cy - r * Math.cos(angle)];
  };
  const arc = (distance, from, to) => {
    const count = Math.max(2, Math.ceil(Math.abs(to - from) / 3));
    return Array.from({ length: count + 1 }, (_, index) => at(distance, from + ((to - from) * index) / count));
  };
  const path = (points, close) => points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") + (close ? "Z" : "");
  const reach = behind ? 180 : 90;
  for (let ring = step || end; ring <= end * 1.001; ring += step || end)
    draw(svg, "path", { d: path(arc(ring, -reach, reach)), class: "ring" });
  for (let degrees = -reach; degrees <= reach; degrees += 30)
    draw(svg, "path", { d: path([[cx, cy], at(end, degrees)]), class: "ring" });
  for (const degrees of [-60, -30, 0, 30, 60]) {
    const [x, y] = at(end * (1 + 14 / radius), degrees);
    draw(svg, "text", { x, y: y + 4, class: "quiet", "text-anchor": degrees < 0 ? "end" : degrees > 0 ? "start" : "middle" }, `${degrees}°`.replace("-", "−"));
  }
  if (step) for (let ring = step; ring <= end * 1.001; ring += step) {
    const [x] = at(ring, 90);
    // Room for text: every second where rings are close.
    if ((step / end) * radius > 38 || Math.round(ring / step) % 2 === 0)
      draw(svg, "text", { x, y: cy + 16, class: "quiet", "text-anchor": "middle" }, `${+ring.toPrecision(4)} m`);
  }
  draw(svg, "circle", { cx, cy, r: 4, class: "self" });
  const taken = [];
  peers.forEach((peer, index) => {
    const color = `c${index % 8}`, trail = peer.trail ?? [];
    for (const [distance, degrees] of trail) {
      const [x, y] = at(distance, degrees);
      draw(svg, "circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 1.5, class: "trail " + color });
    }
    if (peer.trueAzimuth !== null && peer.trueAzimuth !== undefined) {
      const [x, y] = at(peer.trueDistance ?? peer.distance, peer.trueAzimuth);
      draw(svg, "path", { d: `M${x - 5} ${y}h10M${x} ${y - 5}v10`, class: "truth" });
    }
    const wide = 1.96 * (peer.azimuthDeviation ?? 0), deep = 1.96 * (peer.distanceDeviation ?? 0);
    const far = arc(peer.distance === null ? null : peer.distance + deep, peer.azimuth - wide, peer.azimuth + wide);
    const near = peer.distance === null ? [[cx, cy]] : arc(Math.max(0, peer.distance - deep), peer.azimuth + wide, peer.azimuth - wide);
    draw(svg, "path", { d: path([...far, ...near], true), class: "spread " + color });
    const [x, y] = at(peer.distance, peer.azimuth);
    draw(svg, "circle", { cx: x, cy: y, r: 5, class: "peer " + color });
    const box = [x + 8, y - 8, x + 24, y + 8];
    if (peers.length > 1 && !taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) {
      taken.push(box);
      draw(svg, "text", { x: x + 8, y: y + 4, class: "halo" }, String(index + 1));
    }
  });
}

const short = (value) => String(+value.toPrecision(3)).replace("-", "−");

// Values on one axis, a row each; beside their names where there is room, else below them.
function barsPicture(place, picture) {
  const { bars, unit, log } = picture, width = Math.min(place.clientWidth, 900), isWide = width >= 620;
  const suffix = unit === "°" ? unit : unit ? ` ${unit}` : "";
  const text = (bar) => short(bar.value) + (bar.deviation ? ` ± ${short(1.96 * bar.deviation)}` : "") + suffix;
  const longest = (list) => Math.max(...list.map((one) => one.length)) * 7.4 + 10;
  const left = isWide ? Math.min(longest(bars.map((bar) => bar.name)), 0.4 * width) : 6;
  const right = width - (isWide ? Math.min(longest(bars.map(text)), 0.25 * width) : 16);
  const row = isWide ? (bars.length > 16 ? 21 : 30) : 38, foot = 34, height = bars.length * row + foot;

  const solid = bars.flatMap((bar) => [bar.value, bar.low, bar.high, bar.mark]).filter((value) => value !== null && (!log || value > 0));
  const isSigned = Math.min(...solid) < 0;
  const ends = bars.flatMap((bar) => [bar.value + 1.96 * (bar.deviation ?? 0), isSigned ? bar.value - 1.96 * (bar.deviation ?? 0) : 0]);
  let [least, most] = [Math.min(...solid), Math.max(...solid, ...ends)], ticks = [];
  if (log) {
    [least, most] = [Math.floor(Math.log10(least)), Math.max(Math.ceil(Math.log10(most)), Math.floor(Math.log10(least)) + 1)];
    for (let decade = least; decade <= most; decade++) ticks.push(decade);
  } else {
    [least, most] = [Math.min(0, least, ...ends), Math.max(0, most)];
    if (most === least) most = least + 1;
    const step = roundStep(most - least, Math.max(2, Math.floor((right - left) / 90)));
    [least, most] = [Math.floor(least / step) * step, Math.ceil(most / step) * step];
    for (let count = 0; count <= Math.round((most - least) / step); count++) ticks.push(least + count * step);
  }
  const put = (value) => left + ((value - least) / (most - least)) * (right - left);
  const at = (value) => put(Math.min(Math.max(log ? Math.log10(Math.max(value, 1e-300)) : value, least), most));

  const svg = draw(place, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": picture.label });
  ticks.forEach((tick, index) => {
    draw(svg, "path", { d: `M${put(tick)} 4V${height - 26}`, class: "ring" });
    const anchor = !isWide && index === 0 ? "start" : !isWide && index === ticks.length - 1 ? "end" : "middle";
    const name = short(log ? 10 ** tick : tick) + (!isWide || index === ticks.length - 1 ? suffix : "");
    draw(svg, "text", { x: put(tick), y: height - 8, class: "quiet", "text-anchor": anchor }, name);
  });
  const cut = (name, room) => (name.length > room ? name.slice(0, Math.max(1, room - 1)) + "…" : name);
  bars.forEach((bar, index) => {
    const color = bar.color ?? `c${index % 8}`, y = isWide ? index * row + row / 2 + 2 : index * row + 26;
    if (isWide) {
      draw(svg, "text", { x: left - 10, y: y + 4, "text-anchor": "end" }, cut(bar.name, Math.floor((left - 10) / 7.2)));
      draw(svg, "text", { x: width - 2, y: y + 4, class: "quiet", "text-anchor": "end" }, text(bar));
    } else {
      draw(svg, "text", { x: left + 2, y: y - 9, class: "halo" }, `${cut(bar.name, Math.floor(width / 7.8) - text(bar).length - 2)}  ${text(bar)}`);
    }
    if (bar.low !== null && bar.high !== null)
      draw(svg, "path", { d: `M${at(bar.low)} ${y}H${Math.max(at(bar.high), at(bar.low) + 2)}`, class: "extent " + color });
    const half = 1.96 * (bar.deviation ?? 0);
    if (half > 0) draw(svg, "path", { d: `M${at(bar.value - half)} ${y}H${at(bar.value + half)}`, class: "whisker " + color });
    draw(svg, "circle", { cx: at(bar.value), cy: y, r: 5, class: "peer " + color });
    if (bar.mark !== null) draw(svg, "path", { d: `M${at(bar.mark)} ${y - 7}v14`, class: "truth" });
  });
}

function drawPicture(place, picture) {
  place.replaceChildren();
  (picture.kind === "polar" ? polarPicture : barsPicture)(place, picture);
}
