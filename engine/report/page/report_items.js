// The list of items, and one item with its answers, scores, reasons and passages.

const MORE = 100;

/** A new element; strings among the children become text, never markup. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== ""));
  return made;
}

/** A text with its braces filled in: `{}` in order, or `{name}`. */
function filled(text, values) {
  const rest = Array.isArray(values) ? [...values] : [];
  return text.replace(/\{(\w*)\}/g, (_, name) => (name ? values[name] : rest.shift()));
}

const count = (number) => number.toLocaleString("en");

function chip(metric, value) {
  const shade = typeof value === "number" && metric.maximum !== null
    ? `h${Math.round(Math.min(Math.max(value, 0), 1) * 20)}` : "plain";
  return el("span", { class: `chip ${shade}` }, valueText(metric, value));
}

/** Shows the items that fit; `more` of them at once. */
function showList(section, asked, more = MORE) {
  const places = selected(asked), metric = facts.metrics[metricNumber(asked.metric)];
  const runsShown = [asked.run, ...(asked.with ? [asked.with] : [])];
  const found = filled(labels.found, { n: count(places.length), all: count(items.length) });
  const body = places.slice(0, more).map((at) => listLine(at, runsShown, metric, asked));
  const heads = runsShown.flatMap((run, number) => {
    const letter = runsShown.length > 1 ? `${"AB"[number]} ` : "";
    return [[`${letter}${labels.value}`, "value"], [`${letter}${labels.answer}`, "answer"]];
  });
  // values first, then the question, then the answers
  const order = [...heads.filter(([, kind]) => kind === "value"), [labels.question, "question"],
    ...heads.filter(([, kind]) => kind === "answer"), [facts.axes.join(" / "), "place"]];
  const table = el("table", { class: "items" },
    el("caption", { class: "unseen" }, `${asked.metric} · ${runsShown.join(" · ")}`),
    el("thead", {}, el("tr", {}, order.map(([text, kind]) =>
      el("th", { scope: "col", class: kind }, text)))),
    el("tbody", {}, body));
  const button = el("button", { type: "button" },
    filled(labels.more, [count(Math.min(MORE, places.length - more))]));
  button.addEventListener("click", () => showList(section, asked, more + MORE));
  section.replaceChildren(
    el("p", { class: "about", role: "status" },
      `${runsShown.map((run, number) => (asked.with ? `${"AB"[number]} ${run}` : run)).join(" · ")}`
      + ` · ${asked.metric} · ${found}`),
    places.length ? table : el("p", {}, labels.none_found),
    ...(places.length > more ? [button] : []));
}

function listLine(at, runsShown, metric, asked) {
  const item = items[at], number = metricNumber(metric.id);
  const values = runsShown.map((run) =>
    el("td", { class: "value" }, chip(metric, valueOf(runNumber(run), number, at))));
  const answers = runsShown.map((run) =>
    el("td", { class: "answer", dir: "auto" }, shortAnswer(runs[runNumber(run)].answers[at])));
  const turn = item.turns > 1 ? ` ${filled(labels.turn, { n: item.turn + 1, all: item.turns })}` : "";
  return el("tr", {}, values,
    el("th", { scope: "row", class: "question", dir: "auto" },
      el("a", { href: link({ ...asked, view: "item", item: at }) }, item.question || item.key),
      el("span", { class: "about" }, turn)),
    answers,
    el("td", { class: "place" }, `${facts.rows.labels[item.row]} / ${facts.cols.labels[item.col]}`));
}

function shortAnswer(answer) {
  if (!answer) return "–";
  if (answer.state === "pending") return labels.states.pending;
  if (answer.state === "failed") return answer.error ?? labels.states.failed;
  const text = (answer.text ?? "").replace(/\s+/g, " ");
  return [...text].length > 160 ? `${[...text].slice(0, 160).join("")} …` : text;
}

