import type { Settings } from '../../../shared/api/account.ts'
import { updateSettings } from '../../data/mutations.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './section.tsx'
import { WebhookRow } from './webhook-row.tsx'

export function NotificationsSection({ settings }: { settings: Settings }) {
  const { pending, error, submit } = useSubmit()
  const thresholds = settings.notifyAtPercent
  const toggle = (percent: number, on: boolean) =>
    submit(() =>
      saveWithUndo({
        message: `Alerts at ${percent}% are ${on ? 'on' : 'off'}.`,
        save: () => updateSettings({ notifyAtPercent: toggleThreshold(thresholds, percent, on) }),
        undo: () => updateSettings({ notifyAtPercent: thresholds }),
      }),
    )
  return (
    <Section title="Notifications">
      <Row
        title="Spend alerts"
        text={
          isDesktop
            ? 'Sent once per threshold, when spend reaches this share of a key’s cap or of the monthly limit, also while this window is closed.'
            : 'Sent once per threshold, when spend reaches this share of a key’s cap or of the monthly limit, while this page is open.'
        }
      >
        <fieldset className="flex h-8 items-center gap-4">
          <legend className="sr-only">Alert thresholds</legend>
          {PRESET_THRESHOLDS.map((percent) => (
            <label key={percent} className="flex items-center gap-1.5 whitespace-nowrap">
              <input
                type="checkbox"
                className="size-3.5 accent-accent"
                checked={thresholds.includes(percent)}
                disabled={pending}
                onChange={({ target }) => void toggle(percent, target.checked)}
              />
              {percent}%
            </label>
          ))}
        </fieldset>
      </Row>
      <Row
        title="Custom thresholds"
        text={
          thresholds.length > 0
            ? 'Up to two more percentages, such as 25, 90.'
            : 'Up to two more percentages, such as 25, 90. No threshold is set, so no alerts are sent.'
        }
      >
        <SavedField
          label="Custom thresholds"
          placeholder="None"
          inputMode="numeric"
          stored={listCustomThresholds(thresholds).join(', ')}
          parse={parseThresholds}
          save={(others) => updateSettings({ notifyAtPercent: replaceCustomThresholds(thresholds, others) })}
        />
      </Row>
      <WebhookRow />
      {error ? (
        <div className="p-3">
          <InlineError error={error} />
        </div>
      ) : null}
    </Section>
  )
}

/** The percentages of a cap that have a checkbox. */
const PRESET_THRESHOLDS = [50, 80, 100] as const
/** The gateway accepts five thresholds, three of which are the presets. */
const MAX_CUSTOM = 2

function isPreset(percent: number): boolean {
  return PRESET_THRESHOLDS.some((preset) => preset === percent)
}

export function listCustomThresholds(thresholds: readonly number[]): number[] {
  return thresholds.filter((percent) => !isPreset(percent)).toSorted((a, b) => a - b)
}

export function toggleThreshold(thresholds: readonly number[], percent: number, on: boolean): number[] {
  const others = thresholds.filter((other) => other !== percent)
  return (on ? [...others, percent] : others).toSorted((a, b) => a - b)
}

export function replaceCustomThresholds(thresholds: readonly number[], custom: readonly number[]): number[] {
  return [...new Set([...thresholds.filter(isPreset), ...custom])].toSorted((a, b) => a - b)
}

/** Parses "90" or "65, 90"; blank is an empty list. Returns an error message for anything else. */
export function parseThresholds(text: string): { value: number[] } | string {
  const parts = text.split(/[\s,;%]+/).filter(Boolean)
  const thresholds = [...new Set(parts.map(Number))]
  if (!thresholds.every((threshold) => Number.isInteger(threshold) && threshold >= 1 && threshold <= 100)) {
    return 'Enter a whole number from 1 to 100.'
  }
  if (listCustomThresholds(thresholds).length > MAX_CUSTOM) return 'Enter at most two.'
  return { value: thresholds }
}
