// Owns the table of the wire formats that exist. A new one is one file, one folder of fixtures and one entry here.
import type { ApiFormat } from '../../shared/providers.ts'
import { anthropic } from './anthropic-messages/format.ts'
import type { Wire } from './format.ts'
import { gemini } from './gemini-generate/format.ts'
import { openai } from './openai-chat/format.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const wires: Readonly<Record<ApiFormat, Wire>> = {
  'openai-chat': openai,
  'anthropic-messages': anthropic,
  'gemini-generate': gemini,
}
const byName = new Map<string, Wire>(Object.entries(wires))

/** The wire format of that name. Throws an UpstreamFailure that names one which a later version left in the database. */
export function wireOf(name: ApiFormat): Wire {
  const wire = byName.get(name)
  if (wire) return wire
  throw new UpstreamFailure({
    kind: 'status',
    sent: false,
    code: 'wire_unsupported',
    message: `The API format "${name}" is not supported.`,
  })
}