/** Shows one item, the chosen runs first and open. */
function showItem(section, asked) {
  const at = Number(asked.item), item = items[at];
  const back = { ...asked, view: "items", item: "" };
  if (!item) {
    section.replaceChildren(el("p", {}, labels.none_found), el("a", { href: link(back) }, labels.back));
    return;
  }
  const places = selected(asked), here = places.indexOf(at);
  const step = (by, text) => places[here + by] === undefined || here < 0 ? null
    : el("a", { href: link({ ...asked, item: places[here + by] }), class: "step" }, text);
  const chosen = [asked.run, ...(asked.with ? [asked.with] : [])].map(runNumber);
  const rest = facts.runs.map((_, run) => run)
    .filter((run) => !chosen.includes(run) && runs[run].answers[at]);
  const about = [item.key, facts.rows.labels[item.row], facts.cols.labels[item.col]];
  if (item.turns > 1) about.push(filled(labels.turn, { n: item.turn + 1, all: item.turns }));
  if (item.repeat) about.push(filled(labels.repeat, [item.repeat + 1]));
  section.replaceChildren(
    el("nav", { class: "steps", "aria-label": labels.items },
      el("a", { href: link(back) }, `← ${labels.back}`),
      el("span", { class: "about" }, here < 0 ? ""
        : filled(labels.place, { n: count(here + 1), all: count(places.length) })),
      step(-1, labels.previous), step(1, labels.next)),
    el("p", { class: "about" }, about.join(" · ")),
    ...earlier(item),
    el("h2", { class: "asked", dir: "auto", lang: item.lang }, item.question),
    gold(item),
    el("div", { class: chosen.length > 1 ? "cards beside" : "cards" },
      chosen.map((run) => card(run, at, true))),
    ...rest.map((run) => card(run, at, false)));
}

function earlier(item) {
  if (!item.earlier.length) return [];
  const turns = item.earlier.flatMap(([question, answer]) => [
    el("dt", { dir: "auto" }, question), el("dd", { dir: "auto" }, answer || "–")]);
  return [el("details", { class: "earlier" }, el("summary", {}, labels.earlier), el("dl", {}, turns))];
}

function gold(item) {
  const forms = item.golden.length ? item.golden : [labels.no_golden];
  const quotes = item.evidence.map(([name, quote]) => el("li", {},
    el("span", { class: "about" }, quote ? `${name}: ` : `${name} (${labels.whole_document})`),
    el("q", { dir: "auto", hidden: !quote }, quote)));
  return el("dl", { class: "gold", lang: item.lang },
    el("dt", {}, labels.golden),
    el("dd", { dir: "auto" }, forms.map((form) => el("p", {}, form))),
    el("dt", {}, labels.evidence),
    el("dd", {}, quotes.length ? el("ol", {}, quotes) : labels.no_evidence));
}

/** The answer of a run with its scores and passages. */
function card(run, at, isOpen) {
  const answer = runs[run].answers[at];
  const name = facts.runs[run].name;
  if (!answer) return el("article", {}, el("h3", {}, name), el("p", {}, "–"));
  const metric = metricNumber(asking().metric);
  const head = [el("strong", {}, name), " ",
    chip(facts.metrics[metric], valueOf(run, metric, at)), " ",
    el("span", { class: "about" }, asking().metric)];
  const parts = el("div", { class: "parts" },
    el("div", {}, answerText(answer, items[at]), scores(run, at)),
    el("div", {}, passageList(answer, items[at])));
  if (isOpen) return el("article", {}, el("h3", {}, head), parts);
  return el("details", { class: "run" }, el("summary", {}, head), parts);
}

function answerText(answer, item) {
  const state = answer.state === "answered" ? null
    : el("p", { class: "warning" }, labels.states[answer.state] + (answer.error ? `: ${answer.error}` : ""));
  const text = answer.state === "failed" || answer.state === "pending" ? null
    : el("p", { class: "said", dir: "auto", lang: item.lang },
      answer.text ? marked(answer.text, item.golden, []) : labels.no_answer);
  return el("div", {}, state, text);
}

