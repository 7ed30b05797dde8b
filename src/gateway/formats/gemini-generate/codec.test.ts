import { describe, expect, test } from 'vitest'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import {
  choice,
  findFailure,
  getText,
  getUsage,
  listCalls,
  listChunks,
  listFinishes,
  Replay,
  replayDefaults,
} from '../testing/replay.ts'
import { geminiGenerate } from './codec.ts'

const replay = new Replay(geminiGenerate, 'gemini-generate')
const target = testTarget('http://127.0.0.1:1/v1beta')

describe('a plain answer', () => {
  const read = (name: string) => geminiGenerate.plainAnswer(replay.json(name), target, replayDefaults)

  test('has text, tool calls, reasoning and refusal', () => {
    expect(read('plain')).toMatchObject(choice({ content: 'Grüße' }, { finish_reason: 'stop' }))
    const calls = [
      { function: { name: 'get_weather', arguments: '{"city":"Rom"}' }, extra_content: {} },
      { function: { name: 'get_time', arguments: '{}' } },
    ]
    expect(read('plain-tools')).toMatchObject(
      choice({ content: 'Beides.', tool_calls: calls }, { finish_reason: 'tool_calls' }),
    )
    expect(read('plain-thinking')).toMatchObject(
      choice({ content: 'Links.', reasoning_content: 'At the map.' }),
    )
    expect(read('plain-blocked')).toMatchObject(
      choice({ refusal: 'Not this.' }, { finish_reason: 'content_filter' }),
    )
  })

  test('counts audio separately', () => {
    expect(read('plain-audio')).toMatchObject({
      usage: { buckets: { input: 30, audioInput: 100, output: 2 } },
    })
  })

  test('counts image tokens separately', () => {
    const body = {
      candidates: [{ content: { parts: [{ text: 'Here.' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 1_130,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
      },
    }
    expect(geminiGenerate.plainAnswer(body, target, replayDefaults)).toMatchObject({
      usage: { buckets: { input: 10, output: 10, imageOutput: 1_120 } },
    })
  })

  test.each([
    ['gemini-3.5-flash', 2],
    ['gemini-2.5-pro', 1],
  ])('counts the searches of %s as Google bills them', (upstreamModel, webSearches) => {
    const searched = (...webSearchQueries: string[]) => ({
      candidates: [{ content: { parts: [{ text: 'a' }] }, groundingMetadata: { webSearchQueries } }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
    })
    const model = { ...target, upstreamModel }
    const [candidate] = searched('rome', '', 'rome', 'weather').candidates
    const plain = { ...searched(), candidates: [{ ...candidate, finishReason: 'STOP' }] }
    const answer = geminiGenerate.plainAnswer(plain, model, replayDefaults)
    expect(answer).toMatchObject({ usage: { buckets: { webSearches } } })
    const parser = geminiGenerate.streamParser(model, replayDefaults)
    const events = [searched('rome'), searched('weather'), searched()].flatMap((value) =>
      parser.event({ type: 'event', event: null, data: JSON.stringify(value) }),
    )
    expect(getUsage(events)?.buckets.webSearches).toBe(webSearches)
  })

  test.each([
    'promptTokenCount',
    'toolUsePromptTokenCount',
    'cachedContentTokenCount',
    'candidatesTokenCount',
    'thoughtsTokenCount',
  ])('has no usage if its %s is not a count', (name) => {
    const usageMetadata = { promptTokenCount: 10, toolUsePromptTokenCount: 1, [name]: 'many' }
    const candidates = [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }]
    const answer = geminiGenerate.plainAnswer({ candidates, usageMetadata }, target, replayDefaults)
    expect(answer).toMatchObject({ kind: 'plain', usage: null })
  })

  test('with a malformed call is malformed', () => {
    expect(read('plain-malformed-call')).toMatchObject({ kind: 'malformed' })
  })
})

describe('a model list', () => {
  test('has Google’s details of models for chats and embeddings, and the next page', () => {
    const body = replay.json('models')
    const seeing = ['vision', 'tools', 'json', 'streaming']
    expect(geminiGenerate.models(body, 10)).toEqual([
      {
        id: 'gemini-2.5-flash',
        name: 'Gemini 2.5 Flash',
        contextWindow: 1_048_576,
        maxOutputTokens: 65_536,
        capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'],
      },
      {
        id: 'gemini-2.0-flash',
        name: 'Gemini 2.0 Flash',
        contextWindow: 1_048_576,
        maxOutputTokens: 8192,
        capabilities: seeing,
      },
      {
        id: 'gemini-2.5-flash-preview-tts',
        name: 'Gemini 2.5 Flash Preview TTS',
        contextWindow: 8192,
        maxOutputTokens: 16_384,
      },
      {
        id: 'gemini-embedding-001',
        name: 'Gemini Embedding 001',
        contextWindow: 2_048,
        maxOutputTokens: 1,
        capabilities: ['embeddings'],
      },
      { id: 'gemma-3-27b-it', name: 'Gemma 3 27B', contextWindow: 131_072, maxOutputTokens: 8192 },
    ])
    expect(geminiGenerate.nextPage(body)).toBe('pageToken=Ch9tb2RlbHM')
    expect(geminiGenerate.nextPage({ models: [] })).toBeNull()
    expect(geminiGenerate.models({ error: {} }, 10)).toBeNull()
  })
})

describe('a recorded stream', () => {
  test('finishes after all parts, wherever the finish reason is', () => {
    const events = replay.stream('stream-late-parts')
    expect(getText(events)).toBe('Grüße zurück')
    expect(events.slice(-2).map((event) => event.type)).toEqual(['chunk', 'done'])
    expect(listFinishes(events)).toEqual(['stop'])
  })

  test('keeps a call’s id, and its signature in extra_content', () => {
    const events = replay.stream('stream-tools')
    expect(listCalls(events)).toEqual([{ id: 'fc_9f2', name: 'get_weather', args: '{"city":"Zürich"}' }])
    expect(listFinishes(events)).toEqual(['tool_calls'])
    const calls = listChunks(events).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(calls).toMatchObject([
      { extra_content: { google: { thought_signature: 'CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn' } } },
    ])
  })

  test('generates unique, short ids for calls without one', () => {
    const calls = listCalls(replay.stream('stream-parallel-tools'))
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['get_weather', '{"city":"Rom"}'],
      ['get_time', '{}'],
      ['get_weather', '{"city":"Rom"}'],
    ])
    const ids = calls.map(({ id }) => id ?? '')
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{30}_\d$/)
  })

  test('counts cached tokens once, and what server tools put in', () => {
    expect(getUsage(replay.stream('stream-cached'))?.buckets).toMatchObject({
      input: 651,
      cacheRead: 1000,
      output: 5,
    })
  })

  test('with a malformed function call is a failure, not an empty answer', () => {
    expect(findFailure(replay.stream('stream-malformed-call'))).toMatchObject({
      kind: 'malformed',
      code: 'MALFORMED_FUNCTION_CALL',
    })
  })
})
