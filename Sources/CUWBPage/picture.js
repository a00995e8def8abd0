"use strict";
// The picture at the top: peers in a polar view where directions are known, else along a ruler.

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

function rulerPicture(place, picture) {
  const width = Math.min(place.clientWidth, 760), peers = picture.peers, row = 36, left = 6, right = width - 16;
  const ends = peers.flatMap((peer) => [peer.high, (peer.distance ?? 0) + 1.96 * (peer.distanceDeviation ?? 0), peer.trueDistance ?? 0]);
  const most = Math.max(...ends.filter((end) => end !== null), 0.01), step = roundStep(most, Math.max(2, Math.floor(width / 90)));
  const end = Math.ceil(most / step) * step, height = peers.length * row + 34;
  const svg = draw(place, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": picture.label });
  const at = (distance) => left + (Math.max(distance, 0) / end) * (right - left);
  for (let tick = 0; tick <= end * 1.001; tick += step) {
    draw(svg, "path", { d: `M${at(tick)} 4V${height - 26}`, class: "ring" });
    draw(svg, "text", { x: at(tick), y: height - 8, class: "quiet", "text-anchor": tick === 0 ? "start" : tick > end * 0.999 ? "end" : "middle" },
      `${+tick.toPrecision(4)} m`);
  }
  peers.forEach((peer, index) => {
    const y = index * row + 24, color = `c${index % 8}`, half = 1.96 * (peer.distanceDeviation ?? 0);
    draw(svg, "text", { x: left + 2, y: y - 8, class: "halo" }, peer.name.length > width / 9 ? peer.name.slice(0, width / 9) + "…" : peer.name);
    draw(svg, "path", { d: `M${at(peer.low)} ${y}H${Math.max(at(peer.high), at(peer.low) + 2)}`, class: "extent " + color });
    draw(svg, "path", { d: `M${at(peer.distance - half)} ${y}H${at(peer.distance + half)}`, class: "whisker " + color });
    draw(svg, "circle", { cx: at(peer.distance), cy: y, r: 5, class: "peer " + color });
    if (peer.trueDistance !== null && peer.trueDistance !== undefined)
      draw(svg, "path", { d: `M${at(peer.trueDistance)} ${y - 7}v14`, class: "truth" });
  });
}

function drawPicture(place, picture) {
  place.replaceChildren();
  (picture.kind === "polar" ? polarPicture : rulerPicture)(place, picture);
}
