/** The id of the provider that is built in. */
export const SANDBOX_ID = 'sandbox'

/** Whether costs at this provider are samples: they show how costs work, and are not billed. */
export function hasSamplePrices(provider: string | null): boolean {
  return provider === SANDBOX_ID
}
