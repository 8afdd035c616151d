// The timeline: a row per pipe, drawn on a canvas. What is narrower than a pixel is
// drawn as the share of time in which the pipe was busy, from sums that were made
// once, so that the cost of a frame goes with the pixels and not with the slices.

import { busyBefore, Picked, Run, Track, upperBound } from "./data";
import { colourOf, inkOn, cycles } from "./words";
import { ticks, View } from "./view";

export const kGutter = 132; // pixels for the names of rows
const kAxis = 26;
const kRow = 22;
const kHeader = 20;
const kNarrow = 3; // pixels below which slices are drawn together

interface Row {
  top: number;
  height: number;
  title?: string; // of a core
  run: number;
  track: number; // -1: a title
}

export interface Mark {
  run: number;
  track: number;
  slice: number;
  severity: string;
  finding: number;
}

export interface TimelineState {
  picked: Picked | null;
  hovered: Picked | null;
  /** By run and site: what is found by a search is drawn in full, the rest pale. */
  found: Set<number>[] | null;
  marks: Mark[];
  allArrows: boolean;
}

interface Colours {
  paper: string;
  ink: string;
  soft: string;
  line: string;
  band: string;
  wait: string;
  accent: string;
  error: string;
}

function themeColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: get("paper"),
    ink: get("ink"),
    soft: get("soft"),
    line: get("line"),
    band: get("band"),
    wait: get("wait"),
    accent: get("accent"),
    error: get("error"),
  };
}

