"use strict";
// Puts a page together from its data: the picture, and groups of linked charts.

class Group {
  constructor(place, spec) {
    Object.assign(this, { place, spec, charts: [] });
    const button = (text, label, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    const zooms = this.zooms.bind(this);
    this.readout = make("output", { class: "readout", "aria-live": "polite" });
    const tools = make("div", { class: "tools" });
    if (spec.tracks.length > 1) {
      this.select = make("select", { onchange: () => this.show(+this.select.value) });
      spec.tracks.forEach((track, index) => this.select.append(make("option", { value: index }, track.name)));
      tools.append(make("label", {}, spec.label + " ", this.select));
    }
    if (spec.linked)
      tools.append(make("span", { class: "buttons" },
        button("+", "Zoom in", () => zooms((chart) => chart.scale(0.5))), button("−", "Zoom out", () => zooms((chart) => chart.scale(2))),
        button("←", "Earlier", () => zooms((chart) => chart.move(-0.4))), button("→", "Later", () => zooms((chart) => chart.move(0.4))),
        button("all", "Show all", () => zooms((chart) => chart.reset()))), this.readout);
    this.note = make("p", { class: "note" });
    this.body = make("div", { class: "charts" + (spec.columns ? " beside" : "") });
    this.detail = make("div", {});
    if (tools.children.length) place.append(tools);
    place.append(this.note, this.body, this.detail);
    this.show(0);
  }

  show(index) {
    this.charts.forEach((chart) => chart.remove());
    this.detailChart?.remove();
    this.detailChart = null;
    const track = (this.track = this.spec.tracks[index]), column = columnsOf(track);
    this.note.textContent = track.note ?? "";
    this.note.hidden = !track.note;
    this.charts = [];
    this.extent = this.spec.linked ? this.extentOf(track) : null;
    const has = (name) => column(name)?.some((value) => value !== null);
    for (const spec of this.spec.charts)
      if (spec.series.some((series) => has(series.column)) && has(spec.x.column)) this.charts.push(new Chart(this.body, spec, track, this));
    const x = { ...this.spec.x, column: track.x ?? this.spec.x?.column };
    if (track.marks?.length) this.charts.push(new EventChart(this.body, EventChart.spec(track, x), EventChart.track(track, x), this));
    if (track.waterfall) {
      this.charts.push(new Waterfall(this.body, Waterfall.spec(track, x), Waterfall.track(track), this, track.waterfall));
      this.open(columnsOf(track.waterfall)(x.column)[0]);
    }
    // Those that came first were alone in their row.
    if (this.spec.columns) this.resize();
    this.readout.textContent = this.charts.length ? this.spec.hint ?? "" : "";
  }

  // From the first row or mark of a track to its last, along the axis that linked charts share.
  extentOf(track) {
    const name = track.x ?? this.spec.x.column, extent = { column: name, low: Infinity, high: -Infinity };
    const holders = [track, ...(track.marks ?? []), track.waterfall].filter(Boolean);
    for (const holder of holders)
      for (const column of [name, name + "_end"])
        for (const value of columnsOf(holder)(column) ?? [])
          if (value !== null) [extent.low, extent.high] = [Math.min(extent.low, value), Math.max(extent.high, value)];
    return extent;
  }

  zooms(action) {
    if (this.charts.length) action(this.charts[0]);
  }

  // Charts of the group show the same part of the axis that they share.
  linked(chart) {
    return this.spec.linked && this.charts.includes(chart) ? this.charts.filter((other) => other.spec.x.column === chart.spec.x.column) : [chart];
  }
  zoom(chart, low, high) {
    if (this.isBusy) return;
    this.isBusy = true;
    const unit = chart.timeUnit()[1];
    for (const other of this.linked(chart))
      if (other !== chart) other.show((low * unit) / other.timeUnit()[1], (high * unit) / other.timeUnit()[1]);
    this.isBusy = false;
  }
  point(chart, x) {
    if (this.isPointing) return;
    this.isPointing = true;
    const unit = chart.timeUnit()[1];
    for (const other of this.linked(chart)) {
      const index = other.mark(x === null ? null : (x * unit) / other.timeUnit()[1]);
      if (other === chart && this.spec.linked) this.tell(chart, index);
    }
    this.isPointing = false;
  }
  tell(chart, index) {
    if (index === null || index === undefined) return;
    const own = chart.spec.x, value = chart.column(own.column)[index];
    let text = `${own.label} ${formatted(value, chart.steps[own.column])}${own.unit ? " " + own.unit : ""}`;
    const exchange = chart.column("exchange")?.[index];
    if (exchange !== undefined && exchange !== null && own.column !== "exchange") text += ` · exchange ${exchange}`;
    this.readout.textContent = text;
  }

  // The impulse response nearest to a place on the axis.
  open(x) {
    if (!this.track.waterfall) return;
    const column = columnsOf(this.track.waterfall), own = this.charts[this.charts.length - 1].spec.x.column;
    const row = nearest(column(own), x);
    this.detailChart?.remove();
    this.detailChart = responseChart(this.detail, this.track, row);
  }
  redraw() {
    [...this.charts, this.detailChart].forEach((chart) => chart?.redraw());
  }
  resize() {
    [...this.charts, this.detailChart].forEach((chart) => chart?.resize());
  }
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const groups = [...document.querySelectorAll("[data-group]")].map((place) => new Group(place, data.groups[+place.dataset.group]));
  const widths = new Map();
  const pictures = () => document.querySelectorAll("[data-picture]").forEach((place) => {
    if (place.clientWidth === widths.get(place)) return;
    widths.set(place, place.clientWidth);
    drawPicture(place, data.pictures[+place.dataset.picture]);
  });
  pictures();
  addEventListener("resize", pictures);
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"])
    matchMedia(query).addEventListener("change", () => groups.forEach((group) => group.redraw()));
  for (const moment of ["beforeprint", "afterprint"]) addEventListener(moment, () => groups.forEach((group) => group.resize()));
  // Long tables take many screens of a phone: a tap unfolds one.
  const folds = (isOpen) => document.querySelectorAll("details.fold").forEach((fold) => (fold.open = isOpen));
  if (matchMedia("(max-width: 640px)").matches) folds(false);
  addEventListener("beforeprint", () => folds(true));
  document.getElementById("library").textContent = "dygraphs " + Dygraph.VERSION;
  document.documentElement.dataset.ready = "true";
}

start();
