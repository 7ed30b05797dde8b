// Google's generateContent. Source: the Gemini API reference; ProtoJSON for the two spellings of a field's name.
import {
  getMessage,
  getText,
  type JsonObject,
  NumberedItems,
  otherPart,
  splitResults,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textPart,
  toObject,
  toObjects,
  writeJson,
} from './transcript.ts'

export const geminiReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('system', readParts(either(body, 'systemInstruction', 'system_instruction'))),
      ...toObjects(body.contents).flatMap(readContent),
    ],
    tools: toObjects(body.tools).flatMap((tool) => {
      const functions = toObjects(either(tool, 'functionDeclarations', 'function_declarations'))
      return functions.length > 0 ? functions.map(({ name }) => getText(name)) : Object.keys(tool)
    }),
  }),
  response: (body) =>
    toObjects(body.candidates).flatMap(({ content }) => getMessage('assistant', readParts(content))),
  assemble(events) {
    const partsOfCandidates = new NumberedItems<JsonObject[]>()
    for (const { index, content } of events.flatMap((event) => toObjects(event.candidates))) {
      const parts = partsOfCandidates.get(index) ?? []
      for (const part of toObjects(toObject(content).parts)) parts.push(part)
      partsOfCandidates.set(index, parts)
    }
    return { candidates: partsOfCandidates.list().map((parts) => ({ content: { parts } })) }
  },
}

function either(object: JsonObject, camel: string, snake: string): unknown {
  return object[camel] ?? object[snake]
}

function readContent(content: JsonObject): TranscriptMessage[] {
  const parts = readParts(content)
  if (content.role === 'model') return getMessage('assistant', parts)
  return splitResults(parts)
}

/** Successive texts are one, as a stream cuts them anywhere. */
function readParts(content: unknown): TranscriptPart[] {
  const parts: TranscriptPart[] = []
  for (const part of toObjects(toObject(content).parts).flatMap(readPart)) {
    const last = parts.at(-1)
    if ((part.type === 'text' || part.type === 'reasoning') && last?.type === part.type) {
      parts[parts.length - 1] = { ...part, text: last.text + part.text }
    } else parts.push(part)
  }
  return parts
}

function readPart(part: JsonObject): TranscriptPart[] {
  if (typeof part.text === 'string') {
    return part.thought === true ? [{ type: 'reasoning', text: part.text }] : textPart(part.text)
  }
  const call = toObject(either(part, 'functionCall', 'function_call'))
  if (call.name !== undefined) {
    return [
      { type: 'call', id: getText(call.id), name: getText(call.name), input: writeJson(call.args ?? {}) },
    ]
  }
  const result = toObject(either(part, 'functionResponse', 'function_response'))
  if (result.name !== undefined) {
    const text = writeJson(result.response)
    return [{ type: 'result', id: getText(result.id), name: getText(result.name), text, failed: false }]
  }
  const inline = toObject(either(part, 'inlineData', 'inline_data'))
  const mimeType = getText(either(inline, 'mimeType', 'mime_type'))
  if (mimeType.startsWith('image/')) {
    return [{ type: 'image', source: `data:${mimeType};base64,${getText(inline.data)}` }]
  }
  if (mimeType !== '') return [otherPart('file', mimeType)]
  const file = toObject(either(part, 'fileData', 'file_data'))
  const uri = getText(either(file, 'fileUri', 'file_uri'))
  if (uri !== '') return [otherPart('file', uri)]
  return Object.keys(part).length > 0 ? [otherPart(Object.keys(part)[0])] : []
}
