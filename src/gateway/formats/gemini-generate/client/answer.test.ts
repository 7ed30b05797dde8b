import { GenerateContentResponse } from '@google/genai'
import { describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatCompletion } from '../../../../shared/formats/chat-completion.ts'
import { isObject } from '../../json/json.ts'
import { geminiClient } from './codec.ts'
import { readThoughtSignature } from './contents.ts'
import { context, listParts, usage, withThoughts } from './testing/answer.ts'

const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
})
const signed = (data: string, callId?: string) => ({
  format: 'anthropic-messages',
  data: { data },
  ...(callId !== undefined && { call_id: callId }),
})

function completion(message: object, finish = 'stop'): ChatCompletion {
  return {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'x',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
  }
}

const answer = (message: object, finish?: string, body?: object) =>
  geminiClient.answerBody(completion(message, finish), usage, context(body))

describe('a plain answer', () => {
  test('has the parts, the usage as Google counts it, and the cost', () => {
    const body = answer(
      { content: 'Hello', reasoning_content: 'Hm', tool_calls: [call('a', '{"n":1}')] },
      'tool_calls',
      withThoughts,
    )
    expect(body).toEqual({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hm', thought: true },
              { text: 'Hello' },
              { functionCall: { id: 'a', name: 'f', args: { n: 1 } } },
            ],
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 400,
        candidatesTokenCount: 150,
        thoughtsTokenCount: 50,
        totalTokenCount: 1200,
        cost: 0.003,
      },
      modelVersion: 'acme-large',
      responseId: 'req_1',
    })
    const read = Object.assign(new GenerateContentResponse(), body)
    expect(read.text).toBe('Hello')
    expect(read.functionCalls).toEqual([{ id: 'a', name: 'f', args: { n: 1 } }])
  })

  test('has thoughts only for a client that asks for them', () => {
    expect(answer({ content: 'Hello', reasoning_content: 'Hm' })).toMatchObject({
      candidates: [{ content: { parts: [{ text: 'Hello' }] } }],
    })
  })

  test.each([
    ['stop', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['content_filter', 'SAFETY'],
    ['something', 'OTHER'],
  ])('that ends with %s has the finish reason %s', (finish, reason) => {
    expect(answer({ content: '' }, finish)).toMatchObject({
      candidates: [{ finishReason: reason, content: { parts: [{ text: '' }] } }],
    })
  })

  test('has refusals as text, images as data, and parts of this format as they came', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const part = { executableCode: { code: '1' } }
    const other = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    expect(answer({ refusal: 'No.', images: [image], content_parts: [other, part] })).toMatchObject({
      candidates: [
        {
          content: {
            parts: [{ text: 'No.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }, part],
          },
        },
      ],
    })
  })

  test('with arguments that are no JSON object says so', () => {
    const calls = [call('a', '{"n":'), call('b', '')]
    expect(answer({ tool_calls: calls }, 'tool_calls')).toMatchObject({
      candidates: [
        {
          content: { parts: [{ functionCall: { id: 'b', args: {} } }] },
          finishReason: 'MALFORMED_FUNCTION_CALL',
        },
      ],
    })
  })

  test('carries signed reasoning in the signatures of the calls that it precedes', () => {
    const body = answer({
      tool_calls: [call('a', '{}'), call('b', '{}')],
      signed_reasoning: [signed('first'), signed('second', 'b')],
    })
    const [a, b] = listParts(body)
    expect(getSignature(a)).toEqual([{ format: 'anthropic-messages', data: { data: 'first' } }])
    expect(getSignature(b)).toEqual([{ format: 'anthropic-messages', data: { data: 'second' } }])
  })

  test('without a call carries signed reasoning in a last, empty text', () => {
    const [text, last] = listParts(answer({ content: 'Hello', signed_reasoning: [signed('first')] }))
    expect(text).toEqual({ text: 'Hello' })
    expect(last).toMatchObject({ text: '' })
    expect(getSignature(last)).toHaveLength(1)
  })
})

function getSignature(part: unknown) {
  return isObject(part) ? readThoughtSignature(String(part.thoughtSignature)) : null
}

test('an error names our type or code, and the field', () => {
  const error: ErrorBody = { type: 'invalid_request_error', message: 'Too long.', param: 'contents[0]' }
  expect(geminiClient.errorBody(error, 400, 'req_1')).toEqual({
    error: {
      code: 400,
      message: 'Too long.',
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'INVALID_REQUEST_ERROR',
          domain: 'tollgate',
        },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'contents[0]', description: 'Too long.' }],
        },
      ],
    },
  })
})
