// The program's text with what each of its lines costs.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { baseName, LineCost, linesOf, Run } from "./data";
import { count, cycles, percent, signed } from "./words";

export interface Chosen {
  run: number;
  file: number;
  line: number;
}

function costsOf(run: Run, file: number): Map<number, LineCost> {
  return new Map(run.lines.filter((row) => row.file === file).map((row) => [row.line, row]));
}

interface SourceProps {
  runs: Run[];
  names: string[];
  chosen: Chosen | null;
  onChoose: (chosen: Chosen) => void;
}

export function Source({ runs, names, chosen, onChoose }: SourceProps) {
  const files = runs.flatMap((run, i) => run.data.files.map((file, k) => ({ run: i, file: k, path: file.path })));
  const costly = useMemo(() => {
    let best = 0;
    files.forEach((row, i) => {
      const sum = (k: number) =>
        runs[files[k].run].lines.filter((l) => l.file === files[k].file).reduce((s, l) => s + l.busy, 0);
      if (files[best].run === row.run && sum(i) > sum(best)) best = i;
    });
    return best;
  }, [runs]);
  const [shown, setShown] = useState(costly);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!chosen) return;
    const i = files.findIndex((row) => row.run === chosen.run && row.file === chosen.file);
    if (i >= 0) setShown(i);
  }, [chosen]);
  useEffect(() => {
    const box = body.current;
    const line = box?.querySelector<HTMLElement>(".line.chosen");
    if (box && line) box.scrollTop = line.offsetTop - box.clientHeight / 2;
  }, [chosen, shown]);
  const current = files[shown];
  if (!current) return null;
  const run = runs[current.run];
  const costs = costsOf(run, current.file);
  const all = run.lines.reduce((sum, row) => sum + row.busy, 0) || 1;
  const most = Math.max(1e-9, ...run.lines.map((row) => row.busy + row.waited));
  const findings = new Set(run.data.findings.filter((f) => f.file === current.file).map((f) => f.line));
  const isChosen = (line: number) =>
    chosen !== null && chosen.run === current.run && chosen.file === current.file && chosen.line === line;
  return (
    <section class="panel source" aria-label="Source">
      <h2>
        Source{" "}
        {files.length > 1 ? (
          <select aria-label="File" value={shown} onChange={(e) => setShown(Number(e.currentTarget.value))}>
            {files.map((row, i) => (
              <option value={i} key={i}>
                {runs.length > 1 ? `${names[row.run]}: ` : ""}
                {baseName(row.path)}
              </option>
            ))}
          </select>
        ) : (
          <code>{baseName(current.path)}</code>
        )}
      </h2>
      {run.data.files[current.file].text === null ? (
        <p class="soft">The text of {current.path} was not there when the report was made.</p>
      ) : (
        <div class="lines" ref={body} tabIndex={0} role="table" aria-label="Lines with their cost">
          <div class="line head" role="row">
            <span role="columnheader">cycles</span>
            <span role="columnheader">share</span>
            <span role="columnheader">waits</span>
            <span role="columnheader" />
            <span role="columnheader">line</span>
          </div>
          {linesOf(run, current.file).map((text, i) => {
            const cost = costs.get(i + 1);
            return (
              <div
                key={i}
                role="row"
                class={`line${isChosen(i + 1) ? " chosen" : ""}${cost ? " costs" : ""}${findings.has(i + 1) ? " wrong" : ""}`}
                title={cost ? `${count(cost.count)} times` : undefined}
                onClick={() => cost && onChoose({ run: current.run, file: current.file, line: i + 1 })}
              >
                <span role="cell">{cost ? cycles(cost.busy) : ""}</span>
                <span role="cell">{cost ? percent(cost.busy / all) : ""}</span>
                <span role="cell">{cost && cost.waited >= 0.05 ? cycles(cost.waited) : ""}</span>
                <span role="cell" class="heat">
                  {cost && (
                    <>
                      <i style={{ width: `${(cost.busy / most) * 100}%` }} />
                      <i class="hatched" style={{ width: `${(cost.waited / most) * 100}%` }} />
                    </>
                  )}
                </span>
                <span role="cell" class="code">
                  <b>{i + 1}</b>
                  {text}
                </span>
              </div>
            );
          })}
        </div>
      )}
    </section>
  );
}

interface LinePair {
  text: string;
  lines: (number | null)[];
  costs: (LineCost | undefined)[];
}

/** Lines of two runs that have the same text, and those that only one has. */
export function pairLines(runs: Run[]): LinePair[] {
  const pairs = new Map<string, LinePair>();
  runs.forEach((run, i) => {
    const times = new Map<string, number>();
    const sorted = [...run.lines].sort((a, b) => a.file - b.file || a.line - b.line);
    for (const cost of sorted) {
      if (cost.file < 0) continue;
      const text = (linesOf(run, cost.file)[cost.line - 1] ?? "").trim() || `line ${cost.line}`;
      const time = (times.get(text) ?? 0) + 1;
      times.set(text, time);
      const key = `${time} ${text}`;
      if (!pairs.has(key)) pairs.set(key, { text, lines: [null, null], costs: [undefined, undefined] });
      pairs.get(key)!.lines[i] = cost.line;
      pairs.get(key)!.costs[i] = cost;
    }
  });
  const total = (cost?: LineCost) => (cost ? cost.busy + cost.waited : 0);
  const change = (pair: LinePair) => Math.abs(total(pair.costs[1]) - total(pair.costs[0]));
  return [...pairs.values()].sort((a, b) => change(b) - change(a));
}

export function LineDifferences({ runs, onChoose }: { runs: Run[]; onChoose: (chosen: Chosen) => void }) {
  const pairs = useMemo(() => pairLines(runs), [runs]);
  return (
    <section class="panel" aria-label="Differences by line">
      <h2>Difference by line</h2>
      <p class="soft">Lines with the same text are compared. The largest changes come first.</p>
      <div class="scrolls">
        <table id="line-differences">
          <thead>
            <tr>
              <th scope="col">A</th>
              <th scope="col">B</th>
              <th scope="col" class="number">busy</th>
              <th scope="col" class="number">waits</th>
              <th scope="col">text</th>
            </tr>
          </thead>
          <tbody>
            {pairs.slice(0, 200).map((pair, i) => (
              <tr
                key={i}
                class="link"
                onClick={() => {
                  const run = pair.costs[1] ? 1 : 0;
                  const cost = pair.costs[run]!;
                  onChoose({ run, file: cost.file, line: cost.line });
                }}
              >
                <td>{pair.lines[0] ?? "–"}</td>
                <td>{pair.lines[1] ?? "–"}</td>
                <td class="number">{signed((pair.costs[1]?.busy ?? 0) - (pair.costs[0]?.busy ?? 0))}</td>
                <td class="number">{signed((pair.costs[1]?.waited ?? 0) - (pair.costs[0]?.waited ?? 0))}</td>
                <td class="code">{pair.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
