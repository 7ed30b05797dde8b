// Owns the setting of when a user is told that a cap comes near. How it is shown is the desktop's, or the page's.
import type { Settings } from '../../../shared/account.ts'
import { InlineError } from '../../components/notice.tsx'
import { isDesktop } from '../../is-desktop.ts'
import { useSettings } from '../../stores/settings.ts'
import { useSubmit } from '../../use-submit.ts'
import { otherShares, readShares, USUAL_SHARES, withOthers, withShare } from './alert-thresholds.ts'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './section.tsx'

export function NotificationsSection({ settings }: { settings: Settings }) {
  const updateSettings = useSettings((store) => store.updateSettings)
  const { pending, error, submit } = useSubmit()
  const shares = settings.notifyAtPercent
  const toggle = (percent: number, on: boolean) =>
    submit(() => updateSettings({ notifyAtPercent: withShare(shares, percent, on) }))
  return (
    <Section title="Notifications">
      <Row
        title="Tell me when a cap comes near"
        text={
          isDesktop
            ? 'When a key’s cap, or the monthly limit, is spent to one of these shares: once each, as a notification of your system, also while this window is closed.'
            : 'When a key’s cap, or the monthly limit, is spent to one of these shares: once each, as a message on this page while it is open.'
        }
      >
        <fieldset className="flex h-8 items-center gap-4">
          <legend className="sr-only">Shares of a cap</legend>
          {USUAL_SHARES.map((percent) => (
            <label key={percent} className="flex items-center gap-1.5 whitespace-nowrap">
              <input
                type="checkbox"
                className="size-3.5 accent-accent"
                checked={shares.includes(percent)}
                disabled={pending}
                onChange={({ target }) => void toggle(percent, target.checked)}
              />
              {percent} %
            </label>
          ))}
        </fieldset>
      </Row>
      <Row
        title="And at"
        text={
          shares.length > 0
            ? 'A share of your own, in percent, or two of them.'
            : 'A share of your own, in percent. As it stands, you are told of none.'
        }
      >
        <SavedField
          label="Other shares"
          placeholder="None"
          inputMode="numeric"
          stored={otherShares(shares).join(', ')}
          read={readShares}
          save={(others) => updateSettings({ notifyAtPercent: withOthers(shares, others) })}
        />
      </Row>
      {error ? (
        <div className="p-3">
          <InlineError error={error} />
        </div>
      ) : null}
    </Section>
  )
}
