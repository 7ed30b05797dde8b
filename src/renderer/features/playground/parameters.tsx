import { useState } from 'react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { Chat, ChatSettings } from '../../parts/chats/chat-storage.ts'
import {
  changeParameters,
  getParameters,
  joinLanes,
  type Parameters as ParameterTexts,
  splitLanes,
} from '../../parts/chats/parameters.ts'
import { readParameters } from '../../parts/chats/read-parameters.ts'
import { findUnsupported } from '../../parts/chats/unsupported.ts'
import { LaneChoice } from './lane-choice.tsx'
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
