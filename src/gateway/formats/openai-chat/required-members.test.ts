import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sandboxAdapter } from '../../sandbox/adapter.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { anthropicMessages } from '../anthropic-messages/codec.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { geminiGenerate } from '../gemini-generate/codec.ts'
import { openaiResponses } from '../openai-responses/codec.ts'
import { Replay, replayDefaults } from '../testing/replay.ts'

type Required = Pick<OpenAI.ChatCompletion.Choice, 'index' | 'finish_reason' | 'logprobs'>

const Token = z.object({ token: z.string(), bytes: z.array(z.int()).nullable(), logprob: z.number() })
const Logprob = Token.extend({ top_logprobs: z.array(Token) })

/** The members of a choice that OpenAI's schema requires, null or not. */
const Choice = z.looseObject({
  index: z.int(),
  finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
  logprobs: z.looseObject({ content: z.array(Logprob), refusal: z.null() }).nullable(),
  message: z.looseObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    refusal: z.string().nullable(),
  }),
})
const required: (choice: unknown) => Required = (choice) => Choice.parse(choice)

describe('a translated answer has every field that OpenAI’s schema requires', () => {
  for (const [name, codec] of Object.entries({
    'openai-responses': openaiResponses,
    'anthropic-messages': anthropicMessages,
    'gemini-generate': geminiGenerate,
  })) {
    const replay = new Replay(codec, name)
    test.each(replay.names('plain'))(`${name}: %s`, (fixture) => {
      const answer = codec.plainAnswer(replay.json(fixture), testTarget('http://127.0.0.1:1'), replayDefaults)
      if (answer instanceof UpstreamFailure) expect(fixture).toBe('plain-malformed-call')
      else expect(answer.completion.choices.map(required)).toHaveLength(1)
    })
  }

  test('sandbox: text and calls', async () => {
    const target = testTarget('', { apiFormat: 'sandbox', upstreamModel: 'sandbox-small' })
    const tools = [{ type: 'function' as const, function: { name: 'look' } }]
    for (const more of [{}, { tools, tool_choice: 'required' }]) {
      const request = {
        model: 'sandbox-small',
        messages: [{ role: 'user' as const, content: 'Hi' }],
        ...more,
      }
      const { signal } = new AbortController()
      const answer = await sandboxAdapter.send({ target, request, signal })
      expect(answer.kind === 'plain' && answer.completion.choices.map(required)).toHaveLength(1)
    }
  })
})
