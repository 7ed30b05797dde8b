// V8's CPU profiles: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
import { z } from 'zod'

const CallFrame = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() })
const Profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: CallFrame })),
  /** Microseconds of the clock that `sharedNow` reads. */
  startTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
})
export type Profile = z.infer<typeof Profile>

/** The function that ran, and for how long. */
export interface Sample {
  name: string
  /** Empty for what V8 and Node do outside JavaScript. */
  url: string
  line: number
  us: number
}

export function parseProfile(json: string): Profile {
  return Profile.parse(JSON.parse(json))
}

/** The samples between two times of `sharedNow`, without idle time. */
export function samplesBetween(profile: Profile, from: number, until: number): Sample[] {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const samples: Sample[] = []
  let at = profile.startTime
  for (const [index, id] of profile.samples.entries()) {
    const us = profile.timeDeltas[index] ?? 0
    at += us
    const frame = frames.get(id)
    if (at < from * 1_000 || at > until * 1_000 || !frame || frame.functionName === '(idle)') continue
    const { functionName, url, lineNumber } = frame
    samples.push({ name: functionName || '(anonymous)', url, line: lineNumber + 1, us })
  }
  return samples
}
