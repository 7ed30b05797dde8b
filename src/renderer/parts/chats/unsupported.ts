import { t } from 'ttag'
import type { Capability, ModelRecord } from '../../../shared/api/models.ts'
import type { ParameterName } from './parameters.ts'

const NEEDED: readonly { capability: Capability; names: readonly ParameterName[]; text: string }[] = [
  { capability: 'reasoning', names: ['reasoningEffort'], text: t`does not reason` },
  { capability: 'json', names: ['responseFormat'], text: t`has no JSON output` },
  { capability: 'tools', names: ['tools'], text: t`does not call tools` },
]

/**
 * Why parameters have no effect on any of the models, where that is known. The capabilities of a model without a known
 * context window are guesses.
 */
export function findUnsupported(
  models: readonly Pick<ModelRecord, 'id' | 'capabilities' | 'contextWindow'>[],
): ReadonlyMap<ParameterName, string> {
  const lacks = (capability: Capability) =>
    models.length > 0 &&
    models.every((model) => model.contextWindow !== null && !model.capabilities.includes(capability))
  const who = models.map(({ id }) => id).join(t` and `)
  return new Map(
    NEEDED.filter(({ capability }) => lacks(capability)).flatMap(({ names, text }) =>
      names.map((name) => [name, `${who} ${text}.`.replace(/ and (.*) does not/, ' and $1 do not')] as const),
    ),
  )
}
