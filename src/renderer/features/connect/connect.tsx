import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus, TriangleAlert, Unplug } from 'lucide-react'
import { useMemo, useState } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { describeModels } from '../../../shared/tools/tool-models.ts'
import { SECRET_PLACEHOLDER } from '../../../shared/tools/tool-setup.ts'
import { findTool } from '../../../shared/tools/tool-table.ts'
import { useBaseUrl, useChatModels } from '../../data/hooks.ts'
import { createKey, useNewSecrets } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { wholeLog } from '../../data/request-filter.ts'
import { requestLog } from '../../data/request-log.ts'
import { isTool } from '../../data/session-name.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { CodeBlock, CopyIconButton } from '../../kit/copy.tsx'
import { Field } from '../../kit/field.tsx'
import { formatAgo, formatUsd, quoteName } from '../../kit/format.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { EmptyState, InlineError } from '../../kit/notice.tsx'
import { Card, CardHeader, Page } from '../../kit/page.tsx'
import { Select } from '../../kit/select.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { FirstRequest } from '../../parts/arrival/arrival.tsx'
import { CreateKey } from '../../parts/keys/key-form.tsx'
import { DEFAULT_CAP_USD } from '../../parts/limits/default-cap.ts'
import { buildSnippets, DEFAULT_BASE_URL, listTools } from '../../parts/snippets/build-snippets.ts'
import { ToolList, ToolLogo } from './tool-list.tsx'
import { ToolSetupActions } from './tool-setup-actions.tsx'

/** The first of the list. */
const DEFAULT_TOOL = 'claude-code'

type ConnectModel = ReturnType<typeof useConnect>

/** The tool and the key that the address names, or those that are likely to be meant. */
function useConnect() {
  const baseUrl = useBaseUrl()
  const { data: keys = [], error, isLoadingError } = useQuery(queries.keys)
  const secrets = useNewSecrets((store) => store.secrets)
  const models = useChatModels()
  const [namedTool, nameTool] = useAddressParam('tool')
  const [namedKey, setKey] = useAddressParam('key')
  const [model, setModel] = useState<string | null>(null)
  // Admin keys are left out: no tool needs their permissions.
  const usable = keys.filter(
    (key) =>
      !key.revokedAt && key.scope !== 'read-only' && key.scope !== 'admin' && key.name !== 'Playground',
  )
  const toolId = namedTool ?? readChosenTool() ?? DEFAULT_TOOL
  const { data: log } = useQuery(requestLog(wholeLog))
  const requests = useMemo(() => findRequests(log?.records ?? []), [log])
  const last = requests.get(toolId)
  const chosen =
    usable.find(({ id }) => id === namedKey) ??
    usable.find(({ id }) => secrets[id] !== undefined) ??
    usable.find(({ id }) => id === last?.keyId) ??
    // No other tool's: its secret could not be pasted, and its cap is for that tool.
    usable.find(({ lastUsedAt }) => lastUsedAt === null) ??
    null
  const secret = chosen ? secrets[chosen.id] : undefined
  // Until the user chooses a model, each tool gets the one that suits it.
  const described = describeModels(models, toolId, model)
  const all = buildSnippets({
    baseUrl: baseUrl ?? DEFAULT_BASE_URL,
    secret: secret ?? SECRET_PLACEHOLDER,
    ...described,
  })
  return {
    baseUrl,
    models,
    model,
    setModel,
    usable,
    requests,
    last,
    chosen,
    all,
    setKey,
    keysError: isLoadingError ? error : null,
    shownModel: described.model,
    hasSecret: secret !== undefined,
    tool: all.find(({ id }) => id === toolId) ?? all[0],
    setTool: (id: string) => {
      localStorage.setItem(SLOT, id)
      nameTool(id)
    },
  }
}

export function Connect() {
  const model = useConnect()
  const { isPending } = useQuery(queries.gateway)
  return (
    <Page title="Connect" width="normal" subtitle="Set up your tools to use Tollgate.">
      <div className="flex flex-col gap-4">
        <Address model={model} />
        {model.baseUrl === null && !isPending ? (
          <Card>
            <EmptyState icon={Unplug} title="The address of the gateway is unknown">
              The setup of each tool appears here when the gateway is listening.
            </EmptyState>
          </Card>
        ) : (
          <Tools model={model} />
        )}
        <ForOneRun />
        <FromContainer />
        <Limits />
      </div>
    </Page>
  )
}

