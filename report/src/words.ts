// Names, colours and numbers as the page writes them.

// Colours tell pipes apart for people who do not see red and green, too (Okabe and
// Ito); text on them is black or white, whichever is easier to read.
export const kPipes: { name: string; colour: string; does: string }[] = [
  { name: "SCALAR", colour: "#8a8a8a", does: "issues instructions, computes addresses" },
  { name: "MTE2", colour: "#3a8fd0", does: "global memory to on-chip memory" },
  { name: "MTE1", colour: "#2ba37f", does: "L1 to L0A and L0B" },
  { name: "CUBE", colour: "#d5682a", does: "matrix products" },
  { name: "FIXP", colour: "#b96fa0", does: "L0C to other memories" },
  { name: "VECTOR", colour: "#e3a321", does: "vector instructions" },
  { name: "MTE3", colour: "#7bb8e8", does: "on-chip memory to global memory" },
];

export function colourOf(pipe: string): string {
  return kPipes.find((row) => row.name === pipe)?.colour ?? "#8a8a8a";
}

/** Black or white, for text on a colour. */
export function inkOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
  const light = (v: number) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) > 0.18 ? "#000000" : "#ffffff";
}

// Reasons that do not read well after "waited for".
const kReasons: Record<string, string> = {
  issue: "its issue by the scalar unit",
  flag: "a flag",
  "buffer id": "a buffer id",
  barrier: "a barrier",
  semaphore: "a semaphore",
  "tile queue": "a tile queue",
  "all-core barrier": "an all-core barrier",
  "unit flag": "a unit flag",
  "full queue": "a free entry of a pipe's queue",
};
export function reasonText(reason: string): string {
  return kReasons[reason] ?? reason;
}

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });

export function count(value: number): string {
  return whole.format(value);
}
export function cycles(value: number): string {
  return (Math.abs(value) < 100 ? tenths : whole).format(value);
}
export function cyclesText(value: number): string {
  const text = cycles(value);
  return `${text} ${text === "1" ? "cycle" : "cycles"}`;
}
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  return `${(Math.abs(share) < 0.0995 ? tenths : whole).format(share * 100)} %`;
}
export function signed(value: number): string {
  if (Math.abs(value) < 0.05) return "0";
  return (value > 0 ? "+" : "−") + cycles(Math.abs(value));
}
export function bytes(value: number): string {
  if (value < 1024) return `${whole.format(value)} B`;
  if (value < 1024 * 1024) return `${tenths.format(value / 1024)} KiB`;
  if (value < 1024 ** 3) return `${tenths.format(value / 1024 ** 2)} MiB`;
  return `${tenths.format(value / 1024 ** 3)} GiB`;
}
export function rate(value: number): string {
  return `${tenths.format(value)} B/cycle`;
}
export function microseconds(cycleCount: number, clockMHz: number): string {
  if (!(clockMHz > 0)) return "";
  const us = cycleCount / clockMHz;
  return us < 1000 ? `${twoDigits.format(us)} µs` : `${twoDigits.format(us / 1000)} ms`;
}
export function factor(value: number): string {
  return `× ${twoDigits.format(value)}`;
}
