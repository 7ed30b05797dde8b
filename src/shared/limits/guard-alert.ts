import type { GuardAlert } from '../api/guard.ts'
import type { KeyHref } from '../desktop/views.ts'

export interface GuardAlertText {
  title: string
  body: string
  /** Where the user sees why, and can resume the key. */
  href: KeyHref
}

/** The text of an alert, for notifications, the window and the webhook. */
export function formatGuardAlert({ keyId, name, reason }: GuardAlert): GuardAlertText {
  return {
    title: `${name} was paused`,
    body: `${reason} Requests with this key are refused until you resume it.`,
    href: `/keys?edit=${keyId}`,
  }
}
