// What is known of one slice, as a tip below the pointer and as a panel; and the list
// of findings.

import { Picked, placeOf, Run, siteOf, sourceLine } from "./data";
import { Marked } from "./summary";
import { bytes, cycles, cyclesText, microseconds, rate, reasonText } from "./words";

/** Why the slice did not start earlier, as a sentence; nothing when it did not wait. */
export function waitText(run: Run, picked: Picked): string {
  const track = run.tracks[picked.track];
  const i = picked.slice;
  if (!(track.waited[i] > 0)) return "";
  let text = `Waited ${cyclesText(track.waited[i])} for ${reasonText(run.data.reasons[track.reason[i]])}`;
  const cause = track.cause[i] >= 0 ? run.data.sites[track.cause[i]] : undefined;
  const from = track.causeTrack[i] >= 0 ? run.tracks[track.causeTrack[i]] : undefined;
  if (from && from.pipe !== track.pipe) text += ` from ${from.pipe}`;
  if (from && (from.core !== track.core || from.block !== track.block))
    text += ` of ${from.block === track.block ? from.core : `block ${from.block}`}`;
  if (cause) text += `, ended by ${cause.op.replace(/^pto\./, "")} at ${placeOf(run, cause)}`;
  return text;
}

export function Details({ runs, picked }: { runs: Run[]; picked: Picked }) {
  const run = runs[picked.run];
  const track = run.tracks[picked.track];
  const i = picked.slice;
  const site = siteOf(run, picked);
  const length = track.end[i] - track.start[i];
  const wait = waitText(run, picked);
  const text = site ? sourceLine(run, site.file, site.line) : "";
  const latency = track.visible[i] - track.end[i];
  return (
    <div class="details">
      <p>
        <strong>{site?.op ?? "?"}</strong>{" "}
        <span class="soft">
          {track.pipe} · {track.core} · block {track.block}
        </span>
      </p>
      {text && (
        <p>
          <span class="soft">{placeOf(run, site)}</span> <code>{text}</code>
        </p>
      )}
      <dl>
        <dt>time</dt>
        <dd>
          {cycles(track.start[i])} to {cycles(track.end[i])}: {cyclesText(length)}
          <span class="soft"> · {microseconds(length, run.data.stats.launch.clockMHz)}</span>
        </dd>
        {latency > 0.005 && (
          <>
            <dt>seen by others</dt>
            <dd>{cyclesText(latency)} later</dd>
          </>
        )}
        {track.bytes[i] > 0 && (
          <>
            <dt>moved</dt>
            <dd>
              {bytes(track.bytes[i])} {run.data.paths[track.path[i]]}
              {length > 0 && <span class="soft"> · {rate(track.bytes[i] / length)}</span>}
            </dd>
          </>
        )}
      </dl>
      {wait && <p class="wait">{wait}.</p>}
    </div>
  );
}

interface FindingsProps {
  runs: Run[];
  names: string[];
  onShow: (run: number, finding: number) => void;
}

export function Findings({ runs, names, onShow }: FindingsProps) {
  const rows = runs.flatMap((run, i) => run.data.findings.map((finding, k) => ({ run: i, k, finding })));
  if (!rows.length) return null;
  return (
    <section class="panel" aria-label="Findings">
      <h2>Findings</h2>
      <ul class="findings">
        {rows.map(({ run, k, finding }) => (
          <li key={`${run}/${k}`}>
            <button onClick={() => onShow(run, k)}>
              <span class={`severity ${finding.severity}`}>{finding.severity}</span>
              {runs.length > 1 && <span class="tag">{names[run]}</span>}{" "}
              <span class="soft">
                {placeOf(runs[run], { file: finding.file, line: finding.line, column: 0, op: "" })} [{finding.code}]
              </span>{" "}
              <Marked text={finding.message} />
              {finding.count > 1 && <span class="soft"> · {finding.count} times</span>}
            </button>
            {finding.help && (
              <p class="soft">
                help: <Marked text={finding.help} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
