import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Chart } from "./chart";
import { decodeRun, Picked, Place, Run, RunData, siteOf, sourceLine } from "./data";
import { Details, Findings } from "./details";
import { MemoryMaps } from "./memory";
import { Chosen, LineDifferences, Source } from "./source";
import { AdviceList, Headline, Legend, PipeBars, PipeDifferences, Waits } from "./summary";
import { Mark } from "./timeline";
import { View } from "./view";
import { WhatIf } from "./whatif";
import { count } from "./words";

/** Where findings show: the slice of their instruction, at the turn they name. */
function marksOf(runs: Run[]): Mark[] {
  const marks: Mark[] = [];
  runs.forEach((run, number) =>
    run.data.findings.forEach((finding, k) => {
      const sites = new Set(finding.sites);
      for (const track of run.tracks) {
        let turn = 0;
        let last = -1;
        for (let i = 0; i < track.count; ++i)
          if (sites.has(track.site[i])) {
            last = i;
            if (turn++ >= finding.turn) break;
          }
        if (last < 0) continue;
        marks.push({ run: number, track: track.index, slice: last, severity: finding.severity, finding: k });
        return;
      }
    }),
  );
  return marks;
}

/** By run: sites whose instruction, line number or text contains the words. */
function search(runs: Run[], words: string): Set<number>[] | null {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return null;
  return runs.map((run) => {
    const found = new Set<number>();
    run.data.sites.forEach((site, i) => {
      const isLine = /^\d+$/.test(wanted) && site.line === Number(wanted);
      if (isLine || `${site.op} ${sourceLine(run, site.file, site.line)}`.toLowerCase().includes(wanted)) found.add(i);
    });
    return found;
  });
}

function firstOf(runs: Run[], found: Set<number>[], after: Picked | null, view: View): Picked | null {
  // The next one in time after what is chosen; the first one when there is none.
  const from = after ? runs[after.run].tracks[after.track].start[after.slice] : view.from;
  let best: Picked | null = null;
  let bestTime = Infinity;
  let first: Picked | null = null;
  let firstTime = Infinity;
  runs.forEach((run, r) =>
    run.tracks.forEach((track) => {
      for (let i = 0; i < track.count; ++i) {
        if (!found[r].has(track.site[i])) continue;
        const time = track.start[i];
        if (time < firstTime) [first, firstTime] = [{ run: r, track: track.index, slice: i }, time];
        const isSame = after && after.run === r && after.track === track.index && after.slice === i;
        if (time >= from && time < bestTime && !isSame && (!after || time > from))
          [best, bestTime] = [{ run: r, track: track.index, slice: i }, time];
      }
    }),
  );
  return best ?? first;
}

