import { useQuery } from '@tanstack/react-query'
import { Send, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { api } from '../../../renderer/data/api.ts'
import { refresh, replace, volatileQuery } from '../../../renderer/data/query-client.ts'
import { StatusDot } from '../../../renderer/kit/badge.tsx'
import { Button } from '../../../renderer/kit/button.tsx'
import { Input } from '../../../renderer/kit/field.tsx'
import { ErrorText } from '../../../renderer/kit/notice.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { RelativeTime } from '../../../renderer/parts/controls/relative-time.tsx'
import { Secret } from '../../../renderer/parts/keys/new-secret.tsx'
import { Row } from '../../../renderer/parts/settings/section.tsx'
import { locateHost } from '../../../shared/values/hosts.ts'
import type { Webhook, WebhookDelivery } from '../api/webhook.ts'

const webhookQuery = volatileQuery(['webhook'], () => api('getWebhook'))

/** Where alerts are sent, besides notifications. */
export function WebhookRow() {
  const { data: webhook } = useQuery(webhookQuery)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Row
      text="Sends each alert as signed JSON to an address of yours, such as a chat or a script. Names and figures only, never prompts or secrets."
      below={
        webhook ? (
          <>
            <WebhookForm key={webhook.url ?? ''} webhook={webhook} onSecret={setSecret} />
            {secret === null ? null : (
              <div className="mt-3 flex flex-col gap-1.5">
                <p className="text-ink-2 text-sm">
                  Copy the secret now: it is shown only once. The receiver checks the signature with it.
                </p>
                <Secret name="Webhook secret" secret={secret} />
              </div>
            )}
          </>
        ) : null
      }
    />
  )
}

interface WebhookFormProps {
  webhook: Webhook
  onSecret: (secret: string | null) => void
}

function WebhookForm({ webhook: { url, lastDelivery }, onSecret }: WebhookFormProps) {
  const [text, setText] = useState(url ?? '')
  const save = useSubmit()
  const test = useSubmit()
  const typed = text.trim()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === '') return
    void save.submit(async () => {
      const { secret } = await api('putWebhook', { body: { url: typed } })
      await refresh(webhookQuery)
      onSecret(secret)
      toast.success('Alerts are sent to the webhook from now on.')
    })
  }
  const remove = () =>
    save.submit(async () => {
      await replace(webhookQuery, await api('deleteWebhook'))
      onSecret(null)
      toast.success('The webhook and its secret were removed.')
    })
  // The outcome is then the last delivery.
  const runTest = () =>
    test.submit(async () => {
      await api('testWebhook')
      await refresh(webhookQuery)
    })
  const problem = save.error ?? test.error
  return (
    <form onSubmit={onSubmit} className="mt-2 flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Input
          aria-label="Webhook URL"
          aria-invalid={save.error !== null}
          placeholder="https://example.org/tollgate"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            save.reset()
          }}
          className="min-w-56 flex-1 font-mono text-sm"
        />
        {typed === url ? (
          <>
            <Button icon={Send} pending={test.pending} onClick={() => void runTest()}>
              Send test
            </Button>
            <Button icon={Trash2} pending={save.pending} onClick={() => void remove()}>
              Remove
            </Button>
          </>
        ) : (
          <Button type="submit" pending={save.pending} disabled={typed === ''}>
            Save
          </Button>
        )}
      </div>
      <ErrorText error={problem} />
      {isPlainPrivate(typed) ? (
        <p className="text-ink-2 text-sm">Over http, others on the same network can read the alerts.</p>
      ) : null}
      {url !== null && lastDelivery !== null ? <LastDelivery delivery={lastDelivery} /> : null}
    </form>
  )
}

function LastDelivery({
  delivery: { ok, at, type, attempts, error, retryAt },
}: {
  delivery: WebhookDelivery
}) {
  const what = type === 'test' ? 'Test' : 'Alert'
  return (
    <div role="status" className="text-sm">
      <StatusDot tone={ok ? 'good' : retryAt === null ? 'bad' : 'warn'}>
        {what} {ok ? 'delivered' : 'not delivered'} <RelativeTime iso={at} />
        {attempts > 1 ? ` at attempt ${attempts}` : ''}
      </StatusDot>
      {ok ? null : (
        <p className="text-ink-2">
          {error} {retryAt === null ? '' : 'Retrying soon.'}
        </p>
      )}
    </div>
  )
}

/** Whether the address is in a private network, and what is sent to it could be read there. */
function isPlainPrivate(text: string): boolean {
  if (!text.startsWith('http://') || !URL.canParse(text)) return false
  return locateHost(new URL(text).hostname) === 'private'
}
