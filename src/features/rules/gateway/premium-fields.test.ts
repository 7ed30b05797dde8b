// Each premium field of each API format: what is found, and what is left after it is removed.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, parseJson } from '../../../gateway/formats/json/json.ts'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import { PREMIUMS, type Premium } from '../api/terms.ts'
import { editObject, editText } from './body-edits.ts'
import { findPremiums, PREMIUM_FIELDS, removePremiums } from './premium-fields.ts'

interface Row {
  premium: Premium
  format: ApiFormat
  body: string
  field: string
  /** The body without it: all other bytes are the same. */
  lowered: string
  beta?: [sent: string, lowered: string | undefined]
}

const ROWS: readonly Row[] = [
  {
    premium: 'tier',
    format: 'openai-chat',
    body: '{"model":"m","service_tier" : "priority" , "messages":[ 1.0 ]}',
    field: 'service_tier',
    lowered: '{"model":"m","messages":[ 1.0 ]}',
  },
  {
    premium: 'tier',
    format: 'openai-responses',
    body: '{"service_tier":"fast","input":"Hi"}',
    field: 'service_tier',
    lowered: '{"input":"Hi"}',
  },
  {
    premium: 'tier',
    format: 'anthropic-messages',
    body: '{"messages":[],"service_tier":"priority"}',
    field: 'service_tier',
    lowered: '{"messages":[]}',
  },
  {
    premium: 'tier',
    format: 'gemini-generate',
    body: '{"contents":[],"serviceTier":"priority"}',
    field: 'serviceTier',
    lowered: '{"contents":[]}',
  },
  {
    premium: 'speed',
    format: 'anthropic-messages',
    body: '{"messages":[],"speed":"fast"}',
    field: 'speed',
    lowered: '{"messages":[]}',
    beta: ['a-1, fast-mode-2026-02-01', 'a-1'],
  },
  {
    premium: 'window',
    format: 'anthropic-messages',
    body: '{"messages":[]}',
    field: 'anthropic-beta',
    lowered: '{"messages":[]}',
    beta: ['context-1m-2025-08-07', undefined],
  },
  {
    premium: 'window',
    format: 'anthropic-messages',
    body: '{"anthropic_beta":["a-1","context-1m-2025-08-07"],"messages":[]}',
    field: 'anthropic_beta',
    lowered: '{"anthropic_beta":["a-1"],"messages":[]}',
  },
  {
    premium: 'cache',
    format: 'anthropic-messages',
    body: '{"system":[{"type":"text","text":"1h","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"x","cache_control":{"ttl":"1h","type":"ephemeral"}}]}]}]}',
    field: 'system[0].cache_control.ttl',
    lowered:
      '{"system":[{"type":"text","text":"1h","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}]}',
    beta: ['extended-cache-ttl-2025-04-11,b', 'b'],
  },
  {
    premium: 'cache',
    format: 'openai-chat',
    body: '{"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}',
    field: 'messages[0].content[0].cache_control.ttl',
    lowered:
      '{"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}',
  },
  {
    premium: 'tools',
    format: 'anthropic-messages',
    body: '{"tools":[{"name":"f","input_schema":{}},{"type":"web_search_20250305","name":"web_search","max_uses":12345678901234567890}],"tool_choice":{"type":"tool","name":"web_search"}}',
    field: 'tools[1]',
    lowered: '{"tools":[{"name":"f","input_schema":{}}]}',
  },
  {
    premium: 'tools',
    format: 'openai-responses',
    body: '{"tools":[{"type":"web_search"},{"type":"file_search"}],"tool_choice":"auto","input":"Hi"}',
    field: 'tools[0]',
    lowered: '{"input":"Hi"}',
  },
  {
    premium: 'tools',
    format: 'openai-chat',
    body: '{"web_search_options":{},"messages":[]}',
    field: 'web_search_options',
    lowered: '{"messages":[]}',
  },
  {
    premium: 'tools',
    format: 'gemini-generate',
    body: '{"tools":[{"googleSearch":{},"functionDeclarations":[{"name":"f"}]}],"contents":[]}',
    field: 'tools[0]',
    lowered: '{"tools":[{"functionDeclarations":[{"name":"f"}]}],"contents":[]}',
  },
]

