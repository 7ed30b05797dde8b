import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import type { TestExchange } from '../../../gateway/upstream/testing/test-upstream.ts'
import { readList } from './json-lists.ts'
import { type Reply, type Situation, USAGE } from './scripted-model.ts'

const usageMetadata = {
  promptTokenCount: USAGE.input,
  cachedContentTokenCount: USAGE.cached,
  candidatesTokenCount: USAGE.output - USAGE.reasoning,
  thoughtsTokenCount: USAGE.reasoning,
  totalTokenCount: USAGE.input + USAGE.output,
}

export function readGenerateRequest(body: JsonObject, path: string): Situation {
  const [, model = '', method] = /\/models\/(.+):(\w+)(?:\?|$)/.exec(path) ?? []
  return {
    tools: readList(body.tools)
      .flatMap(({ functionDeclarations }) => readList(functionDeclarations))
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name: String(name),
        schema: parametersJsonSchema ?? parameters,
      })),
    hasResult: readList(body.contents).some(({ parts }) =>
      readList(parts).some((part) => part.functionResponse),
    ),
    stream: method === 'streamGenerateContent',
    model,
  }
}

export function answerGenerate(
  exchange: TestExchange,
  { text, call }: Reply,
  { stream, model }: Situation,
): void {
  const part = call === null ? { text } : { functionCall: { name: call.name, args: call.args } }
  const content = { role: 'model', parts: [part] }
  const last = {
    candidates: [{ index: 0, content, finishReason: 'STOP' }],
    usageMetadata,
    modelVersion: model,
  }
  if (stream) exchange.begin().data(last).end()
  else exchange.reply(200, last)
}
