// Owns the native notifications: one for each cap that an alert was last sent of. What they say is `cap-words.ts`'.
import { join } from 'node:path'
import { app, Notification } from 'electron'
import { appRoot } from '../host/files.ts'
import type { Gateway, Log } from '../host/start.ts'
import type { CapAlert } from '../shared/requests.ts'
import type { ViewHref } from '../shared/views.ts'
import { alertWords } from './cap-alert-text.ts'

// Windows shows no notification of a program without the id that its shortcut has, which is electron-builder's `appId`.
const APP_ID = 'dev.tollgate.app'

/** Shows every alert of the gateway; a click on one calls `open` with the view where something can be done. */
export function showCapAlerts(gateway: Gateway, open: (href: ViewHref) => void, log: Log): { close(): void } {
  if (process.platform === 'win32') app.setAppUserModelId(APP_ID)
  // By cap, and until they are closed: a notification that nothing refers to is collected, and its click with it.
  const shown = new Map<string | null, Notification>()

  const show = (alert: CapAlert) => {
    const { title, body, href } = alertWords(alert)
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
      log.warn(`a notification could not be shown: ${reason}`)
    })
    const before = shown.get(alert.keyId)
    shown.set(alert.keyId, notification)
    before?.close()
    notification.show()
  }

  const unsubscribe = gateway.subscribe((event) => {
    if (event.type === 'cap-alert' && Notification.isSupported()) show(event.alert)
  })
  return {
    close() {
      unsubscribe()
      for (const notification of [...shown.values()]) notification.close()
    },
  }
}
