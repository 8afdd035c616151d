// The rules of lib/Timing/CoreSolver.cpp, Sharing.cpp and Timer.cpp, for what-if
// questions: the same graph and the same figures give the same times. Keep them in
// step; test/Report/what-if.test compares the two.

import { Deed, Figures, GraphData, kPipeSlots, kScalar, kVector, StreamData, unitPartner } from "./graph";

/** Someone lets others go on at this time. */
interface Stamp {
  time: number;
  site: number;
  pipe: number;
  core: number;
  block: number;
}
interface Need {
  stamp: Stamp;
  time: number;
  reason: string;
}

export interface SolvedSlice {
  block: number;
  core: number;
  pipe: number;
  physicalCore: number;
  site: number;
  deed: number; // -1: the scalar unit is held up
  issued: number;
  start: number;
  end: number;
  visible: number;
  waited: number;
  reason: string; // empty: none
  cause: Stamp | null;
}
export interface Sink {
  /** Blocks whose slices are told. */
  wants(block: number): boolean;
  slice(slice: SolvedSlice): void;
}

interface Pending {
  site: number;
  deed: number;
  issued: number;
  number: number;
  watch: number;
  arrived: boolean;
}

class PipeState {
  queue: Pending[] = [];
  head = 0; // of the queue
  free: number;
  waited = 0; // for others, since the last instruction that does something
  seen: Stamp;
  issued = 0;
  resolved = 0;
  starts: Float64Array;
  watched: [ordinal: number, watch: number][] = [];
  passed = new Map<number, Stamp>();
  nextNumber = 0;
  constructor(begin: number, depth: number) {
    this.free = begin;
    this.seen = { time: begin, site: -1, pipe: 0, core: 0, block: 0 };
    this.starts = new Float64Array(depth);
  }
  get waiting(): boolean {
    return this.head < this.queue.length;
  }
}

interface Buffer {
  released: number;
  everHeld: number;
  latest: Stamp[];
  beyond: Map<number, Stamp>;
}

/** Adds stamp `number` (from 1); `latest[n - 1]` is then the last of the first n. */
function addInOrder(latest: Stamp[], beyond: Map<number, Stamp>, number: number, stamp: Stamp): void {
  beyond.set(number, stamp);
  for (let next = beyond.get(latest.length + 1); next; next = beyond.get(latest.length + 1)) {
    beyond.delete(latest.length + 1);
    const last = latest[latest.length - 1];
    latest.push(!last || next.time >= last.time ? next : last);
  }
}

class Cluster {
  semaphores = [0, 1, 2].map(() => new Map<number, { senders: number; sets: Stamp[][] }>());
  queues = [0, 1, 2].map(() => new Map<number, Stamp[][]>());
  semaphore(target: number, id: number) {
    let known = this.semaphores[target].get(id);
    if (!known) this.semaphores[target].set(id, (known = { senders: 0, sets: [[], [], []] }));
    return known;
  }
  queue(target: number, id: number): Stamp[][] {
    let known = this.queues[target].get(id);
    if (!known) this.queues[target].set(id, (known = [[], [], []]));
    return known;
  }
}

/** Rounds in which cores of several blocks meet. */
class Meeting {
  private rounds = new Map<string, { count: number; last: Stamp }>();
  private words = new Map<number, { latest: Stamp[]; beyond: Map<number, Stamp> }>();
  private expected = new Map<string, number>();
  private setters = new Map<number, number>();
  constructor(graph: GraphData) {
    for (const [channel, round, count] of graph.arrivals) this.expected.set(`a${channel}/${round}`, count);
    for (const [channel, count] of graph.launchSetters) this.setters.set(channel, count);
  }
  private add(key: string, stamp: Stamp): void {
    const round = this.rounds.get(key);
    if (!round) this.rounds.set(key, { count: 1, last: stamp });
    else {
      ++round.count;
      if (stamp.time > round.last.time) round.last = stamp;
    }
  }
  private lastOf(key: string, wanted: number | undefined): Stamp | null {
    const round = this.rounds.get(key);
    return round && wanted !== undefined && round.count >= wanted ? round.last : null;
  }
  arrive(channel: number, number: number, stamp: Stamp): void {
    this.add(`a${channel}/${number}`, stamp);
  }
  complete(channel: number, number: number): Stamp | null {
    const key = `a${channel}/${number}`;
    return this.lastOf(key, this.expected.get(key));
  }
  setLaunch(channel: number, number: number, stamp: Stamp): void {
    this.add(`l${channel}/${number}`, stamp);
  }
  launchSet(channel: number, number: number): Stamp | null {
    return this.lastOf(`l${channel}/${number}`, this.setters.get(channel));
  }
  setSignal(word: number, number: number, stamp: Stamp): void {
    let known = this.words.get(word);
    if (!known) this.words.set(word, (known = { latest: [], beyond: new Map() }));
    addInOrder(known.latest, known.beyond, number, stamp);
  }
  signal(word: number, number: number): Stamp | null {
    return (number && this.words.get(word)?.latest[number - 1]) || null;
  }
}

