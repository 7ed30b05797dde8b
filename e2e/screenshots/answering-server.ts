// A server that answers requests of several API formats as OpenAI and Anthropic do, because the tests have no network.
import { startListingServer } from './listing-server.ts'

const TEXT = 'The bridge opens at noon.'

const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5.5', 'text-embedding-3-small', 'whisper-1', 'gpt-4o-transcribe', 'tts-1', 'gpt-image-1'],
  anthropic: ['claude-sonnet-5-5'],
}

/** The answers by the end of the path, with what each vendor counts. */
const answers: Readonly<Record<string, object>> = {
  '/chat/completions': {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_780_000_000,
    model: 'gpt-5.5',
    service_tier: 'priority',
    choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 5_400,
      prompt_tokens_details: { cached_tokens: 4_096 },
      completion_tokens: 830,
      completion_tokens_details: { reasoning_tokens: 512 },
      total_tokens: 6_230,
    },
  },
  '/messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [{ type: 'text', text: TEXT }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 1_200,
      cache_creation_input_tokens: 3_000,
      cache_read_input_tokens: 18_000,
      cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 1_000 },
      output_tokens: 410,
      server_tool_use: { web_search_requests: 2 },
    },
  },
  '/embeddings': {
    object: 'list',
    model: 'text-embedding-3-small',
    data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
    usage: { prompt_tokens: 8_191, total_tokens: 8_191 },
  },
  '/audio/transcriptions': { text: TEXT, usage: { type: 'duration', seconds: 93 } },
}

export const startAnsweringServer = () => startListingServer(MODELS, answers)
