import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import { api } from '../../../renderer/data/api.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { updateSettings } from '../../../renderer/data/mutations.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { refreshShown } from '../../../renderer/data/query-client.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { ConfirmDialog } from '../../../renderer/kit/dialog.tsx'
import { chooseUsdDecimals, formatCount, formatDay } from '../../../renderer/kit/format.ts'
import { Money, Unpriced } from '../../../renderer/kit/money.tsx'
import { useNow } from '../../../renderer/kit/use-now.ts'
import { Row, SwitchRow, section } from '../../../renderer/parts/settings/section.tsx'
import type { HistoryState } from '../../../shared/api/history.ts'
import { ExpiringLogs, IMPORT_TEXT, ImportControls } from './history.tsx'
import { HISTORY_NOTE } from './use-history.ts'

export const historySections = [
  section('History', ({ settings }) => settings, [
    {
      name: 'History of agents',
      keywords: 'import logs claude code codex gemini opencode kilo qwen copilot pi cline usage past',
      render: () => <ImportRow />,
    },
    {
      name: 'Keep history up to date',
      keywords: 'import background logs agents automatic',
      render: ({ keepHistory }) => (
        <SwitchRow
          text="Imports what is new in the logs every ten minutes, while Tollgate runs."
          on={keepHistory}
          save={(on) => updateSettings({ keepHistory: on })}
        />
      ),
    },
    {
      name: 'Imported history',
      keywords: 'delete remove agents logs',
      render: () => (
        <Row text="The logs of the agents stay. The history is no longer kept up to date.">
          <RemoveHistory />
        </Row>
      ),
    },
  ]),
]

function ImportRow() {
  const { data: state } = useQuery(queries.history)
  const names = state?.found.map(({ name }) => name).join(', ')
  return (
    <Row
      text={`${names ? `Logs on this computer: ${names}.` : 'No agent has logs on this computer.'} ${IMPORT_TEXT}`}
      below={state ? <ImportedTools state={state} /> : null}
    >
      {state ? <ImportControls state={state} label="Import now" /> : null}
    </Row>
  )
}

function ImportedTools({ state: { imported, last, expiring } }: { state: HistoryState }) {
  const zone = useTimeZone()
  const now = useNow()
  const decimals = chooseUsdDecimals(imported.map(({ costUsd }) => costUsd))
  return (
    <>
      {expiring ? <ExpiringLogs expiring={expiring} /> : null}
      {last ? <p className="mt-2 text-ink-2 text-sm">{last.summary}</p> : null}
      {imported.length > 0 ? (
        <table className="mt-2 w-full text-sm">
          <thead className="text-left text-ink-3">
            <tr>
              <th className="py-1 font-medium">Agent</th>
              <th className="py-1 text-right font-medium">Calls</th>
              <th className="py-1 text-right font-medium max-sm:hidden">Tokens</th>
              <th className="py-1 text-right font-medium max-sm:hidden">Since</th>
              <th className="py-1 text-right font-medium" title={HISTORY_NOTE}>
                List price
              </th>
            </tr>
          </thead>
          <tbody>
            {imported.map(({ tool, name, calls, tokensIn, tokensOut, firstAt, costUsd, unpriced }) => (
              <tr key={tool} className="border-line border-t">
                <td className="py-1">{name}</td>
                <td className="py-1 text-right tabular-nums">{formatCount(calls)}</td>
                <td className="py-1 text-right tabular-nums max-sm:hidden">
                  {formatCount(tokensIn + tokensOut, true)}
                </td>
                <td className="py-1 text-right max-sm:hidden">
                  {firstAt === null ? '–' : formatDay(firstAt, now, zone)}
                </td>
                <td className="py-1 text-right">
                  <Unpriced count={unpriced} short /> <Money usd={costUsd} decimals={decimals} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </>
  )
}

function RemoveHistory() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>Remove…</Button>
      {asking ? (
        <ConfirmDialog
          open
          onClose={() => setAsking(false)}
          title="Remove the imported history?"
          description="It can be imported again as long as the agents have their logs."
          action="Remove"
          onConfirm={async () => {
            const { removed } = await api('removeHistory')
            await Promise.all([refreshShown(['history']), refreshShown(['usage-in'])])
            toast.success(removed === 0 ? 'Nothing to remove.' : `Removed ${formatCount(removed)} calls.`)
          }}
        />
      ) : null}
    </>
  )
}
