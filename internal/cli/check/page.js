(function () {
  "use strict";
  var byId = function (id) { return document.getElementById(id); };
  var rows = Array.prototype.slice.call(document.querySelectorAll("main > article"));
  var fields = ["q", "c", "d", "s", "m"];
  var all = { q: "", c: "", d: "", s: "*", m: "*" };
  var texts = [];
  var timer = 0;
  var kept = true;

  function fold(s) { return s.toLowerCase().replace(/\s+/g, " "); }

  function textOf(i) {
    if (texts[i] === undefined) { texts[i] = fold(rows[i].textContent); }
    return texts[i];
  }

  function matches(i, f) {
    var d = rows[i].dataset;
    return (f.c === "" || d.c === f.c) && (f.d === "" || d.d.split(" ").indexOf(f.d) >= 0) &&
      (f.s === "*" || d.s === f.s) && (f.m === "*" || d.m === f.m) && (f.q === "" || textOf(i).indexOf(fold(f.q)) >= 0);
  }

  function apply() {
    var f = {}, shown = 0, filtered = false, hash = [];
    fields.forEach(function (k) {
      f[k] = byId(k).value;
      if (f[k] !== all[k]) { filtered = true; hash.push(k + "=" + encodeURIComponent(f[k])); }
    });
    rows.forEach(function (row, i) {
      row.hidden = !matches(i, f);
      if (!row.hidden) { shown++; }
    });
    byId("state").textContent = shown.toLocaleString("en") + (filtered ? " of " + rows.length.toLocaleString("en") : "") + " shown";
    byId("none").hidden = shown > 0 || rows.length === 0;
    byId("reset").hidden = !filtered;
    if (filtered || /=/.test(location.hash)) { history.replaceState(null, "", "#" + hash.join("&")); }
  }

  function restore() {
    if (!/=/.test(location.hash)) { return; }
    location.hash.slice(1).split("&").forEach(function (part) {
      var at = part.indexOf("="), k = part.slice(0, at);
      if (fields.indexOf(k) < 0) { return; }
      try { byId(k).value = decodeURIComponent(part.slice(at + 1)); } catch (e) { return; }
      if (byId(k).selectedIndex === -1) { byId(k).value = all[k]; }
    });
  }

  function reset() {
    fields.forEach(function (k) { byId(k).value = all[k]; });
    apply();
  }

  function step(by) {
    var visible = rows.filter(function (r) { return !r.hidden; });
    if (visible.length === 0) { return; }
    var at = visible.indexOf(document.activeElement && document.activeElement.closest("article"));
    var next = visible[at < 0 ? 0 : Math.min(visible.length - 1, Math.max(0, at + by))];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }

  function light(e) {
    var item = e.target.closest && e.target.closest("li[data-n]");
    Array.prototype.forEach.call(document.querySelectorAll("mark.on"), function (m) { m.classList.remove("on"); });
    if (!item) { return; }
    Array.prototype.forEach.call(item.closest("article").querySelectorAll("mark[data-f]"), function (m) {
      if (m.dataset.f.split(" ").indexOf(item.dataset.n) >= 0) { m.classList.add("on"); }
    });
  }

  function pressed() { return Array.prototype.slice.call(document.querySelectorAll(".verdict [aria-pressed=true]")); }

  var key = "confab " + byId("answers").dataset.digest;

  function keep() {
    var verdicts = {};
    pressed().forEach(function (b) { verdicts[b.parentNode.dataset.incident] = b.value; });
    try { localStorage.setItem(key, JSON.stringify(verdicts)); } catch (e) { return false; }
    return true;
  }

  function recall() {
    var verdicts = {};
    try { verdicts = JSON.parse(localStorage.getItem(key)) || {}; } catch (e) { return; }
    Array.prototype.forEach.call(document.querySelectorAll(".verdict button"), function (b) {
      if (verdicts[b.parentNode.dataset.incident] === b.value) { press(b); }
    });
  }

  function judge(button) {
    press(button);
    kept = keep();
  }

  function press(button) {
    var was = button.getAttribute("aria-pressed");
    Array.prototype.forEach.call(button.parentNode.children, function (b) { b.setAttribute("aria-pressed", "false"); });
    button.setAttribute("aria-pressed", was === "true" ? "false" : "true");
    button.closest("article").classList.remove("blind");
    byId("labelled").textContent = pressed().length + " of " + rows.length + " labelled";
    byId("save").disabled = pressed().length === 0;
    byId("save").dataset.saved = "";
  }

  function cell(s) { return '"' + s.replace(/"/g, '""') + '"'; }

  function save() {
    var before = Array.prototype.slice.call(document.querySelectorAll("data.labelled"));
    var more = ["service", "model", "operation", "provider", "attributes", "occurred_at"];
    var lines = ["verdict,probability,incident_id,tenant," + more.join(",")].concat(pressed().concat(before).map(function (b) {
      var d = b.dataset.incident ? b.dataset : b.parentNode.dataset;
      var of = JSON.parse(d.of || "{}");
      return [b.value, d.probability, d.incident, cell(d.tenant)].concat(more.map(function (name) { return cell(of[name] || ""); })).join(",");
    }));
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = "labels.csv";
    link.click();
    byId("save").dataset.saved = "yes";
  }

  if (byId("save")) {
    byId("save").addEventListener("click", save);
    byId("answers").addEventListener("click", function (e) {
      var button = e.target.closest(".verdict button");
      if (button) { judge(button); }
    });
    window.addEventListener("beforeunload", function (e) { if (!kept && byId("save").dataset.saved !== "yes") { e.preventDefault(); } });
    recall();
  }

  var form = document.querySelector("form.filter");
  form.addEventListener("submit", function (e) { e.preventDefault(); });
  form.addEventListener("reset", function (e) { e.preventDefault(); reset(); });
  form.addEventListener("change", apply);
  byId("q").addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(apply, 120); });
  window.addEventListener("hashchange", function () { restore(); apply(); });
  document.addEventListener("mouseover", light);
  document.addEventListener("focusin", light);
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) { return; }
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === "Escape") { reset(); e.target.blur(); return; }
    if (typing) { return; }
    if (e.key === "/") { e.preventDefault(); byId("q").focus(); }
    if (e.key === "j") { step(1); }
    if (e.key === "k") { step(-1); }
    if (e.key === "w" || e.key === "f") {
      var row = document.activeElement && document.activeElement.closest("article");
      var verdict = row && row.querySelector('.verdict [value="' + (e.key === "w" ? "wrong" : "fine") + '"]');
      if (verdict) { judge(verdict); step(1); }
    }
  });
  restore();
  apply();
})();
