// A run that goes on: what is new is added below what is there, and the page is loaded anew when the run has ended.
const growing = document.querySelector("article.run.running");
// The page of one run shows it at once.
if (!location.hash && articles.length === 1) history.replaceState(null, "", `#${articles[0].id}`);

function turnsOf(article) {
  return [...article.querySelectorAll(":scope > .turn, :scope > .hint")];
}

// The turns as they were sent: what is the same stays as it is on the page, with what a reader opened.
let sent = growing ? turnsOf(growing).map((turn) => turn.outerHTML) : [];

function grow(more) {
  if (!more.running) { location.reload(); return; }
  const fresh = new DOMParser().parseFromString(more.article, "text/html").querySelector("article");
  const now = turnsOf(fresh);
  const texts = now.map((turn) => turn.outerHTML);
  const same = sent.findIndex((text, place) => text !== texts[place]);
  const from = same < 0 ? sent.length : same;
  const atEnd = innerHeight + scrollY >= document.body.scrollHeight - 40;
  for (const turn of turnsOf(growing).slice(from)) turn.remove();
  growing.querySelector(".after").before(...now.slice(from));
  sent = texts;
  const picture = fresh.querySelector("figure.picture");
  if (picture) {
    const shown = growing.querySelector("figure.picture");
    if (shown) shown.replaceWith(picture);
    else growing.querySelector(".turn").before(picture);
    whenFirst(picture);
  }
  const strip = growing.querySelector(".strip");
  if (strip) { strip.replaceChildren(); drawStrip(growing); }
  else if (fresh.querySelector(".strip")) { growing.querySelector(".run-tools").before(fresh.querySelector(".strip")); drawStrip(growing); }
  if (atEnd) scrollTo(0, document.body.scrollHeight);
}

async function watch() {
  try {
    const answer = document.hidden ? null : await fetch(`${location.pathname}?size=${data.size}`);
    if (answer && answer.status === 200) {
      const more = await answer.json();
      data.size = more.size;
      grow(more);
    }
  } catch { $("where").textContent = "The viewer has ended."; }
  setTimeout(watch, 1000);
}

if (growing) watch();