interface Task {
  graph: GraphData;
  figures: Figures;
  cyclesPerByte: [read: number, written: number];
  sink: Sink | null;
}

const kSyncActs = new Set([
  "SetFlag",
  "WaitFlag",
  "Barrier",
  "CoreBarrier",
  "GetBuffer",
  "ReleaseBuffer",
  "SetSemaphore",
  "WaitSemaphore",
  "SetQueue",
  "WaitQueue",
  "SetLaunch",
  "WaitLaunch",
  "AllCores",
  "SetSignal",
  "WaitSignal",
  "WaitEngine",
  "ReadStatus",
]);

class CoreSolver {
  private pipes: PipeState[];
  private depth: number;
  private next = 0;
  private queued = 0;
  private lastEffect: number;
  private scalarHead: Pending | null = null;
  private flags = new Map<number, Stamp[]>();
  private counts = new Map<string, number>();
  private buffers = new Map<number, Buffer>();
  private watches: { missing: number; last: Stamp }[] = [];
  private engines = new Map<number, { free: number; ends: Stamp[] }>();
  private needs: Need[] = [];

  constructor(
    private task: Task,
    private stream: StreamData,
    private block: number,
    private core: number,
    private cluster: Cluster,
    private meeting: Meeting,
    private physicalCore: number,
    private begin: number,
  ) {
    this.depth = Math.floor(Math.max(1, task.figures.queueDepth));
    this.pipes = Array.from({ length: kPipeSlots }, () => new PipeState(begin, this.depth));
    this.lastEffect = begin;
  }

  get ended(): boolean {
    return this.next === this.stream.pipe.length && this.queued === 0 && !this.scalarHead;
  }
  get end(): number {
    return Math.max(this.lastEffect, this.pipes[kScalar].free);
  }

  advance(): boolean {
    let progressed = false;
    for (let moved = true; moved; ) {
      moved = false;
      for (let p = 0; p < kPipeSlots && this.queued; ++p) {
        const pipe = this.pipes[p];
        while (pipe.waiting && this.resolve(p, pipe.queue[pipe.head])) {
          if (++pipe.head === pipe.queue.length) {
            pipe.queue.length = 0;
            pipe.head = 0;
          }
          --this.queued;
          moved = true;
        }
      }
      while (this.step(false)) moved = true;
      progressed ||= moved;
    }
    return progressed;
  }

  overfill(): boolean {
    return !this.scalarHead && this.next < this.stream.pipe.length && this.step(true);
  }

