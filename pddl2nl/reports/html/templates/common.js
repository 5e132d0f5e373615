"use strict";
// What the scripts of all pages share.
const $ = (id) => document.getElementById(id);
const GLYPHS = { solved: "✓", failed: "✗", broken: "!", running: "▷", queued: "·" };

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function toneOf(outcome) {
  if (outcome === "running") return "running";
  return outcome === "solved" ? "solved" : outcome === "infrastructure-error" ? "broken" : "failed";
}
