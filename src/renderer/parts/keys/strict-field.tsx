import { useId } from 'react'
import { Switch } from '../../kit/switch.tsx'

/** The promise of a cap's amount. */
export function capHint(strict: boolean): string {
  return strict
    ? 'The most this key can ever spend.'
    : 'Requests stop once this is spent; the last one may go over it.'
}

/** Whether a key admits only requests that cannot exceed its limits. */
export function StrictField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const noteId = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="flex min-w-0 flex-col gap-1">
        <span className="font-medium text-ink-2 text-sm">Strict</span>
        <p id={noteId} className="text-ink-3 text-sm">
          A request is sent only if its highest possible cost fits. Answers may be shortened, and the cap and
          limits are never exceeded.
        </p>
      </div>
      <Switch label="Strict" on={value} onChange={onChange} describedBy={noteId} />
    </div>
  )
}
