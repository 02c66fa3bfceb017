"use strict";

// Filters and sorts the table of capsules, and filters that of findings. The page is whole without it, so all that
// this can do stays hidden until here. It writes no text of the report anywhere: it hides rows, moves them, and says
// how many are left.

function wordsIn(search) {
  return search.value.toLowerCase().split(/\s+/).filter(Boolean);
}

function howMany(shown, all, filtered) {
  const total = all.toLocaleString("en");
  return filtered ? `${shown.toLocaleString("en")} of ${total} shown` : `${total} shown`;
}

(() => {
  const table = document.querySelector("table.capsules");
  const filters = document.querySelector(".filters");
  if (!table) return;

  const rows = Array.from(table.tBodies, (body, place) => ({
    body,
    place,
    verdict: body.dataset.verdict,
    marks: (body.dataset.marks ?? "").split(" "),
    repository: body.dataset.repository ?? "",
    days: Number(body.dataset.days ?? -1),
    name: null,
    words: null,
  }));

  const boxes = Array.from(filters.querySelectorAll("input[type=checkbox]"));
  const verdicts = boxes.filter((box) => box.name === "verdict").map((box) => box.value);
  const search = filters.querySelector("[name=words]");
  const repositories = filters.querySelector("[name=repository]");
  const all = filters.querySelector("button");
  const said = filters.querySelector("output");

  // What a row is searched for: all that it shows, and its file. Read once, when somebody first searches.
  function wordsOf(row) {
    row.words ??= `${row.body.rows[0].textContent}\n${row.body.dataset.path}`.toLowerCase();
    return row.words;
  }

  function nameOf(row) {
    row.name ??= row.body.querySelector("code").textContent;
    return row.name;
  }

  function checked(name) {
    return boxes.filter((box) => box.name === name && box.checked).map((box) => box.value);
  }

  function filter() {
    const words = wordsIn(search);
    const anyVerdict = checked("verdict");
    const everyMark = checked("mark");
    const repository = repositories?.value ?? "";
    let shown = 0;
    for (const row of rows) {
      const fits =
        (!anyVerdict.length || anyVerdict.includes(row.verdict)) &&
        everyMark.every((mark) => row.marks.includes(mark)) &&
        (!repository || row.repository === repository) &&
        words.every((word) => wordsOf(row).includes(word));
      if (row.body.hidden === fits) row.body.hidden = !fits;
      if (fits) shown += 1;
    }
    const filtered = words.length || anyVerdict.length || everyMark.length || repository;
    all.disabled = !filtered;
    said.textContent = howMany(shown, rows.length, filtered);
  }

  function showAll() {
    search.value = "";
    for (const box of boxes) box.checked = false;
    if (repositories) repositories.value = "";
    filter();
  }

  // Which of two rows comes first: `way` is 1 for ascending and -1 for descending. Rows that are alike keep the
  // page's order, and a row without an age comes behind those that have one.
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const orders = {
    capsule: (a, b, way) => way * compare(nameOf(a), nameOf(b)),
    repository: (a, b, way) => way * compare(a.repository, b.repository),
    verdict: (a, b, way) => way * (verdicts.indexOf(b.verdict) - verdicts.indexOf(a.verdict)),
    age: (a, b, way) => (a.days < 0) - (b.days < 0) || way * (a.days - b.days),
  };
  const ways = { ascending: 1, descending: -1 };
  const first = { capsule: "ascending", repository: "ascending", verdict: "descending", age: "descending" };

  function sort(head) {
    const by = head.dataset.sort;
    const before = head.getAttribute("aria-sort");
    const now = before ? (before === "ascending" ? "descending" : "ascending") : first[by];
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", now);
    rows.sort((a, b) => orders[by](a, b, ways[now]) || a.place - b.place);
    // Out of the page meanwhile: to move ten thousand rows within it takes some orders many seconds.
    const focused = document.activeElement;
    const behind = table.nextSibling;
    table.remove();
    for (const row of rows) table.append(row.body);
    behind.before(table);
    focused.focus({ preventScroll: true });
  }

  function addSorting(head) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }

  // A link to a capsule shows it, whatever the filter hides, and unfolds it.
  function follow() {
    const body = document.getElementById(location.hash.slice(1));
    if (!body?.matches("table.capsules > tbody")) return;
    if (body.hidden) showAll();
    body.querySelector("details").open = true;
    body.scrollIntoView();
  }

  for (const hidden of filters.querySelectorAll("[hidden]")) hidden.hidden = false;
  for (const head of table.querySelectorAll("[data-sort]")) addSorting(head);
  // What a change did comes first where it is known, so that the rows may begin in no column's order.
  const byVerdict = (a, b) => orders.verdict(a, b, ways.descending);
  if (rows.every((row, place) => !place || byVerdict(rows[place - 1], row) <= 0)) {
    table.querySelector("[data-sort=verdict]").setAttribute("aria-sort", "descending");
  }
  filters.addEventListener("input", filter);
  all.addEventListener("click", () => {
    showAll();
    search.focus();
  });
  addEventListener("hashchange", follow);
  // A browser that comes back to the page fills the filters in again.
  addEventListener("pageshow", filter);
  filter();
  follow();
})();

(() => {
  const table = document.querySelector("table.findings");
  if (!table) return;

  const narrowing = document.querySelector(".ledgers .narrowing");
  const search = narrowing.querySelector("input");
  const said = narrowing.querySelector("output");
  const rows = Array.from(table.tBodies[0].rows, (row) => ({ row, words: row.textContent.toLowerCase() }));

  function filter() {
    const words = wordsIn(search);
    let shown = 0;
    for (const { row, words: own } of rows) {
      row.hidden = !words.every((word) => own.includes(word));
      if (!row.hidden) shown += 1;
    }
    said.textContent = howMany(shown, rows.length, words.length);
  }

  narrowing.hidden = false;
  narrowing.addEventListener("input", filter);
  addEventListener("pageshow", filter);
  filter();
})();
