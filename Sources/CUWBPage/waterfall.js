"use strict";
// Impulse responses side by side over time, each moved so that its first path is at 0. Colors are dB below its strongest tap shown.

// cividis (Nuñez, Anderton & Renslow 2018), which reads the same with and without color vision; from strong to weak.
const CIVIDIS = [[254, 232, 56], [212, 193, 88], [166, 157, 117], [124, 123, 120], [87, 93, 109], [53, 69, 108], [0, 42, 99], [0, 32, 76]];
const SHOWN_DB = 40;

function heat(decibels) {
  const place = Math.min(Math.max(decibels / SHOWN_DB, 0), 1) * (CIVIDIS.length - 1);
  const low = Math.min(Math.floor(place), CIVIDIS.length - 2), part = place - low;
  return CIVIDIS[low].map((value, index) => Math.round(value + part * (CIVIDIS[low + 1][index] - value)));
}

class Waterfall extends Chart {
  static spec(track, x) {
    const { before, taps, spacing } = track.waterfall;
    return {
      title: "Impulse responses over time", x, tall: true,
      note: "Each is moved so that its first path is at 0. A click or the Enter key shows one below.",
      y: { label: "Delay after the first path", unit: "ns", range: [-before * spacing, (taps - before) * spacing] },
      series: [
        { label: "first path", column: "first", style: "dots", color: "mark" },
        { label: "chip's first path", column: "chip", style: "dots", color: "mark2" },
      ],
    };
  }

  static track(track) {
    return { name: track.name, columns: track.waterfall.columns };
  }

  constructor(place, spec, track, group, waterfall) {
    super(place, spec, track, group);
    this.waterfall = waterfall;
    this.image = Waterfall.paint(waterfall);
    this.scaleOfColors();
    this.graph.updateOptions({});
    this.area.addEventListener("click", () => this.row !== undefined && group.open(this.xs[this.row] * this.timeUnit()[1]));
  }

  // dB of tap `tap` of response `row` below the strongest; null outside the accumulator.
  static decibels(waterfall, row, tap) {
    waterfall.bytes ??= bytesOf(waterfall.data);
    const byte = waterfall.bytes[row * waterfall.taps + tap];
    return byte === 255 ? null : byte / 4;
  }

  static paint(waterfall) {
    const { rows, taps } = waterfall, canvas = make("canvas", { width: rows, height: taps });
    const context = canvas.getContext("2d"), image = context.createImageData(rows, taps);
    for (let row = 0; row < rows; row++)
      for (let tap = 0; tap < taps; tap++) {
        const decibels = Waterfall.decibels(waterfall, row, tap);
        // Later taps are higher up, as on the axis.
        if (decibels !== null) image.data.set([...heat(decibels), 255], 4 * ((taps - 1 - tap) * rows + row));
      }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  underlay(canvas, area, graph) {
    if (!this.image) return;
    canvas.save();
    canvas.imageSmoothingEnabled = false;
    const places = this.xs.map((x) => graph.toDomXCoord(x)), count = places.length;
    const { taps, before, spacing } = this.waterfall;
    // A tap covers half a spacing on both sides.
    const top = graph.toDomYCoord((taps - before - 0.5) * spacing), bottom = graph.toDomYCoord((-before - 0.5) * spacing);
    canvas.beginPath();
    canvas.rect(area.x, area.y, area.w, area.h);
    canvas.clip();
    const usual = count > 1 ? (places[count - 1] - places[0]) / (count - 1) : area.w;
    for (let row = 0; row < count; row++) {
      if (this.places[row] === null) continue;
      const left = row ? Math.max((places[row - 1] + places[row]) / 2, places[row] - 3 * usual) : places[row] - usual / 2;
      const right = row + 1 < count ? Math.min((places[row] + places[row + 1]) / 2, places[row] + 3 * usual) : places[row] + usual / 2;
      if (right < area.x || left > area.x + area.w) continue;
      canvas.drawImage(this.image, this.places[row], 0, 1, taps, left, top, Math.max(right - left, 1) + 0.5, bottom - top);
    }
    canvas.restore();
  }

  seriesLook(series) {
    return { ...super.seriesLook(series), pointSize: 1.2 };
  }

  scaleOfColors() {
    const scale = make("span", { class: "colors", "aria-hidden": "true" });
    scale.style.background = `linear-gradient(to right, ${CIVIDIS.map((color) => `rgb(${color})`).join(", ")})`;
    this.colors = make("span", { class: "entry" }, "0 dB", scale, `−${SHOWN_DB} dB`);
    this.legend.append(this.colors);
  }
  drawLegend() {
    super.drawLegend();
    if (this.colors) this.legend.append(this.colors);
  }
}

// One response of a waterfall as a chart of its own.
function responseChart(place, track, row) {
  const { taps, before, spacing, columns } = track.waterfall, column = columnsOf({ columns, decoded: track.waterfall.decoded });
  const exchange = column("exchange")[row], chip = column("chip")?.[row], first = column("first")[row];
  const title = `Impulse response of exchange ${exchange}`;
  const x = { column: "delay", label: "Delay after the first path", unit: "ns" };
  const spec = {
    title, x, y: { label: "Magnitude", unit: "dB", range: [-60, 3] },
    series: [{ label: "magnitude", column: "magnitude", style: "line", color: "c0" }],
    note: `uwb inspect … --exchange ${exchange} shows all of it.`,
  };
  const lines = [{ label: "first path", x: first, color: "c1" }];
  if (chip !== null && chip !== undefined) lines.push({ label: "chip's first path", x: chip, color: "c3" });
  const decoded = { delay: [], magnitude: [] };
  for (let tap = 0; tap < taps; tap++) {
    const decibels = Waterfall.decibels(track.waterfall, row, tap);
    decoded.delay.push((tap - before) * spacing);
    decoded.magnitude.push(decibels === null ? null : -decibels);
  }
  const own = { columns: { delay: { step: 0.01 }, magnitude: { step: 0.1 } }, decoded, lines: { [title]: lines } };
  const alone = { point: (chart, at) => chart.mark(at), zoom: () => {} };
  return new Chart(place, spec, own, alone);
}