export class Timeline {
  private rows: Row[] = [];
  private contentHeight = 0;
  private scroll = 0;
  private width = 0;
  private height = 0;
  private context: CanvasRenderingContext2D;
  private colours: Colours;
  private hatch: CanvasPattern | null = null;
  /** Milliseconds of the last frame, for tests. */
  lastFrame = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private runs: Run[],
    readonly view: View,
    readonly state: TimelineState,
    private names: string[],
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.colours = themeColours(canvas);
    this.arrange();
  }

  /** Rows of runs that are compared stand below each other, pipe by pipe. */
  private arrange(): void {
    const keys = new Map<string, { title: string; members: { run: number; track: Track }[] }>();
    const order: string[] = [];
    this.runs.forEach((run, number) => {
      for (const track of run.tracks) {
        const key = `${track.block}/${track.core}`;
        if (!keys.has(key)) {
          keys.set(key, { title: `block ${track.block} · ${track.core} · core ${track.physicalCore}`, members: [] });
          order.push(key);
        }
        keys.get(key)!.members.push({ run: number, track });
      }
    });
    this.rows = [];
    let top = 0;
    const pipeOrder = (pipe: string) => ["SCALAR", "MTE2", "MTE1", "CUBE", "FIXP", "VECTOR", "MTE3"].indexOf(pipe);
    for (const key of order) {
      const { title, members } = keys.get(key)!;
      this.rows.push({ top, height: kHeader, title, run: 0, track: -1 });
      top += kHeader;
      members.sort((a, b) => pipeOrder(a.track.pipe) - pipeOrder(b.track.pipe) || a.run - b.run);
      for (const { run, track } of members) {
        this.rows.push({ top, height: kRow, run, track: track.index });
        top += kRow;
      }
    }
    this.contentHeight = top;
  }

  get naturalHeight(): number {
    return this.contentHeight + kAxis + 4;
  }
  setRuns(runs: Run[]): void {
    this.runs = runs;
    this.arrange();
  }
  themeChanged(): void {
    this.colours = themeColours(this.canvas);
    this.hatch = null;
  }
  scrollBy(pixels: number): void {
    this.scroll = Math.max(0, Math.min(this.scroll + pixels, this.contentHeight - (this.height - kAxis)));
    if (this.scroll < 0) this.scroll = 0;
  }
  x(time: number): number {
    return kGutter + ((time - this.view.from) / this.view.span) * (this.width - kGutter);
  }
  time(x: number): number {
    return this.view.from + ((x - kGutter) / (this.width - kGutter)) * this.view.span;
  }

  resize(): void {
    const box = this.canvas.getBoundingClientRect();
    const scale = window.devicePixelRatio || 1;
    this.width = box.width;
    this.height = box.height;
    this.canvas.width = Math.round(box.width * scale);
    this.canvas.height = Math.round(box.height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.hatch = null;
    this.scrollBy(0);
  }

  rowOf(run: number, track: number): Row | undefined {
    return this.rows.find((row) => row.run === run && row.track === track);
  }
  revealRow(run: number, track: number): void {
    const row = this.rowOf(run, track);
    if (!row) return;
    const visible = this.height - kAxis;
    if (row.top < this.scroll) this.scroll = Math.max(0, row.top - kHeader);
    else if (row.top + row.height > this.scroll + visible) this.scroll = row.top + row.height - visible;
  }

  /** The slice below a point, with a little patience for narrow ones. */
  sliceAt(x: number, y: number): Picked | null {
    if (x < kGutter || y < kAxis) return null;
    const at = y - kAxis + this.scroll;
    const row = this.rows.find((r) => at >= r.top && at < r.top + r.height);
    if (!row || row.track < 0) return null;
    const track = this.runs[row.run].tracks[row.track];
    const time = this.time(x);
    const i = upperBound(track.start, time, track.count) - 1;
    const patience = (2 * this.view.span) / (this.width - kGutter);
    let best = -1;
    let distance = patience;
    for (const candidate of [i, i + 1]) {
      if (candidate < 0 || candidate >= track.count) continue;
      const from = track.start[candidate] - track.waited[candidate];
      const away = time < from ? from - time : time > track.end[candidate] ? time - track.end[candidate] : 0;
      if (away <= distance && (best < 0 || away < distance)) {
        best = candidate;
        distance = away;
      }
    }
    return best < 0 ? null : { run: row.run, track: row.track, slice: best };
  }

  draw(): void {
    const began = performance.now();
    const g = this.context;
    const c = this.colours;
    g.fillStyle = c.paper;
    g.fillRect(0, 0, this.width, this.height);
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    this.drawGrid();
    g.save();
    g.beginPath();
    g.rect(0, kAxis, this.width, this.height - kAxis);
    g.clip();
    for (const row of this.rows) {
      const y = row.top - this.scroll + kAxis;
      if (y + row.height < kAxis || y > this.height) continue;
      if (row.track < 0) this.drawTitle(row, y);
      else this.drawRow(row, y);
    }
    this.drawArrows();
    this.drawMarks();
    this.drawPicked();
    g.restore();
    this.drawAxis();
    this.lastFrame = performance.now() - began;
  }

  private drawGrid(): void {
    const g = this.context;
    g.fillStyle = this.colours.band;
    for (const value of ticks(this.view.from, this.view.to, (this.width - kGutter) / 90).values) {
      const x = Math.round(this.x(value));
      if (x >= kGutter) g.fillRect(x, kAxis, 1, this.height);
    }
  }

  private drawAxis(): void {
    const g = this.context;
    const c = this.colours;
    g.fillStyle = c.paper;
    g.fillRect(0, 0, this.width, kAxis);
    g.fillStyle = c.line;
    g.fillRect(0, kAxis - 1, this.width, 1);
    g.fillStyle = c.soft;
    g.textAlign = "left";
    g.fillText("cycles", 8, kAxis / 2);
    const { step, values } = ticks(this.view.from, this.view.to, (this.width - kGutter) / 90);
    g.textAlign = "center";
    for (const value of values) {
      const x = this.x(value);
      if (x < kGutter + 20 || x > this.width - 24) continue;
      g.fillText(step < 1 ? value.toFixed(1) : cycles(Math.round(value)), x, kAxis / 2);
    }
  }

  private drawTitle(row: Row, y: number): void {
    const g = this.context;
    g.fillStyle = this.colours.band;
    g.fillRect(0, y, this.width, row.height);
    g.fillStyle = this.colours.ink;
    g.textAlign = "left";
    g.font = "600 11px system-ui, sans-serif";
    g.fillText(row.title!, 8, y + row.height / 2);
    g.font = "11px system-ui, sans-serif";
  }

  private waitPattern(): CanvasPattern | string {
    if (this.hatch) return this.hatch;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const g = tile.getContext("2d")!;
    g.strokeStyle = this.colours.wait;
    g.lineWidth = 1.5;
    g.beginPath();
    for (const shift of [-6, 0, 6]) {
      g.moveTo(shift, 6);
      g.lineTo(shift + 6, 0);
    }
    g.stroke();
    this.hatch = this.context.createPattern(tile, "repeat");
    return this.hatch ?? this.colours.wait;
  }

  private drawRow(row: Row, y: number): void {
    const g = this.context;
    const run = this.runs[row.run];
    const track = run.tracks[row.track];
    const found = this.state.found?.[row.run];
    const colour = colourOf(track.pipe);
    const top = y + 2;
    const tall = row.height - 4;
    g.save();
    g.beginPath();
    g.rect(kGutter, y, this.width - kGutter, row.height);
    g.clip();
    const perPixel = this.view.span / (this.width - kGutter);
    let i = Math.max(0, upperBound(track.start, this.view.from, track.count) - 1);
    const ink = inkOn(colour);
    while (i < track.count) {
      const begin = track.start[i] - track.waited[i];
      if (begin > this.view.to) break;
      const wide = track.end[i] - begin >= kNarrow * perPixel;
      if (wide) {
        this.drawSlice(run, track, i, top, tall, colour, ink, found);
        ++i;
        continue;
      }
      // Narrow slices: one column of pixels after the other, until a wide one comes.
      const column = Math.floor(this.x(begin));
      const until = this.time(column + kNarrow);
      let next = upperBound(track.start, until, track.count);
      // A wide one that begins in this column is drawn by itself.
      for (let k = i + 1; k < next && k < i + 8; ++k)
        if (track.end[k] - track.start[k] + track.waited[k] >= kNarrow * perPixel) {
          next = k;
          break;
        }
      next = Math.max(next, i + 1);
      const from = this.time(column);
      const upTo = next < track.count ? Math.min(until, Math.max(track.start[next], from)) : until;
      const span = Math.max(upTo - from, perPixel);
      const share = Math.min(1, (busyBefore(track, upTo) - busyBefore(track, from)) / span);
      const pale = found && !this.anyFound(track, i, next, found);
      g.globalAlpha = (0.25 + 0.75 * share) * (pale ? 0.25 : 1);
      g.fillStyle = colour;
      g.fillRect(column, top, Math.max(1, Math.round(span / perPixel)), tall);
      g.globalAlpha = 1;
      i = next;
    }
    g.restore();
    g.fillStyle = colour;
    g.fillRect(8, top + 3, 10, tall - 6);
    g.fillStyle = this.colours.ink;
    g.textAlign = "left";
    g.fillText(track.pipe + (this.runs.length > 1 ? ` · ${this.names[row.run]}` : ""), 24, y + row.height / 2);
    g.fillStyle = this.colours.line;
    g.fillRect(0, y + row.height - 1, this.width, 1);
  }

  private anyFound(track: Track, from: number, to: number, found: Set<number>): boolean {
    for (let i = from; i < to && i < from + 64; ++i) if (found.has(track.site[i])) return true;
    return false;
  }

  private drawSlice(
    run: Run,
    track: Track,
    i: number,
    top: number,
    tall: number,
    colour: string,
    ink: string,
    found: Set<number> | undefined,
  ): void {
    const g = this.context;
    const left = this.x(track.start[i]);
    const right = this.x(track.end[i]);
    if (track.waited[i] > 0) {
      const from = this.x(track.start[i] - track.waited[i]);
      g.fillStyle = this.waitPattern();
      g.fillRect(from, top + tall / 2 - 3, left - from, 6);
    }
    const pale = found && !found.has(track.site[i]);
    g.globalAlpha = pale ? 0.2 : 1;
    g.fillStyle = colour;
    g.fillRect(left, top, Math.max(right - left, 1), tall);
    g.globalAlpha = 1;
    if (right - left > 3) {
      g.fillStyle = this.colours.paper;
      g.fillRect(right - 0.5, top, 0.5, tall);
    }
    const shownLeft = Math.max(left, kGutter);
    const room = Math.min(right, this.width) - shownLeft - 8;
    if (room > 22) {
      const op = run.data.sites[track.site[i]]?.op.replace(/^pto\./, "") ?? "";
      g.fillStyle = pale ? this.colours.soft : ink;
      g.textAlign = "left";
      const letters = Math.floor(room / 6.5) - 1;
      if (g.measureText(op).width <= room) g.fillText(op, shownLeft + 4, top + tall / 2);
      else if (letters >= 5) g.fillText(`${op.slice(0, letters)}…`, shownLeft + 4, top + tall / 2);
    }
  }

  private drawArrows(): void {
    const { picked, allArrows } = this.state;
    let drawn = 0;
    this.runs.forEach((run, number) => {
      for (const arrow of run.arrows) {
        if (arrow.arrived < this.view.from || arrow.left > this.view.to) continue;
        const mine = picked && picked.run === number && this.touches(run, picked, arrow);
        if (!mine && (!allArrows || drawn > 400)) continue;
        const from = this.rowOf(number, arrow.from);
        const to = this.rowOf(number, arrow.to);
        if (!from || !to) continue;
        ++drawn;
        this.drawArrow(
          this.x(arrow.left),
          from.top + from.height / 2 - this.scroll + kAxis,
          this.x(arrow.arrived),
          to.top + to.height / 2 - this.scroll + kAxis,
          mine ? 2 : 1,
        );
      }
    });
  }

  private touches(run: Run, picked: Picked, arrow: { from: number; to: number; left: number; arrived: number }): boolean {
    const track = run.tracks[picked.track];
    const near = (time: number, from: number, to: number) => time >= from - 0.02 && time <= to + 0.02;
    const i = picked.slice;
    if (arrow.to === picked.track && near(arrow.arrived, track.start[i] - track.waited[i], track.start[i])) return true;
    return arrow.from === picked.track && near(arrow.left, track.start[i], track.visible[i]);
  }

  private drawArrow(x0: number, y0: number, x1: number, y1: number, weight: number): void {
    const g = this.context;
    if (Math.max(x0, x1) < kGutter) return;
    g.strokeStyle = g.fillStyle = this.colours.accent;
    g.lineWidth = weight;
    g.beginPath();
    g.moveTo(x0, y0);
    const bend = Math.max(12, Math.abs(x1 - x0) / 2);
    g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    g.stroke();
    g.beginPath();
    g.moveTo(x1, y1);
    g.lineTo(x1 - 6, y1 - 3.5);
    g.lineTo(x1 - 6, y1 + 3.5);
    g.fill();
  }

  private drawMarks(): void {
    const g = this.context;
    for (const mark of this.state.marks) {
      const row = this.rowOf(mark.run, mark.track);
      if (!row) continue;
      const track = this.runs[mark.run].tracks[mark.track];
      const x = this.x(track.start[mark.slice]);
      if (x < kGutter || x > this.width) continue;
      const y = row.top - this.scroll + kAxis;
      g.fillStyle = this.colours.error;
      g.strokeStyle = this.colours.paper;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x, y + 12);
      g.lineTo(x - 7, y);
      g.lineTo(x + 7, y);
      g.closePath();
      g.fill();
      g.stroke();
      g.fillStyle = "#ffffff";
      g.font = "700 9px system-ui, sans-serif";
      g.textAlign = "center";
      g.fillText("!", x, y + 5);
      g.font = "11px system-ui, sans-serif";
    }
  }

  private drawPicked(): void {
    const g = this.context;
    for (const [picked, weight] of [
      [this.state.hovered, 1],
      [this.state.picked, 2],
    ] as [Picked | null, number][]) {
      if (!picked) continue;
      const row = this.rowOf(picked.run, picked.track);
      if (!row) continue;
      const track = this.runs[picked.run].tracks[picked.track];
      const left = Math.max(this.x(track.start[picked.slice]), kGutter);
      const right = this.x(track.end[picked.slice]);
      if (right < kGutter) continue;
      g.strokeStyle = this.colours.ink;
      g.lineWidth = weight;
      g.strokeRect(left - 0.5, row.top - this.scroll + kAxis + 1.5, Math.max(right - left, 2), row.height - 3);
    }
  }
}

