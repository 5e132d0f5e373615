// The list of all runs, its filters, and the table of tasks: made of the data in the page, texts always as text.
const data = JSON.parse($("data").textContent);
const filters = $("filters");
const field = (name) => filters.elements.namedItem(name);
const FILTERS = ["outcome", "link", "predicate", "column", "row", "text"];
const FIRST = 100;

const runs = data.runs.map(([id, page, task, name, at, seed, outcome, link, predicates, step, gist, actions], index) => ({
  index, id, page: data.pages[page], href: `${data.pages[page]}#${id}`, task: data.tasks[task], name: data.names[name],
  places: at.filter((_, i) => i % 2 === 0).map((row, i) => [row, at[2 * i + 1]]),
  seed: seed < 0 ? "" : `seed ${seed}`, outcome: data.outcomes[outcome], tone: toneOf(data.outcomes[outcome]),
  link: link < 0 ? "" : data.links[link], predicates: predicates.map((one) => data.predicates[one]), step, gist, actions,
}));
const byId = new Map(runs.map((run) => [run.id, run]));
const texts = new Map();
let shown = runs;
let limit = FIRST;

function textOf(run) {
  if (!texts.has(run)) {
    const article = run.page === "" ? $(run.id) : null;
    const said = article ? article.textContent : "";
    texts.set(run, [run.task, run.name, run.seed, run.outcome, run.link, ...run.predicates, said].join("\n").toLowerCase());
  }
  return texts.get(run);
}

function ended(run, outcome) {
  if (outcome === "!solved") return run.tone === "failed";
  return outcome === "!broken" ? run.tone !== "broken" : !outcome || run.outcome === outcome;
}

function passing() {
  const [outcome, link, predicate, column, row, text] = FILTERS.map((name) => field(name).value);
  const wanted = text.trim().toLowerCase();
  const rows = new Set(row.split(",").map(Number));
  const placed = ([r, c]) => (row === "" || rows.has(r)) && (column === "" || String(c) === column);
  return runs.filter((run) =>
    ended(run, outcome) &&
    (!link || run.link === link) &&
    (!predicate || run.predicates.includes(predicate)) &&
    ((column === "" && row === "") || run.places.some(placed)) &&
    (!wanted || textOf(run).includes(wanted)));
}

function mark(run, label) {
  const count = run.outcome === "solved" && run.actions >= 0 ? [" ", el("span", {}, String(run.actions))] : [];
  const attributes = { class: `mark ${run.tone}`, href: run.href, title: label, "aria-label": label };
  return el("a", attributes, GLYPHS[run.tone], ...count);
}

// The first broken link in a few words; its kind only where the outcome does not say it already.
function broke(run) {
  const kind = run.link.replace(" ", "-") === run.outcome ? "" : run.link;
  return [kind, run.predicates.join(", "), run.step ? `step ${run.step}` : ""].filter(Boolean).join(" · ");
}

function item(run) {
  const seed = run.seed ? [" ", el("small", {}, run.seed)] : [];
  return el("li", {}, el("a", { class: "entry", href: run.href, "data-run": run.id },
    el("span", { class: `mark ${run.tone}`, "aria-hidden": "true" }, GLYPHS[run.tone]),
    el("span", { class: "who" }, run.name, ...seed),
    el("span", { class: "task" }, run.task),
    el("span", { class: `outcome ${run.outcome}` }, run.outcome),
    el("span", { class: "broke" }, broke(run)),
    el("span", { class: "gist" }, run.gist)));
}

function render() {
  $("run-list").replaceChildren(...shown.slice(0, limit).map(item));
  $("count").textContent = `${shown.length.toLocaleString("en")} of ${runs.length.toLocaleString("en")} runs`;
  $("nothing").hidden = shown.length > 0;
  $("more").hidden = shown.length <= limit;
  $("more").textContent = `Show ${Math.min(400, shown.length - limit)} more of ${shown.length - limit}`;
}

function filter() {
  shown = passing();
  limit = FIRST;
  render();
}

// The filters stand in the address, so that what is looked at can be sent to somebody.
function query() {
  const set = FILTERS.filter((name) => field(name).value !== "");
  return set.map((name) => `${name}=${encodeURIComponent(field(name).value)}`).join("&");
}

