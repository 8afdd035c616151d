// The window of time that timeline, minimap and memory curves show together.

export class View {
  from = 0;
  to = 1;
  private listeners = new Set<() => void>();
  private scheduled = false;

  constructor(public length: number) {
    this.to = this.length = Math.max(length, 1);
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Everyone redraws once before the next frame, however often this is called. */
  changed(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.listeners.forEach((listener) => listener());
    });
  }

  get span(): number {
    return this.to - this.from;
  }

  set(from: number, to: number): void {
    const least = Math.min(this.length, 4);
    let span = Math.min(Math.max(to - from, least), this.length * 1.04);
    if (to - from < least) from = (from + to) / 2 - span / 2;
    const margin = this.length * 0.02;
    from = Math.min(Math.max(from, -margin), this.length + margin - span);
    this.from = from;
    this.to = from + span;
    this.changed();
  }

  all(): void {
    this.set(0, this.length * 1.01);
  }

  /** `factor` below 1 shows less time; what is at `time` stays where it is. */
  zoom(factor: number, time = (this.from + this.to) / 2): void {
    const least = Math.min(this.length, 4);
    factor = Math.max(factor, least / this.span);
    this.set(time - (time - this.from) * factor, time + (this.to - time) * factor);
  }

  /** By a share of what is shown. */
  pan(share: number): void {
    this.set(this.from + this.span * share, this.to + this.span * share);
  }

  show(from: number, to: number): void {
    const margin = Math.max((to - from) * 2, 10);
    this.set(from - margin, to + margin);
  }

  /** Makes sure that this part is in the window. */
  reveal(from: number, to: number): void {
    if (to < this.from || from > this.to) {
      const middle = (from + to) / 2;
      this.set(middle - this.span / 2, middle + this.span / 2);
    }
  }
}

/** Round steps for an axis: at most `most` of them. */
export function ticks(from: number, to: number, most: number): { step: number; values: number[] } {
  const rough = (to - from) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? power * 10;
  const values = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push(value);
  return { step, values };
}