/** All of the run on one strip, with the window that the timeline shows. */
export class Minimap {
  private context: CanvasRenderingContext2D;
  private width = 0;
  private height = 0;
  private strip: ImageBitmap | HTMLCanvasElement | null = null;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private runs: Run[],
    readonly view: View,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
  }
  setRuns(runs: Run[]): void {
    this.runs = runs;
    this.strip = null;
  }
  resize(): void {
    const box = this.canvas.getBoundingClientRect();
    this.width = this.canvas.width = Math.max(1, Math.round(box.width));
    this.height = this.canvas.height = Math.max(1, Math.round(box.height));
    this.strip = null;
  }
  time(x: number): number {
    return ((x - kGutter) / (this.width - kGutter)) * this.view.length;
  }

  private makeStrip(): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = this.width;
    canvas.height = this.height;
    const g = canvas.getContext("2d")!;
    const c = themeColours(this.canvas);
    g.fillStyle = c.paper;
    g.fillRect(0, 0, this.width, this.height);
    const pipes = ["MTE2", "MTE1", "CUBE", "FIXP", "VECTOR", "MTE3"].filter((pipe) =>
      this.runs.some((run) => run.tracks.some((track) => track.pipe === pipe)),
    );
    const tall = this.height / Math.max(1, pipes.length);
    const columns = Math.max(1, Math.floor((this.width - kGutter) / 2));
    pipes.forEach((pipe, p) => {
      const tracks = this.runs.flatMap((run) => run.tracks.filter((track) => track.pipe === pipe)).slice(0, 64);
      g.fillStyle = colourOf(pipe);
      for (let k = 0; k < columns; ++k) {
        const from = (k / columns) * this.view.length;
        const to = ((k + 1) / columns) * this.view.length;
        let share = 0;
        for (const track of tracks) share += (busyBefore(track, to) - busyBefore(track, from)) / (to - from);
        share /= Math.max(1, tracks.length);
        if (share <= 0) continue;
        g.globalAlpha = 0.2 + 0.8 * share;
        g.fillRect(kGutter + 2 * k, p * tall + 0.5, 2, tall - 1);
      }
    });
    g.globalAlpha = 1;
    g.fillStyle = c.soft;
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.fillText("whole run", 8, this.height / 2);
    return canvas;
  }

  draw(): void {
    this.strip ??= this.makeStrip();
    const g = this.context;
    const c = themeColours(this.canvas);
    g.drawImage(this.strip, 0, 0);
    const x = (time: number) => kGutter + (time / this.view.length) * (this.width - kGutter);
    const left = Math.max(kGutter, x(this.view.from));
    const right = Math.min(this.width, x(this.view.to));
    g.fillStyle = c.paper;
    g.globalAlpha = 0.6;
    g.fillRect(kGutter, 0, left - kGutter, this.height);
    g.fillRect(right, 0, this.width - right, this.height);
    g.globalAlpha = 1;
    g.strokeStyle = c.accent;
    g.lineWidth = 2;
    g.strokeRect(left + 1, 1, Math.max(2, right - left - 2), this.height - 2);
  }
}
