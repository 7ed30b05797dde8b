import { admin, anyone, describeOperations, reading } from '../../../shared/api/operations/operation.ts'
import { Approval, ApprovalAnswer, ApprovalDecision, ApprovalList, ApprovalRequest } from './approvals.ts'
import { approvalRoutes } from './terms.ts'

export const approvalOperations = describeOperations(approvalRoutes, { tag: 'Account' })({
  listApprovals: {
    summary: 'List the questions that wait for you',
    scopes: reading,
    response: ApprovalList,
  },
  requestApproval: {
    summary: 'Ask the owner for more',
    description:
      'Waits for the answer, as a request does at a limit with the action `ask`. Of these limits of the calling key and of the account, it is for the one that leaves least. 402 `not_allowed` if it is not allowed.',
    scopes: anyone,
    body: ApprovalRequest,
    response: ApprovalAnswer,
  },
  decideApproval: {
    idDescription: 'The id of a question (`ask_…`).',
    summary: 'Answer a limit or a rule that asks',
    scopes: admin,
    body: ApprovalDecision,
    response: Approval,
  },
})
