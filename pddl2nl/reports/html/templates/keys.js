// The keyboard, and the buttons that do the same.
function moveEntry(by) {
  const entries = [...document.querySelectorAll(".entry")];
  const here = entries.indexOf(document.activeElement);
  const next = entries[here < 0 ? 0 : Math.min(Math.max(here + by, 0), entries.length - 1)];
  if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
}

function close() {
  const left = location.hash.slice(1).split("/");
  if (left.length > 1) { visit(left[0]); return; }
  const set = query();
  const home = document.body.dataset.home;
  // The list of a page with one run says nothing more.
  if (home && (runs.length === 1 || (shown.length === runs.length && open === null))) { location.href = `${home}#runs`; return; }
  const from = open;
  history.replaceState(null, "", set ? `#runs?${set}` : "#runs");
  open = from;
  showOverview($("runs"));
}

function pressed(key) {
  const pair = viewer && !viewer.hidden && !$("pair").hidden;
  const list = !viewer || viewer.hidden;
  const by = key === "j" || key === "n" ? 1 : -1;
  if (key === "?") $("keys").showModal();
  else if (key === "/") { if (!list) { visit("runs"); } field("text").focus(); }
  else if (key === "Escape") { if (!list || document.body.dataset.home) close(); }
  else if (key === "j" || key === "k") { if (list) moveEntry(by); else if (pair) movePair(by); else moveStep(by); }
  else if (key === "n" || key === "p") { if (open && neighbour(by)) visit(neighbour(by).id); }
  else if (key === "m") { if (pair) movePair(1, ".differs"); else if (open) moveMistake(); }
  else if (key === "c") { if (open) open.querySelector(".other").focus(); }
  else return false;
  return true;
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (pressed(event.key)) event.preventDefault();
});
for (const button of document.querySelectorAll("[data-key]:is(button)"))
  button.addEventListener("click", () => pressed(button.dataset.key));
if (viewer) $("back").addEventListener("click", (event) => { event.preventDefault(); close(); });
addEventListener("hashchange", route);
// A browser goes to the address's anchor by itself once everything is there: the step's reply shall be seen as well.
addEventListener("load", () => { if (location.hash) requestAnimationFrame(route); });
route();
