// Owns the table of the wire formats that exist. A new one is one file, one folder of fixtures and one entry here.
import type { Wire as WireName } from '../../shared/providers.ts'
import { UpstreamFailure } from '../upstream/failure.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { openai } from './openai.ts'
import type { Wire } from './wire.ts'

const wires: Readonly<Record<WireName, Wire>> = { openai, anthropic, gemini }
const byName = new Map<string, Wire>(Object.entries(wires))

/** The wire format of that name. Throws an UpstreamFailure that names one which a later version left in the database. */
export function wireOf(name: WireName): Wire {
  const wire = byName.get(name)
  if (wire) return wire
  throw new UpstreamFailure({
    kind: 'status',
    code: 'wire_unsupported',
    message: `The wire format "${name}" is not supported.`,
  })
}
