// Plays the traces of a page: every figure.picture holds its elements once, and for each state those that change.
function playTrace(figure) {
  const data = JSON.parse(figure.dataset.trace);
  const [svg, caption, output] = ["svg.pic", "figcaption", "output"].map((name) => figure.querySelector(name));
  const [back, play, next] = figure.querySelectorAll("button");
  const slider = figure.querySelector("input");
  const goals = figure.querySelectorAll(".pic-goals li");
  const last = data.frames.length - 1;
  const states = [];
  let timer = 0;

  // The elements of a state, in the order in which they are painted.
  const elementsOf = (number) => {
    while (states.length <= number) {
      const on = new Set(states.length ? states[states.length - 1] : []);
      const frame = data.frames[states.length];
      for (const each of frame.off) on.delete(each);
      for (const each of frame.on) on.add(each);
      states.push([...on].sort((one, other) => one - other));
    }
    return states[number];
  };

  const show = (wanted) => {
    const number = Math.max(0, Math.min(last, wanted));
    const parts = elementsOf(number).map((each) => {
      const [markup, x, y] = data.elements[each];
      return x || y ? `<g transform="translate(${x} ${y})">${data.markups[markup]}</g>` : data.markups[markup];
    });
    // The markup is ours, and its texts were escaped when it was made.
    svg.innerHTML = `<rect class="bg" width="100%" height="100%"/>${parts.join("")}`;
    svg.setAttribute("aria-label", data.frames[number].is);
    caption.textContent = data.frames[number].is;
    goals.forEach((goal, place) => goal.classList.toggle("met", data.met[number][place] === "1"));
    figure.dataset.shown = number;
    if (slider) {
      slider.value = number;
      output.textContent = `${number} of ${last}`;
      back.disabled = number === 0;
      next.disabled = number === last;
    }
  };

  const shown = () => Number(figure.dataset.shown);
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "▶ play";
    play.setAttribute("aria-label", "play");
  };
  if (slider) {
    slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
    back.addEventListener("click", () => { stop(); show(shown() - 1); });
    next.addEventListener("click", () => { stop(); show(shown() + 1); });
    play.addEventListener("click", () => {
      if (timer) { stop(); return; }
      if (shown() === last) show(0);
      play.textContent = "❚❚ pause";
      play.setAttribute("aria-label", "pause");
      timer = setInterval(() => { show(shown() + 1); if (shown() === last) stop(); }, 900);
    });
  }
  // A page asks for the state of one of its steps: figure.dispatchEvent(new CustomEvent("step", { detail: 3 })).
  figure.addEventListener("step", (event) => {
    if (event.detail in data.steps) { if (slider) stop(); show(data.steps[event.detail]); }
  });
  show(shown());
}

// A page may have hundreds of traces: each starts when it comes into view, or when its page asks for a step.
function whenFirst(figure, event) {
  if (figure.dataset.plays) return;
  figure.dataset.plays = "yes";
  playTrace(figure);
  if (event) figure.dispatchEvent(new CustomEvent("step", { detail: event.detail }));
}
const traces = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) { traces.unobserve(entry.target); whenFirst(entry.target); }
});
for (const figure of document.querySelectorAll("figure.picture")) {
  figure.addEventListener("step", (event) => whenFirst(figure, event), { once: true });
  traces.observe(figure);
}
