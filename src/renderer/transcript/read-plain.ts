// The formats without messages: text and fill-in-the-middle completions, embeddings, speech, images and the like.
import {
  type JsonObject,
  messageOf,
  Numbered,
  objectsOf,
  otherPart,
  type TranscriptPart,
  type TranscriptReader,
  textOf,
  textPart,
} from './transcript.ts'

export const completionsReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...messageOf('user', readTexts(body.prompt)),
      ...messageOf('system', textOf(body.suffix) === '' ? [] : textPart(`Suffix: ${textOf(body.suffix)}`)),
    ],
    tools: [],
  }),
  response: (body) => objectsOf(body.choices).flatMap(({ text }) => messageOf('assistant', textPart(text))),
  assemble(events) {
    const texts = new Numbered<string>()
    for (const { index, text } of events.flatMap(({ choices }) => objectsOf(choices))) {
      texts.set(index, (texts.get(index) ?? '') + textOf(text))
    }
    return { choices: texts.list().map((text) => ({ text })) }
  },
}

/** Whatever has an input and maybe a text as its output. */
export const inputReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...messageOf('system', textPart(body.instructions)),
      ...messageOf('user', [
        ...readTexts(body.input ?? body.prompt ?? body.query),
        ...readTexts(body.documents),
      ]),
    ],
    tools: [],
  }),
  response(body) {
    const vectors = objectsOf(body.data).filter(({ embedding }) => embedding !== undefined)
    if (vectors.length > 0) {
      const detail = vectors.length === 1 ? '1 vector' : `${vectors.length} vectors`
      return messageOf('assistant', [otherPart('embedding', detail)])
    }
    return messageOf('assistant', [...textPart(body.text), ...objectsOf(body.data).flatMap(readImage)])
  },
  assemble: (events) => ({
    text:
      textOf(events.find(({ type }) => type === 'transcript.text.done')?.text) ||
      events.map(({ delta }) => textOf(delta)).join(''),
  }),
}

function readTexts(value: unknown): TranscriptPart[] {
  if (typeof value === 'string') return textPart(value)
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) => {
    if (typeof item === 'string') return textPart(item)
    return Array.isArray(item) ? [otherPart('tokens', `${item.length}`)] : []
  })
}

function readImage({ b64_json: data, url }: JsonObject): TranscriptPart[] {
  if (typeof data === 'string') return [{ type: 'image', source: `data:image/png;base64,${data}` }]
  return typeof url === 'string' ? [{ type: 'image', source: url }] : []
}
