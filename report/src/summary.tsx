// What is read first: how long it took, what each pipe did, what was waited for.

import { PipeTotal, Place, Run } from "./data";
import { bytes, colourOf, count, cycles, cyclesText, kPipes, microseconds, percent, reasonText, signed } from "./words";

export function Headline({ runs, names }: { runs: Run[]; names: string[] }) {
  return (
    <section class="cards" aria-label="Summary">
      {runs.map((run, i) => {
        const { launch, bound, timing, overlap } = run.data.stats;
        return (
          <div class="card" key={i}>
            <h2>
              {runs.length > 1 && <span class="tag">{names[i]}</span>} <code>@{run.data.kernel}</code>
            </h2>
            <p class="big">
              <span data-total={i}>{cycles(launch.cycles)}</span> cycles
              <span class="soft"> · {microseconds(launch.cycles, launch.clockMHz)}</span>
            </p>
            <dl>
              <div>
                <dt>with launch</dt>
                <dd>{cyclesText(launch.cyclesWithLaunch)}</dd>
              </div>
              <div>
                <dt>blocks on cores</dt>
                <dd>
                  {count(run.data.blocks)} on {count(launch.coresUsed)} of {count(launch.coresThere)}
                </dd>
              </div>
              <div>
                <dt>bound by</dt>
                <dd>
                  {bound
                    ? `${trackName(run, bound)}, which alone needs ${cyclesText(bound.roofline)} (${percent(bound.share)})`
                    : "nothing"}
                </dd>
              </div>
              <div>
                <dt>pipes overlap</dt>
                <dd>
                  {percent(overlap.share)} of the time, at best {percent(overlap.best)}
                </dd>
              </div>
              <div>
                <dt>global memory</dt>
                <dd>
                  {bytes(launch.gmReadBytes)} read, {bytes(launch.gmWriteBytes)} written
                </dd>
              </div>
              <div>
                <dt>figures</dt>
                <dd title={`assumed: ${timing.assumed.join(", ")}`}>
                  {timing.file}; {timing.assumed.length} of {timing.figures} are assumed
                </dd>
              </div>
            </dl>
          </div>
        );
      })}
    </section>
  );
}

function share(pipe: PipeTotal, value: number): number {
  return value / Math.max(pipe.busy + pipe.waiting + pipe.idle, 1e-9);
}

function trackName(run: Run, row: { core: string; pipe: string }): string {
  return run.data.isCluster ? `${row.core} ${row.pipe}` : row.pipe;
}

const kOrder = kPipes.map((pipe) => pipe.name);

