// The list of runs below a folder, as they are just now: asks for what is newer, and shows texts always as text.
const FIELDS = ["key", "version", "outcome", "fault", "policy", "model", "domain", "task", "seed", "step", "said", "calls", "tokens", "cached", "usd", "changed"];
const CHOICES = ["policy", "model", "domain", "outcome", "fault"];
const runs = new Map();
const filters = $("filters");
const field = (name) => filters.elements.namedItem(name);
const number = (value) => value.toLocaleString("en");
let version = 0;
let limit = 100;

function tone(run) {
  if (run.outcome === "running") return "running";
  if (run.outcome === "queued" || run.outcome === "cut off") return "queued";
  return run.outcome === "unreadable record" ? "broken" : toneOf(run.outcome);
}

function passes(run, wanted, text) {
  return CHOICES.every((name) => !wanted[name] || run[name] === wanted[name]) &&
    (!text || [run.key, run.task, run.said].join("\n").toLowerCase().includes(text));
}

function ago(seconds) {
  const passed = Math.max(0, Date.now() / 1000 - seconds);
  return passed < 90 ? `${Math.round(passed)} s ago` : passed < 5400 ? `${Math.round(passed / 60)} min ago` : `${Math.round(passed / 3600)} h ago`;
}

function item(run) {
  const now = tone(run);
  const said = now === "running" ? [run.step ? `step ${run.step}` : "", run.said, ago(run.changed)] : [run.fault, run.step ? `step ${run.step}` : "", run.said];
  const cost = [run.calls ? `${run.calls} ${run.calls === 1 ? "call" : "calls"}` : "", run.tokens ? `${number(run.tokens)} tokens` : ""];
  const parts = [
    el("span", { class: `mark ${now}`, "aria-hidden": "true" }, GLYPHS[now]),
    el("span", { class: "who" }, `${run.policy} ${run.model}`, ...(run.seed === null ? [] : [" ", el("small", {}, `seed ${run.seed}`)])),
    el("span", { class: "task" }, `${run.domain} ${run.task}`.trim() || run.key),
    el("span", { class: `outcome ${now} ${run.outcome}` }, run.outcome),
    el("span", { class: "broke" }, said.filter(Boolean).join(" · ")),
    el("span", { class: "gist" }, cost.filter(Boolean).join(" · "))];
  const attributes = { class: "entry", "data-run": run.key, title: run.key };
  // A queued run has no record that could be opened.
  return el("li", {}, run.outcome === "queued" ? el("div", attributes, ...parts)
    : el("a", { ...attributes, href: `/run/${run.key.split("/").map(encodeURIComponent).join("/")}` }, ...parts));
}

function render() {
  const wanted = Object.fromEntries(CHOICES.map((name) => [name, field(name).value]));
  const text = field("text").value.trim().toLowerCase();
  const order = { running: 0, solved: 1, failed: 1, broken: 1, queued: 2 };
  const shown = [...runs.values()].filter((run) => passes(run, wanted, text));
  shown.sort((a, b) => order[tone(a)] - order[tone(b)] || b.changed - a.changed || (a.key < b.key ? -1 : 1));
  const focused = document.activeElement && document.activeElement.dataset.run;
  $("run-list").replaceChildren(...shown.slice(0, limit).map(item));
  if (focused) document.querySelector(`.entry[data-run="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  $("count").textContent = `${number(shown.length)} of ${number(runs.size)} runs`;
  $("nothing").hidden = shown.length > 0;
  $("more").hidden = shown.length <= limit;
}

function offer(run) {
  for (const name of CHOICES) {
    const select = field(name);
    if (run[name] && ![...select.options].some((option) => option.value === run[name]))
      select.append(el("option", { value: run[name] }, run[name]));
  }
}

function total(sums) {
  const left = sums.seconds_left;
  const time = left === null ? "" : left < 90 ? `about ${left} s left` : left < 5400 ? `about ${Math.round(left / 60)} min left` : `about ${(left / 3600).toFixed(1)} h left`;
  $("totals").textContent = [
    ...["running", "queued", "solved", "failed", "broken"].map((name) => `${number(sums[name])} ${name}`),
    `${number(sums.calls)} calls`, `${number(sums.tokens)} tokens, ${number(sums.cached)} cached`,
    sums.usd === null ? "price unknown" : `${sums.usd.toFixed(4)} USD`,
    sums.calls_per_minute === null ? "" : `${sums.calls_per_minute} calls a minute`, time].filter(Boolean).join(" · ");
  const kinds = Object.entries(sums.failures);
  $("failures").textContent = kinds.length ? `First failures: ${kinds.map(([kind, count]) => `${kind} ${number(count)}`).join(", ")}` : "";
}

async function ask() {
  try {
    const answer = document.hidden && version ? null : await (await fetch(`/runs?since=${version}`)).json();
    if (answer) {
      if (answer.version < version) runs.clear();
      version = answer.version;
      for (const values of answer.runs) {
        const run = Object.fromEntries(FIELDS.map((name, place) => [name, values[place]]));
        if (run.outcome === "gone") runs.delete(run.key); else { runs.set(run.key, run); offer(run); }
      }
      total(answer.totals);
      if (answer.runs.length) render();
    }
  } catch { $("totals").textContent = "The viewer has ended; the runs go on."; }
  setTimeout(ask, 1500);
}

function moveEntry(by) {
  const entries = [...document.querySelectorAll("a.entry")];
  const here = entries.indexOf(document.activeElement);
  entries[here < 0 ? 0 : Math.min(Math.max(here + by, 0), entries.length - 1)]?.focus();
}

filters.addEventListener("input", () => { limit = 100; render(); });
filters.addEventListener("submit", (event) => { event.preventDefault(); moveEntry(1); });
filters.addEventListener("reset", () => setTimeout(render));
$("more").addEventListener("click", () => { limit += 400; render(); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.target.matches("input, select")) { if (event.key === "Escape") event.target.blur(); return; }
  const acts = { j: () => moveEntry(1), k: () => moveEntry(-1), "/": () => field("text").focus(), "?": () => $("keys").showModal() };
  if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
});
ask();
