// Two runs of one task side by side, aligned by step.
function othersOf(article) {
  return articles.filter((other) => other !== article && other.dataset.task === article.dataset.task);
}

function offerOthers(article) {
  const select = article.querySelector(".other");
  const others = othersOf(article);
  select.closest("label").hidden = !others.length;
  if (select.options.length > 1) return;
  for (const other of others)
    select.append(el("option", { value: other.id }, `${other.dataset.label}: ${other.dataset.outcome}`));
}

// What stands before the first step has the key 0, the reply of a plan at once a half before its first step.
function partsOf(article) {
  const parts = new Map();
  const put = (key, ...nodes) => parts.set(key, [...(parts.get(key) || []), ...nodes]);
  let last = 0;
  for (const turn of article.querySelectorAll(".turn:not(.other-plan)")) {
    const steps = [...turn.querySelectorAll(".step")];
    const calls = [...turn.querySelectorAll(".call, .judged")];
    if (!steps.length) { put(last ? last + 0.75 : 0, ...calls); continue; }
    const first = Number(steps[0].dataset.step);
    if (calls.length) put(steps.length === 1 && calls.length ? first : first - 0.5, ...calls);
    for (const step of steps) put(Number(step.dataset.step), step);
    last = Number(steps.at(-1).dataset.step);
  }
  return parts;
}

function stepIn(nodes) {
  return (nodes || []).find((node) => node.matches(".step"));
}

function alike(left, right) {
  return Boolean(left && right && left.dataset.action === right.dataset.action && left.dataset.status === right.dataset.status);
}

function plain(node) {
  const copy = node.cloneNode(true);
  for (const one of [copy, ...copy.querySelectorAll("[id]")]) { one.removeAttribute("id"); one.hidden = false; }
  for (const one of copy.querySelectorAll("[tabindex]")) one.removeAttribute("tabindex");
  copy.removeAttribute("tabindex");
  copy.classList.remove("current");
  return copy.matches(".step") ? el("ol", { class: "steps" }, copy) : copy;
}

// Step with step: the same numbers stand beside each other.
function byStep(a, b) {
  return [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => x - y)
    .map((key) => ({ left: a.has(key) ? key : null, right: b.has(key) ? key : null }));
}

// What both did stands beside each other, as much of it as keeps the order (a longest common subsequence).
function byAction(a, b) {
  const [one, two] = [a, b].map((parts) => [...parts.keys()].sort((x, y) => x - y));
  const same = (i, j) => stepIn(a.get(one[i])) ? alike(stepIn(a.get(one[i])), stepIn(b.get(two[j]))) : one[i] === two[j];
  const best = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = two.length - 1; j >= 0; j--)
      best[i][j] = same(i, j) ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const rows = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && same(i, j)) rows.push({ left: one[i++], right: two[j++] });
    else if (j >= two.length || (i < one.length && best[i + 1][j] >= best[i][j + 1])) rows.push({ left: one[i++], right: null });
    else rows.push({ left: null, right: two[j++] });
  }
  return rows;
}

function named(key) {
  if (key === 0) return "before the first step";
  return Number.isInteger(key) ? `step ${key}` : "the plan as it was given";
}

function rowTitle({ left, right }, same) {
  const names = [...new Set([left, right].filter((key) => key !== null).map(named))];
  return names.join(" ↔ ") + (same === null ? "" : same ? " · the same" : " · different");
}

function sideHead(article, side) {
  const head = article.querySelector("header");
  return el("div", { class: `side ${side}` },
    el("h3", {}, el("a", { href: `#${article.id}` }, article.dataset.label)),
    ...[...head.querySelectorAll(".ending, .fault, .message, .recheck")].map(plain));
}

function side(nodes, name, label) {
  const cell = el("div", { class: `side ${name}` }, el("p", { class: "whose" }, label));
  if (nodes) cell.append(...nodes.map(plain));
  else cell.append(el("p", { class: "nothing" }, "nothing here"));
  return cell;
}

function pairRow(place, left, right, a, b) {
  const [one, two] = [stepIn(a.get(place.left)), stepIn(b.get(place.right))];
  const same = one || two ? alike(one, two) : null;
  const key = place.left === null ? place.right : place.left;
  const attributes = { class: `pair-row${same === false ? " differs" : ""}`, "data-key": key, tabindex: "-1" };
  return el("section", attributes, el("h3", {}, rowTitle(place, same)),
    side(a.get(place.left), "left", left.dataset.label), side(b.get(place.right), "right", right.dataset.label));
}

// The address says which runs, how they are aligned, and the row: #run/run, #run/run/actions, #run/run/step-3.
function openPair(left, right, how, wanted) {
  open = null;
  const actions = how === "actions";
  const [a, b] = [partsOf(left), partsOf(right)];
  const rows = (actions ? byAction : byStep)(a, b).map((place) => pairRow(place, left, right, a, b));
  const parting = rows.find((row) => row.matches(".differs"));
  const here = `#${left.id}/${right.id}`;
  const mode = actions ? `${here}/actions` : here;
  const verdict = parting
    ? el("p", {}, "They part at ", el("a", { class: "parting", href: `${mode}/step-${parting.dataset.key}` }, `step ${parting.dataset.key}`), ".")
    : el("p", {}, "They do the same, step by step.");
  const align = actions
    ? el("a", { href: here }, "align by the number of the step")
    : el("a", { href: `${here}/actions`, class: "by-actions" }, "align by what was done");
  $("pair").replaceChildren(
    el("header", {}, el("p", { class: "kicker" }, "Side by side"),
      el("h2", { id: "pair-title" }, byId.get(left.id).task), verdict,
      el("p", { class: "run-tools" }, align, el("a", { href: `#${right.id}/${left.id}` }, "swap sides"))),
    el("div", { class: "pair-row heads" }, sideHead(left, "left"), sideHead(right, "right")), ...rows);
  for (const article of articles) article.hidden = true;
  $("pair").hidden = false;
  switchTo(viewer);
  viewer.classList.toggle("clean", !parting);
  $("where").textContent = `${left.dataset.label} ↔ ${right.dataset.label}`;
  document.title = `${left.dataset.label} and ${right.dataset.label} on ${byId.get(left.id).task}`;
  const row = rows.find((one) => `step-${one.dataset.key}` === (actions ? wanted : how));
  if (row) markRow(row);
  else { scrollTo(0, 0); $("pair").focus({ preventScroll: true }); }
}

function markRow(row) {
  for (const other of $("pair").querySelectorAll(".current")) other.classList.remove("current");
  row.classList.add("current");
  row.scrollIntoView({ block: "start" });
  row.focus({ preventScroll: true });
}

function movePair(by, only) {
  const rows = [...$("pair").querySelectorAll(`section.pair-row${only || ""}`)];
  const all = [...$("pair").querySelectorAll("section.pair-row")];
  const here = all.indexOf($("pair").querySelector(".current"));
  const next = by > 0 ? rows.find((row) => all.indexOf(row) > here) : rows.filter((row) => all.indexOf(row) < here).at(-1);
  if (!next) return;
  const base = location.hash.split("/").filter((part) => !part.startsWith("step-")).join("/");
  history.replaceState(null, "", `${base}/step-${next.dataset.key}`);
  markRow(next);
}
