// The views of the page, which the part of its address behind # names, and their controls.

const DEFAULTS = {
  view: "board", run: "", metric: "", with: "", row: "", col: "", state: "", from: "", to: "",
  q: "", passages: "", order: "", item: "", theme: "",
};
const VIEWS = ["board", "map", "compare", "items"];
const THEMES = ["", "light", "dark"];

document.documentElement.classList.add("scripted");
document.addEventListener("DOMContentLoaded", start);

/** What the address asks for; what is not named, or not there, is the first one. */
function asking() {
  const given = new URLSearchParams(location.hash.slice(1));
  const asked = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) asked[name] = given.get(name) ?? "";
  if (![...VIEWS, "item"].includes(asked.view)) asked.view = "board";
  if (runNumber(asked.run) < 0) asked.run = facts.runs[0].name;
  if (metricNumber(asked.metric) < 0) asked.metric = facts.first;
  if (asked.with === asked.run || runNumber(asked.with) < 0) asked.with = "";
  if (asked.view === "compare" && !asked.with) {
    asked.with = facts.runs.find((run) => run.name !== asked.run)?.name ?? "";
  }
  return asked;
}

/** The address of what is asked for, without what goes without saying. */
function link(asked) {
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (String(value) !== "" && !(name === "view" && value === "board")) named.set(name, value);
  }
  return `#${named}`;
}

function go(changes) {
  location.hash = link({ ...asking(), ...changes });
}

/** As `go`, without a step in the history: for what is typed. */
function put(changes) {
  location.replace(link({ ...asking(), ...changes }));
}

const sections = new Map();
const reached = new Map();
let shownAddress = null, shownView = null;

function start() {
  facts = JSON.parse(document.getElementById("held-facts").textContent);
  labels = facts.labels;
  for (const section of document.querySelectorAll("section[data-view]")) {
    const { view, run = "", with: other = "", metric = "" } = section.dataset;
    sections.set([view, run, other, metric].join("\n"), section);
  }
  addEventListener("hashchange", show);
  document.getElementById("main").addEventListener("keydown", moveInTable);
  show();
}

async function show() {
  const asked = asking();
  const address = location.hash;
  reached.set(shownAddress, scrollY);
  document.documentElement.dataset.theme = asked.theme;
  showControls(asked);
  try {
    await readFor(asked);
    // somebody went on while the items were unpacked
    if (location.hash !== address) return;
    showView(asked);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    message(labels.cannot);
  }
  if (asked.view !== shownView && shownView !== null) document.getElementById("main").focus();
  if (asked.view !== shownView || asked.view === "item") scrollTo(0, reached.get(location.hash) ?? 0);
  shownAddress = location.hash;
  shownView = asked.view;
  document.documentElement.dataset.ready = asked.view;
}

/** Unpacks what a view needs. */
async function readFor({ view, passages: withPassages }) {
  if (view !== "items" && view !== "item") return;
  if (!items) message(labels.loading);
  await readItems();
  if (view === "item" || withPassages === "1") await readPassages();
}

function showView(asked) {
  const wanted = {
    board: [["board", "", "", asked.metric], ["overview", "", "", ""]],
    map: [["map", asked.run, "", asked.metric]],
    compare: [["compare", asked.run, asked.with, asked.metric],
      ["compare", asked.with, asked.run, asked.metric]],
    items: [["items", "", "", ""]],
    item: [["item", "", "", ""]],
  }[asked.view].map((names) => sections.get(names.join("\n"))).filter(Boolean);
  if (asked.view === "items" || asked.view === "item") {
    (asked.view === "item" ? showItem : showList)(wanted[0], asked);
  }
  wanted.forEach(enliven);
  for (const section of sections.values()) section.classList.toggle("shown", wanted.includes(section));
  message(wanted.length ? "" : facts.pairs || labels.not_compared);
}

function message(text) {
  let line = document.getElementById("message");
  if (!line) {
    line = el("p", { id: "message", role: "status" });
    document.getElementById("main").prepend(line);
  }
  line.textContent = text;
  line.hidden = !text;
}

// Links in the tables

/** Makes the cells of a table lead to what they stand for, once. */
function enliven(section) {
  if (section.dataset.lives || section.dataset.view.startsWith("item")) return;
  section.dataset.lives = "1";
  const { view, run, metric } = section.dataset;
  if (view === "board" || view === "overview") {
    for (const head of section.querySelectorAll("tbody th[data-run]")) {
      wrap(head, { view: "map", run: head.dataset.run, metric });
    }
    for (const line of section.querySelectorAll("tr[data-metric]")) {
      const names = [...section.querySelectorAll("thead th[data-run]")].map((head) => head.dataset.run);
      wrap(line.querySelector("th"), { view: "board", metric: line.dataset.metric });
      line.querySelectorAll("td").forEach((cell, at) => {
        if (!cell.classList.contains("blank")) {
          wrap(cell, { view: "map", run: names[at], metric: line.dataset.metric });
        }
      });
    }
    return;
  }
  const keys = [...section.querySelectorAll("thead th")].map((head) => head.dataset.key ?? "");
  for (const line of section.querySelectorAll(".heat tbody tr, .heat tfoot tr")) {
    const head = line.querySelector("th");
    line.querySelectorAll("td").forEach((cell, at) => {
      if (cell.classList.contains("blank")) return;
      const column = section.querySelectorAll("thead th")[at].textContent;
      const asked = { view: "items", run, with: section.dataset.with ?? "", metric };
      const made = wrap(cell, { ...asked, row: head.dataset.key ?? "", col: keys[at] });
      made.setAttribute("aria-label", [head.textContent, column,
        [...made.childNodes].map((node) => node.textContent).join(" n "), cell.title].join(", "));
    });
  }
}