/** What each tool needs: the base URL, a model, and a key. */
function Address({ model }: { model: ConnectModel }) {
  const { baseUrl, usable, chosen, keysError, setKey } = model
  const [creating, setCreating] = useState(false)
  return (
    <Card className="p-4">
      <div className="grid grid-cols-3 items-start gap-4 max-sm:grid-cols-1 max-lg:grid-cols-2">
        <Field label="Base URL" {...(baseUrl ? {} : { error: 'The gateway is not listening.' })}>
          {(attributes) => (
            <div className="flex items-center gap-1.5">
              <input
                {...attributes}
                readOnly
                value={baseUrl ?? ''}
                onFocus={(event) => event.target.select()}
                className="h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-sunken px-2.5 font-mono text-sm"
              />
              {baseUrl ? <CopyIconButton text={baseUrl} label="Copy base URL" /> : null}
            </div>
          )}
        </Field>
        <Field label="Model">
          {() => (
            <ModelPicker
              models={model.models}
              value={model.shownModel}
              onChange={model.setModel}
              className="w-full"
            />
          )}
        </Field>
        <Field
          label="Key"
          hint={keyHint(chosen !== null, model.hasSecret)}
          error={keysError?.message}
          className="sm:max-lg:col-span-2"
        >
          {({ id }) => (
            <div className="flex gap-1.5">
              <Select
                id={id}
                label={usable.length > 0 ? 'Choose a key' : keysError ? 'Not loaded' : 'No keys yet'}
                className="flex-1"
                disabled={usable.length === 0}
                value={chosen?.id ?? ''}
                options={usable.map((key) => ({ value: key.id, label: key.name }))}
                onChange={setKey}
              />
              <Button needsGateway icon={Plus} onClick={() => setCreating(true)}>
                Create key
              </Button>
            </div>
          )}
        </Field>
      </div>
      <FirstRequest
        keyId={chosen?.id ?? null}
        keyName={chosen?.name ?? null}
        since={chosen?.lastUsedAt ?? null}
      />
      {creating ? <CreateKey onClose={() => setCreating(false)} onCreated={({ id }) => setKey(id)} /> : null}
    </Card>
  )
}

/** The chosen tool with what sets it up, and the list of tools. */
function Tools({ model }: { model: ConnectModel }) {
  const { tool, all, chosen, hasSecret, last, requests, setKey, setTool } = model
  const now = useNow()
  if (!tool) return null
  return (
    <Card>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3">
        <h2 className="flex items-center gap-2 font-semibold">
          <ToolLogo tool={tool} size={18} />
          {tool.name}
        </h2>
        {tool.blocks.length > 0 ? (
          <>
            <p className="text-ink-3">
              {last && !hasSecret ? (
                <StatusDot tone="good">
                  {`Connected, last request ${formatAgo(last.createdAt, now)} with ${quoteName(last.keyName)}`}
                </StatusDot>
              ) : (
                describeSecret(chosen?.name ?? null, hasSecret)
              )}
            </p>
            <div className="ml-auto flex flex-wrap justify-end gap-2">
              <ToolSetupActions
                key={tool.id}
                tool={tool.id}
                name={tool.name}
                model={model.model}
                onDone={setKey}
              />
              <QuickKey
                tool={tool.name}
                needed={!hasSecret}
                primary={!isDesktop || findTool(tool.id) === null}
                onCreated={setKey}
              />
            </div>
          </>
        ) : null}
      </header>
      <ToolList tools={all} value={tool.id} onChange={setTool} requests={requests} />
    </Card>
  )
}

const tools = listTools()

/** The newest request of each tool that is among these, by the tool's id. */
function findRequests(records: readonly RequestRecord[]): ReadonlyMap<string, RequestRecord> {
  return new Map(
    tools.flatMap((tool) => {
      const request = records.find(({ client }) => isTool(client, tool))
      return request ? [[tool.id, request] as const] : []
    }),
  )
}

function keyHint(hasKey: boolean, hasSecret: boolean): string {
  if (!hasKey) return 'Create a separate key for each tool.'
  if (hasSecret) return 'The snippets below include this key until you close the window.'
  return 'Its secret is not stored. Paste it, or create a key.'
}

