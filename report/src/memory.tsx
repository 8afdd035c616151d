// The on-chip memories over time, on the timeline's axis: which bytes hold something,
// as a map, and how many they are, as a curve.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { Memory, placeOf, Run, upperBound } from "./data";
import { kGutter } from "./timeline";
import { View } from "./view";
import { bytes, colourOf, cycles } from "./words";

const kMapHeight = 130;
const kCurveHeight = 60;

// Steps that are closer together than a pixel are drawn as their highest one.
function columnsOf(memory: Memory, view: View, width: number): [number[], number[]] {
  const time: number[] = [];
  const value: number[] = [];
  const push = (t: number, v: number) => {
    time.push(t);
    value.push(v);
  };
  let i = Math.max(0, upperBound(memory.time, view.from) - 1);
  push(view.from, memory.time.length && memory.time[i] <= view.from ? memory.used[i] : 0);
  const step = view.span / Math.max(width, 1);
  while (i < memory.time.length && memory.time[i] <= view.to) {
    const next = Math.max(i + 1, upperBound(memory.time, memory.time[i] + step));
    let most = 0;
    for (let k = i; k < next; ++k) most = Math.max(most, memory.used[k]);
    if (memory.time[i] > view.from) push(memory.time[i], most);
    if (next - 1 > i) push(Math.max(memory.time[next - 1], view.from), memory.used[next - 1]);
    i = next;
  }
  push(view.to, value[value.length - 1]);
  return [time, value];
}

/** The first address that nothing uses: small programs would vanish in a map of all bytes. */
function topOf(memory: Memory): number {
  let top = 1;
  for (let i = 0; i < memory.begin.length; ++i) top = Math.max(top, memory.begin[i] + memory.bytes[i]);
  return top * 4 >= memory.capacity ? memory.capacity : top;
}

function drawMap(canvas: HTMLCanvasElement, run: Run, memory: Memory, view: View): void {
  const box = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(box.width * scale);
  canvas.height = Math.round(box.height * scale);
  const g = canvas.getContext("2d", { alpha: false })!;
  g.setTransform(scale, 0, 0, scale, 0, 0);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  g.fillStyle = colour("paper");
  g.fillRect(0, 0, box.width, box.height);
  g.fillStyle = colour("band");
  g.fillRect(kGutter, 0, box.width - kGutter, box.height);
  const top = topOf(memory);
  const x = (time: number) => kGutter + ((time - view.from) / view.span) * (box.width - kGutter);
  const y = (address: number) => box.height * (1 - address / top);
  g.save();
  g.beginPath();
  g.rect(kGutter, 0, box.width - kGutter, box.height);
  g.clip();
  // Of those that lie within one pixel, the first one is enough.
  const drawnUpTo = new Map<number, number>();
  const end = upperBound(memory.from, view.to);
  for (let i = upperBound(memory.latest, view.from - 1e-9); i < end; ++i) {
    if (memory.to[i] < view.from) continue;
    const left = x(memory.from[i]);
    const right = x(memory.to[i]);
    const wide = Math.max(right - left, 1);
    const up = y(memory.begin[i] + memory.bytes[i]);
    if (right < (drawnUpTo.get(memory.begin[i]) ?? -1)) continue;
    drawnUpTo.set(memory.begin[i], Math.floor(left) + 1);
    const tall = Math.max(y(memory.begin[i]) - up, 1);
    g.fillStyle = colourOf(run.tracks[memory.track[i]]?.pipe ?? "");
    g.globalAlpha = 0.75;
    g.fillRect(left, up, wide, tall);
    g.globalAlpha = 1;
    if (wide > 4 && tall > 3) {
      g.strokeStyle = colour("paper");
      g.lineWidth = 1;
      g.strokeRect(left + 0.5, up + 0.5, wide - 1, tall - 1);
    }
  }
  g.restore();
  g.fillStyle = colour("soft");
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "right";
  g.fillText(bytes(top), kGutter - 8, 10);
  g.fillText("byte 0", kGutter - 8, box.height - 3);
}

