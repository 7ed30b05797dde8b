import { X } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { z } from 'zod'
import { OpenTelemetryRow } from '../../../features/telemetry/view/opentelemetry-row.tsx'
import { Settings, SettingsUpdate } from '../../../shared/api/account.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import { isTimeZone } from '../../../shared/values/calendar.ts'
import { api } from '../../data/api.ts'
import { useBaseUrl, useTimeZone } from '../../data/hooks.ts'
import {
  type BodyStorage,
  bodyStorageUpdates,
  LIMITED_MINUTES,
  updateSettings,
} from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { SegmentedControl } from '../../kit/controls.tsx'
import { CodeBlock } from '../../kit/copy.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { useForm } from '../../kit/form.tsx'
import { formatClock, formatQuantity, formatTime } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { ErrorText } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { ChoiceRow, FieldRow, Row, SwitchRow, section } from '../../parts/settings/section.tsx'

const RETENTION_DAYS = [7, 30, 90, 365]

export const dataSections = [
  section('Records', ({ settings }) => settings, [
    {
      name: 'Keep requests for',
      keywords: 'retention delete old log days history',
      render: ({ retentionDays: days }) => (
        <ChoiceRow
          text="Older requests are deleted. Their costs stay in the totals."
          value={days === null ? 'all' : String(days)}
          options={[
            ...[...new Set([...RETENTION_DAYS, ...(days === null ? [] : [days])])]
              .toSorted((a, b) => a - b)
              .map((count) => ({ value: String(count), label: `${count} days` })),
            { value: 'all', label: 'Forever' },
          ]}
          message={(value) =>
            value === 'all'
              ? 'Requests are kept forever.'
              : `Requests older than ${value} days will be deleted.`
          }
          save={(value) => updateSettings({ retentionDays: value === 'all' ? null : Number(value) })}
        />
      ),
    },
    {
      name: 'Maximum request log size',
      keywords: 'disk space database megabytes storage',
      render: ({ maxLogMb }) => (
        <FieldRow
          text="In megabytes. When it is larger, the oldest requests are deleted. Their costs stay in the totals."
          inputMode="numeric"
          stored={String(maxLogMb)}
          parse={(text) => {
            const read = Settings.shape.maxLogMb.safeParse(text === '' ? null : Number(text))
            return read.success ? { value: read.data } : 'Enter a whole number of megabytes, 16 or more.'
          }}
          save={(megabytes) => updateSettings({ maxLogMb: megabytes })}
        />
      ),
    },
    {
      name: 'Record requests before sending them',
      keywords: 'durability strict ledger power cut',
      render: ({ durability }) => (
        <SwitchRow
          text="Off: a request is recorded while it is sent, and a power cut can lose the record of one that was not answered yet. On: nothing is sent before it is recorded, which takes slightly longer."
          on={durability === 'strict'}
          save={(on) => updateSettings({ durability: on ? 'strict' : 'standard' })}
        />
      ),
    },
    {
      name: 'Store prompts and answers',
      keywords: 'log bodies messages content privacy capture replay 30 minutes',
      render: (settings) => <StoreBodies settings={settings} />,
    },
    {
      name: 'Stored prompts and answers',
      keywords: 'delete bodies messages privacy remove',
      render: () => (
        <Row text="Turning off storage does not delete what is already stored. New backups do not include it.">
          <DeleteBodies />
        </Row>
      ),
    },
    {
      name: 'Time zone',
      keywords: 'timezone days months calendar clock utc',
      render: ({ timeZone }) => <TimeZoneRow stored={timeZone} />,
    },
  ]),
  section('Integrations', ({ settings }) => settings, [
    {
      name: 'OpenTelemetry',
      keywords: 'otel otlp traces metrics spans collector observability langfuse grafana datadog',
      render: () => <OpenTelemetryRow />,
    },
    { name: 'Prometheus', keywords: 'metrics scrape grafana monitoring', render: () => <PrometheusRow /> },
    { name: 'MCP server', keywords: 'agent tools model context protocol', render: () => <McpRow /> },
  ]),
  section('Browser access (CORS)', ({ settings }) => settings, [
    {
      name: 'Allowed origins',
      keywords: 'cors web page website origin extension',
      render: ({ allowedOrigins }) => <OriginsRow origins={allowedOrigins} />,
    },
  ]),
]