  private step(overfills: boolean): boolean {
    const scalar = this.pipes[kScalar];
    if (this.scalarHead) {
      if (!this.resolve(kScalar, this.scalarHead)) return false;
      this.scalarHead = null;
      return true;
    }
    if (this.next === this.stream.pipe.length) return false;
    const on = this.stream.pipe[this.next];
    const pipe = this.pipes[on];
    const site = this.stream.site[this.next];
    const instr: Pending = { site, deed: this.stream.deed[this.next], issued: 0, number: 0, watch: 0, arrived: false };
    const deed = this.task.graph.deeds[instr.deed];
    if (on === kScalar) {
      ++this.next;
      instr.issued = scalar.free;
      ++scalar.issued;
      this.count(on, instr, deed);
      if (!this.resolve(on, instr)) this.scalarHead = instr;
      return true;
    }
    // A place in the queue is free when the instruction that many before has started.
    let from = scalar.free;
    if (pipe.issued >= this.depth && !overfills) {
      if (pipe.resolved + this.depth <= pipe.issued) return false;
      from = Math.max(from, pipe.starts[pipe.issued % this.depth]);
    }
    if (from > scalar.free)
      this.task.sink?.slice({
        block: this.block,
        core: this.core,
        pipe: kScalar,
        physicalCore: this.physicalCore,
        site,
        deed: -1,
        issued: scalar.free,
        start: from,
        end: from,
        visible: from,
        waited: from - scalar.free,
        reason: "full queue",
        cause: null,
      });
    ++this.next;
    scalar.free = instr.issued = from + this.task.figures.issue;
    ++pipe.issued;
    this.count(on, instr, deed);
    if (pipe.waiting || !this.resolve(on, instr)) {
      pipe.queue.push(instr);
      ++this.queued;
    }
    return true;
  }