function wrap(cell, asked) {
  const made = el("a", { class: "cell", href: link({ ...asked, theme: asking().theme }) });
  made.append(...cell.childNodes);
  cell.append(made);
  return made;
}

/** Arrow keys go from cell to cell of a table. */
function moveInTable(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const cell = event.target.closest?.(".heat td");
  if (!step || !cell) return;
  const lines = [...cell.closest("table").querySelectorAll("tbody tr, tfoot tr")];
  let line = lines.indexOf(cell.parentElement), column = cell.cellIndex;
  do {
    line += step[0];
    column += step[1];
  } while (lines[line]?.cells[column] && !lines[line].cells[column].querySelector("a"));
  const target = lines[line]?.cells[column]?.querySelector("a");
  if (target) {
    target.focus();
    event.preventDefault();
  }
}

// Controls

let controlsFor = null;

function showControls(asked) {
  const nav = document.getElementById("views");
  const kept = { metric: asked.metric, run: asked.run, theme: asked.theme };
  const names = [labels.leaderboard, labels.map, labels.compare, labels.items];
  const current = asked.view === "item" ? "items" : asked.view;
  nav.replaceChildren(
    ...VIEWS.map((view, at) => view === "compare" && facts.runs.length < 2 ? null : el("a", {
      href: link({ ...kept, view, with: view === "compare" ? asked.with : "" }),
      "aria-current": view === current ? "page" : null,
    }, names[at])).filter(Boolean),
    themeButton(asked));
  const wanted = `${asked.view} ${Boolean(asked.with)}`;
  if (controlsFor !== wanted) {
    controlsFor = wanted;
    document.getElementById("choices").replaceChildren(...(asked.view === "item" ? [] : controls(asked)));
  }
  for (const input of document.querySelectorAll("#choices [name]")) {
    if (input === document.activeElement && input.type !== "checkbox") continue;
    if (input.type === "checkbox") input.checked = asked[input.name] === "1";
    else input.value = asked[input.name];
  }
}

function themeButton(asked) {
  const next = THEMES[(THEMES.indexOf(asked.theme) + 1) % THEMES.length];
  const text = `${labels.theme}: ${labels.themes[asked.theme || "auto"]}`;
  const button = el("button", { type: "button", class: "theme", title: text, "aria-label": text },
    { "": "◐", light: "○", dark: "●" }[asked.theme] ?? "◐");
  button.addEventListener("click", () => put({ theme: next }));
  return button;
}

function controls(asked) {
  const runNames = facts.runs.map((run) => [run.name, run.name]);
  const made = [choice("metric", labels.metric, metricGroups())];
  if (asked.view === "board") return made;
  made.push(choice("run", labels.run, runNames));
  if (asked.view === "map") return made;
  const others = asked.view === "items" ? [["", "–"], ...runNames] : runNames;
  if (facts.runs.length > 1) {
    made.push(choice("with", labels.other_run, others));
  }
  if (asked.view === "compare") return made;
  const axis = ({ keys, labels: names }) =>
    [["", labels.all], ...keys.map((key, at) => [key, names[at]])];
  const states = (names) => names.map((name) => [name, labels.states[name]]);
  const search = el("input", {
    type: "search", name: "q", id: "q", placeholder: labels.search_help, autocomplete: "off",
  });
  search.addEventListener("input", () => put({ q: search.value }));
  return [...made,
    choice("row", facts.axes[0], axis(facts.rows)), choice("col", facts.axes[1], axis(facts.cols)),
    choice("state", labels.state, [["", labels.any_state]], [
      [labels.answers, states(["answered", "refused", "failed", "pending"])],
      [labels.scores, states(["ok", "na", "unparsed", "out_of_range", "error", "missing"])]]),
    range("from", labels.from_value), range("to", labels.to_value),
    choice("order", labels.order, [...(asked.with ? [["", labels.largest_first]]
      : [["", labels.worst_first], ["best", labels.best_first]]), ["dataset", labels.as_asked]]),
    el("span", { class: "field wide" }, el("label", { for: "q" }, labels.search), search),
    ...(facts.has_passages ? [tick("passages", labels.in_passages)] : []),
    clearButton()];
}

function metricGroups() {
  const groups = new Map();
  for (const metric of facts.metrics) {
    const name = labels.groups[metric.group] ?? metric.group;
    groups.set(name, [...(groups.get(name) ?? []), [metric.id, metric.name]]);
  }
  return [...groups];
}

/** A labelled select; `options` are pairs of value and text, or of a group and its options. */
function choice(name, label, options, groups = []) {
  const option = ([value, text]) => el("option", { value }, text);
  const made = [...options, ...groups].map(([value, text]) => Array.isArray(text)
    ? el("optgroup", { label: value }, text.map(option)) : option([value, text]));
  const select = el("select", { name, id: name }, made);
  select.addEventListener("change", () => go({ [name]: select.value }));
  return el("span", { class: "field" }, el("label", { for: name }, label), select);
}

function range(name, label) {
  const input = el("input", { type: "number", name, id: name, step: "0.05", min: "0" });
  input.addEventListener("input", () => put({ [name]: input.value }));
  return el("span", { class: "field narrow" }, el("label", { for: name }, label), input);
}

function tick(name, label) {
  const input = el("input", { type: "checkbox", name, id: name });
  input.addEventListener("change", () => put({ [name]: input.checked ? "1" : "" }));
  return el("span", { class: "field tick" }, input, el("label", { for: name }, label));
}

function clearButton() {
  const button = el("button", { type: "button" }, labels.clear);
  button.addEventListener("click", () => {
    const { run, metric, theme } = asking();
    document.activeElement?.blur();
    location.hash = link({ view: "items", run, metric, theme });
  });
  return button;
}
