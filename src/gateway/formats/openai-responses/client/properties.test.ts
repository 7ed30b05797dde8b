import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChatRequest } from '../../../../shared/formats/chat.ts'
import { ResponseRequest } from '../../../../shared/formats/responses.ts'
import { GatewayError } from '../../../platform/errors.ts'
import { decodeRequest, openaiResponsesClient } from './codec.ts'

const TYPES = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'item_reference',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'tool_search_call',
  'tool_search_output',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'additional_tools',
  'configuration_update',
  'compaction',
  'unknown',
]
const TOOLS = ['function', 'custom', 'namespace', 'local_shell', 'shell', 'apply_patch', 'tool_search', 'x']
const any = fc.oneof({ weight: 2, arbitrary: fc.string({ maxLength: 6 }) }, fc.jsonValue({ maxDepth: 2 }))
const maybe = (...values: unknown[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: any })
const part = fc.record({
  type: maybe('input_text', 'input_image', 'input_file', 'refusal'),
  text: any,
  image_url: any,
})
const tool = fc.record(
  {
    type: fc.constantFrom(...TOOLS),
    name: fc.constantFrom('a', 'b', 'a__b'),
    description: any,
    parameters: any,
    format: any,
    tools: fc.array(fc.record({ type: maybe('function', 'custom'), name: maybe('a', 'b') })),
  },
  { requiredKeys: ['type'] },
)
const item = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    role: fc.constantFrom('user', 'assistant', 'system', 'developer', 'critic'),
    id: fc.constantFrom('i1', 'i2'),
    call_id: maybe('c1', 'c2'),
    name: maybe('a', 'b'),
    namespace: maybe('a'),
    arguments: any,
    input: any,
    output: fc.oneof(any, fc.array(part)),
    content: fc.oneof(any, fc.array(part)),
    summary: fc.oneof(any, fc.array(part)),
    encrypted_content: any,
    action: any,
    tools: fc.oneof(any, fc.array(tool)),
  },
  { requiredKeys: [] },
)
const body = fc.record(
  {
    model: fc.constant('m'),
    input: fc.oneof(fc.string(), fc.array(item, { maxLength: 8 })),
    instructions: fc.string(),
    tools: fc.array(tool, { maxLength: 4 }),
    tool_choice: fc.oneof(
      maybe('auto', 'required'),
      fc.record({ type: fc.constantFrom(...TOOLS, 'allowed_tools') }),
    ),
    text: fc.record({ format: fc.record({ type: maybe('json_schema'), schema: any, name: any }) }),
    include: fc.constantFrom(['reasoning.encrypted_content']),
    store: fc.boolean(),
  },
  { requiredKeys: ['model', 'input'] },
)

test('every request that the schema accepts is a valid chat request with all outputs answered, or 400', () => {
  fc.assert(
    fc.property(body, (given) => {
      const parsed = ResponseRequest.safeParse(given)
      if (!parsed.success) return
      try {
        const { request, unsupported } = decodeRequest(parsed.data)
        if (unsupported) {
          expect(unsupported.status).toBe(400)
          return
        }
        ChatRequest.parse(request)
        const calls = request.messages.flatMap((message) =>
          message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
        )
        for (const message of request.messages)
          if (message.role === 'tool') expect(calls).toContain(message.tool_call_id)
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError)
      }
    }),
    { numRuns: 500 },
  )
})

const delta = fc.record(
  {
    content: fc.oneof(fc.string(), fc.constant(null)),
    reasoning_content: fc.string(),
    refusal: fc.string(),
    signed_reasoning: fc.array(
      fc.record({ format: fc.constant('gemini-generate'), data: fc.record({ a: fc.string() }) }),
    ),
    tool_calls: fc.array(
      fc.record(
        {
          index: fc.nat({ max: 2 }),
          id: fc.constantFrom('c1', 'c2'),
          type: fc.constant('function'),
          function: fc.record(
            { name: fc.constantFrom('a', 'b'), arguments: fc.string() },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: ['index'] },
      ),
    ),
  },
  { requiredKeys: [] },
)

test('the events of every stream add up to its response', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  fc.assert(
    fc.property(fc.array(delta, { maxLength: 8 }), fc.array(tool, { maxLength: 3 }), (deltas, tools) => {
      const context = { requestId: 'req_1', model: 'm', created: 1, body: { model: 'm', input: 'Hi', tools } }
      const writer = openaiResponsesClient.streamWriter(context)
      const chunks = deltas.map((each) => {
        const choices = [{ index: 0, delta: JSON.parse(JSON.stringify(each)), finish_reason: null }]
        return { id: 'x', object: 'chat.completion.chunk' as const, created: 1, model: 'm', choices }
      })
      const text = chunks.map((chunk) => writer.chunk(chunk, null)).join('') + writer.end(usage)
      const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
      const added = events.filter(({ type }) => type === 'response.output_item.added')
      const done = events.filter(({ type }) => type === 'response.output_item.done')
      const { output } = events.at(-1).response
      expect(added).toHaveLength(output.length)
      for (const event of done) expect(output[event.output_index]).toEqual(event.item)
      expect(new Set(done.map(({ output_index }) => output_index)).size).toBe(output.length)
    }),
    { numRuns: 200 },
  )
})