/** Scores with their reasons first, then the others in a row; a reason of many stands once. */
function scores(run, at) {
  const groups = new Map(), plain = [], excuses = new Map();
  facts.metrics.forEach((metric, number) => {
    const value = valueOf(run, number, at), reason = runs[run].reasons[number]?.[at] ?? "";
    if (value === null) return;
    if (reason && typeof value === "number") {
      const name = labels.groups[metric.group] ?? metric.group;
      groups.set(name, [...(groups.get(name) ?? []), el("tr", {},
        el("th", { scope: "row" }, metric.name),
        el("td", { class: "value" }, chip(metric, value)), el("td", { dir: "auto" }, reason))]);
      return;
    }
    plain.push(el("li", {}, el("span", {}, metric.id), " ", valueText(metric, value)));
    if (reason) excuses.set(reason, valueText(metric, value));
  });
  const table = groups.size ? [el("table", { class: "reasons" },
    el("caption", { class: "unseen" }, labels.score),
    [...groups].map(([name, lines]) => el("tbody", {},
      el("tr", {}, el("th", { scope: "rowgroup", colspan: 3, class: "group" }, name)), lines)))] : [];
  const notes = [...excuses].map(([reason, state]) =>
    el("p", { class: "about", dir: "auto" }, `${state}: ${reason}`));
  return [el("h4", {}, labels.score), ...table,
    ...(plain.length ? [el("ul", { class: "scores" }, plain)] : []), ...notes];
}

function passageList(answer, item) {
  const head = el("h4", {}, labels.passages);
  if (!answer.passages) return [head, el("p", { class: "about" }, labels.no_retrieval)];
  if (!answer.passages.length) return [head, el("p", { class: "about" }, labels.nothing_retrieved)];
  const quotes = item.evidence.map(([, quote]) => quote);
  const list = answer.passages.map(([place, score, holds], rank) => {
    const [name, text, , , isCut] = passages.places[place];
    const about = [el("span", { class: "rank" }, String(rank + 1)), " ",
      el("span", { dir: "auto" }, passages.names[name]), " ",
      el("span", { class: "about" }, `${labels.retrieval_score} ${+score.toPrecision(3)}`),
      holds.length ? el("span", { class: "holds" },
        ` ✓ ${filled(labels.holds, [holds.map((one) => one + 1).join(", ")])}`) : null];
    if (text === null) return el("li", {}, el("p", {}, about));
    return el("li", {}, el("details", { open: rank === 0 || holds.length > 0 },
      el("summary", {}, about),
      el("p", { class: "passage", dir: "auto" }, marked(passageText(place), item.golden, quotes),
        isCut ? el("span", { class: "about" }, ` … ${labels.cut}`) : null)));
  });
  return [head,
    ...(facts.has_passages ? [] : [el("p", { class: "about" }, labels.without_text)]),
    ...(facts.note ? [el("p", { class: "about" }, facts.note)] : []),
    el("ol", { class: "passages" }, list)];
}

/** The text in pieces, with the golden answers and the evidence that stand in it marked. */
function marked(text, golden, quotes) {
  const spans = [
    ...quotes.filter(Boolean).flatMap((quote) => occurrences(text, quote, "evidence")),
    ...golden.filter((form) => form.length > 1).flatMap((form) => occurrences(text, form, "golden"))];
  const cuts = [...new Set([0, text.length, ...spans.flatMap(([start, end]) => [start, end])])]
    .sort((a, b) => a - b);
  return cuts.slice(1).map((end, number) => {
    const start = cuts[number];
    const kinds = new Set(spans.filter((one) => one[0] <= start && one[1] >= end).map((one) => one[2]));
    const piece = text.slice(start, end);
    return kinds.size ? el("mark", { class: [...kinds].join(" ") }, piece) : piece;
  });
}

const CLOSED = /[A-Za-z0-9]/;

/** Where a text stands in another, not within a number or a word of Latin letters. */
function occurrences(text, part, kind) {
  const found = [];
  for (let at = text.indexOf(part); at >= 0 && found.length < 50; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    const isWithin = (CLOSED.test(part[0]) && CLOSED.test(text[at - 1] ?? " "))
      || (CLOSED.test(part.at(-1)) && CLOSED.test(text[end] ?? " "));
    if (!isWithin) found.push([at, end, kind]);
  }
  return found;
}