  private counted(key: string): number {
    const number = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, number);
    return number;
  }
  private buffer(id: number): Buffer {
    let known = this.buffers.get(id);
    if (!known) this.buffers.set(id, (known = { released: 0, everHeld: 0, latest: [], beyond: new Map() }));
    return known;
  }
  private flagIndex(deed: Deed): number {
    return ((deed.src ?? 0) * kPipeSlots + (deed.dst ?? 0)) * 64 + (deed.id ?? 0);
  }

  /** Gives a wait the number of what it waits for. */
  private count(on: number, instr: Pending, deed: Deed): void {
    const id = deed.id ?? 0;
    switch (deed.act) {
      case "WaitFlag":
        instr.number = this.counted(`f${this.flagIndex(deed)}`);
        break;
      case "WaitSemaphore":
        instr.number = this.counted(`s${id}`);
        break;
      case "WaitLaunch":
        instr.number = this.counted(`w${id}`);
        break;
      case "SetLaunch":
        instr.number = this.counted(`l${id}`);
        break;
      case "GetBuffer": {
        const buffer = this.buffer(id);
        instr.number = buffer.released;
        buffer.everHeld |= 1 << on;
        break;
      }
      case "ReleaseBuffer": {
        const buffer = this.buffer(id);
        instr.number = ++buffer.released;
        if (!deed.mode) break;
        // It waits for everything that was issued to pipes which had got the buffer.
        const watch = { missing: 0, last: { ...this.pipes[on].seen, time: this.begin, site: -1 } };
        this.pipes.forEach((holder, p) => {
          const prefix = holder.issued - (p === on ? 1 : 0);
          if (!((buffer.everHeld >> p) & 1) || prefix === 0) return;
          if (holder.resolved < prefix) {
            ++watch.missing;
            holder.watched.push([prefix, this.watches.length]);
          } else if (holder.seen.time > watch.last.time) watch.last = holder.seen;
        });
        instr.watch = this.watches.length;
        this.watches.push(watch);
        break;
      }
    }
  }

  private number(on: number, ahead = 0): number {
    return this.stream.numbers[on][this.pipes[on].nextNumber + ahead];
  }
  private numbersOf(on: number, deed: Deed): number {
    const taken = deed.checksUnit ? 1 : 0;
    switch (deed.act) {
      case "WaitQueue":
        return taken + [0, 1, 2].filter((core) => ((deed.targets ?? 0) >> core) & 1).length;
      case "AllCores":
        return taken + 1;
      case "SetSignal":
      case "WaitSignal":
        return taken + 1 + 2 * this.number(on, taken);
      case "StartEngine":
      case "WaitEngine":
        return taken + 2;
      default:
        return taken;
    }
  }

  private stamp(pipe: number, site: number, time: number): Stamp {
    return { time, site, pipe, core: this.core, block: this.block };
  }
  private need(stamp: Stamp, latency: number, reason: string): void {
    this.needs.push({ stamp, time: stamp.time + latency, reason });
  }

  private resolve(on: number, instr: Pending): boolean {
    const { task } = this;
    const pipe = this.pipes[on];
    const deed = task.graph.deeds[instr.deed];
    this.needs.length = 0;
    if (!this.findNeeds(on, instr, deed)) return false;

    const before = pipe.free;
    const ready = Math.max(before, instr.issued);
    let last: Need | null = null;
    for (const each of this.needs) if (!last || each.time > last.time) last = each;
    const start = last ? Math.max(ready, last.time) : ready;
    let busy = kSyncActs.has(deed.act) ? task.figures.syncOp : (deed.busy ?? 0);
    const moving = (deed.overhead ?? 0) + (deed.gmBytes ?? 0) * task.cyclesPerByte[deed.writesGm ? 1 : 0];
    busy = deed.act === "StartEngine" ? 0 : Math.max(busy, moving);
    pipe.waited += start - ready;
    if (deed.act === "Work") {
      busy += Math.min(pipe.waited, deed.restart ?? 0);
      pipe.waited = 0;
    }
    if (on === kScalar && deed.act !== "None") busy = Math.max(busy, task.figures.issue);
    const end = start + busy;
    const visible = end + (deed.act === "StartEngine" ? 0 : (deed.latency ?? 0));

    this.passOn(on, instr, deed, start, end);
    if (pipe.seen.time < visible || pipe.resolved === 0) pipe.seen = this.stamp(on, instr.site, visible);
    this.lastEffect = Math.max(this.lastEffect, visible);
    pipe.nextNumber += this.numbersOf(on, deed);
    pipe.free = end;
    if (on !== kScalar) pipe.starts[pipe.resolved % this.depth] = start;
    ++pipe.resolved;
    if (pipe.watched.length) this.watchResolved(pipe);

    if (task.sink && deed.act !== "None")
      task.sink.slice({
        block: this.block,
        core: this.core,
        pipe: on,
        physicalCore: this.physicalCore,
        site: instr.site,
        deed: instr.deed,
        issued: instr.issued,
        start,
        end,
        visible,
        waited: start - before,
        reason: start > ready ? last!.reason : start > before ? "issue" : "",
        cause: start > ready ? last!.stamp : null,
      });
    return true;
  }

  private watchResolved(pipe: PipeState): void {
    pipe.watched = pipe.watched.filter(([ordinal, number]) => {
      if (ordinal !== pipe.resolved) return true;
      const watch = this.watches[number];
      --watch.missing;
      if (pipe.seen.time > watch.last.time) watch.last = pipe.seen;
      return false;
    });
  }

  private needIdle(latency: number): boolean {
    if (this.queued) return false;
    let last: Stamp | null = null;
    for (let p = 0; p < kPipeSlots; ++p)
      if (p !== kScalar && this.pipes[p].resolved && (!last || this.pipes[p].seen.time > last.time))
        last = this.pipes[p].seen;
    if (last) this.need(last, latency, "barrier");
    return true;
  }

  private findNeeds(on: number, instr: Pending, deed: Deed): boolean {
    const { figures } = this.task;
    const pipe = this.pipes[on];
    const id = deed.id ?? 0;
    if (deed.checksUnit) {
      const partner = this.pipes[unitPartner(on)];
      const after = this.number(on);
      if (partner.resolved < after) return false;
      const passed = partner.passed.get(after);
      if (passed) this.need(passed, 0, "unit flag");
    }
    if (deed.drains && !instr.arrived && !this.needIdle(figures.barrierLatency)) return false;
    switch (deed.act) {
      case "WaitFlag": {
        const set = this.flags.get(this.flagIndex(deed))?.[instr.number - 1];
        if (!set) return false;
        this.need(set, 0, "flag");
        return true;
      }
      case "Barrier":
        if (pipe.resolved) this.need(pipe.seen, figures.barrierLatency, "barrier");
        return true;
      case "GetBuffer": {
        if (deed.mode) return true;
        const { latest } = this.buffer(id);
        if (latest.length < instr.number) return false;
        if (instr.number) this.need(latest[instr.number - 1], 0, "buffer id");
        return true;
      }
      case "ReleaseBuffer":
        if (!deed.mode) return true;
        if (this.watches[instr.watch].missing) return false;
        this.need(this.watches[instr.watch].last, 0, "buffer id");
        return true;
      case "WaitSemaphore": {
        const semaphore = this.cluster.semaphore(this.core, id);
        if (!semaphore.senders) return false;
        const senders = [0, 1, 2].filter((sender) => (semaphore.senders >> sender) & 1);
        if (senders.some((sender) => semaphore.sets[sender].length < instr.number)) return false;
        for (const sender of senders) this.need(semaphore.sets[sender][instr.number - 1], 0, "semaphore");
        return true;
      }
      case "WaitQueue": {
        const lines = this.cluster.queue(this.core, id);
        const senders = [0, 1, 2].filter((sender) => ((deed.targets ?? 0) >> sender) & 1);
        const ahead = deed.checksUnit ? 1 : 0;
        if (senders.some((sender, i) => lines[sender].length < this.number(on, ahead + i))) return false;
        senders.forEach((sender, i) => {
          const set = lines[sender][this.number(on, ahead + i) - 1];
          if (set) this.need(set, 0, "tile queue");
        });
        return true;
      }
      case "ReadStatus": {
        const vector = this.pipes[kVector];
        if (vector.waiting) return false;
        if (vector.resolved) this.need(vector.seen, 0, "barrier");
        return true;
      }
      case "AllCores": {
        const round = this.number(on);
        if (!instr.arrived) {
          const time = this.needs.reduce((latest, each) => Math.max(latest, each.time), pipe.free);
          this.meeting.arrive(id, round, this.stamp(on, instr.site, time));
          instr.arrived = true;
        }
        const last = this.meeting.complete(id, round);
        if (!last) return false;
        this.need(last, figures.allCoresLatency, "all-core barrier");
        return true;
      }
      case "WaitLaunch": {
        const last = this.meeting.launchSet(id, instr.number);
        if (last) this.need(last, 0, "semaphore");
        return last !== null;
      }
      case "WaitSignal": {
        const words = this.number(on);
        const stamps = [];
        for (let i = 0; i < words; ++i) {
          const stamp = this.meeting.signal(this.number(on, 1 + 2 * i), this.number(on, 2 + 2 * i));
          if (!stamp) return false;
          stamps.push(stamp);
        }
        for (const stamp of stamps) this.need(stamp, 0, "semaphore");
        return true;
      }
      case "WaitEngine": {
        const end = this.engines.get(this.number(on))?.ends[this.number(on, 1) - 1];
        if (end) this.need(end, 0, "engine");
        return true;
      }
      default:
        return true;
    }
  }

  /** Lets others go on. */
  private passOn(on: number, instr: Pending, deed: Deed, start: number, end: number): void {
    const { figures } = this.task;
    const pipe = this.pipes[on];
    const id = deed.id ?? 0;
    // Everything before it on its pipe has ended when a set is done.
    const done = Math.max(end, pipe.seen.time);
    if (deed.passesUnit) pipe.passed.set(pipe.resolved + 1, this.stamp(on, instr.site, end + (deed.latency ?? 0)));
    switch (deed.act) {
      case "SetFlag": {
        const index = this.flagIndex(deed);
        let sets = this.flags.get(index);
        if (!sets) this.flags.set(index, (sets = []));
        sets.push(this.stamp(on, instr.site, done + figures.flagLatency));
        break;
      }
      case "ReleaseBuffer": {
        const buffer = this.buffer(id);
        addInOrder(buffer.latest, buffer.beyond, instr.number, this.stamp(on, instr.site, done + figures.flagLatency));
        break;
      }
      case "SetSemaphore":
      case "SetQueue": {
        const stamp = this.stamp(on, instr.site, done + figures.semaphoreLatency);
        for (let target = 0; target < 3; ++target) {
          if (!(((deed.targets ?? 0) >> target) & 1)) continue;
          if (deed.act === "SetQueue") {
            this.cluster.queue(target, id)[this.core].push(stamp);
            continue;
          }
          const semaphore = this.cluster.semaphore(target, id);
          semaphore.senders |= deed.senders ?? 0;
          semaphore.sets[this.core].push(stamp);
        }
        break;
      }
      case "SetLaunch":
        this.meeting.setLaunch(id, instr.number, this.stamp(on, instr.site, done + figures.allCoresLatency));
        break;
      case "SetSignal":
        for (let i = 0; i < this.number(on); ++i)
          this.meeting.setSignal(
            this.number(on, 1 + 2 * i),
            this.number(on, 2 + 2 * i),
            this.stamp(on, instr.site, end + figures.signalLatency),
          );
        break;
      case "StartEngine": {
        const session = this.number(on);
        let engine = this.engines.get(session);
        if (!engine) this.engines.set(session, (engine = { free: 0, ends: [] }));
        const busy = Math.max(deed.busy ?? 0, (deed.gmBytes ?? 0) * this.task.cyclesPerByte[deed.writesGm ? 1 : 0]);
        engine.free = Math.max(engine.free, start) + busy + (deed.latency ?? 0);
        engine.ends.push(this.stamp(on, instr.site, engine.free));
        this.lastEffect = Math.max(this.lastEffect, engine.free);
        break;
      }
    }
  }
}

