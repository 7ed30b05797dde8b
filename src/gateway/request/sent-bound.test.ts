// The text that is sent is reserved, whatever a client's format and a provider's: the oracle is the text of the encoded body.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import { ChatRequest } from '../../shared/formats/chat.ts'
import { GenerateContentRequest } from '../../shared/formats/gemini.ts'
import { MessagesRequest } from '../../shared/formats/messages.ts'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import type { DecodedRequest, Endpoint, Hosting } from '../formats/chat/codec-types.ts'
import { encodeSignedReasoning } from '../formats/chat/reasoning.ts'
import { clientCodecs } from '../formats/codecs.ts'
import { isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { NATIVE_FORMATS, type NativeFormat } from '../formats/testing/replay.ts'
import { createFlatPrice } from '../models/catalog/price-bands.ts'
import { testOffer } from '../models/catalog/testing/offer.ts'
import { GatewayError } from '../platform/errors.ts'
import { testTarget } from '../upstream/testing/test-upstream.ts'
import type { Candidate } from './quote.ts'
import { createNativeCandidate } from './testing/native-candidate.ts'

/** Image data; no text has this beginning. */
const MARK = 'iVBORw0KGgo'
const image = fc.nat(3_000).map((length) => MARK + 'A'.repeat(4 * length + 1))
const dataUrl = image.map((data) => `data:image/png;base64,${data}`)
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('Hi', '你好 🎉', 'x'.repeat(3_000), 'data:image/png;base64,QUFB', '\u0000"\\'),
)
const words = text.map((each) => `${each}.`)
const args = fc.record({
  text,
  part: fc.constant({ type: 'image', source: { type: 'base64', data: 'QUFB' } }),
})
const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 4 })
const schema = fc.record({ type: fc.constant('object'), description: text })

const chatPart = fc.oneof(
  words.map((each) => ({ type: 'text', text: each })),
  dataUrl.map((url) => ({ type: 'image_url', image_url: { url } })),
)
const chatMessage = fc.oneof(
  fc.record({
    role: fc.constantFrom('system', 'developer', 'user', 'assistant'),
    content: fc.oneof(words, list(chatPart)),
  }),
  fc.tuple(args, fc.oneof(words, list(chatPart))).map(([call, content]) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify(call) } }],
    },
    { role: 'tool', tool_call_id: 'a', content },
  ]),
)
const chat = fc
  .tuple(list(chatMessage), schema, fc.constantFrom(1, 3), fc.integer({ min: 1, max: 200 }))
  .map(([messages, parameters, n, max_tokens]) => ({
    max_tokens,
    model: 'm',
    messages: [...messages.flat(), { role: 'user', content: 'Go on.' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
    n,
  }))

const inputPart = fc.oneof(
  words.map((each) => ({ type: 'input_text', text: each })),
  dataUrl.map((url) => ({ type: 'input_image', image_url: url })),
)
const inputItem = fc.oneof(
  fc.record({
    role: fc.constantFrom('system', 'developer', 'user', 'assistant'),
    content: fc.oneof(words, list(inputPart)),
  }),
  fc.tuple(args, fc.oneof(words, list(inputPart))).map(([call, output]) => [
    { type: 'function_call', call_id: 'a', name: 'f', arguments: JSON.stringify(call) },
    { type: 'function_call_output', call_id: 'a', output },
  ]),
  // It is removed, or replaced by the text within it.
  fc
    .tuple(list(inputPart), fc.constantFrom(...API_FORMATS), words)
    .map(([content, format, encrypted_content]) => ({
      type: 'message',
      role: 'user',
      content,
      encrypted_content: encodeSignedReasoning({ format, data: { type: 'reasoning', encrypted_content } }),
    })),
)
const response = fc.tuple(list(inputItem), schema, words).map(([input, parameters, instructions]) => ({
  model: 'm',
  instructions,
  input: [...input.flat(), { role: 'user', content: 'Go on.' }],
  tools: [{ type: 'function', name: 'f', parameters }],
}))

const blockImage = image.map((data) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
}))
const blockText = words.map((each) => ({ type: 'text', text: each }))
const block = fc.oneof(blockText, blockImage)
const turns = fc.oneof(
  list(
    fc.oneof(
      block,
      list(block).map((content) => ({ type: 'document', source: { type: 'content', content } })),
    ),
  ).map((content) => [{ role: 'user', content }]),
  list(blockText).map((content) => [{ role: 'assistant', content }]),
  fc.tuple(args, fc.oneof(words, list(block))).map(([input, content]) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
  ]),
)
const messages = fc.tuple(list(turns), schema, words).map(([all, input_schema, system]) => ({
  model: 'm',
  max_tokens: 100,
  system,
  messages: [...all.flat(), { role: 'user', content: 'Go on.' }],
  tools: [{ name: 'f', input_schema }],
}))