function Page({ recorded }: { recorded: Run[] }) {
  const names = ["A", "B"];
  const [runs, setRuns] = useState(recorded);
  const view = useMemo(() => new View(Math.max(...recorded.map((run) => lengthOf(run)))), []);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [words, setWords] = useState("");
  const [allArrows, setAllArrows] = useState(false);
  const [theme, setTheme] = useState(
    () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  );
  const found = useMemo(() => search(runs, words), [runs, words]);
  const marks = useMemo(() => marksOf(runs), [runs]);
  // Not in an effect: those of the parts read the colours, and run before ours.
  document.documentElement.dataset.theme = theme;
  useEffect(() => view.all(), []);

  const pick = (next: Picked | null) => {
    setPicked(next);
    if (!next) return;
    const site = siteOf(runs[next.run], next);
    if (site && site.file >= 0) setChosen({ run: next.run, file: site.file, line: site.line });
  };
  const goTo = (next: Picked | null) => {
    if (!next) return;
    const track = runs[next.run].tracks[next.track];
    view.reveal(track.start[next.slice], track.end[next.slice]);
    pick(next);
  };
  const chooseLine = (next: Chosen) => {
    setChosen(next);
    const run = runs[next.run];
    const sites = new Set<number>();
    run.data.sites.forEach((site, i) => site.file === next.file && site.line === next.line && sites.add(i));
    goTo(firstOf(runs, runs.map((_, r) => (r === next.run ? sites : new Set())), null, view));
  };
  const choosePlace = (run: number, place: Place) => {
    const file = runs[run].data.files.findIndex((f) => f.path === place.file);
    if (file >= 0) chooseLine({ run, file, line: place.line });
  };
  const changeTimes = (changed: Run[]) => {
    setRuns(changed);
    view.length = Math.max(1, ...changed.map((run) => lengthOf(run)));
    view.set(view.from, view.to);
  };

  const hits = found ? found.reduce((sum, set) => sum + set.size, 0) : 0;
  return (
    <>
      <header>
        <h1>
          PTOScope report <span class="soft">{runs.map((run) => run.data.kernel).join(" against ")}</span>
        </h1>
        <button onClick={() => setTheme(theme === "dark" ? "light" : "dark")} aria-label="Switch between light and dark">
          {theme === "dark" ? "light" : "dark"}
        </button>
      </header>
      <main>
        <Headline runs={recorded} names={names} />
        {runs.length > 1 && <PipeDifferences runs={recorded} />}
        <PipeBars runs={recorded} names={names} />
        <div class="columns">
          <div>
            <section class="panel" aria-label="Timeline">
              <h2>Timeline</h2>
              <div class="tools">
                <label>
                  search{" "}
                  <input
                    type="search"
                    id="search"
                    placeholder="instruction, line or text"
                    value={words}
                    onInput={(e) => setWords(e.currentTarget.value)}
                    onKeyDown={(e) => e.key === "Enter" && found && goTo(firstOf(runs, found, picked, view))}
                  />
                </label>
                {found && (
                  <span class="soft">{hits ? `${count(hits)} places; Enter shows the next` : "nothing found"}</span>
                )}
                <label>
                  <input type="checkbox" checked={allArrows} onChange={(e) => setAllArrows(e.currentTarget.checked)} />{" "}
                  all arrows
                </label>
                <button onClick={() => view.all()}>whole run</button>
              </div>
              <Legend />
              <Chart {...{ runs, names, view, picked, found, marks, allArrows, theme }} onPick={pick} />
              {runs.map(
                (run, i) =>
                  run.data.leftOut.slices > 0 && (
                    <p class="soft" key={i}>
                      {runs.length > 1 ? `${names[i]}: the` : "The"} timeline shows {count(run.sliceCount)} slices;{" "}
                      {count(run.data.leftOut.slices)} more are in the figures only (<code>--report-limit</code>).
                    </p>
                  ),
              )}
            </section>
            {runs === recorded ? (
              <MemoryMaps
                runs={runs}
                names={names}
                view={view}
                theme={theme}
                onSite={(run, site) => {
                  const { file, line } = runs[run].data.sites[site] ?? { file: -1, line: 0 };
                  if (file >= 0) setChosen({ run, file, line });
                }}
              />
            ) : (
              <p class="soft">The map of memories is that of the run as recorded.</p>
            )}
            <Waits runs={recorded} names={names} onPlace={choosePlace} />
          </div>
          <div>
            <section class="panel" aria-label="Chosen slice" aria-live="polite" id="chosen">
              <h2>Chosen slice</h2>
              {picked ? <Details runs={runs} picked={picked} /> : <p class="soft">Click a slice of the timeline.</p>}
            </section>
            <Source runs={runs} names={names} chosen={chosen} onChoose={chooseLine} />
            <WhatIf recorded={recorded} names={names} onChange={changeTimes} />
            <AdviceList runs={recorded} names={names} onPlace={choosePlace} />
            <Findings
              runs={runs}
              names={names}
              onShow={(run, k) => {
                const mark = marks.find((m) => m.run === run && m.finding === k);
                const finding = runs[run].data.findings[k];
                if (mark) goTo({ run, track: mark.track, slice: mark.slice });
                if (finding.file >= 0) setChosen({ run, file: finding.file, line: finding.line });
              }}
            />
          </div>
        </div>
        {runs.length > 1 && <LineDifferences runs={recorded} onChoose={chooseLine} />}
      </main>
      <footer class="soft">
        Made by {runs[0].data.tool.name} {runs[0].data.tool.version}. Cycles come from a model, not from a device; the
        error of the model is in docs/timing.md.
      </footer>
    </>
  );
}

function lengthOf(run: Run): number {
  let length = run.data.stats.launch.cycles;
  for (const track of run.tracks) if (track.count) length = Math.max(length, track.end[track.count - 1]);
  return length;
}

function show(): void {
  const root = document.getElementById("root")!;
  try {
    const { runs } = JSON.parse(document.getElementById("ptoscope-data")!.textContent!) as { runs: RunData[] };
    const decoded = runs.map(decodeRun);
    document.title = `PTOScope: ${decoded.map((run) => run.data.kernel).join(" against ")}`;
    render(<Page recorded={decoded} />, root);
  } catch (error) {
    root.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : error}`;
    throw error;
  }
}

show();
