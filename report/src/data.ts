// What a page is made of: the file of docs/report-format.md, and the form in which
// the page uses it. Columns of slices become typed arrays, times become cycles.

import type { GraphData } from "./graph";

export interface Site {
  file: number; // -1: nowhere
  line: number;
  column: number;
  op: string;
}
export interface SourceFile {
  path: string;
  text: string | null;
}
export interface Place {
  file: string;
  line: number;
  column: number;
  op: string;
}
/** What `--stats=json` prints (docs/profiling.md), as far as the page shows it. */
export interface Stats {
  timing: { file: string; profile: string; figures: number; assumed: string[] };
  launch: {
    cycles: number;
    cyclesWithLaunch: number;
    clockMHz: number;
    coresUsed: number;
    coresThere: number;
    gmReadBytes: number;
    gmWriteBytes: number;
    l2HitShare: number;
  };
  pipes: PipeTotal[];
  overlap: { share: number; best: number; anyBusy: number };
  bound: { core: string; pipe: string; roofline: number; share: number } | null;
  waits: { core: string; pipe: string; place: Place | null; reason: string; cause: Place | null; cycles: number; times: number }[];
  sites: { place: Place | null; busy: number; waited: number; times: number }[];
  advice: { code: string; message: string; help: string; saves: number; places: (Place | null)[] }[];
}
export interface PipeTotal {
  core: string;
  pipe: string;
  busy: number;
  waiting: number;
  idle: number;
  waitingFor: Record<string, number>;
  instructions: number;
  bytes: number;
}
export interface LineCost {
  file: number;
  line: number;
  busy: number;
  waited: number;
  count: number;
}
export interface FindingData {
  code: string;
  severity: "error" | "warning" | "remark";
  message: string;
  help: string;
  file: number;
  line: number;
  sites: number[];
  turn: number; // which time its site ran, from 0; -1: unknown
  count: number;
  notes: { file: number; line: number; message: string }[];
}
export interface TrackData {
  block: number;
  core: string;
  pipe: string;
  physicalCore: number;
  gap: number[];
  length: number[];
  site: number[];
  issued?: number[];
  visible?: number[];
  bytes?: number[];
  path?: number[];
  reason?: number[];
  waited?: number[];
  cause?: number[];
  causeTrack?: number[];
}
export interface ArrowData {
  from: number[];
  to: number[];
  left: number[];
  travel: number[];
  kind: number[];
  id: number[];
}
export interface MemoryData {
  block: number;
  core: string;
  space: string;
  capacity: number;
  from: number[];
  length: number[];
  begin: number[];
  bytes: number[];
  track: number[];
  site: number[];
}
export interface RunData {
  schema: string;
  tool: { name: string; version: string };
  kernel: string;
  blocks: number;
  isCluster: boolean;
  stats: Stats;
  ticksPerCycle: number;
  reasons: string[];
  paths: string[];
  files: SourceFile[];
  sites: Site[];
  tracks: TrackData[];
  arrows: ArrowData;
  memory: MemoryData[];
  findings: FindingData[];
  leftOut: { slices: number; arrows: number; blocks: number };
  graph?: GraphData | null;
}

export interface Track {
  index: number;
  block: number;
  core: string;
  pipe: string;
  physicalCore: number;
  count: number;
  start: Float64Array;
  end: Float64Array;
  issued: Float64Array;
  visible: Float64Array;
  waited: Float64Array;
  busy: Float64Array; // cycles of all slices before this one; one entry more than slices
  waiting: Float64Array; // likewise
  site: Int32Array;
  bytes: Float64Array;
  path: Uint8Array;
  reason: Uint8Array;
  cause: Int32Array; // -1: none
  causeTrack: Int32Array;
}
export interface Arrow {
  from: number;
  to: number;
  left: number;
  arrived: number;
  kind: number;
  id: number;
}
/** Bytes of one memory that hold something, from when they are written to when they are last used. */
export interface Memory {
  block: number;
  core: string;
  space: string;
  capacity: number;
  from: Float64Array;
  to: Float64Array;
  latest: Float64Array; // the last `to` so far
  begin: Float64Array;
  bytes: Float64Array;
  track: Int32Array;
  site: Int32Array;
  /** Steps of how many bytes are in use. */
  time: Float64Array;
  used: Float64Array;
}
export interface Run {
  data: RunData;
  tracks: Track[];
  arrows: Arrow[];
  memory: Memory[];
  lines: LineCost[];
  sliceCount: number;
}

export const kSchema = "ptoscope-report/1";

function column(values: number[] | undefined, count: number, scale = 1): Float64Array {
  const result = new Float64Array(count);
  if (values) for (let i = 0; i < count; ++i) result[i] = values[i] * scale;
  return result;
}

/** Integers; a missing column holds `absent`. */
function integers<T extends Int32Array | Uint8Array>(result: T, values: number[] | undefined, absent: number): T {
  if (values) result.set(values);
  else result.fill(absent);
  return result;
}

