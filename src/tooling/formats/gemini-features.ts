// Source: Google's Gemini API reference, `generateContent`.
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { GenerateContentRequest } from '../../shared/formats/gemini.ts'
import { type ClientFeatures, IMAGE_URL, MARK, PDF, PNG, SCHEMA, WAV } from './feature.ts'

const hello = { role: 'user', parts: [{ text: 'Hello' }] }
const part = (value: JsonObject) => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }, value] }] })
const config = (value: JsonObject) => ({ generationConfig: value })
const tools = {
  tools: [{ functionDeclarations: [{ name: 'get_weather', parameters: SCHEMA }, { name: 'get_time' }] }],
}
const calling = (value: JsonObject) => ({ toolConfig: { functionCallingConfig: value } })
const answered = (call: JsonObject, response: JsonObject) => ({
  contents: [
    hello,
    { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} }, ...call }] },
    {
      role: 'user',
      parts: [{ functionResponse: { name: 'get_weather', response: { output: 'Sunny' }, ...response } }],
    },
  ],
})

export const geminiFeatures: ClientFeatures = {
  endpoint: '/v1beta/models/MODEL:generateContent',
  schema: GenerateContentRequest,
  base: { model: 'model', stream: false, sse: false, contents: [hello] },
  several: 'candidateCount',
  features: [
    ['System instruction', { systemInstruction: { parts: [{ text: MARK }] } }],
    ['Image in `inlineData`', part({ inlineData: { mimeType: 'image/png', data: PNG } })],
    ['PDF file in `inlineData`', part({ inlineData: { mimeType: 'application/pdf', data: PDF } })],
    ['Audio in `inlineData`', part({ inlineData: { mimeType: 'audio/wav', data: WAV } })],
    ['Image by web URL (`fileData`)', part({ fileData: { fileUri: IMAGE_URL, mimeType: 'image/png' } })],
    [
      'Uploaded file (`fileData`)',
      part({
        fileData: {
          fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a',
          mimeType: 'image/png',
        },
      }),
    ],
    ['Functions', { tools: [{ functionDeclarations: [{ name: 'get_weather', description: MARK }] }] }],
    ['Google Search, URL context or code execution alone', { tools: [{ googleSearch: {} }] }],
    [
      'Google Search, URL context or code execution together with functions',
      { tools: [...tools.tools, { googleSearch: {} }] },
      tools,
    ],
    ['Computer use', { tools: [...tools.tools, { computerUse: {} }] }, tools],
    ['Mode `ANY`', calling({ mode: 'ANY' }), tools],
    ['Mode `NONE`', calling({ mode: 'NONE' }), tools],
    ['Allowed functions', calling({ mode: 'ANY', allowedFunctionNames: ['get_time'] }), tools],
    ['Function response', answered({}, { response: { output: MARK } }), tools],
    [
      'Image in a function response',
      answered({}, { parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }),
      tools,
    ],
    ['Thought signature of Google', answered({ thoughtSignature: MARK }, {}), tools],
    [
      'Structured output (`responseSchema`, `responseJsonSchema`)',
      config({ responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
    ],
    ['JSON output', config({ responseMimeType: 'application/json' })],
    ['Images or audio as output', config({ responseModalities: ['TEXT', 'IMAGE'] })],
    ['Output limit', config({ maxOutputTokens: 1234 })],
    ['Stop sequences', config({ stopSequences: [MARK] })],
    ['Temperature', config({ temperature: 0.3 })],
    ['`topP`', config({ topP: 0.3 })],
    ['`topK`', config({ topK: 3 })],
    ['Frequency penalty', config({ frequencyPenalty: 0.3 })],
    ['Presence penalty', config({ presencePenalty: 0.3 })],
    ['Seed', config({ seed: 7 })],
    ['Several candidates', config({ candidateCount: 2 })],
    ['Log probabilities', config({ responseLogprobs: true, logprobs: 2 })],
    ['Thinking level', config({ thinkingConfig: { thinkingLevel: 'HIGH' } })],
    ['Thinking budget', config({ thinkingConfig: { thinkingBudget: 8192 } })],
    ['Media resolution', config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' })],
    ['Safety settings', { safetySettings: [{ category: MARK }] }],
    ['Cached content', { cachedContent: 'cachedContents/a' }],
    ['Labels', { labels: { a: MARK } }],
  ],
}
