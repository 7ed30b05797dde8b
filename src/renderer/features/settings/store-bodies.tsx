import type { Settings } from '../../../shared/api/account.ts'
import { storesBodies } from '../../../shared/api/stored-bodies.ts'
import { type BodyStorage, bodyStorageUpdates, LIMITED_MINUTES } from '../../data/body-storage.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { updateSettings } from '../../data/mutations.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { formatClock, formatTime } from '../../kit/format.ts'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { Row } from './section.tsx'

const DAY_MS = 24 * 60 * 60_000

const SAVED: Readonly<Record<BodyStorage, string>> = {
  off: 'Prompts and answers are no longer stored.',
  limited: `Prompts and answers are stored for ${LIMITED_MINUTES} minutes.`,
  always: 'Prompts and answers are stored.',
}

export function StoreBodies({ settings }: { settings: Settings }) {
  const { error, submit } = useSubmit()
  const timeZone = useTimeZone()
  const now = useNow()
  const { storeBodies, storeBodiesUntil: until } = settings
  const choice = getChoice(settings, now)
  return (
    <Row
      title="Store prompts and answers"
      text="Off: only counts, costs and times are stored. Otherwise everything you send and receive is written to the data folder and readable by anyone who can read your files. Each key can have a different setting."
      error={error}
    >
      <Select<BodyStorage>
        label="Store prompts and answers"
        className="w-52"
        value={choice}
        options={[
          { value: 'off', label: 'Off' },
          {
            value: 'limited',
            label:
              choice === 'limited' && until !== null
                ? `Until ${Date.parse(until) - now < DAY_MS ? formatTime(until, timeZone) : formatClock(until, now, timeZone)}`
                : `For ${LIMITED_MINUTES} minutes`,
          },
          { value: 'always', label: 'Always' },
        ]}
        onChange={(chosen) =>
          void submit(() =>
            saveWithUndo({
              message: SAVED[chosen],
              save: () => updateSettings(bodyStorageUpdates[chosen]()),
              undo: () =>
                updateSettings(
                  choice === 'limited'
                    ? { storeBodies, storeBodiesUntil: until }
                    : bodyStorageUpdates[choice](),
                ),
            }),
          )
        }
      />
    </Row>
  )
}

function getChoice(settings: Settings, now: number): BodyStorage {
  if (settings.storeBodies) return 'always'
  return storesBodies(settings, now) ? 'limited' : 'off'
}
