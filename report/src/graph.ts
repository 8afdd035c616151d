// The recorded program of a run (docs/report-format.md), as the solver reads it.

export interface Figures {
  issue: number;
  queueDepth: number;
  flagLatency: number;
  barrierLatency: number;
  semaphoreLatency: number;
  allCoresLatency: number;
  signalLatency: number;
  syncOp: number;
  launch: number;
  dispatch: number;
  hbmRate: number;
  l2Rate: number;
}

export interface Deed {
  act: string;
  src?: number;
  dst?: number;
  mode?: number;
  targets?: number;
  senders?: number;
  drains?: boolean;
  checksUnit?: boolean;
  passesUnit?: boolean;
  id?: number;
  busy?: number;
  latency?: number;
  gmBytes?: number;
  overhead?: number; // cycles on top of what the bytes take
  writesGm?: boolean;
  restart?: number; // cycles on top of `busy`, at most as long as the pipe has waited
  bytes?: number;
  path?: number;
}

export interface StreamData {
  pipe: number[];
  deed: number[];
  site: number[];
  numbers: Record<string, number[]>; // by number of the pipe
}

export interface GraphData {
  figures: Figures;
  keys: Record<string, string>; // of the timing file, by figure
  deeds: Deed[];
  streams: StreamData[];
  /** By block: the stream of each core, -1 for none. */
  blocks: { block: number; streams: number[] }[];
  leftOut: number; // blocks
  runTogether: boolean;
  cores: number;
  arrivals: [channel: number, round: number, count: number][];
  launchSetters: [channel: number, count: number][];
  /** Bytes of the launch; those of the core that moves most; those from HBM; what is written, and of HBM among that;
   * what overlap makes bytes cost more. */
  gm: {
    total: number;
    most: number;
    hbm: number;
    written: number;
    hbmWritten: number;
    devices: number;
    factor: number;
  };
  pipeNames: string[];
  coreNames: string[];
}

export const kScalar = 0;
export const kPipeSlots = 11;
const kVector = 1;
const kCube = 2;
const kFixpipe = 10;
export { kVector };
export const unitPartner = (pipe: number) => (pipe === kCube ? kFixpipe : kCube);
