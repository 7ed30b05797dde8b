// Runs before each file of component tests. They share a page, which each test leaves as it found it.
import './dom.ts'
import './computed-style.ts'
import { cleanup, configure, getConfig } from '@testing-library/react'
import React from 'react'
import { toast } from 'sonner'
import { afterEach, vi } from 'vitest'
import { queryClient } from '../data/query-client.ts'
import { firstNumbers, markFirstNumbers } from '../kit/lazy-view.tsx'
import { removeDesktop } from './desktop.ts'

// Without a stack trace of each element, which takes React a tenth of a test: it stops at ten thousand a second.
const internals: unknown = Reflect.get(
  React,
  '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE',
)
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => Infinity, set: () => {} })

const { getElementError } = getConfig()
configure({
  // A busy machine may take longer than the default of one second.
  asyncUtilTimeout: 15_000,
  // A query that is repeated until it succeeds prints the page only with its last error.
  getElementError: (message, container) => {
    if (!Reflect.get(getConfig(), '_disableExpensiveErrorDiagnostics'))
      return getElementError(message, container)
    return Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' })
  },
})

// A test shows a view without the window that waits for its first numbers.
markFirstNumbers()
await firstNumbers

afterEach(() => {
  cleanup()
  toast.dismiss()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  queryClient.clear()
  localStorage.clear()
  sessionStorage.clear()
  removeDesktop()
  document.body.replaceChildren()
})
