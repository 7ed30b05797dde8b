// Chat completions. Source: the OpenAI API reference, and the names that other vendors of the format gave to reasoning.
import {
  getMessage,
  getText,
  type JsonObject,
  listParts,
  NumberedItems,
  otherPart,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textPart,
  toObject,
  toObjects,
  writeJson,
} from './transcript.ts'

export const chatReader: TranscriptReader = {
  request: (body) => ({
    messages: toObjects(body.messages).flatMap(readMessage),
    tools: toObjects(body.tools).flatMap((tool) => {
      const { name } = { ...toObject(tool.custom), ...toObject(tool.function) }
      return typeof name === 'string' ? [name] : [getText(tool.type)]
    }),
  }),
  response: (body) =>
    toObjects(body.choices).flatMap(({ message }) =>
      readMessage({ role: 'assistant', ...toObject(message) }),
    ),
  assemble(events) {
    const messages = new NumberedItems<Choice>()
    for (const { index, delta } of events.flatMap(({ choices }) => toObjects(choices))) {
      messages.set(index, addDelta(messages.get(index) ?? emptyChoice(), toObject(delta)))
    }
    return {
      choices: messages.list().map(({ content, reasoning, refusal, calls }) => ({
        message: { content, reasoning_content: reasoning, refusal, tool_calls: calls.list() },
      })),
    }
  },
}

interface Choice {
  content: string
  reasoning: string
  refusal: string
  calls: NumberedItems<{ id: string; function: { name: string; arguments: string } }>
}

const emptyChoice = (): Choice => ({ content: '', reasoning: '', refusal: '', calls: new NumberedItems() })

function addDelta(choice: Choice, delta: JsonObject): Choice {
  choice.content += getText(delta.content)
  choice.reasoning += getText(delta.reasoning_content) || getText(delta.reasoning)
  choice.refusal += getText(delta.refusal)
  for (const call of toObjects(delta.tool_calls)) {
    const before = choice.calls.get(call.index) ?? { id: '', function: { name: '', arguments: '' } }
    const called = toObject(call.function)
    choice.calls.set(call.index, {
      id: before.id || getText(call.id),
      function: {
        name: before.function.name + getText(called.name),
        arguments: before.function.arguments + getText(called.arguments),
      },
    })
  }
  return choice
}

function readMessage(message: JsonObject): TranscriptMessage[] {
  const { role, content } = message
  if (role === 'tool' || role === 'function') {
    const text = readContent(content).flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const id = getText(message.tool_call_id)
    return getMessage('tool', [
      { type: 'result', id, name: getText(message.name), text: text.join('\n\n'), failed: false },
    ])
  }
  const parts = readContent(content)
  if (role !== 'assistant') return getMessage(role === 'user' ? 'user' : 'system', parts)
  return getMessage('assistant', [
    ...readReasoning(message),
    ...parts,
    ...textPart(message.refusal),
    ...toObjects(message.tool_calls).map(readCall),
    ...toObjects(message.images).flatMap(readPart),
  ])
}

function readReasoning(message: JsonObject): TranscriptPart[] {
  const text = getText(message.reasoning_content) || getText(message.reasoning)
  return text === '' ? [] : [{ type: 'reasoning', text }]
}

function readCall(call: JsonObject): TranscriptPart {
  const called = { ...toObject(call.custom), ...toObject(call.function) }
  return {
    type: 'call',
    id: getText(call.id),
    name: getText(called.name) || getText(call.type),
    input: writeJson(called.arguments ?? called.input),
  }
}

function readContent(content: unknown): TranscriptPart[] {
  return listParts(content, readPart)
}

function readPart(part: JsonObject): TranscriptPart[] {
  switch (part.type) {
    case 'text':
      return textPart(part.text)
    case 'refusal':
      return textPart(part.refusal)
    case 'image_url': {
      const source = getText(part.image_url) || getText(toObject(part.image_url).url)
      return source === '' ? [] : [{ type: 'image', source }]
    }
    case 'file':
      return [otherPart('file', toObject(part.file).filename)]
    default:
      return [otherPart(part.type)]
  }
}