function runTogether(task: Task, members: GraphData["blocks"], firstCore: number, begin: number): number {
  const meeting = new Meeting(task.graph);
  const solvers: CoreSolver[] = [];
  members.forEach((member, i) => {
    const cluster = new Cluster();
    member.streams.forEach((stream, core) => {
      if (stream >= 0)
        solvers.push(
          new CoreSolver(task, task.graph.streams[stream], member.block, core, cluster, meeting, firstCore + i, begin),
        );
    });
  });
  for (let moved = true; moved; ) {
    moved = false;
    for (const solver of solvers) if (!solver.ended && solver.advance()) moved = true;
    for (let i = 0; !moved && i < solvers.length; ++i) moved = !solvers[i].ended && solvers[i].overfill();
  }
  return solvers.reduce((end, solver) => Math.max(end, solver.end), begin);
}

function place(task: Task): number {
  const { graph, figures } = task;
  if (graph.runTogether) return runTogether(task, graph.blocks, 0, 0);
  const free = new Float64Array(Math.max(1, graph.cores));
  // Blocks that issue the same take the same time, whenever they begin.
  const lengths = new Map<string, number>();
  let cycles = 0;
  for (const block of graph.blocks) {
    let core = 0;
    for (let i = 1; i < free.length; ++i) if (free[i] < free[core]) core = i;
    const begin = free[core] === 0 ? 0 : free[core] + figures.dispatch;
    const key = block.streams.join();
    let length = lengths.get(key);
    if (length === undefined || task.sink?.wants(block.block)) {
      length = runTogether(task, [block], core, begin) - begin;
      lengths.set(key, length);
    }
    free[core] = begin + length;
    cycles = Math.max(cycles, free[core]);
  }
  return cycles;
}

