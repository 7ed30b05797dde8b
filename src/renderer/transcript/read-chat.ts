// Chat completions. Source: the OpenAI API reference, and the names that other vendors of the format gave to reasoning.
import {
  type JsonObject,
  messageOf,
  Numbered,
  objectOf,
  objectsOf,
  otherPart,
  partsOf,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textOf,
  textPart,
  writeJson,
} from './transcript.ts'

export const chatReader: TranscriptReader = {
  request: (body) => ({
    messages: objectsOf(body.messages).flatMap(readMessage),
    tools: objectsOf(body.tools).flatMap((tool) => {
      const { name } = { ...objectOf(tool.custom), ...objectOf(tool.function) }
      return typeof name === 'string' ? [name] : [textOf(tool.type)]
    }),
  }),
  response: (body) =>
    objectsOf(body.choices).flatMap(({ message }) =>
      readMessage({ role: 'assistant', ...objectOf(message) }),
    ),
  assemble(events) {
    const messages = new Numbered<Choice>()
    for (const { index, delta } of events.flatMap(({ choices }) => objectsOf(choices))) {
      messages.set(index, addDelta(messages.get(index) ?? emptyChoice(), objectOf(delta)))
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
  calls: Numbered<{ id: string; function: { name: string; arguments: string } }>
}

const emptyChoice = (): Choice => ({ content: '', reasoning: '', refusal: '', calls: new Numbered() })

function addDelta(choice: Choice, delta: JsonObject): Choice {
  choice.content += textOf(delta.content)
  choice.reasoning += textOf(delta.reasoning_content) || textOf(delta.reasoning)
  choice.refusal += textOf(delta.refusal)
  for (const call of objectsOf(delta.tool_calls)) {
    const before = choice.calls.get(call.index) ?? { id: '', function: { name: '', arguments: '' } }
    const called = objectOf(call.function)
    choice.calls.set(call.index, {
      id: before.id || textOf(call.id),
      function: {
        name: before.function.name + textOf(called.name),
        arguments: before.function.arguments + textOf(called.arguments),
      },
    })
  }
  return choice
}

function readMessage(message: JsonObject): TranscriptMessage[] {
  const { role, content } = message
  if (role === 'tool' || role === 'function') {
    const text = readContent(content).flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const id = textOf(message.tool_call_id)
    return messageOf('tool', [
      { type: 'result', id, name: textOf(message.name), text: text.join('\n\n'), failed: false },
    ])
  }
  const parts = readContent(content)
  if (role !== 'assistant') return messageOf(role === 'user' ? 'user' : 'system', parts)
  return messageOf('assistant', [
    ...readReasoning(message),
    ...parts,
    ...textPart(message.refusal),
    ...objectsOf(message.tool_calls).map(readCall),
    ...objectsOf(message.images).flatMap(readPart),
  ])
}

function readReasoning(message: JsonObject): TranscriptPart[] {
  const text = textOf(message.reasoning_content) || textOf(message.reasoning)
  return text === '' ? [] : [{ type: 'reasoning', text }]
}

function readCall(call: JsonObject): TranscriptPart {
  const called = { ...objectOf(call.custom), ...objectOf(call.function) }
  return {
    type: 'call',
    id: textOf(call.id),
    name: textOf(called.name) || textOf(call.type),
    input: writeJson(called.arguments ?? called.input),
  }
}

function readContent(content: unknown): TranscriptPart[] {
  return partsOf(content, readPart)
}

function readPart(part: JsonObject): TranscriptPart[] {
  switch (part.type) {
    case 'text':
      return textPart(part.text)
    case 'refusal':
      return textPart(part.refusal)
    case 'image_url': {
      const source = textOf(part.image_url) || textOf(objectOf(part.image_url).url)
      return source === '' ? [] : [{ type: 'image', source }]
    }
    case 'file':
      return [otherPart('file', objectOf(part.file).filename)]
    default:
      return [otherPart(part.type)]
  }
}