function decodeTrack(data: TrackData, index: number, ticks: number): Track {
  const count = data.site.length;
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  const issued = new Float64Array(count);
  const visible = new Float64Array(count);
  const busy = new Float64Array(count + 1);
  const waiting = new Float64Array(count + 1);
  const waited = column(data.waited, count, 1 / ticks);
  // Sums are of whole ticks, so that they do not drift.
  let now = 0;
  let busyTicks = 0;
  for (let i = 0; i < count; ++i) {
    now += data.gap[i];
    start[i] = now / ticks;
    issued[i] = (now - (data.issued ? data.issued[i] : 0)) / ticks;
    now += data.length[i];
    busyTicks += data.length[i];
    end[i] = now / ticks;
    visible[i] = (now + (data.visible ? data.visible[i] : 0)) / ticks;
    busy[i + 1] = busyTicks / ticks;
    waiting[i + 1] = waiting[i] + waited[i];
  }
  return {
    index,
    block: data.block,
    core: data.core,
    pipe: data.pipe,
    physicalCore: data.physicalCore,
    count,
    start,
    end,
    issued,
    visible,
    waited,
    busy,
    waiting,
    site: Int32Array.from(data.site),
    bytes: column(data.bytes, count),
    path: integers(new Uint8Array(count), data.path, 0),
    reason: integers(new Uint8Array(count), data.reason, 0),
    cause: integers(new Int32Array(count), data.cause, -1),
    causeTrack: integers(new Int32Array(count), data.causeTrack, -1),
  };
}

function decodeMemory(data: MemoryData, ticks: number): Memory {
  const count = data.from.length;
  const from = new Float64Array(count);
  const to = new Float64Array(count);
  const latest = new Float64Array(count);
  const changes: [number, number][] = [];
  let now = 0;
  for (let i = 0; i < count; ++i) {
    now += data.from[i];
    from[i] = now / ticks;
    to[i] = (now + data.length[i]) / ticks;
    latest[i] = Math.max(to[i], i ? latest[i - 1] : 0);
    changes.push([now, data.bytes[i]], [now + data.length[i], -data.bytes[i]]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const time: number[] = [];
  const used: number[] = [];
  let amount = 0;
  changes.forEach(([at, change], i) => {
    amount += change;
    if (i + 1 < changes.length && changes[i + 1][0] === at) return;
    time.push(at / ticks);
    used.push(amount);
  });
  const { block, core, space, capacity } = data;
  return {
    block,
    core,
    space,
    capacity,
    from,
    to,
    latest,
    begin: Float64Array.from(data.begin),
    bytes: Float64Array.from(data.bytes),
    track: Int32Array.from(data.track),
    site: Int32Array.from(data.site),
    time: Float64Array.from(time),
    used: Float64Array.from(used),
  };
}

export function decodeRun(data: RunData): Run {
  if (data.schema !== kSchema) throw new Error(`the data are of schema ${data.schema}, this page shows ${kSchema}`);
  const ticks = data.ticksPerCycle;
  const tracks = data.tracks.map((track, i) => decodeTrack(track, i, ticks));
  let left = 0;
  const arrows = data.arrows.from.map((from, i) => {
    left += data.arrows.left[i];
    return {
      from,
      to: data.arrows.to[i],
      left: left / ticks,
      arrived: (left + data.arrows.travel[i]) / ticks,
      kind: data.arrows.kind[i],
      id: data.arrows.id[i],
    };
  });
  const memory = data.memory.map((row) => decodeMemory(row, ticks));
  const lines = lineCosts(data);
  return { data, tracks, arrows, memory, lines, sliceCount: tracks.reduce((sum, track) => sum + track.count, 0) };
}

function lineCosts(data: RunData): LineCost[] {
  const files = new Map(data.files.map((file, i) => [file.path, i]));
  const lines = new Map<string, LineCost>();
  for (const { place, busy, waited, times } of data.stats.sites) {
    const file = place ? files.get(place.file) : undefined;
    if (!place || file === undefined) continue;
    const key = `${file}:${place.line}`;
    const line = lines.get(key) ?? { file, line: place.line, busy: 0, waited: 0, count: 0 };
    line.busy += busy;
    line.waited += waited;
    line.count = Math.max(line.count, times);
    lines.set(key, line);
  }
  return [...lines.values()];
}

/** The first i with values[i] > x. */
export function upperBound(values: Float64Array, x: number, count = values.length): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Cycles before `time` in which the track was busy. */
export function busyBefore(track: Track, time: number): number {
  const i = upperBound(track.start, time, track.count) - 1;
  if (i < 0) return 0;
  return track.busy[i] + Math.min(time, track.end[i]) - track.start[i];
}

export interface Picked {
  run: number;
  track: number;
  slice: number;
}

export function siteOf(run: Run, picked: Picked): Site {
  return run.data.sites[run.tracks[picked.track].site[picked.slice]];
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** "kernel.pto:12", or nothing. */
export function placeOf(run: Run, site: Site | undefined): string {
  if (!site || site.file < 0) return "";
  return `${baseName(run.data.files[site.file].path)}:${site.line}`;
}

export function sourceLine(run: Run, file: number, line: number): string {
  const text = file < 0 ? null : run.data.files[file].text;
  return text === null ? "" : (linesOf(run, file)[line - 1] ?? "").trim();
}

const splitTexts = new WeakMap<SourceFile, string[]>();
export function linesOf(run: Run, file: number): string[] {
  const source = run.data.files[file];
  let lines = splitTexts.get(source);
  if (!lines) splitTexts.set(source, (lines = (source.text ?? "").split("\n")));
  return lines;
}