/** Cycles of the recorded blocks under other figures. */
export function solve(graph: GraphData, figures: Figures, sink: Sink | null): number {
  const { total, most, hbm, written, hbmWritten, devices, factor } = graph.gm;
  const cyclesOf = (bytes: number, fromHbm: number): number =>
    (fromHbm / figures.hbmRate + (bytes - fromHbm) / figures.l2Rate) / devices;
  const read = total - written;
  const reading = cyclesOf(read, Math.min(read, hbm - hbmWritten));
  const writing = cyclesOf(written, hbmWritten);
  const least = reading + writing;
  let dearer = graph.leftOut ? factor : 1;
  const cores = total / most;
  const perRead = read > 0 ? reading / read : 0;
  const cyclesPerByte = (): [number, number] =>
    total > 0 ? [cores * perRead * dearer, cores * cyclesOf(1, 0) * dearer] : [0, 0];
  let cycles = 0;
  // Transfers of one core may overlap, and then a core wants more than its share: all get
  // less until the launch moves no more than the memory does.
  for (let round = 0; round < 8; ++round) {
    cycles = place({ graph, figures, cyclesPerByte: cyclesPerByte(), sink: null });
    if (total === 0 || graph.leftOut || cycles <= 0 || cycles >= least * 0.998) break;
    dearer *= least / cycles;
  }
  if (sink) cycles = place({ graph, figures, cyclesPerByte: cyclesPerByte(), sink });
  return cycles;
}