/** What is at a point of the map, in words. */
function wordsAt(run: Run, memory: Memory, time: number, address: number): string {
  for (let i = memory.from.length - 1; i >= 0; --i) {
    if (time < memory.from[i] || time > memory.to[i]) continue;
    if (address < memory.begin[i] || address >= memory.begin[i] + memory.bytes[i]) continue;
    const site = run.data.sites[memory.site[i]];
    return (
      `bytes 0x${memory.begin[i].toString(16)} to 0x${(memory.begin[i] + memory.bytes[i]).toString(16)} ` +
      `(${bytes(memory.bytes[i])}), written by ${site?.op ?? "?"} at ${placeOf(run, site)}, ` +
      `in use from ${cycles(memory.from[i])} to ${cycles(memory.to[i])}`
    );
  }
  return "";
}

interface MapProps {
  run: Run;
  memory: Memory;
  view: View;
  title: string;
  theme: string;
  onSite: (site: number) => void;
}

function MemoryMap({ run, memory, view, title, theme, onSite }: MapProps) {
  const curve = useRef<HTMLDivElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = curve.current!;
    const style = getComputedStyle(element);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: kCurveHeight,
        legend: { show: false },
        cursor: { show: false },
        padding: [8, 0, 6, 0],
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
            grid: { stroke: colour("band"), width: 1 },
            ticks: { show: false },
            splits: [0, memory.capacity],
            values: (_, splits) => splits.map((v) => (v ? bytes(v) : "in use 0")),
            font: "11px system-ui, sans-serif",
          },
        ],
      },
      columnsOf(memory, view, element.clientWidth),
      element,
    );
    const update = () => {
      if (!map.current) return; // taken away before the frame
      plot.setData(columnsOf(memory, view, element.clientWidth));
      drawMap(map.current, run, memory, view);
    };
    const stop = view.listen(update);
    const watcher = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: kCurveHeight });
      update();
    });
    watcher.observe(element);
    return () => {
      stop();
      watcher.disconnect();
      plot.destroy();
    };
  }, [memory, view, theme]);
  const at = (event: MouseEvent) => {
    const box = map.current!.getBoundingClientRect();
    const time = view.from + ((event.clientX - box.left - kGutter) / (box.width - kGutter)) * view.span;
    return { time, address: (1 - (event.clientY - box.top) / box.height) * topOf(memory) };
  };
  return (
    <figure class="curve">
      <figcaption>{title}</figcaption>
      <canvas
        ref={map}
        class="map"
        style={{ height: `${kMapHeight}px` }}
        role="img"
        aria-label={`Map of ${title}`}
        onMouseMove={(event) => {
          const { time, address } = at(event);
          event.currentTarget.title = wordsAt(run, memory, time, address);
        }}
        onClick={(event) => {
          const { time, address } = at(event);
          for (let i = memory.from.length - 1; i >= 0; --i)
            if (
              time >= memory.from[i] &&
              time <= memory.to[i] &&
              address >= memory.begin[i] &&
              address < memory.begin[i] + memory.bytes[i]
            )
              return onSite(memory.site[i]);
        }}
      />
      <div ref={curve} />
    </figure>
  );
}

interface MemoryProps {
  runs: Run[];
  names: string[];
  view: View;
  theme: string;
  onSite: (run: number, site: number) => void;
}

export function MemoryMaps({ runs, names, view, theme, onSite }: MemoryProps) {
  const cores = [...new Set(runs.flatMap((run) => run.memory.map((row) => `block ${row.block} · ${row.core}`)))];
  const [core, setCore] = useState(cores[0] ?? "");
  if (!cores.length) return null;
  return (
    <section class="panel" aria-label="Memory">
      <h2>
        On-chip memory{" "}
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
      <p class="soft">
        Bytes from when they are written to when they are last used, in the colour of the pipe that wrote them; addresses
        grow upwards.
      </p>
      {runs.flatMap((run, i) =>
        run.memory
          .filter((row) => `block ${row.block} · ${row.core}` === core)
          .map((row) => {
            const most = row.used.reduce((a, b) => Math.max(a, b), 0);
            const title = `${runs.length > 1 ? `${names[i]}: ` : ""}${row.space.toUpperCase()}, at most ${bytes(most)} of ${bytes(row.capacity)} in use`;
            return (
              <MemoryMap
                key={`${i}/${row.space}/${core}`}
                run={run}
                memory={row}
                view={view}
                title={title}
                theme={theme}
                onSite={(site) => onSite(i, site)}
              />
            );
          }),
      )}
    </section>
  );
}