const geminiPart = fc.oneof(
  words.map((each) => ({ text: each })),
  image.map((data) => ({ inlineData: { mimeType: 'image/png', data } })),
  image.map((data) => ({ inline_data: { mime_type: 'image/png', data } })),
)
const contents = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'model'), parts: list(geminiPart) }),
  fc.tuple(args, list(geminiPart)).map(([call, parts]) => [
    { role: 'model', parts: [{ functionCall: { name: 'f', args: call } }] },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            name: 'f',
            response: call,
            parts: parts.filter((part) => !('text' in part)),
          },
        },
      ],
    },
  ]),
)
const generate = fc
  .tuple(list(contents), list(geminiPart), schema)
  .map(([all, instruction, parametersJsonSchema]) => ({
    contents: [...all.flat(), { role: 'user', parts: [{ text: 'Go on.' }] }],
    systemInstruction: { parts: instruction },
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }],
  }))

interface Client {
  body: fc.Arbitrary<object>
  decode(body: object): { json: JsonObject; decoded: DecodedRequest }
}

const clients: Readonly<Record<NativeFormat, Client>> = {
  'openai-chat': {
    body: chat,
    decode: (body) => {
      const json = ChatRequest.parse(body)
      return { json, decoded: clientCodecs['openai-chat'].decodeRequest(json) }
    },
  },
  'openai-responses': {
    body: response,
    decode: (body) => {
      const json = ResponseRequest.parse(body)
      return { json, decoded: clientCodecs['openai-responses'].decodeRequest(json) }
    },
  },
  'anthropic-messages': {
    body: messages,
    decode: (body) => {
      const json = MessagesRequest.parse(body)
      return { json, decoded: clientCodecs['anthropic-messages'].decodeRequest(json) }
    },
  },
  'gemini-generate': {
    body: generate,
    decode: (body) => {
      const json = { ...GenerateContentRequest.parse(body), model: 'm', stream: false, sse: false }
      return { json, decoded: clientCodecs['gemini-generate'].decodeRequest(json) }
    },
  },
}

const offer = testOffer({
  maxOutputTokens: 100,
  // It counts fewest tokens for an image.
  vendorModel: 'gpt-4o',
  capabilities: ['vision'],
  price: createFlatPrice(
    { inputPerMillion: 1, outputPerMillion: 2 },
    { source: 'user', match: 'exact', asOf: null },
  ),
})
function createCandidate(format: NativeFormat, body: object, endpoint: Endpoint): Candidate {
  return createNativeCandidate({ format, ...clients[format].decode(body) }, { offer, endpoint })
}

/** The bytes of all texts in the body but those of images. */
function textBytes(value: unknown): number {
  if (typeof value === 'string')
    return /^(data:image\/png;base64,)?iVBORw0KGgo/.test(value) ? 0 : Buffer.byteLength(value)
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return members.reduce((sum: number, member) => sum + textBytes(member), 0)
}

/** The output limit in a body of any format. */
function readLimit(body: unknown): number {
  const {
    max_tokens: a,
    max_completion_tokens: b,
    max_output_tokens: c,
    generationConfig,
  } = isObject(body) ? body : {}
  const { maxOutputTokens: d } = isObject(generationConfig) ? generationConfig : {}
  return Math.max(0, ...[a, b, c, d].filter((limit) => typeof limit === 'number'))
}

const HOSTS: readonly [ApiFormat, Hosting | null][] = [
  ...API_FORMATS.map((format): [ApiFormat, null] => [format, null]),
  ['anthropic-messages', 'bedrock'],
  ['gemini-generate', 'vertex'],
]
const pairs = NATIVE_FORMATS.flatMap((client) => HOSTS.map((host) => [client, ...host] as const))

test.each(pairs)('from %s to %s (%s)', (client, apiFormat, hosting) => {
  const endpoint = { ...testTarget('http://127.0.0.1:1'), apiFormat, hosting, quirks: { noN: true as const } }
  let sent = 0
  fc.assert(
    fc.property(clients[client].body, (body) => {
      let candidate: Candidate
      try {
        candidate = createCandidate(client, body, endpoint)
      } catch (error) {
        // Such as an image where no format has one.
        if (error instanceof GatewayError) return
        throw error
      }
      if (!candidate.encoded) return
      sent += 1
      const { bound, encoded } = candidate
      const sentBody = parseJson(encoded.body)
      expect(bound.prompt).toBeGreaterThan(0)
      expect(bound.prompt).toBeGreaterThanOrEqual(textBytes(sentBody))
      expect(bound.output).toBeGreaterThanOrEqual(readLimit(sentBody))
    }),
    { numRuns: 100 },
  )
  expect(sent).toBeGreaterThan(10)
})
