// How much a run measures.
import type { Streams } from './streams.ts'

export interface Sizes {
  /** Measures the built app, Electron and the peer. Else the sources, which need no build. */
  builtApp: boolean
  /** Each target is measured so many times, in turn. */
  rounds: number
  /** Requests from 32 clients to each target before each case, so that V8 has compiled what it will. */
  warmUp: number
  plain: { alone: number; together: number }
  streams: { alone: number; together: number }
  paced: Streams
  /** At each fixed rate. */
  rates: { rounds: number; seconds: number }
  starts: number
  /** Before the memory of an idle process is read. */
  idleMs: number
  /** Requests in the log: the smallest is compared with the others. */
  growth: readonly number[]
  growthRequests: number
  windowRequests: number
  /** Through proxies. */
  proxied: Pick<Sizes, 'rounds' | 'warmUp' | 'paced'> & { alone: number; plain: number; streams: number }
}

const ORDINARY: Sizes = {
  builtApp: true,
  rounds: 5,
  warmUp: 3_000,
  plain: { alone: 400, together: 4_000 },
  streams: { alone: 150, together: 1_500 },
  paced: { streams: 1_000, rampMs: 2_000, measureMs: 8_000 },
  rates: { rounds: 3, seconds: 4 },
  starts: 7,
  idleMs: 10_000,
  growth: [10_000, 1_000_000],
  growthRequests: 150,
  windowRequests: 200_000,
  proxied: {
    rounds: 3,
    warmUp: 500,
    alone: 200,
    plain: 1_500,
    streams: 600,
    paced: { streams: 1_000, rampMs: 2_000, measureMs: 3_000 },
  },
}

const FEW_STREAMS = { streams: 10, rampMs: 100, measureMs: 500 }

export const SIZES = {
  /** For the mechanics: its numbers mean nothing. */
  quick: {
    builtApp: false,
    rounds: 2,
    warmUp: 10,
    plain: { alone: 5, together: 40 },
    streams: { alone: 5, together: 40 },
    paced: FEW_STREAMS,
    rates: { rounds: 2, seconds: 0.1 },
    starts: 1,
    idleMs: 100,
    growth: [20, 200],
    growthRequests: 5,
    windowRequests: 100,
    proxied: { rounds: 2, warmUp: 10, alone: 5, plain: 40, streams: 40, paced: FEW_STREAMS },
  },
  ordinary: ORDINARY,
  full: { ...ORDINARY, growth: [10_000, 1_000_000, 10_000_000] },
} as const satisfies Record<string, Sizes>
