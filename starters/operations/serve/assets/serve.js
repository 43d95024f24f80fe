// Says so where a page that follows a run cannot be brought up to date; it goes on trying, and so does
// one that could not be had at all.
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
document.addEventListener("htmx:afterSwap", () => say(""));

const again = async () => {
  const answer = await fetch(location.href).catch(() => null);
  if (answer && answer.status !== 503) location.replace(location.href);
};
if (document.getElementById("away")) setInterval(again, 3000);
