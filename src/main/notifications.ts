import { join } from 'node:path'
import { app, Notification } from 'electron'
import { appRoot } from '../host/files.ts'
import type { Gateway, Log } from '../host/start.ts'
import { Account } from '../shared/api/account.ts'
import type { AlertEvent } from '../shared/api/events.ts'
import { KeyMetadata } from '../shared/api/keys.ts'
import { ALERT_TYPES, isAlert } from '../shared/api/terms.ts'
import type { AppHref } from '../shared/desktop/views.ts'
import {
  type AlertButton,
  type AlertNotification,
  type AlertState,
  describeAlert,
} from './alert-notification.ts'
import { callAsOwner, readAsOwner } from './owner-api.ts'

// Windows only shows notifications of programs with the id of their shortcut, which is electron-builder's `appId`.
const APP_ID = 'dev.tollgate.app'
/** Elsewhere a click opens the key, which has the same buttons. */
const HAS_BUTTONS = process.platform === 'darwin' || process.platform === 'win32'

/** Shows a native notification for every alert. A click calls `open` with the address at which the user can act. */
export function showAlerts(
  gateway: Pick<Gateway, 'fetchAsOwner' | 'subscribe'>,
  open: (href: AppHref) => void,
  log: Pick<Log, 'warn'>,
): { close(): void } {
  if (process.platform === 'win32') app.setAppUserModelId(APP_ID)
  // The open notification of each key, or window of a plan, and kind. Without a reference, it would be garbage-collected together with its handlers.
  const shown = new Map<string, Notification>()

  const read = async ({ alert }: AlertEvent): Promise<AlertState> => {
    const keyId = 'keyId' in alert ? alert.keyId : null
    const key =
      keyId === null ? null : await readAsOwner(gateway, `/v1/keys/${keyId}`, KeyMetadata).catch(() => null)
    const account = await readAsOwner(gateway, '/v1/account', Account).catch(() => null)
    return { key, account }
  }

  /** Does what the button means now: a notification may be hours old, and limits may have been changed since. */
  const press = async (event: AlertEvent, { label }: AlertButton) => {
    const { href, buttons } = describeAlert(event, await read(event))
    const button = buttons.find((each) => each.label === label)
    for (const call of button?.calls ?? []) await callAsOwner(gateway, call)
    const opened = button ? button.open : href
    if (opened) open(opened)
  }

  const show = (event: AlertEvent, { title, body, href, buttons }: AlertNotification) => {
    const { alert } = event
    const name = `${event.type} ${'keyId' in alert ? alert.keyId : `${alert.plan} ${alert.window}`}`
    const actions = HAS_BUTTONS ? buttons.map(({ label }) => ({ type: 'button' as const, text: label })) : []
    const notification = new Notification({
      title,
      body: process.platform === 'linux' ? escapeMarkup(body) : body,
      icon: join(appRoot, 'resources/icon.png'),
      actions,
    })
    const forget = () => {
      if (shown.get(name) === notification) shown.delete(name)
    }
    notification.on('close', forget)
    notification.on('click', () => {
      forget()
      open(href)
    })
    notification.on('action', ({ actionIndex }) => {
      forget()
      const button = buttons[actionIndex]
      if (!button) return
      press(event, button).catch((err: unknown) => {
        log.warn('A button of a notification failed', { err })
        open(href)
      })
    })
    notification.on('failed', (_event, reason) => {
      forget()
      log.warn(`A notification could not be shown: ${reason}`)
    })
    const previous = shown.get(name)
    shown.set(name, notification)
    previous?.close()
    notification.show()
  }

  const onAlert = async (event: AlertEvent) => show(event, describeAlert(event, await read(event)))

  const unsubscribe = gateway.subscribe((event) => {
    if (isAlert(event) && Notification.isSupported()) void onAlert(event)
  }, ALERT_TYPES)
  return {
    close() {
      unsubscribe()
      for (const notification of [...shown.values()]) notification.close()
    },
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Desktops show links and images in the body, which has names and reasons of others; the title is plain text. See "Markup" in
 * https://specifications.freedesktop.org/notification-spec/latest/.
 */
function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
}
