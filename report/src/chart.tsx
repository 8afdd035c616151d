// The timeline with its minimap and what the mouse and the keys do to it.

import { useEffect, useRef, useState } from "preact/hooks";
import { Picked, Run } from "./data";
import { Details } from "./details";
import { kGutter, Mark, Minimap, Timeline, TimelineState } from "./timeline";
import { View } from "./view";

const kKeys =
  "Wheel: zoom. Drag: move. + and −: zoom. ← and →: move. ↑ and ↓: scroll. 0: whole run. " +
  "Click: choose. [ and ]: previous and next slice of the pipe. F: zoom to the chosen slice. Esc: none.";

interface ChartProps {
  runs: Run[];
  names: string[];
  view: View;
  picked: Picked | null;
  found: Set<number>[] | null;
  marks: Mark[];
  allArrows: boolean;
  theme: string;
  onPick: (picked: Picked | null) => void;
}

/** What tests ask the page for. */
declare global {
  interface Window {
    ptoscope?: { timeline: Timeline; view: View };
  }
}

export function Chart(props: ChartProps) {
  const { runs, names, view, picked, found, marks, allArrows, theme, onPick } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<HTMLCanvasElement>(null);
  const parts = useRef<{ timeline: Timeline; minimap: Minimap; state: TimelineState } | null>(null);
  const [tip, setTip] = useState<{ x: number; y: number; picked: Picked } | null>(null);
  const pick = useRef(onPick);
  pick.current = onPick;

  useEffect(() => {
    const state: TimelineState = { picked, hovered: null, found, marks, allArrows };
    const timeline = new Timeline(canvas.current!, runs, view, state, names);
    const minimap = new Minimap(strip.current!, runs, view);
    parts.current = { timeline, minimap, state };
    window.ptoscope = { timeline, view };
    const draw = () => {
      timeline.draw();
      minimap.draw();
    };
    const resize = () => {
      timeline.resize();
      minimap.resize();
      draw();
    };
    const watcher = new ResizeObserver(resize);
    watcher.observe(canvas.current!);
    const stop = view.listen(draw);
    resize();
    return () => {
      watcher.disconnect();
      stop();
    };
  }, [view]);

  useEffect(() => {
    parts.current?.timeline.setRuns(runs);
    parts.current?.minimap.setRuns(runs);
    view.changed();
  }, [runs]);

  useEffect(() => {
    const { timeline, minimap, state } = parts.current!;
    Object.assign(state, { picked, found, marks, allArrows });
    if (picked) timeline.revealRow(picked.run, picked.track);
    timeline.themeChanged();
    minimap.setRuns(runs);
    view.changed();
  }, [picked, found, marks, allArrows, theme]);

  useEffect(() => dragging(canvas.current!, strip.current!, view, () => parts.current!, pick, setTip), [view]);

  const onKey = (event: KeyboardEvent) => {
    const { timeline } = parts.current!;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (by: number) => {
      if (!picked) return;
      const slice = picked.slice + by;
      if (slice >= 0 && slice < runs[picked.run].tracks[picked.track].count) {
        const next = { ...picked, slice };
        const track = runs[picked.run].tracks[picked.track];
        view.reveal(track.start[slice], track.end[slice]);
        onPick(next);
      }
    };
    const actions: Record<string, () => void> = {
      "+": () => view.zoom(0.7),
      "=": () => view.zoom(0.7),
      w: () => view.zoom(0.7),
      "-": () => view.zoom(1 / 0.7),
      s: () => view.zoom(1 / 0.7),
      ArrowLeft: () => view.pan(-0.15),
      a: () => view.pan(-0.15),
      ArrowRight: () => view.pan(0.15),
      d: () => view.pan(0.15),
      ArrowUp: () => timeline.scrollBy(-44),
      ArrowDown: () => timeline.scrollBy(44),
      PageUp: () => timeline.scrollBy(-200),
      PageDown: () => timeline.scrollBy(200),
      "0": () => view.all(),
      Home: () => view.all(),
      "[": () => step(-1),
      "]": () => step(1),
      f: () => {
        if (!picked) return;
        const track = runs[picked.run].tracks[picked.track];
        view.show(track.start[picked.slice], track.end[picked.slice]);
      },
      Enter: () => onPick(picked ?? firstVisible(runs, view)),
      Escape: () => onPick(null),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
    view.changed();
  };

  const rows = runs.reduce((sum, run) => sum + run.tracks.length, 0);
  const cores = new Set(runs.flatMap((run) => run.tracks.map((track) => `${track.block}/${track.core}`))).size;
  const height = Math.min(Math.max(rows * 22 + cores * 20 + 32, 140), 520);
  return (
    <div class="chart">
      <canvas ref={strip} class="minimap" aria-hidden="true" />
      <canvas
        ref={canvas}
        class="timeline"
        id="timeline"
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="application"
        aria-label={`Timeline of pipes. ${kKeys}`}
        onKeyDown={onKey}
      />
      {tip && (
        <div
          class="tip"
          role="tooltip"
          style={{ left: `${Math.min(tip.x + 14, Math.max(0, window.innerWidth - 400))}px`, top: `${tip.y + 16}px` }}
        >
          <Details runs={runs} picked={tip.picked} />
        </div>
      )}
      <p class="soft keys">{kKeys}</p>
    </div>
  );
}

function firstVisible(runs: Run[], view: View): Picked | null {
  for (let run = 0; run < runs.length; ++run)
    for (const track of runs[run].tracks)
      for (let i = 0; i < track.count; ++i)
        if (track.end[i] >= view.from) {
          if (track.start[i] <= view.to && track.pipe !== "SCALAR") return { run, track: track.index, slice: i };
          break;
        }
  return null;
}

/** Mouse, wheel and touch. Returns what undoes it. */
function dragging(
  canvas: HTMLCanvasElement,
  strip: HTMLCanvasElement,
  view: View,
  parts: () => { timeline: Timeline; minimap: Minimap; state: TimelineState },
  pick: { current: (picked: Picked | null) => void },
  setTip: (tip: { x: number; y: number; picked: Picked } | null) => void,
): () => void {
  const control = new AbortController();
  const { signal } = control;
  let held: { x: number; y: number; moved: boolean } | null = null;
  const place = (event: MouseEvent, element: HTMLElement) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width };
  };
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x } = place(event, canvas);
      if (x < kGutter) parts().timeline.scrollBy(event.deltaY);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        view.pan((event.deltaX || event.deltaY) / 1000);
      else view.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.003), parts().timeline.time(x));
      view.changed();
    },
    { signal, passive: false },
  );
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      held = { x: event.clientX, y: event.clientY, moved: false };
      canvas.setPointerCapture(event.pointerId);
      setTip(null);
    },
    { signal },
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      const { timeline, state } = parts();
      const { x, y, width } = place(event, canvas);
      if (held) {
        const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
        if (!held.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
        held = { x: event.clientX, y: event.clientY, moved: true };
        view.pan(-dx / (width - kGutter));
        timeline.scrollBy(-dy);
        return;
      }
      const picked = timeline.sliceAt(x, y);
      state.hovered = picked;
      setTip(picked ? { x: event.clientX, y: event.clientY, picked } : null);
      view.changed();
    },
    { signal },
  );
  canvas.addEventListener(
    "pointerup",
    (event) => {
      const { x, y } = place(event, canvas);
      if (held && !held.moved) pick.current(parts().timeline.sliceAt(x, y));
      held = null;
    },
    { signal },
  );
  canvas.addEventListener("pointerleave", () => (setTip(null), (parts().state.hovered = null), view.changed()), { signal });
  canvas.addEventListener("dblclick", (event) => view.zoom(0.4, parts().timeline.time(place(event, canvas).x)), { signal });
  const jump = (event: PointerEvent) => {
    const time = parts().minimap.time(place(event, strip).x);
    view.set(time - view.span / 2, time + view.span / 2);
  };
  strip.addEventListener("pointerdown", (event) => (strip.setPointerCapture(event.pointerId), jump(event)), { signal });
  strip.addEventListener("pointermove", (event) => event.buttons && jump(event), { signal });
  return () => control.abort();
}
