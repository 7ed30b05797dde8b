// Source: Google's Gemini API reference, `generateContent`.
import type { JsonObject } from '../../gateway/formats/json/json.ts'
import { GenerateContentRequest } from '../../shared/formats/gemini.ts'
import type { ClientFeatures } from './feature.ts'
import { IMAGE_URL, MARK, PDF, PNG, SCHEMA, WAV } from './samples.ts'

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
  features: [
    { name: 'System instruction', fields: { systemInstruction: { parts: [{ text: MARK }] } }, marker: MARK },
    {
      name: 'Image in `inlineData`',
      fields: part({ inlineData: { mimeType: 'image/png', data: PNG } }),
      marker: PNG,
    },
    {
      name: 'PDF file in `inlineData`',
      fields: part({ inlineData: { mimeType: 'application/pdf', data: PDF } }),
      marker: PDF,
    },
    {
      name: 'Audio in `inlineData`',
      fields: part({ inlineData: { mimeType: 'audio/wav', data: WAV } }),
      marker: WAV,
    },
    {
      name: 'Image by web URL (`fileData`)',
      fields: part({ fileData: { fileUri: IMAGE_URL, mimeType: 'image/png' } }),
      marker: IMAGE_URL,
    },
    {
      name: 'Uploaded file (`fileData`)',
      fields: part({
        fileData: {
          fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a',
          mimeType: 'image/png',
        },
      }),
    },
    {
      name: 'Functions',
      fields: { tools: [{ functionDeclarations: [{ name: 'get_weather', description: MARK }] }] },
      marker: MARK,
    },
    { name: 'Google Search, URL context or code execution alone', fields: { tools: [{ googleSearch: {} }] } },
    {
      name: 'Google Search, URL context or code execution together with functions',
      given: tools,
      fields: { tools: [...tools.tools, { googleSearch: {} }] },
    },
    { name: 'Computer use', given: tools, fields: { tools: [...tools.tools, { computerUse: {} }] } },
    { name: 'Mode `ANY`', given: tools, fields: calling({ mode: 'ANY' }) },
    { name: 'Mode `NONE`', given: tools, fields: calling({ mode: 'NONE' }) },
    {
      name: 'Allowed functions',
      given: tools,
      fields: calling({ mode: 'ANY', allowedFunctionNames: ['get_time'] }),
    },
    {
      name: 'Function response',
      given: tools,
      fields: answered({}, { response: { output: MARK } }),
      marker: MARK,
    },
    {
      name: 'Image in a function response',
      given: tools,
      fields: answered({}, { parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }),
      marker: PNG,
    },
    {
      name: 'Thought signature of Google',
      given: tools,
      fields: answered({ thoughtSignature: MARK }, {}),
      marker: MARK,
    },
    {
      name: 'Structured output (`responseSchema`, `responseJsonSchema`)',
      fields: config({ responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
    },
    { name: 'JSON output', fields: config({ responseMimeType: 'application/json' }) },
    { name: 'Images or audio as output', fields: config({ responseModalities: ['TEXT', 'IMAGE'] }) },
    { name: 'Output limit', fields: config({ maxOutputTokens: 1234 }) },
    { name: 'Stop sequences', fields: config({ stopSequences: [MARK] }), marker: MARK },
    { name: 'Temperature', fields: config({ temperature: 0.3 }) },
    { name: '`topP`', fields: config({ topP: 0.3 }) },
    { name: '`topK`', fields: config({ topK: 3 }) },
    { name: 'Frequency penalty', fields: config({ frequencyPenalty: 0.3 }) },
    { name: 'Presence penalty', fields: config({ presencePenalty: 0.3 }) },
    { name: 'Seed', fields: config({ seed: 7 }) },
    {
      name: 'Several candidates',
      fields: config({ candidateCount: 2 }),
      byCalls: ({ noN }) => noN === true,
    },
    { name: 'Log probabilities', fields: config({ responseLogprobs: true, logprobs: 2 }) },
    { name: 'Thinking level', fields: config({ thinkingConfig: { thinkingLevel: 'HIGH' } }) },
    { name: 'Thinking budget', fields: config({ thinkingConfig: { thinkingBudget: 8192 } }) },
    { name: 'Media resolution', fields: config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }) },
    { name: 'Safety settings', fields: { safetySettings: [{ category: MARK }] } },
    { name: 'Cached content', fields: { cachedContent: 'cachedContents/a' } },
    { name: 'Labels', fields: { labels: { a: MARK } } },
  ],
}
