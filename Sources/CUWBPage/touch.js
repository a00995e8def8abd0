"use strict";
// How hands move a chart. One finger along the axis pans, two zoom, and what goes up or down scrolls the page.

function touchModel(chart) {
  let start = null;
  const xs = (event) => [...event.touches].map((touch) => touch.pageX);
  const begin = (event) => {
    const [low, high] = chart.window(), area = chart.graph.getArea();
    const left = chart.graph.graphDiv.getBoundingClientRect().left + scrollX + area.x;
    const valueAt = (x) => low + ((x - left) / area.w) * (high - low);
    start = event.touches.length && { anchors: xs(event).map(valueAt), left, width: area.w };
  };
  return {
    touchstart: begin,
    touchmove: (event) => {
      if (!start) return;
      const places = xs(event).map((x) => (x - start.left) / start.width);
      const [low, high] = chart.window();
      if (places.length >= 2) {
        // Both fingers stay over the values that they were put on.
        const span = (start.anchors[1] - start.anchors[0]) / (places[1] - places[0]);
        if (!Number.isFinite(span) || span <= 0) return;
        chart.zoomTo(start.anchors[0] - places[0] * span, start.anchors[0] + (1 - places[0]) * span);
      } else if (places.length === 1 && chart.isZoomed()) {
        const from = start.anchors[0] - places[0] * (high - low);
        chart.zoomTo(from, from + high - low);
      } else {
        chart.choose(low + places[0] * (high - low));
      }
      if (event.cancelable) event.preventDefault();
    },
    touchend: (event) => {
      if (start && event.touches.length === 0 && start.anchors.length === 1) chart.choose(start.anchors[0]);
      begin(event);
    },
    touchcancel: () => (start = null),
  };
}

function mouseModel(chart) {
  const model = { ...Dygraph.defaultInteractionModel, ...touchModel(chart) };
  model.dblclick = () => chart.reset();
  // With a key held down, so that the wheel alone scrolls the page.
  model.wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [x] = chart.graph.eventToDomCoords(event);
    chart.scale(event.deltaY > 0 ? 1.25 : 0.8, chart.graph.toDataXCoord(x));
  };
  return model;
}
