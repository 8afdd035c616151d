// How full the on-chip memories are over time, on the timeline's axis.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { Memory, Run, upperBound } from "./data";
import { bytes } from "./words";
import { kGutter } from "./timeline";
import { View } from "./view";

// Steps that are closer together than a pixel are drawn as their highest one.
function columnsOf(memory: Memory, view: View, width: number): [number[], number[]] {
  const time: number[] = [];
  const value: number[] = [];
  const push = (t: number, v: number) => {
    time.push(t);
    value.push(v);
  };
  let i = Math.max(0, upperBound(memory.time, view.from) - 1);
  push(view.from, memory.time.length && memory.time[i] <= view.from ? memory.bytes[i] : 0);
  const step = view.span / Math.max(width, 1);
  for (; i < memory.time.length && memory.time[i] <= view.to; ) {
    const next = Math.max(i + 1, upperBound(memory.time, memory.time[i] + step));
    let most = 0;
    for (let k = i; k < next; ++k) most = Math.max(most, memory.bytes[k]);
    if (memory.time[i] > view.from) push(memory.time[i], most);
    if (next - 1 > i) push(Math.max(memory.time[next - 1], view.from), memory.bytes[next - 1]);
    i = next;
  }
  push(view.to, value[value.length - 1]);
  return [time, value];
}

function Curve({ memory, view, title, theme }: { memory: Memory; view: View; title: string; theme: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current!;
    const style = getComputedStyle(element);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const grid = { stroke: colour("band"), width: 1 };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: 110,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        padding: [6, 0, 0, 0],
        scales: { x: { time: false, range: () => [view.from, view.to] }, y: { range: [0, memory.capacity || 1] } },
        series: [
          {},
          {
            stroke: colour("accent"),
            fill: colour("fill"),
            width: 1,
            points: { show: false },
            paths: uPlot.paths.stepped!({ align: 1 }),
          },
        ],
        axes: [
          { show: false },
          {
            size: kGutter,
            stroke: colour("soft"),
            grid,
            ticks: { show: false },
            splits: [0, memory.capacity / 2, memory.capacity],
            values: (_, splits) => splits.map((v) => bytes(v)),
            font: "11px system-ui, sans-serif",
          },
        ],
      },
      columnsOf(memory, view, element.clientWidth),
      element,
    );
    const update = () => plot.setData(columnsOf(memory, view, element.clientWidth));
    const stop = view.listen(update);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 110 }));
    watcher.observe(element);
    return () => {
      stop();
      watcher.disconnect();
      plot.destroy();
    };
  }, [memory, view, theme]);
  return (
    <figure class="curve">
      <figcaption>{title}</figcaption>
      <div ref={box} />
    </figure>
  );
}

export function MemoryCurves({ runs, names, view, theme }: { runs: Run[]; names: string[]; view: View; theme: string }) {
  const cores = [...new Set(runs.flatMap((run) => run.memory.map((row) => `block ${row.block} · ${row.core}`)))];
  const [core, setCore] = useState(cores[0] ?? "");
  if (!cores.length) return null;
  return (
    <section class="panel" aria-label="Memory">
      <h2>
        On-chip memory in use{" "}
        {cores.length > 1 ? (
          <select aria-label="Core" value={core} onChange={(e) => setCore(e.currentTarget.value)}>
            {cores.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <span class="soft">{core}</span>
        )}
      </h2>
      {runs.flatMap((run, i) =>
        run.memory
          .filter((row) => `block ${row.block} · ${row.core}` === core)
          .map((row) => {
            const most = row.bytes.reduce((a, b) => Math.max(a, b), 0);
            const title = `${runs.length > 1 ? `${names[i]}: ` : ""}${row.space}, at most ${bytes(most)} of ${bytes(row.capacity)}`;
            return <Curve key={`${i}/${row.space}/${core}`} memory={row} view={view} title={title} theme={theme} />;
          }),
      )}
    </section>
  );
}
