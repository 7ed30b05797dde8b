import { act } from '@testing-library/react'
import { vi } from 'vitest'

/** Lets time pass for a page with fake timers, and what is due in it happen. */
export function passTime(ms: number): Promise<unknown> {
  return act(() => vi.advanceTimersByTimeAsync(ms))
}