test.each(ROWS)('$premium of $format: $field', ({ premium, format, body, field, lowered, beta }) => {
  const json = parseJson(body)
  if (!isObject(json)) throw new Error('the body is no object')
  const headers: Record<string, string> = beta ? { 'anthropic-beta': beta[0] } : {}
  const sent = { format, json, headers }
  const uses = findPremiums(sent, [premium])
  expect(uses[0]).toMatchObject({ premium, field })
  expect(findPremiums(sent, PREMIUMS).every((use) => use.premium === premium)).toBe(true)
  const removed = removePremiums(sent, uses)
  const text = editText(body, removed.edits)
  expect(text).toBe(lowered)
  expect(editObject(json, removed.edits)).toEqual(parseJson(lowered))
  expect(removed.headers['anthropic-beta']).toBe(beta?.[1])
  expect(
    findPremiums({ format, json: parseJson(text) as typeof json, headers: removed.headers }, [premium]),
  ).toEqual([])
})

test('every row of the table has a test', () => {
  const tested = new Set(ROWS.map(({ premium, format }) => `${premium} ${format}`))
  const wanted = PREMIUM_FIELDS.flatMap(({ premium, formats }) =>
    formats.map((format) => `${premium} ${format}`),
  )
  expect([...new Set(wanted)].toSorted()).toEqual([...tested].toSorted())
})

test('what costs nothing more is left', () => {
  const json = {
    service_tier: 'flex',
    speed: 'standard',
    tools: [
      { type: 'function', function: { name: 'f' } },
      { type: 'custom', name: 'g' },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { ttl: '5m' } }] }],
  }
  for (const format of ['openai-chat', 'anthropic-messages'] as const)
    expect(
      findPremiums({ format, json, headers: { 'anthropic-beta': 'fast-mode-2026-02-01' } }, PREMIUMS),
    ).toEqual([])
})

const mark = fc.option(fc.record({ type: fc.constant('ephemeral'), ttl: fc.constantFrom('1h', '5m') }), {
  nil: undefined,
})
const block = fc.record({ type: fc.constant('text'), text: fc.string(), cache_control: mark })
const anyTool = fc.oneof(
  fc.record({ name: fc.string(), input_schema: fc.constant({}), cache_control: mark }),
  fc.record({ type: fc.constantFrom('web_search_20250305', 'bash_20250124'), name: fc.string() }),
)

test('whatever is removed, a longer conversation begins as the one before, and text and object agree', () => {
  const conversation = fc.array(
    fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.array(block) }),
  )
  const options = fc.record({
    speed: fc.constantFrom('fast', 'standard'),
    service_tier: fc.constantFrom('priority', 'auto'),
  })
  fc.assert(
    fc.property(
      fc.array(anyTool),
      fc.array(block),
      conversation,
      options,
      (tools, system, messages, more) => {
        const lower = (count: number) => {
          const text = JSON.stringify({ tools, system, messages: messages.slice(0, count), ...more })
          const json = JSON.parse(text)
          const sent = { format: 'anthropic-messages' as const, json, headers: {} }
          const { edits } = removePremiums(sent, findPremiums(sent, PREMIUMS))
          const lowered = editText(text, edits)
          expect(JSON.parse(lowered)).toEqual(editObject(json, edits))
          return lowered.slice(0, lowered.lastIndexOf(']'))
        }
        const whole = lower(messages.length)
        expect(whole.startsWith(lower(Math.max(0, messages.length - 1)))).toBe(true)
        expect(whole).not.toContain('"ttl":"1h"')
      },
    ),
  )
})
