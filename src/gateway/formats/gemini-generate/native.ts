import type { NativeCodec, NativeRequest } from '../chat/codec.ts'
import { limitOutput, type Target } from '../chat/target.ts'
import { readMember, setMember } from '../json/edit-json.ts'
import { isObject } from '../json/json.ts'
import { generateCall, modelCall, resourceName } from './request.ts'

/** Google accepts both spellings of a field. */
const CONFIG_NAMES = ['generationConfig', 'generation_config'] as const

function setOutputLimit({ body, json }: NativeRequest, target: Target): string {
  const { maxOutputTokens: requested } = isObject(json.generationConfig) ? json.generationConfig : {}
  const limit = limitOutput(typeof requested === 'number' ? requested : null, target)
  if (limit === null || limit === requested) return body
  const name = CONFIG_NAMES.find((each) => readMember(body, each) !== null) ?? 'generationConfig'
  return setMember(body, [name, 'maxOutputTokens'], limit)
}

/** The path names the model; a body that names it as well must name the same one. */
function setModel(body: string, { upstreamModel }: Target): string {
  return readMember(body, 'model') === null ? body : setMember(body, ['model'], resourceName(upstreamModel))
}

/** A whole request to count must name the model of the path. */
function nameInnerModel(body: string, { upstreamModel }: Target): string {
  const name = ['generateContentRequest', 'generate_content_request'].find((each) =>
    readMember(body, each)?.startsWith('{'),
  )
  return name === undefined ? body : setMember(body, [name, 'model'], resourceName(upstreamModel))
}

export const geminiNative: NativeCodec = {
  clientHeaders: [],
  request: (native, target) =>
    generateCall(target.upstreamModel, native.stream, setModel(setOutputLimit(native, target), target)),
  countTokens: ({ body }, target) =>
    modelCall(target.upstreamModel, 'countTokens', nameInnerModel(body, target)),
  addCost: (json, costUsd) =>
    readMember(json, 'usageMetadata')?.startsWith('{')
      ? setMember(json, ['usageMetadata', 'cost'], costUsd)
      : json,
}
