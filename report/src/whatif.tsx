// Sliders for figures of the model. The recorded program is solved again in the page.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Arrow, Run, Track } from "./data";
import { Figures, GraphData } from "./graph";
import { solve, SolvedSlice } from "./solver";
import { count, cycles, cyclesText, factor, percent } from "./words";

interface Slider {
  id: string;
  title: string;
  /** That are multiplied by what the position, a whole number, stands for. */
  figures: (keyof Figures)[];
  factor: (position: number) => number;
  least: number;
  rest: number;
  most: number;
}

const kSliders: Slider[] = [
  {
    id: "gm",
    title: "GM bandwidth",
    figures: ["hbmRate", "l2Rate"],
    factor: (position) => 2 ** (position / 2),
    least: -6,
    rest: 0,
    most: 6,
  },
  {
    id: "sync",
    title: "sync cost",
    figures: ["flagLatency", "barrierLatency", "semaphoreLatency", "allCoresLatency", "signalLatency", "syncOp"],
    factor: (position) => (position === -5 ? 0 : 2 ** position),
    least: -5,
    rest: 0,
    most: 5,
  },
];

/** Positions of sliders that were moved. */
export type Positions = Record<string, number>;

export function changedFigures(figures: Figures, positions: Positions): Figures {
  const changed = { ...figures };
  for (const slider of kSliders)
    if (slider.id in positions)
      for (const name of slider.figures) changed[name] = figures[name] * slider.factor(positions[slider.id]);
  return changed;
}

/** Cycles of the launch with these sliders. A part of the blocks stands for all where only a part is here. */
export function whatIf(run: Run, graph: GraphData, positions: Positions): number {
  const recorded = run.data.stats.launch.cycles;
  const figures = changedFigures(graph.figures, positions);
  if (!graph.leftOut) return solve(graph, figures, null);
  return (recorded * solve(graph, figures, null)) / Math.max(solve(graph, graph.figures, null), 1e-9);
}

class TrackMaker {
  rows: SolvedSlice[] = [];
  constructor(readonly old: Track) {}
  make(run: Run, graph: GraphData, tracks: Map<string, TrackMaker>): { track: Track; arrows: Arrow[] } {
    const { old, rows } = this;
    rows.sort((a, b) => a.start - b.start || a.end - b.end);
    const n = rows.length;
    const float = (get: (row: SolvedSlice) => number) => Float64Array.from(rows, get);
    const deed = (row: SolvedSlice) => (row.deed < 0 ? undefined : graph.deeds[row.deed]);
    const busy = new Float64Array(n + 1);
    const waiting = new Float64Array(n + 1);
    const arrows: Arrow[] = [];
    const causeTrack = new Int32Array(n).fill(-1);
    rows.forEach((row, i) => {
      busy[i + 1] = busy[i] + row.end - row.start;
      waiting[i + 1] = waiting[i] + row.waited;
      if (!row.cause) return;
      const from = tracks.get(trackKey(graph, row.cause))?.old.index ?? -1;
      causeTrack[i] = from;
      const kind = run.data.reasons.indexOf(row.reason);
      if (from >= 0 && from !== old.index)
        arrows.push({ from, to: old.index, left: row.cause.time, arrived: row.start, kind, id: 0 });
    });
    const track: Track = {
      ...old,
      count: n,
      start: float((row) => row.start),
      end: float((row) => row.end),
      issued: float((row) => row.issued),
      visible: float((row) => row.visible),
      waited: float((row) => row.waited),
      bytes: float((row) => deed(row)?.bytes ?? 0),
      busy,
      waiting,
      site: Int32Array.from(rows, (row) => row.site),
      path: Uint8Array.from(rows, (row) => deed(row)?.path ?? 0),
      reason: Uint8Array.from(rows, (row) => Math.max(0, run.data.reasons.indexOf(row.reason))),
      cause: Int32Array.from(rows, (row) => row.cause?.site ?? -1),
      causeTrack,
    };
    return { track, arrows };
  }
}

