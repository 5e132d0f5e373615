// Two columns against each other: the tasks, and where one solved what the other did not.
const two = $("two");
const DOES = { better: (d) => d > 0, worse: (d) => d < 0, equal: (d) => d === 0, differ: (d) => d !== 0, "": () => true };
// The rows of a comparison that was followed here; all of them until then, and as soon as anything is chosen.
let compared = null;

function against() {
  const [a, b] = ["a", "b"].map((name) => Number(two.elements.namedItem(name).value));
  const wanted = DOES[two.elements.namedItem("which").value];
  const of = (column) => {
    const found = new Map();
    for (const run of runs)
      for (const [row, at] of run.places)
        if (at === column && (!compared || compared.has(row))) {
          const key = `${row}\n${run.task}`;
          found.set(key, [...(found.get(key) || []), run]);
        }
    return found;
  };
  const [left, right] = [of(a), of(b)];
  const share = (some) => some.filter((run) => run.outcome === "solved").length / some.length;
  const scored = (some) => (some || []).filter((run) => run.tone !== "broken");
  const lines = [...left.keys()].map((key) => [scored(left.get(key)), scored(right.get(key))])
    .filter(([one, other]) => one.length && other.length);
  const does = ([one, other]) => share(one) - share(other);
  const count = (which) => lines.filter((line) => DOES[which](does(line))).length;
  $("two-count").textContent = `${lines.length} ${lines.length === 1 ? "task" : "tasks"}${compared ? " of this comparison" : ""}; A does better on ${count("better")}, B on ${count("worse")}`;
  $("two-list").replaceChildren(
    ...lines.filter((line) => wanted(does(line))).slice(0, 300).map(([one, other]) => versus(one, other)));
}

// Of several seeds the first two runs that end differently, as far as there are such.
function versus(some, others) {
  const seedOf = (run) => others.find((other) => other.seed === run.seed) || others[0];
  const pairs = some.map((run) => [run, seedOf(run)]);
  const [one, other] = pairs.find(([x, y]) => x.outcome !== y.outcome) || pairs[0];
  const side = (run, all) => el("span", {}, el("span", { class: `mark ${run.tone}` }, GLYPHS[run.tone]),
    all.length > 1 ? ` ${all.filter((each) => each.outcome === "solved").length} of ${all.length} · ${run.seed}: ` : " ",
    [run.outcome, broke(run)].filter(Boolean).join(" · "));
  const together = one.page === other.page;
  return el("li", {}, el("a", { class: "versus", href: together ? `${one.page}#${one.id}/${other.id}` : one.href },
    el("span", { class: "task" }, one.task), side(one, some), side(other, others)));
}

function setAgainst(text) {
  const wanted = new URLSearchParams(text);
  for (const name of ["a", "b", "which"])
    if (wanted.has(name)) two.elements.namedItem(name).value = wanted.get(name);
  const rows = (wanted.get("row") || "").split(",").filter(Boolean).map(Number);
  compared = rows.length ? new Set(rows) : null;
  against();
}

function drawAgainst() {
  if (!two) return;
  const columns = used(1);
  if (columns.length < 2) { $("against").hidden = true; return; }
  for (const name of ["a", "b"])
    two.elements.namedItem(name).append(...columns.map((column) => el("option", { value: column }, data.columns[column])));
  two.elements.namedItem("b").selectedIndex = 1;
  two.addEventListener("input", () => {
    const [a, b] = ["a", "b"].map((name) => two.elements.namedItem(name).value);
    compared = null;
    history.replaceState(null, "", `#against?a=${a}&b=${b}`);
    against();
  });
  against();
}

drawAgainst();
