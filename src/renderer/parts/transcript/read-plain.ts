// The formats without messages: text and fill-in-the-middle completions, embeddings, speech, images and the like.
import {
  getMessage,
  getText,
  type JsonObject,
  NumberedItems,
  otherPart,
  type TranscriptPart,
  type TranscriptReader,
  textPart,
  toObjects,
} from './transcript.ts'

export const completionsReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('user', readTexts(body.prompt)),
      ...getMessage('system', getText(body.suffix) === '' ? [] : textPart(`Suffix: ${getText(body.suffix)}`)),
    ],
    tools: [],
  }),
  response: (body) => toObjects(body.choices).flatMap(({ text }) => getMessage('assistant', textPart(text))),
  assemble(events) {
    const texts = new NumberedItems<string>()
    for (const { index, text } of events.flatMap(({ choices }) => toObjects(choices))) {
      texts.set(index, (texts.get(index) ?? '') + getText(text))
    }
    return { choices: texts.list().map((text) => ({ text })) }
  },
}

/** Whatever has an input and maybe a text as its output. */
export const inputReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('system', textPart(body.instructions)),
      ...getMessage('user', [
        ...readTexts(body.input ?? body.prompt ?? body.query),
        ...readTexts(body.documents),
      ]),
    ],
    tools: [],
  }),
  response(body) {
    const vectors = toObjects(body.data).filter(({ embedding }) => embedding !== undefined)
    if (vectors.length > 0) {
      const detail = vectors.length === 1 ? '1 vector' : `${vectors.length} vectors`
      return getMessage('assistant', [otherPart('embedding', detail)])
    }
    return getMessage('assistant', [...textPart(body.text), ...toObjects(body.data).flatMap(readImage)])
  },
  assemble: (events) => ({
    text:
      getText(events.find(({ type }) => type === 'transcript.text.done')?.text) ||
      events.map(({ delta }) => getText(delta)).join(''),
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
