// What the page holds: facts, items and passages, and the questions that are asked about them.

let facts, labels, items, runs, passages;

const held = {};

/** The JSON of a block, unpacked once: it is compressed by gzip, in base64. */
function unpacked(id) {
  held[id] ??= (async () => {
    const text = document.getElementById(`held-${id}`).textContent;
    const bytes = Uint8Array.fromBase64
      ? Uint8Array.fromBase64(text)
      : Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  })();
  return held[id];
}

/** Reads the items, which come as lists to save room, as records. */
async function readItems() {
  if (items) return;
  const read = await unpacked("items");
  items = read.items.map(
    ([key, turn, turns, repeat, row, col, lang, question, golden, evidence, earlier]) => ({
      key, turn, turns, repeat, row, col, lang, question, golden, evidence, earlier,
    }),
  );
  runs = read.runs.map(({ answers, values, reasons }) => ({
    values,
    reasons,
    answers: answers.map(
      (one) => one && { state: one[0], text: one[1], error: one[2], passages: one[3] },
    ),
  }));
}

async function readPassages() {
  passages ??= await unpacked("passages");
}

const metricNumber = (id) => facts.metrics.findIndex((metric) => metric.id === id);
const runNumber = (name) => facts.runs.findIndex((run) => run.name === name);

/** The value of an item: a number, the state that says why there is none, or null. */
function valueOf(run, metric, item) {
  return runs[run].values[metric]?.[item] ?? null;
}

/** A value as it is shown: `1/2` on a scale of steps, `.71`, `76`; or its state in words. */
function valueText(metric, value) {
  if (value === null) return "–";
  if (typeof value === "string") return labels.states[value] ?? value;
  if (metric.has_steps) return `${+(value * metric.maximum).toFixed(2)}/${metric.maximum}`;
  if (metric.maximum === null) return String(+value.toFixed(1));
  return value.toFixed(2).replace(/^0\./, ".");
}

/** The text of a passage; empty where the page holds none. */
function passageText(place) {
  const [, text, start, end] = passages.places[place];
  return text === null ? "" : passages.texts[text].slice(start, end);
}

const folded = (text) => text.normalize("NFKC").toLowerCase();

const texts = new Map();

/** All that is searched of an item and a run's answer to it, folded. */
function searchText(run, item, withPassages) {
  const name = `${run} ${item} ${withPassages}`;
  if (!texts.has(name)) {
    const { key, question, golden, evidence } = items[item];
    const answer = runs[run].answers[item];
    const reasons = runs[run].reasons.map((by) => by[item] ?? "");
    const parts = [key, question, ...golden, ...evidence.flat(), answer?.text ?? "", ...reasons];
    if (withPassages) {
      for (const [place] of answer?.passages ?? []) {
        parts.push(passages.names[passages.places[place][0]], passageText(place));
      }
    }
    texts.set(name, folded(parts.join("\n")));
  }
  return texts.get(name);
}

/** The places of the items that fit what is asked, in the order that is asked for. */
function selected(asked) {
  const run = runNumber(asked.run), other = asked.with ? runNumber(asked.with) : -1;
  const metric = metricNumber(asked.metric);
  const row = facts.rows.keys.indexOf(asked.row), col = facts.cols.keys.indexOf(asked.col);
  const from = asked.from === "" ? -Infinity : Number(asked.from);
  const to = asked.to === "" ? Infinity : Number(asked.to);
  const hasRange = asked.from !== "" || asked.to !== "";
  const words = folded(asked.q).split(/\s+/).filter(Boolean);
  const places = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at], answer = runs[run].answers[at], value = valueOf(run, metric, at);
    if (!answer || (asked.row && item.row !== row) || (asked.col && item.col !== col)) continue;
    if (other >= 0 && typeof valueOf(other, metric, at) !== "number") continue;
    if (other >= 0 && typeof value !== "number") continue;
    if (asked.state && !hasState(asked.state, answer, value)) continue;
    if (hasRange && !(typeof value === "number" && value >= from && value <= to)) continue;
    if (words.length) {
      const text = searchText(run, at, asked.passages === "1");
      if (!words.every((word) => text.includes(word))) continue;
    }
    places.push(at);
  }
  return inOrder(places, asked, run, other, metric);
}

function hasState(state, answer, value) {
  if (state === "ok") return typeof value === "number";
  return answer.state === state || value === state;
}

/** The largest difference of two runs first; of one run the worst or the best value. What has no
value comes last. */
function inOrder(places, asked, run, other, metric) {
  const best = facts.metrics[metric].higher_is_better;
  if (asked.order === "dataset" || (best === null && other < 0)) return places;
  const isRising = other < 0 && (best === true) !== (asked.order === "best");
  const figure = (at) => {
    const value = valueOf(run, metric, at);
    if (typeof value !== "number") return null;
    return other < 0 ? value : Math.abs(value - valueOf(other, metric, at));
  };
  const figures = new Map(places.map((at) => [at, figure(at)]));
  return places.sort((one, two) => {
    const a = figures.get(one), b = figures.get(two);
    if (a === null || b === null) return (a === null) - (b === null) || one - two;
    return (isRising ? a - b : b - a) || one - two;
  });
}
