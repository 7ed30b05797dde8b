import { REFUSED_REQUEST_FIELDS } from '../../shared/formats/chat.ts'
import type { JsonObject } from '../formats/json/json.ts'
import { invalidRequest } from '../platform/errors.ts'

/** Fields that decide what a request costs. */
const PRICED_FIELDS = [
  'background',
  'best_of',
  'documents',
  'input',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'messages',
  'model',
  'n',
  'prompt',
  'service_tier',
  'speed',
  'stream',
  'tools',
] as const

/** Servers in Go match the names of members without regard to case, by Unicode's simple folding. */
function fold(name: string): string {
  return name.toLowerCase().toUpperCase()
}

const refused: ReadonlySet<string> = new Set(REFUSED_REQUEST_FIELDS.map(fold))
const priced: ReadonlyMap<string, string> = new Map(PRICED_FIELDS.map((name) => [fold(name), name]))

/** Throws GatewayError 400 for fields with which another model or host than the gateway's choice could serve a request. */
export function rejectForbiddenFields(body: JsonObject): void {
  for (const name of Object.keys(body)) {
    const folded = fold(name)
    const param = name.slice(0, 100)
    if (refused.has(folded)) {
      throw invalidRequest(
        `"${param}" is not accepted: where requests go is set under Providers, not by callers.`,
        { param },
      )
    }
    const exact = priced.get(folded)
    if (exact !== undefined && exact !== name)
      throw invalidRequest(`"${param}" is not accepted: write "${exact}".`, { param })
  }
}
