"use strict";
// The cursor of a chart: which row it is on, what the legend then says, and the keys that move it.

class ChartCursor {
  // x in the chart's unit; null for none.
  choose(x) {
    this.group.point(this, x);
  }
  mark(x) {
    if (x === null) {
      this.graph.clearSelection();
      this.place.textContent = "";
      this.values.forEach((value) => (value.textContent = ""));
      return null;
    }
    let row = nearest(this.xs, x);
    if (this.places[row] === null) row += 1;
    this.row = row;
    if (this.graph.getSelection() !== row) this.graph.setSelection(row);
    const index = this.places[row], axis = this.spec.x;
    this.place.textContent = `${axis.label} ${formatted(this.column(axis.column)[index], this.steps[axis.column])}${axis.unit ? " " + axis.unit : ""}`;
    this.shown.forEach((series, place) => {
      const step = this.steps[series.column];
      const deviation = (this.spec.bands ?? []).find((band) => band.column === series.column)?.deviation;
      const spread = deviation && this.column(deviation)?.[index];
      const text = formatted(this.valueAt(series, index), step) + (spread ? ` ± ${formatted(spread, step)}` : "");
      this.values[place].textContent = " " + text + (this.spec.y.unit ? " " + this.spec.y.unit : "");
    });
    return index;
  }
  // Curves on places of their own have none at most places of the others: then the one beside, on steps the one before.
  valueAt(series, index) {
    const list = this.column(series.column);
    if (!this.spec.connected || list[index] !== null) return list[index];
    for (let by = 1; by < list.length; by++) {
      const before = list[index - by] ?? null, after = series.style === "steps" ? null : list[index + by] ?? null;
      if (before !== null || after !== null) return before ?? after;
    }
    return null;
  }
  key(event) {
    const rows = this.xs.length, row = this.row ?? -1;
    const by = event.shiftKey ? Math.max(1, Math.round(rows / 20)) : 1;
    const actions = {
      ArrowRight: () => this.choose(this.xs[Math.min(rows - 1, row + by)]),
      ArrowLeft: () => this.choose(this.xs[Math.max(0, row - by)]),
      "+": () => this.scale(0.5, this.xs[row]), "=": () => this.scale(0.5, this.xs[row]), "-": () => this.scale(2, this.xs[row]),
      0: () => this.reset(), Escape: () => this.choose(null),
      Enter: () => row >= 0 && this.group.open?.(this.xs[row] * this.timeUnit()[1]),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }
}
