"use strict";
// What has no value to draw: rejected exchanges and what a session tells, a row for each reason.

class EventChart extends Chart {
  static spec(track, x) {
    return {
      title: "Rejected exchanges and session events", x, low: true,
      y: { label: "Reason", unit: "", range: [0.3, track.marks.length + 0.7] },
      series: track.marks.map((mark, index) => ({
        label: `${index + 1} ${mark.label}: ${mark.count}`, column: "mark" + index, style: "dots", color: mark.color,
      })),
    };
  }

  // Marks as columns over one list of times. A mark that stands for several has a dot at its first and at its last.
  static track(track, x) {
    const points = track.marks.flatMap((mark, index) => {
      const column = columnsOf(mark), from = column(x.column), to = column(x.column + "_end");
      return from.flatMap((start, place) => (to[place] > start ? [[start, index], [to[place], index]] : [[start, index]]));
    }).sort((a, b) => a[0] - b[0]);
    const decoded = { [x.column]: points.map(([time]) => time) };
    const columns = { [x.column]: track.columns[x.column] };
    track.marks.forEach((_, index) => {
      decoded["mark" + index] = points.map(([, own]) => (own === index ? index + 1 : null));
      columns["mark" + index] = { step: 1 };
    });
    return { name: track.name, columns, decoded };
  }

  yTicks() {
    const ticks = this.track.columns;
    return { ticker: () => Object.keys(ticks).slice(1).map((_, index) => ({ v: index + 1, label: String(index + 1) })) };
  }
  seriesLook(series) {
    return { ...super.seriesLook(series), pointSize: 3.5 };
  }
  spoken() {
    return this.spec.series.map((series) => series.label).join(", ") + ".";
  }
  mark(x) {
    if (x === null) return super.mark(x);
    const index = super.mark(x);
    this.values.forEach((value) => (value.textContent = ""));
    return index;
  }
}
