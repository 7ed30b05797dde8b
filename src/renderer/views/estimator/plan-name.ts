// Owns what a plan is called on the screen.
import type { PlanId } from '../../../shared/account.ts'
import { useAccount } from '../../stores/account.ts'

export function usePlanName(): (id: PlanId) => string {
  const plans = useAccount((store) => store.plans)
  return (id) => plans.find((plan) => plan.id === id)?.name ?? id
}
