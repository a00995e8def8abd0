"use strict";
// One chart over dygraphs: series and bands by a specification, linked with the others of its group.

const TIME_UNITS = [["s", 1, 600], ["min", 60, 10800], ["h", 3600, Infinity]];

class Chart extends ChartCursor {
  // place: an element to fill; spec: `PageChart` (Swift); track: the columns to draw; group: who is told of zoom and hover.
  constructor(place, spec, track, group) {
    super();
    Object.assign(this, { spec, track, group, column: columnsOf(track) });
    this.steps = Object.fromEntries(Object.entries(track.columns).map(([name, column]) => [name, column.step]));
    this.shown = spec.series.filter((series) => this.column(series.column)?.some((value) => value !== null));
    this.frame = make("figure", { class: "chart" });
    this.caption = make("figcaption", {}, make("span", { class: "name" }, spec.title));
    if (spec.note) this.caption.append(make("span", { class: "note" }, spec.note));
    this.legend = make("div", { class: "legend" });
    this.area = make("div", {
      class: "area" + (spec.tall ? " tall" : ""), tabindex: "0", role: "application",
      "aria-label": `${spec.title}. ${this.spoken()} Arrow keys move the cursor, plus and minus zoom, 0 shows all.`,
    });
    this.frame.append(this.caption, this.legend, this.area);
    place.append(this.frame);
    this.lines = track.lines?.[spec.title] ?? [];
    this.build();
    this.area.addEventListener("keydown", (event) => this.key(event));
  }

  build() {
    this.rows = this.table();
    this.xs = this.rows.map((row) => row[0]);
    this.graph = new Dygraph(this.area, this.rows, {
      labels: ["x", ...this.shown.map((series) => series.label)],
      ...this.look(),
      series: Object.fromEntries(this.shown.map((series) => [series.label, this.seriesLook(series)])),
      legend: "never", showLabelsOnHighlight: false, labelsKMB: false, xRangePad: this.spec.x.log ? 0 : 6, yRangePad: 12,
      connectSeparatedPoints: Boolean(this.spec.connected), drawGapEdgePoints: true,
      logscale: Boolean(this.spec.y.log), xlabel: this.axisText(this.xAxis()), ylabel: this.axisText(this.spec.y),
      xLabelHeight: 18, yLabelWidth: 16, highlightCircleSize: 4,
      axes: {
        x: { logscale: Boolean(this.spec.x.log), drawGrid: true, axisLabelFormatter: this.tick, pixelsPerLabel: 70, axisLabelWidth: 62 },
        y: { axisLabelFormatter: this.tick, axisLabelWidth: 52, pixelsPerLabel: 32, ...this.yTicks() },
      },
      interactionModel: mouseModel(this),
      underlayCallback: (canvas, area, graph) => this.underlay(canvas, area, graph),
      highlightCallback: (event, x) => this.group.point(this, x),
      unhighlightCallback: () => this.group.point(this, null),
      zoomCallback: (low, high) => this.group.zoom(this, low, high),
      drawCallback: (graph, isFirst) => !isFirst && this.panned(),
      valueRange: this.valueRange(), dateWindow: this.spec.x.range ?? this.limits(),
    });
    // dygraphs makes them, and nobody needs to be told of them twice.
    for (const canvas of this.area.querySelectorAll("canvas")) canvas.setAttribute("aria-hidden", "true");
    this.drawLegend();
  }

  xAxis() {
    const axis = { ...this.spec.x };
    if (axis.unit === "s" && axis.scaled) axis.unit = this.timeUnit()[0];
    return axis;
  }

  // What all charts of a group span along the axis that they share; null where it is this chart's alone.
  extent() {
    const extent = this.group.extent;
    return extent && extent.column === this.spec.x.column && extent.high > extent.low ? extent : null;
  }
  limits() {
    const extent = this.extent();
    if (!extent) return null;
    const unit = this.timeUnit()[1], pad = 0.006 * (extent.high - extent.low);
    return [(extent.low - pad) / unit, (extent.high + pad) / unit];
  }

  timeUnit() {
    const times = this.column(this.spec.x.column), extent = this.extent() ?? { low: times[0], high: times[times.length - 1] };
    const end = Math.abs(extent.high - extent.low);
    return this.spec.x.unit === "s" && this.spec.x.scaled ? TIME_UNITS.find(([, , most]) => end < most) : ["", 1];
  }

