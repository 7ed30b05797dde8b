import { useState } from 'react'
import type { Capability, ModelRecord } from '../../../shared/api/models.ts'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Switch } from '../../kit/switch.tsx'
import type { Chat, ChatSettings } from '../../parts/chats/chat-storage.ts'
import {
  changeParameters,
  getParameters,
  joinLanes,
  type ParameterName,
  type Parameters as ParameterTexts,
  splitLanes,
} from '../../parts/chats/parameters.ts'
import { readParameters } from '../../parts/chats/read-parameters.ts'
import { ParameterFields } from './parameter-fields.tsx'
import { Presets } from './presets.tsx'

interface ParametersProps {
  chat: Chat
  /** The models of the columns. */
  chosen: readonly string[]
  models: readonly ModelRecord[]
  onChange: (part: Partial<ChatSettings>) => void
}

/** The parameters of a chat, or of one of its models. */
export function Parameters({ chat, chosen, models, onChange }: ParametersProps) {
  const [shownLane, setShownLane] = useState(0)
  const lane = Math.min(shownLane, chosen.length - 1)
  const same = chat.lanes.length === 0
  const parameters = getParameters(chat, lane)
  const ids = same ? chosen : chosen.slice(lane, lane + 1)
  const records = ids.flatMap((id) => models.find((model) => model.id === id) ?? [])
  const change = (part: Partial<ParameterTexts>) => onChange(changeParameters(chat, lane, part))
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pb-5 -outline-offset-2">
      <Presets parameters={parameters} onLoad={change} />
      {chosen.length > 1 ? (
        <LaneChoice
          models={chosen}
          same={same}
          onSame={(next) => onChange(next ? joinLanes(chat, lane) : splitLanes(chat))}
          lane={lane}
          onLane={setShownLane}
        />
      ) : null}
      <ParameterFields
        parameters={parameters}
        errors={readParameters(parameters).errors}
        unsupported={findUnsupported(records.length === ids.length ? records : [])}
        sandbox={ids.some((id) => id.startsWith('sandbox'))}
        onChange={change}
      />
    </div>
  )
}

interface LaneChoiceProps {
  models: readonly string[]
  same: boolean
  onSame: (same: boolean) => void
  lane: number
  onLane: (lane: number) => void
}

/** Whether all models have the same parameters, and if not, whose are shown. */
function LaneChoice({ models, same, onSame, lane, onLane }: LaneChoiceProps) {
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-surface px-3 py-2">
      <div className="flex items-center justify-between gap-3">
        <span className="text-sm">Same for all models</span>
        <Switch label="Same for all models" on={same} onChange={onSame} />
      </div>
      {same ? null : (
        <SegmentedControl
          label="Parameters of"
          options={models.map((_, index) => ({ value: String(index), label: `Model ${index + 1}` }))}
          value={String(lane)}
          onChange={(value) => onLane(Number(value))}
        />
      )}
      {same ? null : <p className="truncate text-ink-3 text-sm">{models[lane]}</p>}
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
