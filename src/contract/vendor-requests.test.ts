// Whatever a vendor's request may have, at whatever place: all that the vendor can read of it is reserved, or it takes a whole
// context window, or it is refused. `fixtures/vendor-requests` says which for each member of the vendors' own types, so that a member
// which a new version of their packages adds fails here: decide about it in the tables of `formats/chat/sent-content.ts` and
// `formats/pass-through/unknown-inputs.ts`, and update the files with `npm run test:unit -- src/contract/vendor-requests -u`.

import { resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../gateway/formats/json/json.ts'
import { countUnknownInputs } from '../gateway/formats/pass-through/unknown-inputs.ts'
import { rejectForbiddenFields } from '../gateway/http/forbidden-fields.ts'
import { createFlatPrice } from '../gateway/models/catalog/price-bands.ts'
import { testOffer } from '../gateway/models/catalog/testing/offer.ts'
import { getOrCreate } from '../gateway/platform/maps.ts'
import { createNativeCandidate } from '../gateway/request/testing/native-candidate.ts'
import { testTarget } from '../gateway/upstream/testing/test-upstream.ts'
import type { PassThroughEndpoint } from '../shared/api/operations/operation.ts'
import type { ApiFormat } from '../shared/api/providers.ts'
import { RequestTypes } from './testing/request-members.ts'
import type { VendorRequests } from './testing/vendor-requests.ts'

const WINDOW = 1_000_000
const offer = testOffer({
  contextWindow: WINDOW,
  maxOutputTokens: 100,
  capabilities: ['vision'],
  price: createFlatPrice(
    { inputPerMillion: 1, outputPerMillion: 2 },
    { source: 'user', match: 'exact', asOf: null },
  ),
})

const types = new RequestTypes()
afterAll(() => types.close())

type Verdict = 'reserved' | 'window' | 'refused'

/** The members of the vendor's types by their verdicts. */
function judge(
  request: keyof VendorRequests,
  verdictOf: (body: JsonObject) => Verdict,
  isDeep = true,
): string {
  const found = new Map<string, Map<string, Set<Verdict>>>()
  types.visit(request, ({ type, member, body }) => {
    if (!isObject(body)) throw new Error(`${type} is no object`)
    const verdict = verdictOf(body)
    const members = getOrCreate(found, type, () => new Map<string, Set<Verdict>>())
    getOrCreate(members, member, () => new Set<Verdict>()).add(verdict)
    return isDeep && verdict === 'reserved'
  })
  const described = [...found].map(([type, members]) => {
    const byVerdict = Map.groupBy(members, ([, verdicts]) => [...verdicts].toSorted().join(' or '))
    const lines = [...byVerdict].map(([verdict, of]) => `  ${verdict}: ${of.map(([name]) => name).join(' ')}`)
    return { type, lines: lines.toSorted().join('\n') }
  })
  return [...Map.groupBy(described, ({ lines }) => lines)]
    .map(([lines, of]) => `${of.map(({ type }) => type).join(' ')}\n${lines}\n`)
    .join('')
}

function isRefused(body: JsonObject): boolean {
  try {
    rejectForbiddenFields(body)
    return false
  } catch {
    return true
  }
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return members.reduce((sum: number, member) => sum + textBytes(member), 0)
}

const CHATS: readonly [keyof VendorRequests, ApiFormat][] = [
  ['openai-chat', 'openai-chat'],
  ['completions', 'openai-chat'],
  ['openai-responses', 'openai-responses'],
  ['anthropic-messages', 'anthropic-messages'],
  ['gemini-generate', 'gemini-generate'],
]
const chatRequest = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** Updated by `-u`. */
const fixture = (request: string) =>
  resolve(import.meta.dirname, 'fixtures/vendor-requests', `${request}.txt`)

test.each(CHATS)('each member of %s', async (request, format) => {
  const endpoint = { ...testTarget('http://127.0.0.1:1'), apiFormat: format, completionsPath: '/completions' }
  const isTextCompletion = request === 'completions'
  const judged = judge(request, (json) => {
    if (isRefused(json)) return 'refused'
    const chat = format === 'openai-chat' && !isTextCompletion ? { ...chatRequest, ...json } : chatRequest
    const decoded = { request: chat, unsupported: null }
    const { bound, encoded } = createNativeCandidate(
      { format, json, decoded, isTextCompletion },
      { offer, endpoint },
    )
    if (bound.prompt >= WINDOW) return 'window'
    expect(bound.prompt).toBeGreaterThanOrEqual(textBytes(parseJson(encoded?.body ?? '')))
    return 'reserved'
  })
  await expect(judged).toMatchFileSnapshot(fixture(request))
})

const PASSED_THROUGH: readonly (keyof VendorRequests & PassThroughEndpoint)[] = [
  'embeddings',
  'moderations',
  'images',
  'imageEdits',
  'speech',
  'transcriptions',
  'translations',
]

test('each member of what is passed through', async () => {
  const judged = PASSED_THROUGH.map((endpoint) => {
    const lines = judge(
      endpoint,
      (json) => (countUnknownInputs(endpoint, json) > 0 ? 'window' : 'reserved'),
      false,
    )
    return `${endpoint}: ${lines}`
  })
  await expect(judged.join('')).toMatchFileSnapshot(fixture('passed-through'))
})