  table() {
    const times = this.column(this.spec.x.column), scale = this.timeUnit()[1];
    const values = this.shown.map((series) => this.column(series.column));
    const order = times.map((_, index) => index).filter((index) => times[index] !== null);
    if (this.spec.sorted) order.sort((a, b) => times[a] - times[b]);
    // A line does not run across a pause: more than a second, and twenty times the usual spacing.
    const spacings = order.slice(1).map((index, place) => times[index] - times[order[place]]).sort((a, b) => a - b);
    const pause = this.spec.sorted || this.spec.x.unit !== "s" ? Infinity : Math.max(1, 20 * (spacings[spacings.length >> 1] ?? 1));
    const rows = [];
    this.places = [];
    order.forEach((index, place) => {
      if (place && times[index] - times[order[place - 1]] > pause) {
        rows.push([(times[index] + times[order[place - 1]]) / 2 / scale, ...values.map(() => null)]);
        this.places.push(null);
      }
      rows.push([times[index] / scale, ...values.map((list) => list[index])]);
      this.places.push(index);
    });
    return rows;
  }

  look() {
    return { axisLineColor: ink("frame"), gridLineColor: ink("grid"), gridLineWidth: 1, axisLineWidth: 1 };
  }

  seriesLook(series) {
    const dots = series.style === "dots", filled = series.style === "bars";
    return {
      color: ink(series.color), strokeWidth: dots ? 0 : series.style === "thick" ? 2.4 : 1.6, drawPoints: dots || series.style === "marked",
      pointSize: 2.2, strokePattern: series.dash?.length ? series.dash : null, stepPlot: filled || series.style === "steps", fillGraph: filled,
    };
  }

  yTicks() {
    return {};
  }

  axisText(axis) {
    return axis.unit ? `${axis.label} (${axis.unit})` : axis.label;
  }

