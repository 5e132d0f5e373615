"use strict";
const runs = [...document.querySelectorAll(".run")];
const filters = document.getElementById("filters");
const field = (name) => filters.elements.namedItem(name);
const texts = new Map();

function passes(run) {
  const outcome = field("outcome").value;
  const found = run.dataset.outcome;
  if (outcome && (outcome === "!solved" ? found === "solved" : found !== outcome)) return false;
  for (const name of ["column", "domain"])
    if (field(name).value && field(name).value !== run.dataset[name]) return false;
  const wanted = field("text").value.trim().toLowerCase();
  if (!wanted) return true;
  if (!texts.has(run)) texts.set(run, run.textContent.toLowerCase());
  return texts.get(run).includes(wanted);
}

function filter() {
  for (const run of runs) run.hidden = !passes(run);
  const shown = runs.filter((run) => !run.hidden).length;
  document.getElementById("count").textContent = `${shown} of ${runs.length} runs`;
  document.getElementById("nothing").hidden = shown > 0;
}

function reveal(run, target) {
  if (run.hidden) { filters.reset(); filter(); }
  run.open = true;
  (target || run).scrollIntoView({ block: "start" });
  run.querySelector("summary").focus({ preventScroll: true });
}

function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const run = target && target.closest(".run");
  if (run) reveal(run, target);
}

function current() {
  return document.activeElement.closest(".run") || runs.find((run) => run.open && !run.hidden);
}

function move(by) {
  const shown = runs.filter((run) => !run.hidden);
  const here = shown.indexOf(current());
  const next = shown[here < 0 ? 0 : Math.min(Math.max(here + by, 0), shown.length - 1)];
  if (!next) return;
  if (here >= 0 && shown[here] !== next) shown[here].open = false;
  history.replaceState(null, "", "#" + next.id);
  reveal(next);
}

function jump() {
  const here = current();
  const link = here ? here.querySelector(".jump") : document.querySelector(".run:not([hidden]) .jump");
  if (link) { location.hash = link.hash; follow(); }
}

filters.addEventListener("input", filter);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(filter));
for (const cell of document.querySelectorAll("a[data-column]"))
  cell.addEventListener("click", () => {
    filters.reset();
    for (const name of ["column", "domain"]) field(name).value = cell.dataset[name];
    filter();
  });
addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "m") jump();
  else if (event.key === "/") { event.preventDefault(); field("text").focus(); }
  else if (event.key === "Escape" && current()) { const run = current(); run.open = false; run.querySelector("summary").focus(); }
});
filter();
follow();
