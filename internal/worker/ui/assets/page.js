(function () {
  "use strict";
  var rows = Array.prototype.slice.call(document.querySelectorAll("a.row"));

  function step(by) {
    if (rows.length === 0) { return; }
    var at = rows.indexOf(document.activeElement);
    rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))].focus();
  }

  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) { return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      if (e.key === "Escape") { e.target.blur(); }
      return;
    }
    var q = document.getElementById("q"), button = document.querySelector('button[data-key="' + (/^[wf]$/.test(e.key) ? e.key : "") + '"]');
    if (e.key === "/" && q) { e.preventDefault(); q.focus(); }
    if (e.key === "j") { step(1); }
    if (e.key === "k") { step(-1); }
    if (e.key === "u") { document.querySelector('nav a[href="/incidents"]').click(); }
    if (button && !e.repeat) { button.click(); }
  });
})();
