import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { api } from '../../../renderer/data/api.ts'
import { replace, volatileQuery } from '../../../renderer/data/query-client.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { Switch } from '../../../renderer/kit/controls.tsx'
import { ConfirmDialog, Dialog } from '../../../renderer/kit/dialog.tsx'
import { Form, useForm } from '../../../renderer/kit/form.tsx'
import { formatCount, formatQuantity } from '../../../renderer/kit/format.ts'
import { ErrorText } from '../../../renderer/kit/notice.tsx'
import { RelativeTime } from '../../../renderer/parts/controls/relative-time.tsx'
import { Row, SavedField, useUndoableSave } from '../../../renderer/parts/settings/section.tsx'
import { type Telemetry, TelemetryUpdate } from '../api/telemetry.ts'
import { parseHeaderLines } from '../api/telemetry-headers.ts'

const telemetryQuery = volatileQuery(['telemetry'], () => api('getTelemetry'))

async function updateTelemetry(update: TelemetryUpdate): Promise<void> {
  await replace(telemetryQuery, await api('updateTelemetry', { body: update }))
}

export function OpenTelemetryRow() {
  const { data: telemetry, error } = useQuery({ ...telemetryQuery, refetchInterval: 5_000 })
  const isOn = telemetry !== undefined && (telemetry.endpoint !== null || telemetry.activeEndpoint !== null)
  return (
    <Row
      text="Sends a trace of each request, with its tokens and cost, and metrics to a collector by OTLP over HTTP. Prompts and answers stay here unless you include them. Off without an endpoint."
      error={error}
      below={
        telemetry === undefined ? null : (
          <div className="mt-2 flex flex-col gap-3">
            <SavedField
              label="OTLP endpoint"
              wide
              stored={telemetry.endpoint ?? ''}
              placeholder={telemetry.activeEndpoint ?? 'http://localhost:4318'}
              parse={parseEndpoint}
              save={(endpoint) => updateTelemetry({ endpoint })}
            />
            {isOn ? (
              <>
                <OpenTelemetryOptions telemetry={telemetry} />
                <OpenTelemetryStatus telemetry={telemetry} />
              </>
            ) : null}
          </div>
        )
      }
    />
  )
}

function parseEndpoint(text: string): { value: string | null } | string {
  if (text === '') return { value: null }
  const parsed = TelemetryUpdate.safeParse({ endpoint: text })
  if (parsed.success) return { value: text }
  return 'Enter an address such as http://localhost:4318, without a query. Put a credential into a header.'
}

/** How the exports went. */
function OpenTelemetryStatus({ telemetry }: { telemetry: Telemetry }) {
  const { lastExportAt, lastProblem, spansSent, spansLost } = telemetry
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p role="status" className="min-w-0 text-ink-2">
        {lastExportAt === null ? (
          'Nothing was sent yet'
        ) : (
          <>
            Last sent <RelativeTime iso={lastExportAt} />
          </>
        )}
        {` · ${formatQuantity(spansSent, 'span')} since the start`}
        {spansLost > 0 ? ` · ${formatCount(spansLost)} lost` : ''}
      </p>
      {lastProblem ? (
        <p role="alert" className="flex gap-2 text-bad">
          <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          {lastProblem.message}
        </p>
      ) : null}
    </div>
  )
}

/** The options, with what is said of each. */
const OPTIONS = [
  { id: 'traces', name: 'Traces', label: 'Send traces', note: 'One for each request to a model' },
  {
    id: 'metrics',
    name: 'Metrics',
    label: 'Send metrics',
    note: 'Counts, tokens, durations and costs, once a minute',
  },
  {
    id: 'includePrompts',
    name: 'Prompts and answers',
    label: 'Include prompts and answers',
    note: 'Put into the traces',
  },
] as const

/** The options for the data that is sent, and how. */
function OpenTelemetryOptions({ telemetry }: { telemetry: Telemetry }) {
  const { pending, error, save } = useUndoableSave()
  const [confirming, setConfirming] = useState(false)
  const [editingHeaders, setEditingHeaders] = useState(false)
  const { traces, includePrompts, headerNames, endpoint } = telemetry
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <ul className="divide-y divide-line text-sm">
        {OPTIONS.map(({ id, name, label, note }) => (
          <Option key={id} name={name} note={note}>
            <Switch
              label={label}
              on={telemetry[id]}
              disabled={pending || (id === 'includePrompts' && !traces)}
              onChange={(on) => {
                if (on && id === 'includePrompts') return setConfirming(true)
                void save({
                  message: `${name} are ${on ? 'sent' : 'not sent'}.`,
                  save: () => updateTelemetry({ [id]: on }),
                  undo: () => updateTelemetry({ [id]: !on }),
                })
              }}
            />
          </Option>
        ))}
        {endpoint === null ? null : (
          <Option
            name="Headers"
            note={
              headerNames.length === 0 ? (
                'None'
              ) : (
                <span className="break-all font-mono">{headerNames.join(', ')}</span>
              )
            }
          >
            <Button small onClick={() => setEditingHeaders(true)}>
              {headerNames.length === 0 ? 'Add headers' : 'Replace headers'}
            </Button>
          </Option>
        )}
      </ul>
      {includePrompts && traces ? (
        <p className="flex gap-2 bg-warn-soft px-3 py-2 text-sm text-warn">
          <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          Everything that you send and receive goes to this collector.
        </p>
      ) : null}
      <ErrorText error={error} className="px-3 py-2" />
      <ConfirmDialog
        open={confirming}
        title="Send prompts and answers?"
        description="Everything that your tools send and receive, such as source code and personal data, goes to the collector and can be read there by everyone who may see its traces."
        action="Send prompts and answers"
        onConfirm={() => updateTelemetry({ includePrompts: true })}
        onClose={() => setConfirming(false)}
      />
      {editingHeaders ? <OpenTelemetryHeaders onClose={() => setEditingHeaders(false)} /> : null}
    </div>
  )
}

function Option({ name, note, children }: { name: string; note: ReactNode; children: ReactNode }) {
  return (
    <li className="flex min-h-10 items-center justify-between gap-4 px-3 py-1.5">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{name}</span>
        <span className="text-ink-3">{note}</span>
      </div>
      {children}
    </li>
  )
}

const HeaderForm = z.object({
  headers: z
    .string()
    .transform((text, context) => {
      const headers = parseHeaderLines(text)
      if (typeof headers !== 'string') return headers
      context.addIssue(headers)
      return z.NEVER
    })
    .meta({
      label: 'Headers',
      hint: 'One per line. They replace the stored ones; an empty field removes them.',
      placeholder: 'Authorization: Bearer …',
      rows: 4,
      mono: true,
    }),
})

/** Replaces the headers. Stored values are not shown: the gateway does not return them. */
function OpenTelemetryHeaders({ onClose }: { onClose: () => void }) {
  const form = useForm(HeaderForm, () => ({ headers: '' }), { late: true })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Headers for the collector"
      description="Stored in the keychain, and sent to this endpoint only."
      ignoreOutsideClick
    >
      <Form form={form} action="Save headers" save={(values) => updateTelemetry(values)} onSaved={onClose}>
        {form.field('headers')}
      </Form>
    </Dialog>
  )
}
