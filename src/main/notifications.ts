import { join } from 'node:path'
import { app, Notification } from 'electron'
import { appRoot } from '../host/files.ts'
import type { Gateway, Log } from '../host/start.ts'
import { formatCapAlert } from '../shared/cap-alert.ts'
import type { CapAlert } from '../shared/events.ts'
import type { LimitHref } from '../shared/views.ts'

// Windows only shows notifications of programs with the id of their shortcut, which is electron-builder's `appId`.
const APP_ID = 'dev.tollgate.app'

/** Shows a native notification for every cap alert. A click calls `open` with the address at which the limit can be raised. */
export function showCapAlerts(
  gateway: Gateway,
  open: (href: LimitHref) => void,
  log: Log,
): { close(): void } {
  if (process.platform === 'win32') app.setAppUserModelId(APP_ID)
  // The open notification of each cap. Without a reference, it would be garbage-collected together with its click handler.
  const shown = new Map<string | null, Notification>()

  const show = (alert: CapAlert) => {
    const { title, body, href } = formatCapAlert(alert)
    const notification = new Notification({ title, body, icon: join(appRoot, 'resources/icon.png') })
    const forget = () => {
      if (shown.get(alert.keyId) === notification) shown.delete(alert.keyId)
    }
    notification.on('close', forget)
    notification.on('click', () => {
      forget()
      open(href)
    })
    notification.on('failed', (_event, reason) => {
      forget()
      log.warn(`A notification could not be shown: ${reason}`)
    })
    const previous = shown.get(alert.keyId)
    shown.set(alert.keyId, notification)
    previous?.close()
    notification.show()
  }

  const unsubscribe = gateway.subscribe(
    (event) => {
      if (event.type === 'cap-alert' && Notification.isSupported()) show(event.alert)
    },
    ['cap-alert'],
  )
  return {
    close() {
      unsubscribe()
      for (const notification of [...shown.values()]) notification.close()
    },
  }
}