  tick(value, granularity, opts) {
    const size = Math.abs(value);
    if (value === 0) return "0";
    if (size < 1e5 && size >= 1e-3) return String(+value.toPrecision(6)).replace("-", "−");
    const [factor, power] = value.toExponential().split("e"), rounded = String(+Number(factor).toPrecision(3));
    const raised = power.replace("+", "").replace(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(digit)]);
    return ((rounded === "1" ? "" : rounded + "·") + "10" + raised).replace("-", "−");
  }

  // All values, unless a few would leave no room for the rest: then the middle 98 %, three times as high.
  valueRange(all = false) {
    if (this.spec.y.range) return this.spec.y.range;
    if (this.spec.y.log) return null;
    const [from, to] = (!all && this.spec.x.range) || [-Infinity, Infinity];
    const values = this.rows.filter(([x]) => x >= from && x <= to).flatMap((row) => row.slice(1).filter((value) => value !== null)).sort((a, b) => a - b);
    if (!values.length) return [0, 1];
    const at = (part) => values[Math.round(part * (values.length - 1))];
    const [least, low, high, most] = [at(0), at(0.01), at(0.99), at(1)];
    const room = high - low;
    if (most === least) return [least - (Math.abs(least) * 0.05 || 1), most + (Math.abs(most) * 0.05 || 1)];
    const isWild = room > 0 && most - least > 8 * room;
    const [bottom, top] = isWild ? [Math.max(least, low - room), Math.min(most, high + room)] : [least, most];
    this.outside = isWild ? values.filter((value) => value < bottom || value > top).length : 0;
    return [bottom - 0.06 * (top - bottom), top + 0.06 * (top - bottom)];
  }

  // Bands behind the lines: value ± factor · deviation.
  underlay(canvas, area, graph) {
    canvas.save();
    for (const band of this.spec.bands ?? []) {
      const values = this.column(band.column), deviations = this.column(band.deviation);
      if (!values || !deviations) continue;
      canvas.fillStyle = ink(band.color);
      canvas.globalAlpha = band.factor > 1.5 ? 0.14 : 0.2;
      let run = [];
      const close = () => {
        if (run.length > 1) {
          canvas.beginPath();
          run.forEach(([x, high]) => canvas.lineTo(x, high));
          run.reverse().forEach(([x, , low]) => canvas.lineTo(x, low));
          canvas.fill();
        }
        run = [];
      };
      this.places.forEach((index, row) => {
        if (index === null || values[index] === null || deviations[index] === null) return close();
        const half = band.factor * deviations[index];
        run.push([graph.toDomXCoord(this.xs[row]), graph.toDomYCoord(values[index] + half), graph.toDomYCoord(values[index] - half)]);
      });
      close();
    }
    canvas.globalAlpha = 1;
    canvas.setLineDash([5, 4]);
    canvas.lineWidth = 1.5;
    for (const line of this.lines) {
      canvas.strokeStyle = canvas.fillStyle = ink(line.color);
      canvas.beginPath();
      if (line.x !== undefined) {
        const at = graph.toDomXCoord(line.x);
        if (line.deviation) {
          const half = Math.abs(graph.toDomXCoord(line.x + line.deviation) - at);
          canvas.globalAlpha = 0.2;
          canvas.fillRect(at - half, area.y, 2 * half, area.h);
          canvas.globalAlpha = 1;
        }
        canvas.moveTo(at, area.y);
        canvas.lineTo(at, area.y + area.h);
      } else {
        const at = graph.toDomYCoord(line.y);
        canvas.moveTo(area.x, at);
        canvas.lineTo(area.x + area.w, at);
      }
      canvas.stroke();
    }
    canvas.restore();
  }

  drawLegend() {
    this.legend.replaceChildren();
    this.place = make("span", { class: "place" });
    if (!this.extent()) this.legend.append(this.place);
    this.values = this.shown.map((series, index) => {
      const value = make("span", { class: "value" });
      const swatch = make("span", { class: "swatch " + (series.style === "dots" ? "dotted" : series.dash?.length ? "dashed" : "") });
      swatch.style.color = ink(series.color);
      // Colors over an image are chosen for the image.
      if (series.color.startsWith("mark")) swatch.classList.add("onimage");
      const button = make("button", { type: "button", "aria-pressed": "true", title: "Show or hide", onclick: () => {
        const shows = !this.graph.visibility()[index];
        this.graph.setVisibility(index, shows);
        button.setAttribute("aria-pressed", shows);
      } }, swatch, series.label, value);
      this.legend.append(button);
      return value;
    });
    for (const band of this.spec.bands ?? []) {
      if (!this.column(band.deviation)?.some((value) => value !== null)) continue;
      const swatch = make("span", { class: "swatch band" });
      swatch.style.color = ink(band.color);
      swatch.style.opacity = band.factor > 1.5 ? 0.45 : 0.9;
      this.legend.append(make("span", { class: "entry" }, swatch, band.label));
    }
    for (const line of this.lines.filter((line) => line.label)) {
      const swatch = make("span", { class: "swatch dashed" });
      swatch.style.color = ink(line.color);
      this.legend.append(make("span", { class: "entry" }, swatch, line.label));
    }
    if (this.outside)
      this.legend.append(make("button", { type: "button", class: "outside", onclick: (event) => {
        event.target.closest("button").remove();
        this.graph.updateOptions({ valueRange: null });
      } }, `${this.outside} values lie outside: show them`));
  }

  spoken() {
    const name = this.axisText(this.spec.y);
    return this.shown.map((series) => {
      const values = this.column(series.column).filter((value) => value !== null);
      const [least, most] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
      return `${series.label}, ${name}: ${formatted(least, this.steps[series.column])} to ${formatted(most, this.steps[series.column])}.`;
    }).join(" ");
  }

  // MARK: Windows along x, in the chart's unit

  extremes() {
    return this.limits() ?? this.graph.xAxisExtremes();
  }
  window() {
    return this.graph.xAxisRange();
  }
  isZoomed() {
    const [low, high] = this.window(), [least, most] = this.extremes();
    return high - low < 0.999 * (most - least);
  }
  zoomTo(low, high) {
    const [least, most] = this.extremes();
    const span = Math.min(Math.max(high - low, (most - least) * 1e-5), most - least);
    const from = Math.min(Math.max(low, least), most - span);
    this.show(from, from + span);
    this.group.zoom(this, from, from + span);
  }
  show(low, high) {
    this.isShowing = true;
    this.graph.updateOptions({ dateWindow: [low, high] });
    this.isShowing = false;
  }
  panned() {
    if (this.isShowing || !this.graph) return;
    const [low, high] = this.window();
    this.group.zoom(this, low, high);
  }
  scale(factor, around) {
    const [low, high] = this.window(), at = around ?? (low + high) / 2;
    this.zoomTo(at - (at - low) * factor, at + (high - at) * factor);
  }
  move(part) {
    const [low, high] = this.window();
    this.zoomTo(low + part * (high - low), high + part * (high - low));
  }
  reset() {
    const [low, high] = this.extremes();
    this.graph.updateOptions({ valueRange: this.valueRange(true) });
    this.zoomTo(low, high);
  }

  // After a change of colors or width.
  redraw() {
    this.graph.updateOptions({ ...this.look(), series: Object.fromEntries(this.shown.map((series) => [series.label, this.seriesLook(series)])) });
    this.drawLegend();
  }
  resize() {
    this.graph.resize();
  }
  remove() {
    this.graph.destroy();
    this.frame.remove();
  }
}