/** The state of the key in the snippet. */
function describeSecret(keyName: string | null, hasSecret: boolean): string {
  if (keyName === null) return 'Create a key to fill in this snippet.'
  if (hasSecret) return `Uses the key “${keyName}”.`
  return `Replace ${SECRET_PLACEHOLDER} with the secret of ${quoteName(keyName)}.`
}

const SLOT = 'tollgate.connect-tool'

/** The tool that was chosen last, also before the last start. */
function readChosenTool(): string | null {
  return localStorage.getItem(SLOT)
}

/** How a tool is started with a key for one run. */
function ForOneRun() {
  return (
    <Card>
      <CardHeader title="For one run" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        <p className="max-w-2xl text-ink-2">
          The tollgate command starts any tool with a new key that has a cap. It changes no files, prints what
          the run cost, and revokes the key.{' '}
          <Link href="/help/cli#run" className="font-medium text-accent-ink hover:underline">
            About the command line
          </Link>
        </p>
        <CodeBlock title="Terminal" code="tollgate run --cap 2 -- claude" copyLabel="Copy the command" />
      </div>
    </Card>
  )
}

const limits = [
  ['Cursor', 'sends requests from servers elsewhere, which cannot reach this computer.'],
  ['Other computers', 'cannot reach the gateway: it listens on this computer only.'],
  ['Web pages', 'are rejected unless you allow their origin in Settings.'],
] as const

function Limits() {
  return (
    <Card>
      <CardHeader title="Not supported yet" />
      <ul className="flex flex-col gap-2 px-4 pb-4 text-ink-2">
        {limits.map(([name, text]) => (
          <li key={name} className="flex gap-2">
            <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0 text-ink-3" />
            <p>
              <strong className="font-medium text-ink">{name}</strong> {text}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface QuickKeyProps {
  tool: string
  /** The text to paste has no secret yet. */
  needed: boolean
  /** It is the main action of the page. */
  primary: boolean
  onCreated: (id: string) => void
}

function QuickKey({ tool, needed, primary, onCreated }: QuickKeyProps) {
  const { pending, error, submit } = useSubmit()
  const create = () =>
    submit(
      async () => {
        const key = await createKey({ name: tool, scope: 'completions-only', spendLimitUsd: DEFAULT_CAP_USD })
        toast.success(
          `Created the key “${tool}” with a cap of ${formatUsd(DEFAULT_CAP_USD)}. The snippet below includes it.`,
        )
        return key
      },
      ({ id }) => onCreated(id),
    )
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <InlineError error={error} />
      <Button
        needsGateway
        variant={needed && primary ? 'primary' : 'secondary'}
        icon={KeyRound}
        pending={pending}
        onClick={() => void create()}
      >
        {`Create key for ${tool}`}
      </Button>
    </div>
  )
}

/** How a program in a container reaches the gateway. */
function FromContainer() {
  const { data: info } = useQuery(queries.gateway)
  if (!info) return null
  const { enabled, baseUrl, problem } = info.containers
  return (
    <Card>
      <CardHeader title="From a container" />
      <div className="flex flex-col gap-3 px-4 pb-4">
        <p className="max-w-2xl text-ink-2">
          {baseUrl !== null ? (
            'Inside a container, 127.0.0.1 is the container itself. Use this base URL there, with the same keys. On Linux, start the container with the option, or add the lines to its service.'
          ) : (
            <>
              {enabled ? (
                <span className="text-bad">{problem} </span>
              ) : (
                'Inside a container, 127.0.0.1 is the container itself, so it cannot reach the gateway yet. '
              )}
              <Link href="/settings#gateway" className="font-medium text-accent-ink hover:underline">
                {enabled ? 'Open Settings' : 'Let containers reach the gateway in Settings'}
              </Link>
            </>
          )}
        </p>
        {baseUrl !== null ? (
          <div className="grid grid-cols-2 items-start gap-3 max-lg:grid-cols-1">
            <div className="col-span-full">
              <CodeBlock
                title="Base URL in a container"
                code={`${baseUrl}/v1`}
                copyLabel="Copy base URL in a container"
              />
            </div>
            <CodeBlock
              title="docker run"
              code="--add-host=host.docker.internal:host-gateway"
              copyLabel="Copy docker run option"
            />
            <CodeBlock
              title="compose.yaml"
              code={'extra_hosts:\n  - "host.docker.internal:host-gateway"'}
              copyLabel="Copy compose.yaml"
            />
          </div>
        ) : null}
      </div>
    </Card>
  )
}
