import { SearchField } from '../../kit/search-field.tsx'
import { Switch } from '../../kit/switch.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'

interface KeyFilterBarProps {
  /** The number of keys that are shown. */
  count: number
  revokedCount: number
}

export function KeyFilterBar({ count, revokedCount }: KeyFilterBarProps) {
  const [text, setText] = useAddressParam('q')
  const [revoked, setRevoked] = useAddressParam('revoked')
  return (
    <search className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-4 py-2.5">
      <SearchField label="Search keys" value={text ?? ''} onChange={(next) => setText(next || null)} />
      {revokedCount === 0 ? null : (
        <span className="flex items-center gap-2 text-ink-2 text-sm">
          <span aria-hidden>Show {revokedCount} revoked</span>
          <Switch
            label={`Show ${revokedCount} revoked`}
            on={revoked !== null}
            onChange={(on) => setRevoked(on ? '1' : null)}
          />
        </span>
      )}
      <span className="ml-auto text-ink-3 text-sm">{count === 1 ? '1 key' : `${count} keys`}</span>
    </search>
  )
}
