"use strict";
// The residency timelines, drawn on canvases: only what is in view, so that long sessions stay
// fluid. Everything that is told in words is in the page without this script.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ROW = 18, HEAD = 48, LABEL = 230, DOT = 5, WIDEST = 64;
  document.documentElement.classList.add("scripted");

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  class Timeline {
    constructor(section, session) {
      this.section = section;
      this.box = section.querySelector(".timeline");
      this.canvas = section.querySelector("canvas");
      this.here = section.querySelector(".here");
      this.session = session;
      this.turn = session.findings.length ? session.findings[0].turn : 1;
      const about = session.findings[0]?.about ?? [];
      this.row = Math.max(0, session.rows.findIndex((row) => about.includes(row.name)));
      this.width = 1; // pixels a turn
      this.byTurn = new Map();
      const at = (turn) => {
        if (!this.byTurn.has(turn)) this.byTurn.set(turn, {decisions: [], findings: []});
        return this.byTurn.get(turn);
      };
      session.decisions.forEach((d) => at(d.turn).decisions.push(d));
      session.findings.forEach((f) => at(f.turn).findings.push(f));
      this.marked = [...this.byTurn.keys()].sort((a, b) => a - b);
      this.listen();
      this.fit();
      this.tell();
    }

    listen() {
      const box = this.box;
      box.addEventListener("scroll", () => this.soon());
      box.addEventListener("pointermove", (event) => this.point(event));
      box.addEventListener("click", (event) => { this.point(event); this.open(); });
      box.addEventListener("keydown", (event) => this.key(event));
      box.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.25 : 0.8);
      }, {passive: false});
      new ResizeObserver(() => this.fit()).observe(box);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
      addEventListener("beforeprint", () => this.fit());
    }

    fit() {
      const room = Math.max(200, this.box.clientWidth - LABEL - 12);
      this.least = room / this.session.turns;
      this.width = Math.max(this.least, Math.min(this.width, WIDEST));
      if (this.least > WIDEST) this.width = WIDEST;
      this.draw();
    }

    zoom(factor) {
      const most = WIDEST;
      const before = this.x(this.turn) - this.box.scrollLeft;
      this.width = Math.min(most, Math.max(Math.min(this.least, most), this.width * factor));
      this.draw();
      this.box.scrollLeft = this.x(this.turn) - before;
    }

    x(turn) { return LABEL + (turn - 1) * this.width; }

    point(event) {
      const frame = this.canvas.getBoundingClientRect();
      const x = event.clientX - frame.left + this.box.scrollLeft;
      const y = event.clientY - frame.top + this.box.scrollTop;
      const turn = Math.floor((x - LABEL) / this.width) + 1;
      const row = Math.floor((y - HEAD) / ROW);
      this.move(Math.min(this.session.turns, Math.max(1, turn)), Math.min(this.session.rows.length - 1, Math.max(0, row)));
    }

    key(event) {
      const page = Math.max(1, Math.floor((this.box.clientWidth - LABEL) / this.width / 2));
      const next = this.marked.find((turn) => turn > this.turn);
      const last = [...this.marked].reverse().find((turn) => turn < this.turn);
      const moves = {
        ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1],
        PageDown: [page, 0], PageUp: [-page, 0], Home: [-1e9, 0], End: [1e9, 0],
        n: [(next ?? this.turn) - this.turn, 0], p: [(last ?? this.turn) - this.turn, 0],
      };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in moves) {
        const [turns, rows] = moves[event.key];
        this.move(
          Math.min(this.session.turns, Math.max(1, this.turn + turns)),
          Math.min(Math.max(0, this.session.rows.length - 1), Math.max(0, this.row + rows)),
        );
        this.reveal();
      } else if (event.key === "+" || event.key === "=") this.zoom(1.25);
      else if (event.key === "-") this.zoom(0.8);
      else if (event.key === "Enter") this.open();
      else return;
      event.preventDefault();
    }

    move(turn, row) {
      if (turn === this.turn && row === this.row) return;
      this.turn = turn;
      this.row = row;
      this.soon();
      this.tell();
    }

    reveal() {
      const x = this.x(this.turn), left = this.box.scrollLeft, wide = this.box.clientWidth;
      if (x < left + LABEL) this.box.scrollLeft = x - LABEL - 20;
      else if (x + this.width > left + wide) this.box.scrollLeft = x + this.width - wide + 20;
      const y = HEAD + this.row * ROW;
      if (y < this.box.scrollTop + HEAD) this.box.scrollTop = y - HEAD;
      else if (y + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = y + ROW - this.box.clientHeight;
    }

    open() {
      const found = this.byTurn.get(this.turn)?.findings.find((f) => document.getElementById(`f-${f.id}`));
      if (!found) return;
      document.querySelectorAll(".finding.lit").forEach((item) => item.classList.remove("lit"));
      const item = document.getElementById(`f-${found.id}`);
      item.classList.add("lit");
      item.scrollIntoView({block: "center"});
      item.focus({preventScroll: true});
    }

    soon() {
      if (this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => { this.waiting = false; this.draw(); });
    }

    draw() {
      const {box, canvas, session} = this, scale = devicePixelRatio || 1;
      const wide = box.clientWidth, high = Math.min(box.clientHeight || 480, HEAD + session.rows.length * ROW + 4);
      const whole = this.x(session.turns + 1) + 8, tall = HEAD + session.rows.length * ROW + 4;
      // The canvas covers the view; a spacer makes the box scroll as if it covered everything.
      this.spacer ??= box.appendChild(document.createElement("div"));
      this.spacer.style.cssText = `position:absolute;width:${whole}px;height:${tall}px;left:0;top:0;pointer-events:none`;
      box.style.position = "relative";
      box.style.height = `${Math.min(tall + 2, 480)}px`;
      canvas.style.cssText = `position:sticky;left:0;top:0;width:${wide}px;height:${high}px`;
      canvas.width = Math.round(wide * scale);
      canvas.height = Math.round(high * scale);
      const pen = canvas.getContext("2d");
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, wide, high);
      pen.font = `12px ${getComputedStyle(canvas).fontFamily}`;
      pen.textBaseline = "middle";
      const left = box.scrollLeft, top = box.scrollTop;
      this.columns(pen, left, wide, high);
      const first = Math.floor(top / ROW), last = Math.min(session.rows.length, first + Math.ceil(high / ROW) + 1);
      for (let n = first; n < last; n += 1) this.line(pen, session.rows[n], HEAD + n * ROW - top, left, wide, n);
      this.top(pen, left, wide);
    }

    columns(pen, left, wide, high) {
      const x = this.x(this.turn) - left;
      pen.globalAlpha = 0.14;
      pen.fillStyle = colour("cursor");
      pen.fillRect(x, 0, Math.max(2, this.width), high);
      pen.globalAlpha = 1;
    }

    line(pen, row, y, left, wide, n) {
      for (const [state, from, to] of row.intervals) {
        const x = Math.max(LABEL, this.x(from) - left), end = this.x(to + 1) - left;
        if (end < LABEL || x > wide) continue;
        this.bar(pen, state, x, y, Math.max(1.5, end - x - (this.width > 6 ? 1 : 0)));
      }
      pen.fillStyle = colour("ink");
      for (const turn of row.marks) {
        const x = this.x(turn) - left + this.width / 2;
        if (x < LABEL || x > wide) continue;
        pen.beginPath();
        pen.arc(x, y + ROW / 2, 2.5, 0, 7);
        pen.fill();
      }
      pen.fillStyle = colour("card");
      pen.fillRect(0, y, LABEL - 4, ROW);
      pen.fillStyle = n === this.row ? colour("ink") : colour("soft");
      let label = row.name;
      while (label && pen.measureText(label).width > LABEL - 18) label = label.slice(0, -2);
      pen.fillText(label === row.name ? label : `${label}…`, 6, y + ROW / 2);
    }

    bar(pen, state, x, y, width) {
      const thin = state === "withheld" || state === "evicted" || state === "unknown";
      const height = thin ? 3 : ROW - 6, up = y + (ROW - height) / 2;
      pen.fillStyle = colour(state);
      if (state === "ghost" || state === "orphaned") {
        pen.globalAlpha = 0.25;
        pen.fillRect(x, up, width, height);
        pen.globalAlpha = 1;
        pen.save();
        pen.beginPath();
        pen.rect(x, up, width, height);
        pen.clip();
        pen.strokeStyle = colour(state);
        pen.lineWidth = 1.5;
        for (let at = Math.floor(x / 6) * 6 - height; at < x + width; at += 6) {
          pen.beginPath();
          pen.moveTo(at, up + height);
          pen.lineTo(at + height, up);
          pen.stroke();
        }
        pen.restore();
      } else if (state === "tombstoned") {
        pen.strokeStyle = colour(state);
        pen.strokeRect(x + 0.5, up + 0.5, Math.max(1, width - 1), height - 1);
      } else pen.fillRect(x, up, width, height);
    }

    top(pen, left, wide) {
      pen.fillStyle = colour("card");
      pen.fillRect(0, 0, wide, HEAD);
      pen.fillStyle = colour("soft");
      pen.fillText("turn", 6, 9);
      pen.fillText("◆ pruned", 6, 24);
      pen.fillText("● finding", 6, 38);
      const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((s) => s * this.width >= 34) ?? 5000;
      const from = Math.max(1, Math.floor(left / this.width));
      const to = Math.min(this.session.turns, Math.ceil((left + wide - LABEL) / this.width) + 1);
      for (let turn = Math.ceil(from / step) * step || step; turn <= to; turn += step) {
        const x = this.x(turn) - left;
        if (x >= LABEL) pen.fillText(String(turn), x, 9);
      }
      for (const turn of this.marked) {
        const x = this.x(turn) - left + this.width / 2;
        if (x < LABEL || x > wide) continue;
        const {decisions, findings} = this.byTurn.get(turn);
        if (decisions.length) {
          pen.fillStyle = colour("soft");
          pen.beginPath();
          pen.moveTo(x, 24 - DOT); pen.lineTo(x + DOT, 24); pen.lineTo(x, 24 + DOT); pen.lineTo(x - DOT, 24);
          pen.fill();
        }
        if (findings.length) {
          pen.fillStyle = colour(findings.reduce((a, b) => (b.weight > a.weight ? b : a)).severity);
          pen.beginPath();
          pen.arc(x, 38, DOT - 0.5, 0, 7);
          pen.fill();
        }
      }
      pen.fillStyle = colour("line");
      pen.fillRect(0, HEAD - 1, wide, 1);
    }

    tell() {
      const {session, turn} = this, row = session.rows[this.row];
      const lines = [];
      const tokens = session.tokens[turn] ? `, prompt of ${session.tokens[turn].toLocaleString("en")} tokens` : "";
      lines.push(`turn ${turn}${session.lines[turn] ? `, line ${session.lines[turn]}` : ""}${tokens}`);
      if (row) {
        const state = row.intervals.find(([, from, to]) => from <= turn && turn <= to);
        const used = row.marks.includes(turn) ? ", used here" : "";
        lines.push(`${row.kind} ${row.name}: ${state ? state[0] : "not there"}${used}`);
      }
      const {decisions = [], findings = []} = this.byTurn.get(turn) ?? {};
      decisions.slice(0, 6).forEach((d) => lines.push(
        `◆ ${d.kind} of ${d.subject}${d.actor ? ` by ${d.actor}` : ""} (${d.explicit ? "logged" : "inferred"})${d.reason ? `: ${d.reason}` : ""}`));
      if (decisions.length > 6) lines.push(`◆ and ${decisions.length - 6} more decisions`);
      findings.forEach((f) => lines.push(`● ${f.rule} ${f.name} (${f.severity}): ${f.message}`));
      this.here.replaceChildren(...lines.map((line) => {
        const p = document.createElement("p");
        p.textContent = line;
        return p;
      }));
    }
  }

  const made = [];
  const starting = new IntersectionObserver((seen) => {
    for (const one of seen) {
      if (!one.isIntersecting) continue;
      starting.unobserve(one.target);
      made.push(new Timeline(one.target, data.sessions[Number(one.target.dataset.session)]));
    }
  }, {rootMargin: "400px"});
  document.querySelectorAll(".session[data-session]").forEach((section) => starting.observe(section));
  addEventListener("beforeprint", () => document.querySelectorAll(".session[data-session]").forEach((section) => {
    if (!made.some((one) => one.section === section)) made.push(new Timeline(section, data.sessions[Number(section.dataset.session)]));
    starting.unobserve(section);
  }));

  const form = document.querySelector(".filters");
  const filter = () => {
    const shown = new Set([...form.querySelectorAll("[name=severity]:checked")].map((box) => box.value));
    const rule = form.elements.rule.value, words = form.elements.text.value.toLowerCase();
    let count = 0;
    document.querySelectorAll(".finding").forEach((item) => {
      const fits = shown.has(item.dataset.severity) && (!rule || item.dataset.rule === rule) && item.textContent.toLowerCase().includes(words);
      item.classList.toggle("hidden", !fits);
      count += fits;
    });
    const filtered = rule || words || shown.size < 4;
    document.querySelectorAll(".session").forEach((section) => {
      section.classList.toggle("hidden", filtered && !section.querySelector(".finding:not(.hidden)"));
    });
    form.querySelector("output").textContent = `${count} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
