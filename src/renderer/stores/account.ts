// Owns the window's view of the account: plan, spend and the monthly limit.
import { create } from 'zustand'
import type { Account, AccountUpdate, Plan } from '../../shared/account.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface AccountStore extends Loaded {
  account: Account | null
  plans: Plan[]
  refresh(): Promise<void>
  updateAccount(change: AccountUpdate): Promise<void>
  put(account: Account): void
}

export const useAccount = create<AccountStore>()((set, get) => ({
  ...notLoaded,
  account: null,
  plans: [],
  refresh: () =>
    load<AccountStore>(set, get, async () => {
      const [account, plans] = await Promise.all([api('getAccount'), api('listPlans')])
      return { account, plans: plans.data }
    }),
  async updateAccount(change) {
    get().put(await api('updateAccount', { body: change }))
  },
  put: (account) => set({ account }),
}))

/** The time zone the user's days and months are counted in; undefined until it is known. */
export function useTimeZone(): string | undefined {
  return useAccount((store) => store.account?.timeZone)
}