const DAY_MS = 24 * 60 * 60_000

const SAVED: Readonly<Record<BodyStorage, string>> = {
  off: 'Prompts and answers are no longer stored.',
  limited: `Prompts and answers are stored for ${LIMITED_MINUTES} minutes.`,
  always: 'Prompts and answers are stored.',
}

function StoreBodies({ settings }: { settings: Settings }) {
  const timeZone = useTimeZone()
  const now = useNow()
  const { storeBodies, storeBodiesUntil: until } = settings
  const choice = storeBodies ? 'always' : storesBodies(settings, now) ? 'limited' : 'off'
  return (
    <ChoiceRow<BodyStorage>
      text="Off: only counts, costs and times are stored. Otherwise everything you send and receive is written to the data folder and readable by anyone who can read your files. Each key can have a different setting."
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
      message={(chosen) => SAVED[chosen]}
      save={(chosen) => updateSettings(bodyStorageUpdates[chosen]())}
      {...(choice === 'limited'
        ? { undo: () => updateSettings({ storeBodies, storeBodiesUntil: until }) }
        : {})}
    />
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
                : `Deleted the prompts and answers of ${formatQuantity(deleted, 'request')}.`,
            )
          }}
        />
      ) : null}
    </>
  )
}

const zones = Intl.supportedValuesOf('timeZone')

function TimeZoneRow({ stored }: { stored: string | null }) {
  const timeZone = useTimeZone()
  return (
    <FieldRow<string | null>
      text={`Used for days and months${timeZone ? `, currently ${timeZone}` : ''}. Leave blank for the system time zone.`}
      placeholder="System time zone"
      stored={stored ?? ''}
      list={zones}
      parse={(text) =>
        text === ''
          ? { value: null }
          : isTimeZone(text)
            ? { value: text }
            : 'Enter a time zone such as Europe/Paris.'
      }
      save={(zone) => updateSettings({ timeZone: zone })}
    />
  )
}

function PrometheusRow() {
  const baseUrl = useBaseUrl()
  const path = <code className="font-mono text-ink-2">/metrics</code>
  return (
    <Row
      text={
        <>
          Requests, tokens, costs, durations and what is left of each cap, at {path}. Use a key with the scope
          “Read only”.
        </>
      }
      below={
        baseUrl === null ? null : (
          <div className="mt-2">
            <CodeBlock
              title="prometheus.yml"
              copyLabel="Copy scrape configuration"
              code={prometheusConfig(baseUrl)}
            />
          </div>
        )
      }
    />
  )
}

function McpRow() {
  const baseUrl = useBaseUrl()
  const [tool, setTool] = useState<McpTool>('claude-code')
  const { title, code } = mcpSnippets[tool](baseUrl)
  return (
    <Row
      text="Lets an agent ask what it has spent, what is left, what a model costs and what a task would cost. Give it the key with which the tool calls models."
      below={
        <div className="mt-2">
          <CodeBlock title={title} copyLabel="Copy MCP configuration" code={code} />
        </div>
      }
    >
      <SegmentedControl<McpTool> label="Tool" value={tool} options={MCP_TOOLS} onChange={setTool} />
    </Row>
  )
}

const OriginForm = z.object({
  origin: z
    .string()
    .transform((text) => text.trim().replace(/\/$/, ''))
    .refine((origin) => SettingsUpdate.safeParse({ allowedOrigins: [origin] }).success, {
      error: 'Enter an origin such as https://example.org or http://localhost:3000.',
    }),
})

