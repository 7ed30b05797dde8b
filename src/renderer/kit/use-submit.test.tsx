import { act, renderHook } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ApiError } from './api-error.ts'
import { useSubmit } from './use-submit.ts'

const failure = new ApiError({ status: 400, type: 'invalid_request_error', message: 'No.', param: 'name' })

test('a second submission is ignored while one is running', async () => {
  const { result } = renderHook(() => useSubmit())
  const { promise, resolve } = Promise.withResolvers<string>()
  const action = vi.fn(() => promise)
  const onSuccess = vi.fn()
  act(() => void result.current.submit(action, onSuccess))
  act(() => void result.current.submit(action, onSuccess))
  expect(result.current.pending).toBe(true)
  await act(async () => resolve('done'))
  expect(action).toHaveBeenCalledTimes(1)
  expect(onSuccess.mock.calls).toEqual([['done']])
  expect(result.current).toMatchObject({ pending: false, error: null })
})

test('an error is shown until the next submission or a reset', async () => {
  const { result } = renderHook(() => useSubmit())
  await act(() => result.current.submit(() => Promise.reject(failure)))
  expect(result.current).toMatchObject({ pending: false, error: { message: 'No.', param: 'name' } })
  act(() => result.current.reset())
  expect(result.current.error).toBeNull()
  await act(() => result.current.submit(() => Promise.reject(failure)))
  await act(() => result.current.submit(() => Promise.resolve()))
  expect(result.current.error).toBeNull()
})

test('a result after a reset is ignored, and a new submission may start immediately', async () => {
  const { result } = renderHook(() => useSubmit())
  const first = Promise.withResolvers<void>()
  const onFirst = vi.fn()
  act(() => void result.current.submit(() => first.promise, onFirst))
  act(() => result.current.reset())
  const second = Promise.withResolvers<void>()
  act(() => void result.current.submit(() => second.promise))
  await act(async () => first.reject(failure))
  expect(result.current).toMatchObject({ pending: true, error: null })
  await act(async () => second.resolve())
  expect(result.current.pending).toBe(false)
  expect(onFirst).not.toHaveBeenCalled()
})

test('a result after the component was unmounted is ignored', async () => {
  const { result, unmount } = renderHook(() => useSubmit())
  const { promise, resolve } = Promise.withResolvers<void>()
  const onSuccess = vi.fn()
  act(() => void result.current.submit(() => promise, onSuccess))
  unmount()
  await act(async () => resolve())
  expect(onSuccess).not.toHaveBeenCalled()
})
