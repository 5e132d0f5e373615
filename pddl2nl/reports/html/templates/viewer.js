// One run at a time, step by step; the address always says which run and step are looked at.
const overview = $("overview");
const viewer = $("viewer");
const articles = viewer ? [...viewer.querySelectorAll("article.run")] : [];
const title = document.title;
document.documentElement.classList.add("ready");
let open = null;

function stepsOf(article) {
  return [...article.querySelectorAll(".step")].filter((step) => !step.hidden);
}

function mistakesOf(article) {
  const fine = ["executed", "looked-around", "not-reached", "taken-back"];
  return stepsOf(article).filter((step) => !fine.includes(step.dataset.status) && !step.closest(".other-plan"));
}

function currentStep(article) {
  return article.querySelector(".step.current");
}

function showOnly(article, status) {
  for (const turn of article.querySelectorAll(".turn")) {
    const steps = [...turn.querySelectorAll(".step")];
    for (const step of steps) step.hidden = Boolean(status) && step.dataset.status !== status;
    turn.hidden = Boolean(status) && steps.every((step) => step.hidden);
  }
  article.querySelector(".only").value = status;
}

// The strip of a run: a mark for each step of the plan that counts. It is drawn when the run is opened.
function drawStrip(article) {
  const strip = article.querySelector(".strip");
  if (!strip || strip.firstChild) return;
  for (const step of article.querySelectorAll(".turn:not(.other-plan) .step")) {
    const [sign, ...label] = step.querySelector(".chip").textContent.trim().split(" ");
    const tick = document.createElement("a");
    const mark = document.createElement("span");
    mark.setAttribute("aria-hidden", "true");
    mark.textContent = sign;
    tick.className = `tick ${step.dataset.status}`;
    tick.href = `#${step.id}`;
    tick.title = `step ${step.dataset.step}: ${label.join(" ")} ${step.dataset.action}`.trim();
    tick.append(mark, step.dataset.step);
    strip.append(tick);
  }
}

function goTo(article, step) {
  for (const other of article.querySelectorAll(".current")) other.classList.remove("current");
  if (step.hidden || step.closest(".turn").hidden) showOnly(article, "");
  step.classList.add("current");
  for (const tick of article.querySelectorAll(".tick"))
    if (tick.hash === `#${step.id}`) tick.classList.add("current");
  // The reply is what a verdict is about: it comes into view with its step.
  const turn = step.closest(".turn");
  const whole = turn.querySelectorAll(".step").length === 1 ? turn : step;
  whole.scrollIntoView({ block: whole.offsetHeight < innerHeight * 0.7 ? "center" : "start" });
  step.focus({ preventScroll: true });
  const picture = article.querySelector("figure.picture");
  if (picture && !step.closest(".other-plan"))
    picture.dispatchEvent(new CustomEvent("step", { detail: step.dataset.step }));
}

function openRun(article, target) {
  open = article;
  drawStrip(article);
  for (const other of articles) other.hidden = other !== article;
  $("pair").hidden = true;
  switchTo(viewer);
  const run = byId.get(article.id);
  $("where").textContent = `${run.task} · ${article.dataset.label}`;
  document.title = `${run.task}, ${article.dataset.label}: ${run.outcome}`;
  viewer.classList.toggle("clean", !mistakesOf(article).length);
  offerOthers(article);
  if (target.matches(".step")) goTo(article, target);
  else { scrollTo(0, 0); article.focus({ preventScroll: true }); }
}

function switchTo(part) {
  overview.hidden = part !== overview;
  if (viewer) viewer.hidden = part !== viewer;
}

function showOverview(where) {
  const from = open;
  open = null;
  document.title = title;
  switchTo(overview);
  if (where) where.scrollIntoView();
  const entry = from && (!where || where.id === "runs") && [...document.querySelectorAll(".entry")].find((one) => one.dataset.run === from.id);
  if (entry) { entry.scrollIntoView({ block: "center" }); entry.focus({ preventScroll: true }); }
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

// #run · #run-step-3 · #run/run · #run/run/step-3 · #run/run/actions · #runs?outcome=…&column=… · anchors of the overview
function route() {
  const [path, wanted] = location.hash.slice(1).split(/\?(.*)/s);
  const [first, second, how, step] = path.split("/").map(decoded);
  const target = first ? $(first) : null;
  const article = target && target.closest("article.run");
  const other = second && $(second) && $(second).closest("article.run");
  if (article && other) openPair(article, other, how, step);
  else if (article) openRun(article, target);
  else if (elsewhere(first)) location.replace(elsewhere(first));
  else {
    if (path === "runs" && wanted !== undefined) setFilters(wanted);
    if (path === "against" && wanted !== undefined && two) setAgainst(wanted);
    showOverview(target);
  }
}

// The index of a folder sends a run's address on to its page.
function elsewhere(id) {
  const stem = (id || "").replace(/(-call-[0-9]+|-other)?-step-[0-9]+$/, "");
  const run = byId.get(id) || byId.get(stem);
  return run && run.page ? `${run.page}#${id}` : "";
}

function neighbour(by) {
  const here = shown.filter((run) => run.page === "");
  const place = here.findIndex((run) => open && run.id === open.id);
  return here[Math.min(Math.max(place + by, 0), here.length - 1)];
}

function visit(id) {
  history.replaceState(null, "", `#${id}`);
  route();
}

function moveStep(by) {
  const steps = stepsOf(open);
  const place = steps.indexOf(currentStep(open));
  const next = steps[place < 0 ? (by > 0 ? 0 : -1) : Math.min(Math.max(place + by, 0), steps.length - 1)];
  if (next) visit(next.id);
}

function moveMistake() {
  const steps = stepsOf(open);
  const here = steps.indexOf(currentStep(open));
  const mistakes = mistakesOf(open);
  const next = mistakes.find((step) => steps.indexOf(step) > here) || mistakes[0];
  if (next) visit(next.id);
}

function fill(details) {
  const file = $(details.dataset.file);
  if (details.open && file && !details.querySelector("pre"))
    details.replaceChildren(details.firstElementChild, file.querySelector("pre").cloneNode(true));
}

for (const article of articles) {
  article.querySelector(".only").addEventListener("change", (event) => showOnly(article, event.target.value));
  article.querySelector(".other").addEventListener("change", (event) => {
    if (event.target.value) location.hash = `${article.id}/${event.target.value}`;
    event.target.value = "";
  });
}
for (const details of document.querySelectorAll("details[data-file]"))
  details.addEventListener("toggle", () => fill(details));
