import type { Capability, ModelRecord } from '../../../shared/api/models.ts'
import { Button } from '../../kit/button.tsx'
import type { Chat, ChatSettings } from '../../parts/chats/chat-storage.ts'
import { DEFAULT_PARAMETERS, type ParameterName, pickParameters } from '../../parts/chats/parameters.ts'
import { readParameters } from '../../parts/chats/read-parameters.ts'
import { ParameterFields } from './parameter-fields.tsx'

interface ParametersProps {
  chat: Chat
  /** The models of the columns. */
  chosen: readonly string[]
  models: readonly ModelRecord[]
  onChange: (part: Partial<ChatSettings>) => void
}

/** The parameters of a chat, which all its models get. */
export function Parameters({ chat, chosen, models, onChange }: ParametersProps) {
  const records = chosen.flatMap((id) => models.find((model) => model.id === id) ?? [])
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pb-5 -outline-offset-2">
      <ParameterFields
        parameters={chat}
        errors={readParameters(chat).errors}
        unsupported={findUnsupported(records.length === chosen.length ? records : [])}
        sandbox={chosen.some((id) => id.startsWith('sandbox'))}
        onChange={onChange}
      />
      <Button
        small
        variant="quiet"
        className="-ml-2 self-start"
        disabled={JSON.stringify(pickParameters(chat)) === JSON.stringify(DEFAULT_PARAMETERS)}
        onClick={() => onChange(DEFAULT_PARAMETERS)}
      >
        Reset all
      </Button>
    </div>
  )
}

const NEEDED: readonly { capability: Capability; names: readonly ParameterName[]; text: string }[] = [
  { capability: 'reasoning', names: ['reasoningEffort'], text: 'does not reason' },
  { capability: 'json', names: ['responseFormat'], text: 'has no JSON output' },
  { capability: 'tools', names: ['tools'], text: 'does not call tools' },
]

/**
 * Why parameters have no effect on any of the models, where that is known. The capabilities of a model without a known
 * context window are guesses.
 */
function findUnsupported(
  models: readonly Pick<ModelRecord, 'id' | 'capabilities' | 'contextWindow'>[],
): ReadonlyMap<ParameterName, string> {
  const lacks = (capability: Capability) =>
    models.length > 0 &&
    models.every((model) => model.contextWindow !== null && !model.capabilities.includes(capability))
  const who = models.map(({ id }) => id).join(' and ')
  return new Map(
    NEEDED.filter(({ capability }) => lacks(capability)).flatMap(({ names, text }) =>
      names.map((name) => [name, `${who} ${text}.`.replace(/ and (.*) does not/, ' and $1 do not')] as const),
    ),
  )
}
