// Runs before each file of component tests. They share a page, which each test leaves as it found it.
import './dom.ts'
import { cleanup, configure } from '@testing-library/react'
import { toast } from 'sonner'
import { afterEach, vi } from 'vitest'
import { queryClient } from '../data/query-client.ts'
import { firstNumbers, markFirstNumbers } from '../kit/first-numbers.ts'
import { removeDesktop } from './desktop.ts'

// A busy machine may take longer than the default of one second.
configure({ asyncUtilTimeout: 15_000 })

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
