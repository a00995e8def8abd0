"use strict";
// Numbers of a page: how `PageColumn` (Swift) writes them.

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// Variable-length integers: 0 for a missing value, else 1 + the zigzag of the step from the value before.
function decodeColumn(column) {
  const bytes = bytesOf(column.data), values = [];
  let last = 0;
  for (let place = 0; place < bytes.length; ) {
    let code = 0, scale = 1, byte;
    do {
      byte = bytes[place++];
      code += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    if (code === 0) {
      values.push(null);
      continue;
    }
    code -= 1;
    last += code % 2 ? -(code + 1) / 2 : code / 2;
    values.push(last * column.step);
  }
  return values;
}

// Columns of a track by name, decoded when first asked for.
function columnsOf(holder) {
  holder.decoded ??= {};
  return (name) => {
    if (!(name in holder.columns)) return null;
    return (holder.decoded[name] ??= decodeColumn(holder.columns[name]));
  };
}

const placesOf = (step) => Math.max(0, Math.min(6, Math.round(-Math.log10(step))));

function formatted(value, step) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value.toFixed(placesOf(step)).replace("-", "−");
}

// The element of a rising list that is nearest to a value.
function nearest(list, value) {
  let low = 0, high = list.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - list[low - 1] < list[low] - value ? low - 1 : low;
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A color of the stylesheet as it is now: light, dark or high contrast.
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
