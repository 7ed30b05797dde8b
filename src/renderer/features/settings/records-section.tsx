import { useState } from 'react'
import { toast } from 'sonner'
import { Settings } from '../../../shared/api/account.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import { isTimeZone } from '../../../shared/values/calendar.ts'
import { api } from '../../data/api.ts'
import { type BodyStorage, bodyStorageUpdates, LIMITED_MINUTES } from '../../data/body-storage.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { updateSettings } from '../../data/mutations.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { formatClock, formatTime } from '../../kit/format.ts'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { SavedField } from './saved-field.tsx'
import { Row, Section, SwitchRow } from './section.tsx'

const RETENTION_DAYS = [7, 30, 90, 365]
const zones = Intl.supportedValuesOf('timeZone')

function parseTimeZone(text: string): { value: string | null } | string {
  if (text === '') return { value: null }
  return isTimeZone(text) ? { value: text } : 'Enter a time zone such as Europe/Paris.'
}

function parseMegabytes(text: string): { value: number } | string {
  const read = Settings.shape.maxLogMb.safeParse(text === '' ? null : Number(text))
  return read.success ? { value: read.data } : 'Enter a whole number of megabytes, 16 or more.'
}

export function RecordsSection({ settings }: { settings: Settings }) {
  const timeZone = useTimeZone()
  const retention = useSubmit()
  const retentionDays = settings.retentionDays
  const choices =
    retentionDays === null || RETENTION_DAYS.includes(retentionDays)
      ? RETENTION_DAYS
      : [...RETENTION_DAYS, retentionDays].toSorted((a, b) => a - b)
  return (
    <Section title="Records">
      <Row
        title="Keep requests for"
        text="Older requests are deleted. Their costs stay in the totals."
        error={retention.error}
      >
        <Select
          label="Keep requests for"
          className="w-52"
          value={retentionDays === null ? 'all' : String(retentionDays)}
          options={[
            ...choices.map((days) => ({ value: String(days), label: `${days} days` })),
            { value: 'all', label: 'Forever' },
          ]}
          onChange={(value) =>
            void retention.submit(() =>
              saveWithUndo({
                message:
                  value === 'all'
                    ? 'Requests are kept forever.'
                    : `Requests older than ${value} days will be deleted.`,
                save: () => updateSettings({ retentionDays: value === 'all' ? null : Number(value) }),
                undo: () => updateSettings({ retentionDays }),
              }),
            )
          }
        />
      </Row>
      <Row
        title="Maximum request log size"
        text="In megabytes. When it is larger, the oldest requests are deleted. Their costs stay in the totals."
      >
        <SavedField
          label="Maximum request log size"
          inputMode="numeric"
          stored={String(settings.maxLogMb)}
          parse={parseMegabytes}
          save={(maxLogMb) => updateSettings({ maxLogMb })}
        />
      </Row>
      <SwitchRow
        title="Record requests before sending them"
        text="Off: a request is recorded while it is sent, and a power cut can lose the record of one that was not answered yet. On: nothing is sent before it is recorded, which takes slightly longer."
        on={settings.durability === 'strict'}
        save={(on) => updateSettings({ durability: on ? 'strict' : 'standard' })}
      />
      <StoreBodies settings={settings} />
      <Row
        title="Stored prompts and answers"
        text="Turning off storage does not delete what is already stored. New backups do not include it."
      >
        <DeleteBodies />
      </Row>
      <Row
        title="Time zone"
        text={`Used for days and months${timeZone ? `, currently ${timeZone}` : ''}. Leave blank for the system time zone.`}
      >
        <SavedField
          label="Time zone"
          placeholder="System time zone"
          stored={settings.timeZone ?? ''}
          list={zones}
          parse={parseTimeZone}
          save={(zone) => updateSettings({ timeZone: zone })}
        />
      </Row>
    </Section>
  )
}

function DeleteBodies() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete…</Button>
      {asking ? (
        <ConfirmDialog
          open
          onClose={() => setAsking(false)}
          title="Delete all stored prompts and answers?"
          description="The requests are kept with their costs and times. This cannot be undone."
          action="Delete"
          onConfirm={async () => {
            const { deleted } = await api('deleteBodies')
            toast.success(
              deleted === 0
                ? 'Nothing to delete.'
                : `Deleted the prompts and answers of ${deleted} ${deleted === 1 ? 'request' : 'requests'}.`,
            )
          }}
        />
      ) : null}
    </>
  )
}

const DAY_MS = 24 * 60 * 60_000

const SAVED: Readonly<Record<BodyStorage, string>> = {
  off: 'Prompts and answers are no longer stored.',
  limited: `Prompts and answers are stored for ${LIMITED_MINUTES} minutes.`,
  always: 'Prompts and answers are stored.',
}

function StoreBodies({ settings }: { settings: Settings }) {
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
