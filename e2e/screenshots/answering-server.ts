// A server that answers requests of several API formats as OpenAI and Anthropic do, because the tests have no network.
import { NO_TOKENS, vendorFormats } from '../../src/gateway/upstream/testing/vendor-formats.ts'
import { startListingServer } from './listing-server.ts'

const TEXT = 'The bridge opens at noon.'

const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5.5', 'text-embedding-3-small', 'whisper-1', 'gpt-4o-transcribe', 'tts-1', 'gpt-image-1'],
  anthropic: ['claude-sonnet-5-5'],
}

/** The answers by the end of the path, with what each vendor counts. */
const answers: Readonly<Record<string, object>> = {
  '/chat/completions': vendorFormats['openai-chat'].plain({
    texts: [TEXT],
    model: 'gpt-5.5',
    tier: 'priority',
    usage: vendorFormats['openai-chat'].usage({
      ...NO_TOKENS,
      ...{ input: 1_304, cacheRead: 4_096, text: 318, reasoning: 512 },
    }),
  }),
  '/messages': vendorFormats['anthropic-messages'].plain({
    texts: [TEXT],
    model: 'claude-sonnet-5-5',
    usage: vendorFormats['anthropic-messages'].usage({
      ...NO_TOKENS,
      ...{ input: 1_200, cacheRead: 18_000, cacheWrite5m: 2_000, cacheWrite1h: 1_000 },
      ...{ text: 410, searches: 2 },
    }),
  }),
  '/embeddings': {
    object: 'list',
    model: 'text-embedding-3-small',
    data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
    usage: { prompt_tokens: 8_191, total_tokens: 8_191 },
  },
  '/audio/transcriptions': { text: TEXT, usage: { type: 'duration', seconds: 93 } },
}

export const startAnsweringServer = () => startListingServer(MODELS, answers)