function OriginsRow({ origins }: { origins: readonly string[] }) {
  const removal = useSubmit()
  const remove = (origin: string) =>
    removal.submit(() => updateSettings({ allowedOrigins: origins.filter((other) => other !== origin) }))
  return (
    <Row
      text="Requests from other web pages are rejected, even with a valid key. Allow only origins that you trust with a key."
      error={removal.error}
      below={
        <>
          {origins.length > 0 ? (
            <ul className="mt-2 flex flex-col gap-1">
              {origins.map((origin) => (
                <li
                  key={origin}
                  className="flex h-8 items-center justify-between rounded-md bg-sunken pr-1 pl-2.5"
                >
                  <span className="truncate font-mono text-sm">{origin}</span>
                  <IconButton
                    label={`Remove ${origin}`}
                    icon={X}
                    small
                    disabled={removal.pending}
                    onClick={() => void remove(origin)}
                  />
                </li>
              ))}
            </ul>
          ) : null}
          <AddOrigin origins={origins} />
        </>
      }
    />
  )
}

function AddOrigin({ origins }: { origins: readonly string[] }) {
  const form = useForm(OriginForm, () => ({ origin: '' }), { late: true })
  const { origin: typed } = form.draft
  const problem = typed === '' ? null : (form.getError('origin') ?? form.error)
  const add = async ({ origin }: { origin: string }) => {
    if (!origins.includes(origin)) await updateSettings({ allowedOrigins: [...origins, origin] })
  }
  return (
    <>
      <form onSubmit={form.onSubmit(add, () => form.change({ origin: '' }))} className="mt-2 flex gap-2">
        <Input
          aria-label="Origin"
          aria-invalid={problem !== null}
          placeholder="https://example.org"
          value={typed}
          onChange={({ target }) => form.change({ origin: target.value })}
          className="max-w-72 font-mono text-sm"
        />
        <Button type="submit" pending={form.pending} disabled={typed.trim() === ''}>
          Allow origin
        </Button>
      </form>
      <ErrorText error={problem} className="mt-1" />
    </>
  )
}

// The configuration with which other programs read from Tollgate.

const ORIGIN = 'http://127.0.0.1:8655'
const KEY = 'tg-…'

/** `baseUrl` ends in `/v1`. */
function prometheusConfig(baseUrl: string): string {
  const { host } = new URL(baseUrl)
  return `scrape_configs:
  - job_name: tollgate
    authorization:
      credentials: ${KEY}
    static_configs:
      - targets: ["${host}"]
`
}

const MCP_TOOLS = [
  { value: 'claude-code', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'opencode', label: 'opencode' },
] as const
type McpTool = (typeof MCP_TOOLS)[number]['value']

interface McpSnippet {
  title: string
  code: string
}

/** How each tool starts `tollgate mcp`. The address is needed only where it is not the usual one. */
const mcpSnippets: Readonly<Record<McpTool, (baseUrl: string | null) => McpSnippet>> = {
  'claude-code': (baseUrl) => ({
    title: 'Terminal',
    code: `claude mcp add tollgate${environment(baseUrl)
      .map(([name, value]) => ` \\\n  --env ${name}=${value}`)
      .join('')} \\
  -- tollgate mcp
`,
  }),
  codex: (baseUrl) => ({
    title: '~/.codex/config.toml',
    code: `[mcp_servers.tollgate]
command = "tollgate"
args = ["mcp"]
env = { ${environment(baseUrl)
      .map(([name, value]) => `${name} = "${value}"`)
      .join(', ')} }
`,
  }),
  opencode: (baseUrl) => ({
    title: 'opencode.json',
    code: `${JSON.stringify(
      {
        mcp: {
          tollgate: {
            type: 'local',
            command: ['tollgate', 'mcp'],
            environment: Object.fromEntries(environment(baseUrl)),
          },
        },
      },
      null,
      2,
    )}
`,
  }),
}

function environment(baseUrl: string | null): [string, string][] {
  const origin = baseUrl === null ? ORIGIN : new URL(baseUrl).origin
  const address: [string, string][] = origin === ORIGIN ? [] : [['TOLLGATE_BASE_URL', origin]]
  return [['TOLLGATE_API_KEY', KEY], ...address]
}