function setFilters(text) {
  const wanted = new URLSearchParams(text);
  // A number of a table may stand for several rows, which are no choice until then.
  const rows = wanted.get("row") || "";
  if (/^[0-9]+(,[0-9]+)+$/.test(rows) && ![...field("row").options].some((option) => option.value === rows))
    field("row").append(el("option", { value: rows }, `${rows.split(",").length} rows of a table`));
  for (const name of FILTERS) field(name).value = wanted.get(name) || "";
  // What is no choice here, as the one section that there is, filters nothing.
  for (const name of FILTERS) if (field(name).selectedIndex === -1) field(name).value = "";
  filter();
}

function remember() {
  const set = query();
  history.replaceState(null, "", set ? `#runs?${set}` : "#runs");
}

function choices(name, values, labels) {
  for (const [index, value] of values.entries()) field(name).append(el("option", { value }, labels[index]));
  // A column that all runs have filters nothing.
  const all = name === "column" || name === "row";
  if (field(name).options.length < (all ? 3 : 2)) field(name).closest("label").hidden = true;
}

function groupByRow() {
  const groups = new Map();
  for (const run of runs)
    for (const [row, column] of run.places) {
      if (!groups.has(row)) groups.set(row, new Map());
      const tasks = groups.get(row);
      if (!tasks.has(run.task)) tasks.set(run.task, new Map());
      const cells = tasks.get(run.task);
      if (!cells.has(column)) cells.set(column, []);
      cells.get(column).push(run);
    }
  return groups;
}

function matrixTable(tasks, row) {
  const used = data.columns.map((_, column) => column)
    .filter((column) => [...tasks.values()].some((cells) => cells.has(column)));
  const head = el("tr", {}, el("th", { scope: "col" }, "task"),
    ...used.map((column) => el("th", { scope: "col" }, data.columns[column])));
  const lines = [...tasks].map(([task, cells]) => el("tr", {}, el("th", { scope: "row" }, task),
    ...used.map((column) => el("td", {}, ...matrixCell(cells.get(column) || [], column, row)))));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": data.rows[row] },
    el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, ...lines)));
}

function matrixCell(found, column, row) {
  if (found.length <= 5)
    return found.map((run) =>
      mark(run, [`${run.task}, ${data.columns[column]}`, run.seed, run.outcome].filter(Boolean).join(", ")));
  const solved = found.filter((run) => run.outcome === "solved").length;
  const address = `#runs?row=${row}&column=${column}&text=${encodeURIComponent(found[0].task)}`;
  return [el("a", { href: address }, `${solved} of ${found.length}`)];
}

function drawMatrix() {
  const place = $("matrix-groups");
  if (!place) return;
  const groups = [...groupByRow()].sort(([a], [b]) => a - b);
  if (!groups.length) $("matrix").hidden = true;
  for (const [row, tasks] of groups) {
    const all = [...tasks.values()].flatMap((cells) => [...cells.values()].flat());
    const solved = all.filter((run) => run.outcome === "solved").length;
    const group = el("details", { class: "group" }, el("summary", {}, el("b", {}, data.rows[row]),
      el("small", {}, ` ${tasks.size} ${tasks.size === 1 ? "task" : "tasks"}, ${solved} of ${all.length} runs solved`)));
    // Drawn when it is opened first: ten thousand marks at once are too many.
    group.addEventListener("toggle", () => {
      if (group.open && !group.querySelector("table")) group.append(matrixTable(tasks, row));
    });
    group.open = runs.length <= 200;
    place.append(group);
  }
}

choices("outcome", [...data.outcomes].sort(), [...data.outcomes].sort());
choices("link", [...data.links].sort(), [...data.links].sort());
choices("predicate", [...data.predicates].sort(), [...data.predicates].sort());
const used = (at) => [...new Set(runs.flatMap((run) => run.places.map((place) => place[at])))].sort((a, b) => a - b);
choices("column", used(1).map(String), used(1).map((column) => data.columns[column]));
const sections = new Set(used(0).map((row) => data.sections[row]).filter((name) => name !== null));
for (const name of sections.size > 1 ? sections : [])
  field("row").append(el("option", { value: used(0).filter((row) => data.sections[row] === name).join(",") }, `all of ${name}`));
choices("row", used(0).map(String), used(0).map((row) => data.rows[row]));
filters.addEventListener("input", () => { filter(); remember(); });
filters.addEventListener("submit", (event) => { event.preventDefault(); document.querySelector("#run-list .entry")?.focus(); });
filters.addEventListener("reset", () => setTimeout(() => { filter(); remember(); }));
$("more").addEventListener("click", () => { limit += 400; render(); });
for (const box of document.querySelectorAll(".details-switch"))
  box.addEventListener("change", () => box.closest("section").classList.toggle("detailed", box.checked));
drawMatrix();
filter();