export function PipeBars({ runs, names }: { runs: Run[]; names: string[] }) {
  const rows = runs
    .flatMap((run, i) => run.data.stats.pipes.map((pipe) => ({ pipe, run: i })))
    .sort(
      (a, b) =>
        a.pipe.core.localeCompare(b.pipe.core) ||
        kOrder.indexOf(a.pipe.pipe) - kOrder.indexOf(b.pipe.pipe) ||
        a.run - b.run,
    );
  return (
    <section class="panel" aria-label="Pipes">
      <h2>Pipes</h2>
      <p class="soft">Share of each core's time that a pipe is busy, waits, or has nothing to do, averaged over cores.</p>
      <table class="bars">
        <thead>
          <tr>
            <th scope="col">pipe</th>
            <th scope="col" class="wide">busy, waiting, idle</th>
            <th scope="col" class="number">busy</th>
            <th scope="col" class="number">waiting</th>
            <th scope="col">waits mostly for</th>
            <th scope="col" class="number">instructions</th>
            <th scope="col" class="number">bytes</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ pipe, run }) => {
            const worst = Object.entries(pipe.waitingFor).sort((a, b) => b[1] - a[1])[0];
            const busy = share(pipe, pipe.busy);
            const waiting = share(pipe, pipe.waiting);
            return (
              <tr key={`${pipe.core}${pipe.pipe}${run}`}>
                <th scope="row">
                  {trackName(runs[run], pipe)} {runs.length > 1 && <span class="tag">{names[run]}</span>}
                </th>
                <td class="wide">
                  <div class="bar" role="img" aria-label={`busy ${percent(busy)}, waiting ${percent(waiting)}`}>
                    <span style={{ width: `${busy * 100}%`, background: colourOf(pipe.pipe) }} />
                    <span class="hatched" style={{ width: `${waiting * 100}%` }} />
                  </div>
                </td>
                <td class="number">{percent(busy)}</td>
                <td class="number">{percent(waiting)}</td>
                <td>{worst && worst[1] > 0 ? reasonText(worst[0]) : ""}</td>
                <td class="number">{count(pipe.instructions)}</td>
                <td class="number">{pipe.bytes ? bytes(pipe.bytes) : ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Differences of two runs, per pipe. */
export function PipeDifferences({ runs }: { runs: Run[] }) {
  const [a, b] = runs.map((run) => new Map(run.data.stats.pipes.map((pipe) => [trackName(run, pipe), pipe])));
  const pipes = [...new Set([...a.keys(), ...b.keys()])];
  const before = runs[0].data.stats.launch.cycles;
  const after = runs[1].data.stats.launch.cycles;
  return (
    <section class="panel" aria-label="Differences">
      <h2>Difference</h2>
      <p>
        B takes <strong>{cyclesText(after)}</strong>, A takes <strong>{cyclesText(before)}</strong>:{" "}
        <strong id="difference">
          {signed(after - before)} cycles ({after >= before ? "+" : "−"}
          {percent(Math.abs(after / before - 1))})
        </strong>
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">pipe</th>
            <th scope="col" class="number">busy in A</th>
            <th scope="col" class="number">in B</th>
            <th scope="col" class="number">B − A</th>
            <th scope="col" class="number">waiting in A</th>
            <th scope="col" class="number">in B</th>
            <th scope="col" class="number">B − A</th>
          </tr>
        </thead>
        <tbody>
          {pipes.map((name) => {
            const [p, q] = [a.get(name), b.get(name)];
            const busy = [p?.busy ?? 0, q?.busy ?? 0];
            const waiting = [p?.waiting ?? 0, q?.waiting ?? 0];
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{cycles(busy[0])}</td>
                <td class="number">{cycles(busy[1])}</td>
                <td class="number">{signed(busy[1] - busy[0])}</td>
                <td class="number">{cycles(waiting[0])}</td>
                <td class="number">{cycles(waiting[1])}</td>
                <td class="number">{signed(waiting[1] - waiting[0])}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

interface AdviceProps {
  runs: Run[];
  names: string[];
  onPlace: (run: number, place: Place) => void;
}

export function AdviceList({ runs, names, onPlace }: AdviceProps) {
  const rows = runs.flatMap((run, i) => run.data.stats.advice.map((advice) => ({ run: i, advice })));
  if (!rows.length) return null;
  return (
    <section class="panel" aria-label="Advice">
      <h2>Advice</h2>
      <ul class="findings">
        {rows.map(({ run, advice }, k) => (
          <li key={k}>
            <strong>saves {cyclesText(advice.saves)}</strong> {runs.length > 1 && <span class="tag">{names[run]}</span>}{" "}
            <Marked text={advice.message} />
            {advice.places.map(
              (place, i) =>
                place && (
                  <button key={i} class="place" onClick={() => onPlace(run, place)}>
                    line {place.line}
                  </button>
                ),
            )}
            <p class="soft">
              <Marked text={advice.help} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The longest waits, with both ends. */
export function Waits({ runs, names, onPlace }: AdviceProps) {
  const rows = runs
    .flatMap((run, i) => run.data.stats.waits.map((wait) => ({ run: i, wait })))
    .sort((a, b) => b.wait.cycles - a.wait.cycles)
    .slice(0, 12);
  if (!rows.length) return null;
  const link = (run: number, place: Place | null) =>
    place && (
      <button class="place" onClick={() => onPlace(run, place)}>
        {place.op.replace(/^pto\./, "")}, line {place.line}
      </button>
    );
  return (
    <section class="panel" aria-label="Longest waits">
      <h2>Longest waits</h2>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">cycles</th>
            <th scope="col">what waits</th>
            <th scope="col">for</th>
            <th scope="col">ended by</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ run, wait }, i) => (
            <tr key={i}>
              <td class="number">{cycles(wait.cycles)}</td>
              <td>
                {runs.length > 1 && <span class="tag">{names[run]}</span>} {trackName(runs[run], wait)}:{" "}
                {link(run, wait.place)}
              </td>
              <td>{reasonText(wait.reason)}</td>
              <td>{link(run, wait.cause)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Text between backquotes is code. */
export function Marked({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;
}

export function Legend() {
  return (
    <p class="legend" aria-label="Legend">
      {kPipes.map((pipe) => (
        <span key={pipe.name} title={pipe.does}>
          <i style={{ background: colourOf(pipe.name) }} /> {pipe.name}
        </span>
      ))}
      <span>
        <i class="hatched" /> waiting
      </span>
      <span>
        <i class="arrow">→</i> lets go on
      </span>
      <span>
        <i class="mark">▼</i> finding
      </span>
    </p>
  );
}
