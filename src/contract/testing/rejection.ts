/** The error that a promise rejects with; null when it resolves. */
export function getRejection(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => null,
    (error: unknown) => error,
  )
}
