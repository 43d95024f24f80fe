// Brings a page that follows a run up to date, in those parts alone that have changed, and never under
// a finger; says so where it cannot be. It goes on trying, and so does one that could not be had at all.
"use strict";
const notice = () => document.getElementById("notice");
const say = (words) => {
  if (notice() && notice().textContent !== words) notice().textContent = words;
};
document.addEventListener("htmx:sendError", () => say("The desk does not answer. This page tries again."));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 503) say("The Temporal server does not answer. This page tries again.");
  else say("This page could not be brought up to date. It tries again.");
});

// A press whose end is never told, such as one into another window, holds a page back no longer.
const LONGEST_PRESS = 10000;
let since = -Infinity;
const pressed = () => performance.now() - since < LONGEST_PRESS;
document.addEventListener("pointerdown", () => { since = performance.now(); }, true);
for (const end of ["pointerup", "pointercancel", "dragend"]) {
  // The click comes after it, and is to find what was pressed.
  document.addEventListener(end, () => setTimeout(() => { since = -Infinity; }), true);
}

const settle = (old, fresh) => {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
};

// Makes `old` say what `fresh` says. What is the same in both stays the same element, with its focus.
const bring = (old, fresh) => {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) { old.replaceWith(fresh); return; }
  if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = fresh.nodeValue; return; }
  settle(old, fresh);
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  after.forEach((child, place) => {
    if (place < before.length) bring(before[place], child);
    else old.append(child);
  });
  before.slice(after.length).forEach((child) => child.remove());
};

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, serverResponse, xhr } = event.detail;
  if (xhr.status !== 200) return;
  say("");
  const fresh = new DOMParser().parseFromString(serverResponse, "text/html").body.firstElementChild;
  // How often it asks is htmx's to see to: where that changes, all of it is put in place.
  const asks = ["hx-get", "hx-trigger"].every((name) => fresh?.getAttribute(name) === target.getAttribute(name));
  if (!asks && !pressed()) return;
  event.detail.shouldSwap = false;
  if (asks && !pressed()) bring(target, fresh);
});
document.addEventListener("htmx:afterSwap", () => say(""));

const again = async () => {
  const answer = await fetch(location.href).catch(() => null);
  if (answer && answer.status !== 503) location.replace(location.href);
};
if (document.getElementById("away")) setInterval(again, 3000);