function trackKey(graph: GraphData, row: { block: number; core: number; pipe: number }): string {
  return `${row.block}/${graph.coreNames[row.core]}/${graph.pipeNames[row.pipe]}`;
}

/** The timeline with these sliders; the blocks that the recorded one shows. */
function changedRun(run: Run, graph: GraphData, positions: Positions): Run {
  const makers = new Map(run.tracks.map((track) => [`${track.block}/${track.core}/${track.pipe}`, new TrackMaker(track)]));
  const shown = new Set(run.tracks.map((track) => track.block));
  solve(graph, changedFigures(graph.figures, positions), {
    wants: (block) => shown.has(block),
    slice: (slice) => makers.get(trackKey(graph, slice))?.rows.push(slice),
  });
  const made = [...makers.values()].map((maker) => maker.make(run, graph, makers));
  return { ...run, tracks: made.map((each) => each.track), arrows: made.flatMap((each) => each.arrows) };
}

interface WhatIfProps {
  recorded: Run[];
  names: string[];
  onChange: (runs: Run[]) => void;
}

export function WhatIf({ recorded, names, onChange }: WhatIfProps) {
  const graphs = useMemo(() => recorded.map((run) => run.data.graph ?? null), [recorded]);
  const first = graphs.find((graph) => graph !== null);
  const [positions, setPositions] = useState<Positions>({});
  const [totals, setTotals] = useState<number[] | null>(null);
  const timer = useRef(0);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    clearTimeout(timer.current);
    if (!Object.keys(positions).length) {
      setTotals(null);
      change.current(recorded);
      return;
    }
    timer.current = setTimeout(() => {
      const runs = recorded.map((run, i) => (graphs[i] ? changedRun(run, graphs[i], positions) : run));
      setTotals(recorded.map((run, i) => (graphs[i] ? whatIf(run, graphs[i], positions) : NaN)));
      change.current(runs);
    }, 60);
  }, [positions]);
  if (!first) return null;
  return (
    <section class="panel" aria-label="What if">
      <h2>What if</h2>
      <p class="soft">The recorded program, timed again with other figures.</p>
      {kSliders.map((slider) => {
        const position = positions[slider.id] ?? slider.rest;
        const keys = slider.figures.map((name) => first.keys[name] ?? name).join(", ");
        return (
          <label class="slider" key={slider.id} title={`multiplies ${keys}`}>
            <span>{slider.title}</span>
            <input
              type="range"
              id={`slider-${slider.id}`}
              min={slider.least}
              max={slider.most}
              step={1}
              value={position}
              aria-valuetext={factor(slider.factor(position))}
              onInput={(e) => {
                const moved = Number(e.currentTarget.value);
                setPositions((now) => ({ ...now, [slider.id]: moved }));
              }}
            />
            <span class="number" data-factor={slider.factor(position)}>
              {factor(slider.factor(position))}
            </span>
          </label>
        );
      })}
      <div id="what-if" aria-live="polite">
        {recorded.map((run, i) => {
          const before = run.data.stats.launch.cycles;
          const after = totals?.[i] ?? before;
          if (Number.isNaN(after)) return <p key={i}>{names[i]}: its program is not in the report.</p>;
          return (
            <p key={i}>
              {recorded.length > 1 && <span class="tag">{names[i]}</span>} {cycles(before)} →{" "}
              <strong data-whatif={after}>{cyclesText(after)}</strong>
              {totals && ` (${after >= before ? "+" : "−"}${percent(Math.abs(after / before - 1))})`}
              {graphs[i] && graphs[i].leftOut > 0 && (
                <span class="soft"> · estimated from {count(graphs[i].blocks.length)} blocks</span>
              )}
            </p>
          );
        })}
      </div>
      <button disabled={!totals} onClick={() => setPositions({})}>
        as recorded
      </button>
    </section>
  );
}
