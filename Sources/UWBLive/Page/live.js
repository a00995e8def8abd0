// Reads states from GET /live and draws the newest one. A state holds all that is drawn, so that none is ever missed.
import { drawArrow, drawRadar, drawResponse, side } from "./drawing.js";

const element = (id) => document.getElementById(id);
const number = (value, digits) => value == null ? "–" : value.toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
const percent = (value) => value == null ? "–" : `${Math.round(100 * value)} %`;

let source, newest, isDrawing = false, chosen, lastState = 0;

function connect(device) {
  source?.close();
  source = new EventSource("live" + (device ? "?device=" + encodeURIComponent(device) : ""));
  source.onmessage = (event) => {
    newest = JSON.parse(event.data);
    lastState = performance.now();
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      draw(newest);
    });
  };
  // The browser connects again by itself.
  source.onerror = () => tell("Connection lost. Trying again…", "away");
  source.addEventListener("bye", () => tell("The program has ended. Trying again…", "away"));
}

function tell(text, kind) {
  const status = element("status");
  // A screen reader says what is written: only what is new is.
  if (status.textContent !== text) status.textContent = text;
  if (status.className !== kind) status.className = kind;
}

function draw(state) {
  document.title = `${state.title} – UWB live`;
  element("title").textContent = state.title;
  const kinds = { replay: "Replay at its recorded pace", pipe: "Live from standard input", radio: "Live from a radio", room: "Simulated room" };
  if (state.end) tell(state.end, "over");
  else tell(kinds[state.kind] ?? "Live", "live");
  fill(element("device"), state.devices, state.device);
  element("device-choice").hidden = state.devices.length < 2;
  const present = state.peers.filter((peer) => !peer.gone);
  if (!state.peers.some((peer) => peer.peer === chosen)) chosen = (present[0] ?? state.peers[0])?.peer;
  fill(element("peer"), state.peers.map((peer) => peer.peer), chosen);
  drawFinder(state.peers.find((peer) => peer.peer === chosen), state.end != null);
  // At the end of a stream everybody leaves: what was last is worth more than nothing.
  const shown = present.length === 0 && state.end ? state.peers : present;
  const radar = drawRadar(element("radar"), shown, chosen);
  element("radar-note").textContent = "Ahead is up." + (radar.unknown ? " Dashed circle: direction unknown." : "") +
    (radar.blocked ? " Square: something stands between." : "");
  if (state.impulse_response) {
    const response = state.impulse_response;
    // A simulated room's exchanges know addresses, its sessions names.
    const whose = state.peers.some((peer) => peer.peer === response.peer) ? `${response.peer}, ` : "";
    const text = drawResponse(element("cir"), response);
    element("cir-note").textContent = `${whose}${response.message}: ${text}.`;
  } else {
    element("cir-note").textContent = state.counts.exchanges > 0 ? "This stream holds no CIRs." : "None yet.";
  }
  drawPeers(state);
  drawRates(state);
  drawEvents(state.events);
}

// Options are made anew only where they have changed, so that an open list stays open.
function fill(select, names, value) {
  const key = names.join("\n");
  if (select.dataset.names !== key) {
    select.dataset.names = key;
    select.replaceChildren(...names.map((name) => new Option(name, name)));
  }
  if (value != null && select.value !== value) select.value = value;
}

function terms(list, pairs) {
  list.replaceChildren(...pairs.flatMap(([name, value]) => {
    const term = document.createElement("dt"), data = document.createElement("dd");
    term.textContent = name;
    data.textContent = value;
    return [term, data];
  }));
}

function drawFinder(peer, isOver) {
  const isHidden = peer?.gone && !isOver;
  drawArrow(element("arrow"), isHidden ? undefined : peer);
  element("distance-value").textContent = isHidden ? "–" : number(peer?.distance_m, 2);
  let text = "Waiting for the first distance.";
  if (peer?.gone) text = isOver ? `${peer.peer}, when it was last heard.` : `${peer.peer} has left.`;
  else if (peer?.azimuth_deg != null) text = `${peer.peer} is ${side(peer.azimuth_deg)}.`;
  else if (peer?.distance_m != null) text = `${peer.peer}: direction unknown.`;
  else if (peer?.last_reason) text = `${peer.peer}: ${peer.last_reason}.`;
  element("finder-text").textContent = text;
  terms(element("facts"), peer && !isHidden ? [
    ["± (68 %)", peer.distance_std_m == null ? "–" : `${number(100 * peer.distance_std_m, 1)} cm`],
    ["elevation", peer.elevation_deg == null ? "–" : `${number(peer.elevation_deg, 0)}°`],
    ["line of sight", percent(peer.line_of_sight_probability)],
    ...(peer.true_distance_m == null ? [] : [["true distance", `${number(peer.true_distance_m, 2)} m`]]),
  ] : []);
}

function drawPeers(state) {
  if (state.peers.length === 0) return;
  element("peers").replaceChildren(...state.peers.map((peer) => {
    const row = document.createElement("tr");
    row.className = (peer.peer === chosen ? "chosen " : "") + (peer.gone ? "gone" : "");
    const quiet = state.time_s != null && peer.time_s != null && state.time_s - peer.time_s > 2;
    const status = peer.gone ? "has left" : peer.last_reason ?? (quiet ? `silent for ${number(state.time_s - peer.time_s, 0)} s` : "ok");
    const deviation = peer.distance_std_m == null ? "" : ` ± ${number(peer.distance_std_m, 2)}`;
    for (const text of [peer.peer, number(peer.distance_m, 2) + deviation, number(peer.azimuth_deg, 0), percent(peer.line_of_sight_probability),
      number(peer.snr_db, 0), peer.updates, peer.rejected, status]) row.insertCell().textContent = text;
    return row;
  }));
}

function drawRates(state) {
  const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);
  const rejected = sum(state.counts.rejected);
  const share = state.counts.exchanges > 0 ? ` (${(100 * rejected / state.counts.exchanges).toFixed(1)} %)` : "";
  terms(element("rates"), [
    ["exchanges a second", number(state.exchanges_hz, 1)],
    ["updates a second", number(state.updates_hz, 1)],
    ["exchanges", state.counts.exchanges],
    ["updates", state.counts.updates],
    ["rejected", `${rejected}${share}`],
    ...Object.entries(state.counts.rejected).sort().map(([reason, count]) => [`– ${reason}`, count]),
    ["peers that left", sum(state.counts.removed)],
    ["skipped input", sum(state.counts.skipped)],
    ["stream time", `${number(state.counts.seconds, 1)} s`],
    ["pages open", state.clients],
  ]);
}

function drawEvents(events) {
  const list = element("events"), key = JSON.stringify(events);
  if (list.dataset.key === key || events.length === 0) return;
  list.dataset.key = key;
  list.replaceChildren(...events.map((event) => {
    const item = document.createElement("li");
    item.textContent = `${event.time_s == null ? "" : `${number(event.time_s, 2)} s  `}${event.peer}: ${event.text}`;
    return item;
  }));
}

element("peer").addEventListener("change", (event) => {
  chosen = event.target.value;
  if (newest) draw(newest);
});
element("device").addEventListener("change", (event) => {
  chosen = undefined;
  connect(event.target.value);
});
addEventListener("resize", () => newest && draw(newest));
connect();
