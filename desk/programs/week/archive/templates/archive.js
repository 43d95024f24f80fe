"use strict";
(() => {
  const MOST = 100;
  const NEWEST = 8;
  const { weeks, markets, said } = JSON.parse(document.getElementById("said").textContent);
  const input = document.querySelector("input[name=q]");
  const found = document.getElementById("found");
  const count = document.getElementById("count");

  /* Without accents and case, and with one kind of minus sign and of space. */
  const plain = (text) =>
    text.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\u2212/g, "-").replace(/\s+/g, " ").toLowerCase();

  const entries = [
    ...markets.map(([name, bank, page, , called]) => ({
      href: page, label: bank ? `${bank} ${name}` : name, text: "across the weeks",
      hay: plain(`${name} ${name.replace("/", "")} ${bank} ${called}`),
    })),
    ...weeks.map(([week, page]) => ({ href: page, label: week, text: "the report", hay: plain(week) })),
    ...said.map(([week, market, text]) => {
      const [name, page] = weeks[week];
      const [of, bank, , place, called] = market < 0 ? ["", "", "", "", ""] : markets[market];
      return {
        href: place ? `${page}#${place}` : `${page}#week`, label: of ? `${name} ${of}` : name, text,
        hay: plain(`${name} ${of} ${of.replace("/", "")} ${bank} ${called} ${text}`),
      };
    }),
  ];

  /* The newest weeks with their first line, for a page on which nothing is typed yet. */
  const newest = weeks.slice(0, NEWEST).map(([week, page], index) => ({
    href: page, label: week, text: said.find(([of, market]) => of === index && market < 0)?.[2] ?? "the report",
  }));

  const line = ({ href, label, text }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const words = document.createElement("span");
    link.href = href;
    link.textContent = label;
    words.textContent = text;
    item.append(link, " ", words);
    return item;
  };

  const look = () => {
    const words = plain(input.value).split(" ").filter(Boolean);
    const hits = words.length ? entries.filter(({ hay }) => words.every((word) => hay.includes(word))) : newest;
    found.replaceChildren(...hits.slice(0, MOST).map(line));
    const more = hits.length > MOST ? `, the first ${MOST} of them here` : "";
    count.textContent = words.length ? `${hits.length} found${more}` : "The newest weeks, before anything is typed:";
  };

  const step = (by) => {
    const links = [...found.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + by;
    (next < 0 ? input : links[Math.min(next, links.length - 1)] ?? input).focus();
  };

  const keys = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(document.activeElement === input ? 0 : -1),
    Escape: () => { input.focus(); input.select(); },
  };
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  input.form.addEventListener("submit", (event) => { event.preventDefault(); look(); });
  input.addEventListener("input", look);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  look();
  input.focus();
})();
